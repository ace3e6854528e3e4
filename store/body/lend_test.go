package body

import (
	"bytes"
	"reflect"
	"testing"

	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/segment"
)

// TestLend lends each run of the golden archive in the memory of the run before. A lent run must say
// the same as one that was read into new memory, and must be found without reading until the next run
// is lent.
func TestLend(t *testing.T) {
	folder := commit.Open("../testdata/golden/archive", disk.OS)
	c, err := folder.InForce()
	if err != nil {
		t.Fatal(err)
	}
	files := NewFiles(folder, 256<<20, func(err error) { t.Error(err) })
	defer files.Close()
	lending, reading := NewRuns(files, c), NewRuns(files, c)
	defer lending.Close()
	defer reading.Close()
	lending.Shelve(1<<20, 2)
	var memory segment.RunMemory
	var before *segment.Run
	var at segment.RunRef
	for _, s := range c.Segments {
		for n := range uint32(s.Runs) {
			got, err := lending.Lend(lending.Reader(s), n, &memory)
			if err != nil {
				t.Fatal(err)
			}
			want, err := reading.Run(reading.Reader(s), n)
			if err != nil {
				t.Fatal(err)
			}
			sameRun(t, got, want)
			reads := lending.Stats().Runs
			if again, err := lending.Run(lending.Reader(s), n); again != got || err != nil || lending.Stats().Runs != reads {
				t.Fatalf("run %d of segment %d was lent, and then read again: %v", n, s.ID, err)
			}
			if before != nil {
				if again, err := lending.Run(lending.Segment(at.Segment), at.Run); again == before || err != nil {
					t.Fatalf("run %d of segment %d is found in memory that has another run: %v", at.Run, at.Segment, err)
				}
			}
			before, at = got, segment.RunRef{Segment: s.ID, Run: n}
			if got.Meta.Len() > 0 {
				if _, err := got.Meta.Entry(0); err != nil { // decodes columns that AppendPages leaves out
					t.Fatal(err)
				}
			}
		}
	}
	if _, err := lending.Lend(lending.Segment(at.Segment), 1<<20, &memory); err == nil {
		t.Fatal("a run that the segment does not have was lent")
	}
	if again, err := lending.Run(lending.Segment(at.Segment), at.Run); again == before || err != nil {
		t.Fatalf("a run is found in memory that may have another run: %v", err)
	}
}

// sameRun compares the entries, the content and the facts of two runs.
func sameRun(t *testing.T, got, want *segment.Run) {
	t.Helper()
	g, err := got.Meta.AppendPages(nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := want.Meta.AppendPages(nil)
	if err != nil || !reflect.DeepEqual(g, w) {
		t.Fatalf("got entries\n%v, want\n%v, %v", g, w, err)
	}
	gotContent, _ := got.Content()
	wantContent, _ := want.Content()
	if !bytes.Equal(gotContent, wantContent) || got.BlockCount() != want.BlockCount() {
		t.Fatalf("got %d blocks with %q, want %d with %q", got.BlockCount(), gotContent, want.BlockCount(), wantContent)
	}
	gf, err := got.Facts()
	if err != nil {
		t.Fatal(err)
	}
	wf, err := want.Facts()
	if err != nil || gf.Blocks() != wf.Blocks() {
		t.Fatalf("got facts of %d blocks, want %d, %v", gf.Blocks(), wf.Blocks(), err)
	}
	for i := range g {
		if n := uint32(i); !bytes.Equal(gf.Page(n), wf.Page(n)) || !bytes.Equal(gf.Fold(n), wf.Fold(n)) {
			t.Fatalf("got facts %q of page %d, want %q", gf.Page(n), n, wf.Page(n))
		}
	}
}
