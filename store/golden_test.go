package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"infomall/store/segment"
)

// TestGoldenOfNow fails when a format was raised and no archive of it was added
// to the golden ones: testdata/golden/README.md says how.
func TestGoldenOfNow(t *testing.T) {
	now := fmt.Sprintf("catalogue %d\nremovals %d\n%s", catalogFormat, removalFormat, segment.Formats())
	names, err := filepath.Glob("testdata/golden/format*/formats")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if string(b) == now {
			return
		}
	}
	t.Errorf("there is no golden archive of the present formats:\n%s", now)
}
