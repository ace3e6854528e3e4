package duplicate

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"infomall/exec/op"
	"infomall/exec/relation"
	"infomall/exec/spill"
)

// spansRunner returns a Runner that makes temporary files and sorts within some memory.
func spansRunner(t *testing.T, memory int64) *op.Runner {
	return &op.Runner{Reader: relation.Reader{Memory: spill.Memory{Bytes: memory, Dirs: []string{t.TempDir()}}}}
}

// TestSpans reads records of many lengths back, in order and in any order, while others are added.
func TestSpans(t *testing.T) {
	s, err := newSpans(spansRunner(t, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer s.file.Close()
	r := rand.New(rand.NewPCG(19, 1))
	var records [][]byte
	var spots []spot
	check := func(i int) {
		t.Helper()
		got, err := s.read(spots[i], nil)
		if err != nil || !bytes.Equal(got, records[i]) {
			t.Fatalf("record %d of %d bytes is read as %d bytes, error %v", i, len(records[i]), len(got), err)
		}
	}
	for i := range 3000 {
		b := make([]byte, r.IntN([]int{1, 40, 3 * readBytes, 2 * readAhead}[r.IntN(4)]))
		for k := range b {
			b[k] = byte(r.Uint32())
		}
		at, err := s.add(b)
		if err != nil || at == 0 {
			t.Fatalf("added at %d, error %v", at, err)
		}
		records, spots = append(records, b), append(spots, at)
		if i%100 == 0 {
			check(r.IntN(i + 1))
			check(i)
		}
	}
	for i := range records {
		check(i)
	}
	for range records {
		check(r.IntN(len(records)))
	}
}

// TestFind looks for keys that are in a comparison and for others, in order, with gaps and in any
// order. Rows with the same key are in it once, the first of them.
func TestFind(t *testing.T) {
	run := spansRunner(t, 20_000) // the rows do not fit in it
	c := &comparison{duplication: &duplication{}, run: run, last: -1}
	for _, s := range []**spans{&c.about, &c.prints, &c.sets} {
		var err error
		if *s, err = newSpans(run); err != nil {
			t.Fatal(err)
		}
	}
	defer c.close()
	r := rand.New(rand.NewPCG(19, 2))
	sorter := run.Sorter(context.Background(), 2)
	defer sorter.Close()
	key := func(n int) []byte {
		return append(binary.BigEndian.AppendUint32(nil, uint32(n)|1<<24), 0, 0, 0, 0, 0, 0, 0, 0, 0)
	}
	const pages = 3000
	for _, n := range r.Perm(pages) {
		for turn := range 2 {
			if err := sorter.Add(key(2*n+1), appendAbout([]byte{0}, about{mark: uint64(n), bytes: int64(turn)})); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := c.takeAll(sorter); err != nil {
		t.Fatal(err)
	}
	if len(c.list) != pages {
		t.Fatalf("%d pages, want %d", len(c.list), pages)
	}
	for n := range c.list {
		a, k, err := c.aboutOf(&c.list[n])
		if want := (about{mark: uint64(n)}); err != nil || a != want || !bytes.Equal(k, key(2*n+1)) {
			t.Fatalf("page %d is %+v with the key %x, error %v", n, a, k, err)
		}
	}
	check := func(n int) {
		t.Helper()
		i, ok, err := c.find(key(n))
		if err != nil || ok != (n%2 == 1 && n < 2*pages) || i != min(n/2, pages) {
			t.Fatalf("key %d is at %d, %v, error %v", n, i, ok, err)
		}
	}
	for n := range 2*pages + 5 {
		check(n)
	}
	for _, n := range slices.Backward(r.Perm(2*pages + 5)) {
		check(n)
	}
	for _, step := range []int{2, 3, 7, 200, 2500} {
		for n := 1; n < 2*pages+step; n += step {
			check(n)
		}
	}
}

// TestComparedSize shows how much memory a page takes in a comparison. An archive has millions of
// pages.
func TestComparedSize(t *testing.T) {
	if got := unsafe.Sizeof(compared{}); got > 40 {
		t.Errorf("a page takes %d bytes, want 40", got)
	}
}
