package store

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
)

// TestGathered reads each body of archives of every format from no more of its runs
// than it is made of, and as others do; then from runs that are at hand.
func TestGathered(t *testing.T) {
	archives, err := filepath.Glob("testdata/golden/format*/archive")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	ctx := context.Background()
	for _, from := range archives {
		dir := filepath.Join(t.TempDir(), "archive")
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		read, gathered := 0, 0
		for range 2 {
			a := Open(dir, Options{})
			for _, ref := range bodiesOf(t, dir) {
				v, err := a.Snapshot(ctx)
				if err != nil {
					t.Fatal(err)
				}
				s := v.segment(ref.Segment)
				e, err := v.stored(place{s, ref.Run, ref.N})
				if err != nil {
					t.Fatal(err)
				}
				owner, _, err := v.owner(ctx, place{s, ref.Run, ref.N}, e)
				if err != nil || owner == nil {
					t.Fatalf("%s: no body of %s: %v", from, e.Key, err)
				}
				got, want := v.gathered(owner), []byte{}
				for b, err := range v.pieces(ctx, owner) {
					if err != nil {
						t.Fatal(err)
					}
					want = append(want, b...)
				}
				if read++; got != nil {
					gathered++
				}
				if got != nil && !bytes.Equal(got, want) {
					t.Errorf("%s: body of %s at %v: got\n%q, want\n%q", from, e.Key, e.Time.Std(), got, want)
				}
				if err := v.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if gathered < read*9/10 && filepath.Base(filepath.Dir(from)) == "format6" {
			t.Errorf("%s: only %d of %d bodies were gathered", from, gathered, read)
		}
	}
}
