package segment

import (
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"infomall/store/disk"
	"infomall/store/segment/indexfile"
)

// TestFactsOfBlocks stores blocks with facts beside them. They come back with
// each block, and a block that is stored once has them once.
func TestFactsOfBlocks(t *testing.T) {
	dir := t.TempDir()
	info := writeSegment(t, dir, testEntries(40))
	s := NewReader(disk.Inside(disk.OS, dir), info, nil, nil)
	defer s.Close()
	seen := make(map[string]int)
	for n := range info.Runs {
		f := factsOf(t, s, uint32(n))
		for i := range f.blocks.len() {
			seen[string(f.blocks.at(uint32(i)))]++
		}
	}
	for i := range 40 {
		e := testEntries(40)[i]
		if e.Body != BodyOwn || i%4 != 0 {
			continue
		}
		want := string(testContent(i).Facts[1])
		if seen[want] != 1 {
			t.Errorf("facts %q: stored %d times, want 1", want, seen[want])
		}
	}
}

// TestWithoutFacts writes a segment of entries without facts: none are
// read.
func TestWithoutFacts(t *testing.T) {
	dir := t.TempDir()
	entries := testEntries(3)[2:] // it brings no body
	entries[0].Fold, entries[0].Facts = nil, nil
	info := writeSegment(t, dir, entries)
	x, err := indexfile.Open(filepath.Join(dir, info.Index))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	s := NewReader(disk.Inside(disk.OS, dir), info, x, nil)
	defer s.Close()
	if f := factsOf(t, s, 0); f != noFacts {
		t.Errorf("Facts: got %v, want none", f)
	}
}

func factsOf(t *testing.T, s *Reader, n uint32) *Facts {
	t.Helper()
	r, err := s.Run(n)
	if err != nil {
		t.Fatal(err)
	}
	f, err := r.Facts()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// FuzzFacts decodes what is no facts frame. It may be refused; what is read can
// be asked for.
func FuzzFacts(f *testing.F) {
	r := run{entries: testEntries(12), facts: [][]byte{nil, []byte("a"), []byte("bc")}}
	f.Add(r.appendFacts(nil))
	f.Add([]byte{disk.FormatByte, 0xff, 0xff, 3, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		var facts Facts
		if err := facts.decode(b); err != nil {
			return
		}
		for n := range uint32(facts.blocks.len()) + 1 {
			_ = fmt.Sprint(facts.Fold(n), facts.Page(n), facts.Block(n))
		}
	})
}

// TestFormOfFacts shows that only a packed run gets the facts of a block in short form, whether a
// Writer packs or not.
func TestFormOfFacts(t *testing.T) {
	block := []byte("a block")
	for _, c := range []struct {
		name          string
		packs, packed bool
		want          string
	}{
		{"a run", false, false, "long"},
		{"a packed run", true, true, "short"},
		{"a run of a segment with packed ones", true, false, "long"},
	} {
		w := NewWriter(io.Discard, NewEncoder(), "200807", 7, 1, NewBlocks(1))
		if c.packs {
			w.Pack(new(Packer), nil, func(leaf, facts []byte) []byte { return []byte("short") })
		}
		w.run.packed = c.packed
		asked := !c.packed
		_, err := w.Keep(BodyBlock{ID: BlockID(block), Size: len(block), Read: func(short bool) (b, facts []byte, err error) {
			asked = short
			return block, []byte("long"), nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(w.run.shortFacts()[0]); asked != c.packed || got != c.want {
			t.Errorf("%s: asks for short facts: %v, has %s ones; want %v, %s", c.name, asked, got, c.packed, c.want)
		}
	}
}
