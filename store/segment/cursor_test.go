package segment

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/segment/indexfile"
)

// TestPassOver reads the chunks of a segment whose bounds satisfy a condition, from the
// index and from the db-file alone. The bounds of each are those of its entries.
func TestPassOver(t *testing.T) {
	dir := t.TempDir()
	entries := testEntries(9000)
	for i := range entries {
		if entries[i].Bytes >= 0 {
			entries[i].Bytes = int64(i)
		}
	}
	info := writeSegment(t, dir, entries)
	x, err := indexfile.Open(filepath.Join(dir, info.Index))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for name, index := range map[string]*indexfile.File{"index": x, "db-file": nil} {
		s := NewReader(disk.Inside(disk.OS, dir), info, index, func(err error) { t.Error(err) })
		defer s.Close()
		var all []uint32
		var bounds []Bounds
		whole := s.Chunks(WantAll)
		for c, err := whole.Seek(""); c != nil || err != nil; c, err = whole.Next() {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, c.Run)
			b := Bounds{LeastBytes: 1 << 60, GreatestBytes: -2, FirstTime: record.MaxTime, LastTime: record.MinTime}
			for _, e := range c.AppendEntries(nil) {
				b.LeastBytes, b.GreatestBytes = min(b.LeastBytes, e.Bytes), max(b.GreatestBytes, e.Bytes)
				b.FirstTime, b.LastTime = min(b.FirstTime, e.Time), max(b.LastTime, e.Time)
				b.Lost = b.Lost || e.Body == BodyNone
			}
			if c.bounds != b {
				t.Errorf("%s: run %d has the bounds %+v, want %+v", name, c.Run, c.bounds, b)
			}
			bounds = append(bounds, b)
		}
		whole.Close()
		if len(all) < 6 {
			t.Fatalf("only %d chunks", len(all))
		}
		for mask := range 1 << 6 {
			over := func(i int) bool { return mask>>(i%6)&1 != 0 }
			c := s.Chunks(WantTime)
			c.PassOver(func(b Bounds) bool { return over(slices.Index(bounds, b)) })
			var got, want []uint32
			for i, n := range all {
				if !over(i) {
					want = append(want, n)
				}
			}
			for chunk, err := c.Seek(""); chunk != nil || err != nil; chunk, err = c.Next() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, chunk.Run)
			}
			c.Close()
			if !slices.Equal(got, want) {
				t.Errorf("%s, without those of %b: got chunks %d, want %d", name, mask, got, want)
			}
		}
	}
}

// TestCheckStarts shows that Check reports starts of chunks that differ from the db-file, whether or
// not they can be decoded.
func TestCheckStarts(t *testing.T) {
	dir := t.TempDir()
	info := writeSegment(t, dir, testEntries(20000))
	for _, tt := range []struct {
		name   string
		change func(v []byte) []byte
		faults int
	}{
		{"as they are", func(v []byte) []byte { return v }, 0},
		{"another letter", func(v []byte) []byte { v[len(v)-1]++; return v }, 1},
		{"one too many", func(v []byte) []byte { v[0]++; return append(v, 1, 0, 1, '~') }, 1},
		{"none", func([]byte) []byte { return nil }, 1},
	} {
		found := 0
		x := changedPair(t, dir, info, keyStarts, func(v []byte) []byte {
			found++
			return tt.change(v)
		})
		var faults []Fault
		s := NewReader(disk.Inside(disk.OS, dir), info, x, nil)
		err := s.Check(t.Context(), func(f Fault) error {
			faults = append(faults, f)
			return nil
		}, func(uint32, *Run) error { return nil })
		s.Close()
		x.Close()
		if err != nil || found != 1 || len(faults) != tt.faults || len(faults) > 0 && !faults[0].Index {
			t.Errorf("%s: the starts were changed %d times, faults %v, error %v; want %d faults of the index", tt.name, found, faults, err, tt.faults)
		}
	}
}

// TestPassOverRuns reads the chunks of some runs of a segment, from the beginning and from some
// keys on: from the index, from the db-file, and from indexes that lack a chunk. If a run is passed
// over, its chunk may be missing: it is not read. The loss of any other chunk is noticed.
func TestPassOverRuns(t *testing.T) {
	dir := t.TempDir()
	info := writeSegment(t, dir, testEntries(20000))
	b, err := os.ReadFile(filepath.Join(dir, info.File))
	if err != nil {
		t.Fatal(err)
	}
	var pairs []pair
	if _, err := Rebuild(t.Context(), info.File, bytes.NewReader(b), info.Bytes, func(key, value []byte) error {
		pairs = append(pairs, pair{bytes.Clone(key), bytes.Clone(value)})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var keys []string // the last key of each chunk
	for _, p := range pairs {
		if p.key[0] != 0 {
			keys = append(keys, string(lastKeyOf(p.key)))
		}
	}
	if len(keys) <= startsLeast {
		t.Fatalf("only %d chunks", len(keys))
	}
	// without returns an index that lacks chunk n.
	without := func(n int) *indexfile.File {
		name := filepath.Join(dir, fmt.Sprint("without", n, ".idx"))
		x, err := indexfile.NewBuilder(disk.OS, name)
		if err != nil {
			t.Fatal(err)
		}
		_, err = x.Add(info.Bucket(), func(put func(k, v []byte) error) error {
			for i, p := range pairs {
				if i == n {
					continue
				}
				if err := put(p.key, p.value); err != nil {
					return err
				}
			}
			return nil
		})
		if err = errors.Join(err, x.Finish()); err != nil {
			t.Fatal(err)
		}
		f, err := indexfile.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, lost := range []int{-2, -1, 0, 7, len(keys) - 1} {
		var index *indexfile.File // if lost is -2, there is none
		if lost >= -1 {
			index = without(lost)
		}
		draws := 10 // of which most read the db-file
		if lost == -1 {
			draws = 300
		}
		for range draws {
			warned := false
			s := NewReader(disk.Inside(disk.OS, dir), info, index, func(error) { warned = true })
			share := rnd.IntN(8) + 1
			keep := make([]bool, len(keys))
			for i := range keep {
				keep[i] = rnd.IntN(share) == 0
			}
			from := "" // or a key that lies between two chunks, or is the last one of a chunk
			if lost < 0 && rnd.IntN(2) == 0 {
				from = keys[rnd.IntN(len(keys))] + []string{"", "~"}[rnd.IntN(2)]
			}
			c := s.Chunks(WantTime)
			c.PassOverRuns(func(run uint32) bool { return !keep[run] })
			var got, want []uint32
			for i, k := range keep {
				if k && keys[i] >= from {
					want = append(want, uint32(i))
				}
			}
			for chunk, err := c.Seek(from); chunk != nil || err != nil; chunk, err = c.Next() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, chunk.Run)
			}
			c.Close()
			s.Close()
			if !slices.Equal(got, want) || warned != (lost >= 0 && keep[lost]) {
				t.Errorf("without chunk %d, from %q: got chunks %d, want %d; warned %v", lost, from, got, want, warned)
			}
		}
	}
}
