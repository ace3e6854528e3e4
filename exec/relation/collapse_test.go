package relation

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"infomall/exec/spill"
	"infomall/store/record"
	"infomall/store/search"

	"pgregory.net/rapid"
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

// TestSorted sorts findings, of which many have equal keys: they come in the order of their keys, and
// then as they came in.
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
	r := &Reader{Memory: spill.Memory{Bytes: 20_000, Dirs: []string{t.TempDir()}}}
	got := 0
	before := finding{first: -1}
	for f, err := range r.sorted(t.Context(), in, func(dst []byte, f *finding) []byte { return appendTime(dst, f.first) }) {
		if err != nil {
			t.Fatal(err)
		}
		if f.first < before.first || f.first == before.first && f.versions <= before.versions || f.url != fmt.Sprintf("http://a.example/%d", f.versions) {
			t.Fatalf("%+v comes after %+v", *f, before)
		}
		before = *f
		got++
	}
	if got != count {
		t.Errorf("%d findings, want %d", got, count)
	}
}

// TestCollapsed joins drawn findings with memory for all and with memory for some of them. The
// results and their order are the same. In any order, compareURLs brings them into the same order.
func TestCollapsed(t *testing.T) {
	const little = 10_000
	joins, spills, dir := 0, 0, t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		var in []finding
		var list []string // URLs in the order of their keys
		for i := range rapid.IntRange(1, 12).Draw(t, "URLs") {
			for _, form := range []string{"http://a.example/%02d", "https://a.example/%02d"} {
				list = append(list, fmt.Sprintf(form, i))
			}
		}
		for _, form := range []string{"http://www.a.example/%02d"} {
			for i := range len(list) / 2 {
				list = append(list, fmt.Sprintf(form, i))
			}
		}
		moments := []record.Time{record.NoTime}
		if rapid.Bool().Draw(t, "each") {
			moments = []record.Time{1, 2, 3}
		}
		for _, url := range list {
			for _, asOf := range moments {
				time := record.Time(0)
				for range rapid.IntRange(0, 2).Draw(t, "findings") {
					f := finding{url: url, asOf: asOf, versions: rapid.IntRange(1, 3).Draw(t, "versions"), notBefore: record.NoTime, next: record.NoTime, missed: record.NoTime, lost: record.NoTime}
					f.first = time + record.Time(rapid.IntRange(1, 4).Draw(t, "first"))
					f.last = f.first + record.Time(rapid.IntRange(0, 4).Draw(t, "last"))
					if rapid.Bool().Draw(t, "missed") {
						f.missed = f.first - 1
					}
					if rapid.Bool().Draw(t, "lost") {
						f.lost = f.last + 1
					}
					time = f.last + 1
					f.print = search.Print{Bits: rapid.SampledFrom([]uint64{0, 7, 15, 1 << 40, 0xffff0000}).Draw(t, "print"), Has: rapid.Bool().Draw(t, "has"), Known: true}
					f.ref.N = uint32(len(in))
					in = append(in, f)
				}
			}
		}
		var results [3][]string
		for i := range results {
			r := &Reader{Plain: true, Memory: spill.Memory{Bytes: 100 << 20, Dirs: []string{dir}}}
			if i == 0 {
				r.Memory.Bytes = little
			}
			each := func(yield func(*finding, error) bool) {
				for _, f := range in {
					if !yield(&f, nil) {
						return
					}
				}
			}
			var all []*finding
			for f, err := range r.collapsed(context.Background(), &Request{}, each, i == 2) {
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, f)
			}
			if i == 2 {
				slices.SortFunc(all, (*finding).compareURLs)
			}
			for _, f := range all {
				results[i] = append(results[i], fmt.Sprint(f.url, " ", f.first, f.last, f.missed, f.lost, f.asOf, " ", f.ref.N, f.versions, f.copies))
			}
		}
		if !slices.Equal(results[0], results[1]) || !slices.Equal(results[0], results[2]) {
			t.Fatalf("with sorters\n%s\nin memory\n%s\nin any order\n%s", strings.Join(results[0], "\n"), strings.Join(results[1], "\n"), strings.Join(results[2], "\n"))
		}
		if len(in) == 0 {
			return
		}
		joins += len(in) - len(results[0])
		if int64(len(in))*in[0].bytes() > little*fewShare/collapseShare {
			spills++
		}
	})
	if joins == 0 || spills == 0 {
		t.Errorf("%d findings were joined, and the memory was too little %d times", joins, spills)
	}
}

// TestBestScores adds findings with scores and places, and asks which others can be among the best.
func TestBestScores(t *testing.T) {
	for _, c := range []struct {
		byURL   bool
		score   float64
		at      int
		reaches bool
	}{
		{true, 3.5, 9, true}, {true, 3, 4, true}, {true, 3, 6, false}, {true, 2, 1, false},
		{false, 3.5, 9, true}, {false, 3, 4, true}, {false, 3, 6, true}, {false, 2, 1, false},
	} {
		best := bestScores{wanted: 3, byURL: c.byURL}
		for i, score := range []float64{4, 1, 3, 2, 5, 3} {
			f := &finding{url: fmt.Sprint(i), score: score, at: i}
			if i < 3 && !best.reach(bounded{f, 0}) {
				t.Error("there is room, but a finding does not reach it")
			}
			best.add(f)
		}
		if best.list[0].score != 3 || c.byURL && best.list[0].at != 2 {
			t.Errorf("the last of the best is %+v", *best.list[0].finding)
		}
		best.list[0].at = 5
		if got := best.reach(bounded{&finding{at: c.at}, c.score}); got != c.reaches {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
