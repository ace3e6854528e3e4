package commit

import (
	"context"
	"errors"
	"strings"
	"testing"

	"infomall/store/catalog"
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
