package commit

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"infomall/store/catalog"
	"infomall/store/disk"
)

// TestRetryStale plans a change that never fits. It gives up, says so, and heeds
// the end of its context.
func TestRetryStale(t *testing.T) {
	calls := 0
	err := Retry(context.Background(), func() error { calls++; return catalog.ErrStale })
	if calls != staleTries || !errors.Is(err, catalog.ErrStale) || !strings.Contains(err.Error(), "in a row") {
		t.Errorf("%d calls, and %v", calls, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	calls = 0
	err = Retry(ctx, func() error { calls++; cancel(); return catalog.ErrStale })
	if calls != 1 || !errors.Is(err, context.Canceled) {
		t.Errorf("once cancelled: %d calls, and %v", calls, err)
	}
	calls = 0
	err = Retry(context.Background(), func() error {
		if calls++; calls < 3 {
			return catalog.ErrStale
		}
		return nil
	})
	if calls != 3 || err != nil {
		t.Errorf("one that fits in the end: %d calls, and %v", calls, err)
	}
}

// TestNewestCatalogue names the catalogue with the highest number, also after number 999999.
func TestNewestCatalogue(t *testing.T) {
	dir := t.TempDir()
	if err := disk.Mkdir(disk.OS, filepath.Join(dir, DirCatalog)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"999999", "1000000"} {
		if err := disk.WriteFile(disk.OS, filepath.Join(dir, DirCatalog, name), nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := Open(dir, disk.OS).currentRemedy(0); !strings.HasSuffix(got, "is 1000000") {
		t.Errorf("the remedy is: %s", got)
	}
}
