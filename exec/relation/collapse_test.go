package relation

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"infomall/exec/spill"
	"infomall/store/record"
	"infomall/store/search"
)

// spansOf yields findings that are written as "url first last missed lost", where - is no
// time.
func spansOf(list ...string) iter.Seq2[*finding, error] {
	return func(yield func(*finding, error) bool) {
		for _, text := range list {
			f := finding{versions: 1, asOf: record.NoTime}
			var times [4]string
			fmt.Sscan(text, &f.url, &times[0], &times[1], &times[2], &times[3])
			for i, t := range []*record.Time{&f.first, &f.last, &f.missed, &f.lost} {
				if *t = record.NoTime; times[i] != "-" {
					fmt.Sscan(times[i], (*int64)(t))
				}
			}
			f.notBefore, f.next = f.missed, f.lost
			if !yield(&f, nil) {
				return
			}
		}
	}
}

// TestJoined holds which findings of a group become one.
func TestJoined(t *testing.T) {
	for _, c := range []struct {
		in   []string
		want string // url first last versions copies, of each
	}{
		{[]string{"a 1 5 - -", "b 3 4 - -"}, "a 1 5 2 1"},
		{[]string{"a 1 5 - 6", "b 3 9 2 -"}, "b 1 9 2 1"},
		{[]string{"a 1 5 - -", "b 7 9 - -"}, "b 1 9 2 1"},
		{[]string{"a 1 5 - 7", "b 7 9 5 -"}, "b 1 9 2 1"},
		{[]string{"a 1 5 - 6", "b 7 9 - -"}, "a 1 5 1 0, b 7 9 1 0"},
		{[]string{"a 1 5 - -", "b 7 9 6 -"}, "a 1 5 1 0, b 7 9 1 0"},
		{[]string{"a 1 2 - 3", "b 1 8 - -", "a 8 9 7 -"}, "a 1 9 3 1"},
		{[]string{"a 1 2 - 3", "b 1 4 - 5", "c 9 9 8 -"}, "b 1 4 2 1, c 9 9 1 0"},
	} {
		var got []string
		for f, err := range joined(spansOf(c.in...), 10, func(a, b *finding) bool { return true }) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(f.url, " ", f.first, " ", f.last, " ", f.versions, " ", f.copies))
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%v: %s, want %s", c.in, strings.Join(got, ", "), c.want)
		}
	}
}

// TestJoinedTooMany holds that an answer with too many copies is an error with its remedy.
func TestJoinedTooMany(t *testing.T) {
	for _, err := range joined(spansOf("a 1 9 - -", "b 2 9 - -", "c 3 9 - -"), 2, func(a, b *finding) bool { return true }) {
		if err == nil || !strings.Contains(err.Error(), "more than 2 pages") || !strings.Contains(err.Error(), "SET collapse = off") {
			t.Errorf("error %v", err)
		}
	}
}

// TestFindingBytes holds that a finding comes out of a sorter as it went in.
func TestFindingBytes(t *testing.T) {
	f := finding{
		url: "http://a.example/", title: "北京", first: 1, last: 2, notBefore: record.NoTime, next: 3, versions: 4,
		ref: record.Ref{Segment: 5, Run: 6, N: 7}, score: 8.5, copies: 9, asOf: record.NoTime, missed: 10, lost: 11, group: 1<<63 + 12,
	}
	for bits := range uint64(8) {
		f.ranked = bits&1 != 0
		f.print = search.Print{Bits: 1<<63 + bits, Has: bits&2 != 0, Known: bits&4 != 0}
		if got := readFinding(string(f.appendTo(nil))); got != f {
			t.Errorf("%+v, want %+v", got, f)
		}
	}
}

// TestSorted sorts findings, of which many have equal keys, with memory for all, for some and
// for none of them: they come in the order of their keys, and then as they came in.
func TestSorted(t *testing.T) {
	const count = 500
	in := func(yield func(*finding, error) bool) {
		for i := range count {
			f := finding{url: fmt.Sprintf("http://a.example/%d", i), title: "page", first: record.Time(i * 7 % 20), versions: i}
			if !yield(&f, nil) {
				return
			}
		}
	}
	spilled := make(map[bool]bool)
	for _, bytes := range []int64{100 << 20, 1 << 20, 200_000, 20_000, 0} {
		r := &Reader{Memory: spill.Memory{Bytes: bytes, Dirs: []string{t.TempDir()}}}
		got := 0
		before := finding{first: -1}
		for f, err := range r.sorted(t.Context(), in, func(dst []byte, f *finding) []byte { return appendTime(dst, f.first) }) {
			if err != nil {
				t.Fatal(err)
			}
			if f.first < before.first || f.first == before.first && f.versions <= before.versions || f.url != fmt.Sprintf("http://a.example/%d", f.versions) {
				t.Fatalf("with %d bytes: %+v comes after %+v", bytes, *f, before)
			}
			before = *f
			got++
		}
		if got != count {
			t.Errorf("with %d bytes: %d findings, want %d", bytes, got, count)
		}
		k := keyedFinding{"12345678", &before}
		spilled[count*k.bytes() > bytes/(fewShare*collapseShare)] = true
	}
	if len(spilled) != 2 {
		t.Error("the memory is not once enough and once too little")
	}
}
