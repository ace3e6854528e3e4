package spill

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"infomall/exec/value"
)

// TestSorter sorts records of many sizes with memory for all, some or none of
// them. They come sorted by key, and by arrival if keys are equal.
func TestSorter(t *testing.T) {
	const seed = 1
	for _, limit := range []int64{1 << 20, 20_000, 1_000, 0} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			s := &Sorter{ctx: t.Context(), limit: limit, dirs: []string{t.TempDir()}}
			defer s.Close()
			var want []Record
			for i := range 3000 {
				key := fmt.Appendf(nil, "%03d", r.IntN(200))
				val := bytes.Repeat(binary.BigEndian.AppendUint32(nil, uint32(i)), 1+r.IntN(5))
				if err := s.Add(key, val); err != nil {
					t.Fatal(err)
				}
				want = append(want, Record{key, val})
			}
			checkSorted(t, s, want)
		})
	}
}

// checkSorted compares what s yields with the records that were added, sorted by a
// stable sort.
func checkSorted(t *testing.T, s *Sorter, want []Record) {
	t.Helper()
	slices.SortStableFunc(want, func(a, b Record) int { return bytes.Compare(a.Key, b.Key) })
	i := 0
	for got, err := range s.Sorted() {
		if err != nil {
			t.Fatal(err)
		}
		if i == len(want) || !bytes.Equal(got.Key, want[i].Key) || !bytes.Equal(got.Val, want[i].Val) {
			t.Fatalf("record %d of %d: got %q %x, want %q", i, len(want), got.Key, got.Val, want[min(i, len(want)-1)])
		}
		i++
	}
	if i != len(want) {
		t.Errorf("got %d records, want %d", i, len(want))
	}
}

// TestSorterKeys sorts keys of kinds for which the order of numbers made from them
// may differ from the order of bytes: keys with a long common beginning, keys that
// begin with other keys, keys with zeros at their end, and the empty key.
func TestSorterKeys(t *testing.T) {
	const seed = 2
	pieces := []string{"", "\x00", "\x00\x00", "a", "\xff", "http://host.example/", "01234567", "0123456", "same beginning of all"}
	r := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		s := &Sorter{ctx: t.Context(), limit: 1 << 20}
		var want []Record
		for i := range 1 + r.IntN(300) {
			var key []byte
			for range r.IntN(6) {
				key = append(key, pieces[r.IntN(len(pieces))]...)
			}
			val := binary.BigEndian.AppendUint32(nil, uint32(i))
			if err := s.Add(key, val); err != nil {
				t.Fatal(err)
			}
			want = append(want, Record{key, val})
		}
		checkSorted(t, s, want)
		s.Close()
	}
}

// TestSorterLeavesNothing shows that temporary files have no name, so that none
// is left on disk, and that a directory in which no file can be created is
// skipped.
func TestSorterLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := &Sorter{ctx: t.Context(), dirs: []string{dir + "/missing"}}
	for i := range 10 {
		if err := s.Add([]byte{byte(i)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.runs) == 0 {
		t.Fatal("nothing was spilled")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("got files %v, error %v; want none", left, err)
	}
	s.Close()
	t.Setenv("TMPDIR", dir+"/missing")
	err = (&Sorter{}).writeRun(func(func([]byte, error) bool) {})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got error %v, want %v", err, os.ErrNotExist)
	}
}

// TestRowCodec encodes rows of every type and decodes them.
func TestRowCodec(t *testing.T) {
	values := []value.Value{
		{}, value.OfBool(true), value.OfBool(false), value.OfInt(0), value.OfInt(-1), value.OfInt(math.MaxInt64),
		value.OfInt(math.MinInt64), value.OfFloat(-0.5), value.OfFloat(math.Inf(1)), value.OfText(""), value.OfText("a\x00é"),
		value.OfURL("http://a.cn/"), value.OfTime(1), value.OfDuration(-5),
	}
	in := &value.Batch{N: 1}
	var cols []value.Column
	for _, v := range values {
		c := &value.Vector{Type: v.Type}
		if v.IsNull() {
			c.Type = value.Text
		}
		c.AppendValue(v)
		in.Cols = append(in.Cols, c)
		cols = append(cols, value.Column{Type: c.Type})
	}
	out := value.NewBatch(cols)
	DecodeRow(out, AppendRow(nil, in, 0))
	for i, want := range values {
		if got := out.Cols[i].At(0); got != want {
			t.Errorf("value %d: got %+v, want %+v", i, got, want)
		}
	}
}

// TestSorterStops ends the context of a Sorter that holds many records. The
// sort in memory stops.
func TestSorterStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &Sorter{ctx: ctx, limit: 1 << 30}
	defer s.Close()
	for i := range 100_000 {
		if err := s.Add(binary.BigEndian.AppendUint64(nil, uint64(i)*0x9e3779b97f4a7c15), nil); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if err := s.sort(); err != context.Canceled {
		t.Errorf("sort: got %v, want %v", err, context.Canceled)
	}
	if slices.IsSortedFunc(s.held, func(a, b heldRec) int { return bytes.Compare(s.record(a).Key, s.record(b).Key) }) {
		t.Error("all was sorted all the same")
	}
}

// BenchmarkSort sorts 200,000 records by keys of times, and by keys of URLs, as they are
// sorted and by comparing whole keys.
func BenchmarkSort(b *testing.B) {
	const records = 200_000
	for _, kind := range []string{"times", "urls"} {
		r := rand.New(rand.NewPCG(3, 0))
		s := &Sorter{ctx: b.Context(), limit: 1 << 30}
		for range records {
			key := binary.BigEndian.AppendUint64([]byte{1}, 1<<63|uint64(1.2e12+r.Float64()*4e10))
			if kind == "urls" {
				key = fmt.Appendf([]byte{1}, "example,h%03d,)/p/%d http\x00\x00", r.IntN(300), r.IntN(400_000))
			}
			if err := s.Add(key, nil); err != nil {
				b.Fatal(err)
			}
		}
		held := slices.Clone(s.held)
		for name, sort := range map[string]func(){"sort": func() { s.sortFrom(s.held, 0) }, "whole": func() { s.sortWhole(s.held, 0) }} {
			b.Run(kind+"/"+name, func(b *testing.B) {
				for b.Loop() {
					copy(s.held, held)
					sort()
				}
			})
		}
	}
}
