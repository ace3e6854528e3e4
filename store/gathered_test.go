package store

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"infomall/store/timeline"
)

// goldenArchive returns the folder of a copy of the golden archive.
func goldenArchive(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "archive")
	if err := os.CopyFS(dir, os.DirFS("testdata/golden/archive")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestGathered reads each body of the golden archive twice: once gathered from the
// needed parts of its runs, once from whole runs. Both must be equal, and most
// bodies must be gathered. The second round finds runs in the cache.
func TestGathered(t *testing.T) {
	ctx := context.Background()
	dir := goldenArchive(t)
	read, gathered := 0, 0
	for range 2 {
		a := Open(dir, Options{})
		for _, ref := range bodiesOf(t, dir) {
			v, err := a.Snapshot(ctx)
			if err != nil {
				t.Fatal(err)
			}
			s := v.runs.segment(ref.Segment)
			e, err := v.runs.entry(timeline.Place{Seg: s, Run: ref.Run, N: ref.N})
			if err != nil {
				t.Fatal(err)
			}
			owner, _, err := v.owner(ctx, timeline.Place{Seg: s, Run: ref.Run, N: ref.N}, e)
			if err != nil || owner == nil {
				t.Fatalf("no body of %s: %v", e.Key, err)
			}
			got, want := v.runs.gathered(owner), []byte{}
			for b, err := range v.runs.pieces(ctx, owner) {
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, b...)
			}
			if read++; got != nil {
				gathered++
			}
			if got != nil && !bytes.Equal(got, want) {
				t.Errorf("body of %s at %v: got\n%q, want\n%q", e.Key, e.Time.Std(), got, want)
			}
			if err := v.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if read == 0 || gathered < read*9/10 {
		t.Errorf("only %d of %d bodies were gathered", gathered, read)
	}
}
