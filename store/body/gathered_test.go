package body

import (
	"bytes"
	"strings"
	"testing"

	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/segment"
)

// TestGathered reads each body of the golden archive twice: once gathered from the
// needed parts of its runs, once from whole runs. Both must be equal, and most
// bodies must be gathered. The second round finds runs in the cache.
func TestGathered(t *testing.T) {
	const dir = "../testdata/golden/archive"
	folder := commit.Open(dir, disk.OS)
	c, err := folder.InForce()
	if err != nil {
		t.Fatal(err)
	}
	files := NewFiles(folder, 256<<20, func(err error) { t.Error(err) })
	defer files.Close()
	read, gathered := 0, 0
	check := func(e *segment.Stored) {
		r := NewRuns(files, c)
		defer r.Close()
		got, want := r.gathered(e), []byte{}
		for b, err := range r.Pieces(t.Context(), e) {
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
	}
	for range 2 {
		for _, s := range c.Segments {
			r := NewRuns(files, c)
			for n := range uint32(s.Runs) {
				meta, err := r.Meta(r.Reader(s), n)
				if err != nil {
					t.Fatal(err)
				}
				entries, err := meta.Entries()
				if err != nil {
					t.Fatal(err)
				}
				for i := range entries {
					if entries[i].Body == segment.BodyOwn {
						check(&entries[i])
					}
				}
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if read == 0 || gathered < read*9/10 {
		t.Errorf("only %d of %d bodies were gathered", gathered, read)
	}
}

// TestContentsWithoutCache asks for the contents of a run where the cache of runs cannot be
// made. The result is an error, and no panic.
func TestContentsWithoutCache(t *testing.T) {
	folder := commit.Open("../testdata/golden/archive", disk.OS)
	c, err := folder.InForce()
	if err != nil {
		t.Fatal(err)
	}
	files := NewFiles(folder, -1, func(err error) { t.Error(err) })
	defer files.Close()
	r := NewRuns(files, c)
	defer r.Close()
	got, err := r.contents(segment.RunRef{Segment: c.Segments[0].ID}, nil)
	if got != nil || err == nil || !strings.Contains(err.Error(), "cache") {
		t.Errorf("got %v and the error %v, want an error that names the cache", got, err)
	}
}
