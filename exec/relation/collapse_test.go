package relation

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"infomall/exec/spill"
	"infomall/store/record"
	"infomall/store/search"

	"pgregory.net/rapid"
)

// spansOf yields findings that are written as "url first last missed lost score", where - is no
// time. Without a score they are not ranked.
func spansOf(list ...string) iter.Seq2[*finding, error] {
	return func(yield func(*finding, error) bool) {
		for _, text := range list {
			f := finding{versions: 1, asOf: record.NoTime}
			var times [4]string
			n, _ := fmt.Sscan(text, &f.url, &times[0], &times[1], &times[2], &times[3], &f.score)
			f.ranked = n == 6
			f.at = int(f.url[0])
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
		for f, err := range (&joining{most: 10}).joined(spansOf(c.in...), func(a, b *finding) bool { return true }) {
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

// TestChosen holds which of joined findings the row shows.
func TestChosen(t *testing.T) {
	for _, c := range []struct {
		in   []string
		want string // url first last next score
	}{
		{[]string{"a 1 5 - - 2", "b 3 4 - - 3"}, "b 1 5 - 3"},
		{[]string{"a 1 5 - - 3", "b 3 9 - - 2"}, "a 1 9 - 3"},
		{[]string{"a 1 5 - 9 3", "b 3 9 - - 2"}, "b 1 9 - 2"}, // a had lost the words before 9
		{[]string{"a 1 5 - 10 3", "b 3 9 - 11 2"}, "a 1 9 11 3"},
		{[]string{"b 1 5 - - 2", "a 3 9 - - 2", "c 4 9 - - 2"}, "a 1 9 - 2"},
		{[]string{"a 1 5 - - 2", "b 3 9 - - 2"}, "b 1 9 - 2"},
		{[]string{"a 1 5 - -", "b 3 9 - - 2", "c 4 7 - -"}, "b 1 9 - 2"},
		{[]string{"a 1 5 - -", "b 3 9 - -"}, "b 1 9 - 0"},
	} {
		for _, trimmed := range []bool{false, true} {
			var j joint
			for f := range spansOf(c.in...) {
				if j.finding == nil {
					j = joint{finding: f, joining: &joining{most: 10, ranks: true, rank: func([]*finding) error { return nil }}}
				} else if j.add(f); trimmed && f.ranked {
					j.trim()
				}
			}
			f := j.result()
			f.choose()
			got := fmt.Sprint(f.url, " ", f.first, " ", f.last, " ", f.next, " ", f.score)
			if got = strings.ReplaceAll(got, fmt.Sprint(record.NoTime), "-"); got != c.want {
				t.Errorf("%v, trimmed %v: %s, want %s", c.in, trimmed, got, c.want)
			}
		}
	}
}

// TestTrimmed joins many near-copies. Few rivals are kept meanwhile, and the row shows the best.
func TestTrimmed(t *testing.T) {
	const count = 5 * trimFrom
	var j joint
	most := 0
	for i := range count {
		f := &finding{url: fmt.Sprint(i), at: i, first: 1, last: record.Time(1 + i), next: record.NoTime}
		if i == count/3 {
			f.title = "best"
		}
		if j.finding == nil {
			j = joint{finding: f, joining: &joining{most: count, ranks: true, rank: func(list []*finding) error {
				for _, f := range list {
					if f.ranked = true; f.title != "" {
						f.score = 1
					}
				}
				return nil
			}}}
		} else if err := j.add(f); err != nil {
			t.Fatal(err)
		}
		most = max(most, len(j.rivals))
	}
	f := j.result()
	if f.choose(); f.title != "best" || f.last != count || f.copies != count-1 || most > trimFrom {
		t.Errorf("%s, last seen %d, %d copies; up to %d rivals", f.url, f.last, f.copies, most)
	}
}

// TestJoinedTooMany holds that an answer with too many copies is an error with its remedy.
func TestJoinedTooMany(t *testing.T) {
	for _, err := range (&joining{most: 2}).joined(spansOf("a 1 9 - -", "b 2 9 - -", "c 3 9 - -"), func(a, b *finding) bool { return true }) {
		if err == nil || !strings.Contains(err.Error(), "more than 2 pages") || !strings.Contains(err.Error(), "SET collapse = off") {
			t.Errorf("error %v", err)
		}
	}
}

// TestFindingBytes holds that a finding comes out of a sorter as it went in.
func TestFindingBytes(t *testing.T) {
	f := finding{
		url: "http://a.example/", title: "北京", first: 1, last: 2, notBefore: record.NoTime, next: 3, versions: 4,
		ref: record.Ref{Segment: 5, Run: 6, N: 7}, score: 8.5, copies: 9, at: 10, asOf: record.NoTime, missed: 10, lost: 11, group: 1<<63 + 12,
	}
	for bits := range uint64(8) {
		f.ranked = bits&1 != 0
		f.print = search.Print{Bits: 1<<63 + bits, Has: bits&2 != 0, Known: bits&4 != 0}
		rival := f
		for _, f.rivals = range [][]*finding{nil, {&rival}, {&rival, &rival}} {
			got, rest := readFinding(string(f.appendTo(nil)) + "rest")
			if rest != "rest" || !reflect.DeepEqual(got, f) {
				t.Errorf("%+v, want %+v", got, f)
			}
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

// TestCollapsed joins drawn findings with memory for all, with memory for some of them, and with the
// best wanted only. The results and their order are the same.
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
					if rapid.Bool().Draw(t, "visited") {
						f.next = f.last + record.Time(rapid.IntRange(1, 3).Draw(t, "next"))
					}
					f.score, f.ranked, f.at = float64(rapid.IntRange(0, 9).Draw(t, "score")), true, len(in)
					f.print = search.Print{Bits: rapid.SampledFrom([]uint64{0, 7, 15, 1 << 40, 0xffff0000}).Draw(t, "print"), Has: rapid.Bool().Draw(t, "has"), Known: true}
					f.ref.N = uint32(len(in))
					in = append(in, f)
				}
			}
		}
		const wanted = 3
		var results [3][]string
		for i := range results {
			r := &Reader{Plain: true, Memory: spill.Memory{Bytes: 100 << 20, Dirs: []string{dir}}}
			n := &Request{Relation: Findings, Fields: []*Column{Findings.Column("url"), Findings.Column("score")}}
			switch i {
			case 1:
				r.Memory.Bytes = little
			case 2:
				n.Best, n.ByURL = wanted, rapid.Bool().Draw(t, "by URL")
			}
			each := func(yield func(*finding, error) bool) {
				for _, f := range in {
					if !yield(&f, nil) {
						return
					}
				}
			}
			var all []*finding
			for f, err := range r.collapsed(context.Background(), n, each) {
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, f)
			}
			slices.SortStableFunc(all, func(a, b *finding) int { return cmp.Compare(b.score, a.score) })
			if i == 2 {
				all = all[:min(len(all), wanted)]
			}
			for _, f := range all {
				results[i] = append(results[i], fmt.Sprint(f.url, " ", f.first, f.last, f.missed, f.lost, f.asOf, " ", f.ref.N, f.versions, f.copies, f.score))
			}
		}
		if all := results[0]; !slices.Equal(results[1], all) || !slices.Equal(results[2], all[:min(len(all), wanted)]) {
			t.Fatalf("in memory\n%s\nwith sorters\n%s\nthe best\n%s", strings.Join(results[0], "\n"), strings.Join(results[1], "\n"), strings.Join(results[2], "\n"))
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
		best := bestScores{wanted: 3, byURL: c.byURL, has: make(map[*finding]bool)}
		for i, score := range []float64{4, 1, 3, 2, 5, 3} {
			f := &finding{url: fmt.Sprint(i), score: score, at: i}
			if i < 3 && !best.reach(contender{f, f, 0}) {
				t.Error("there is room, but a finding does not reach it")
			}
			best.add(contender{f, f, score})
			if i == 0 {
				best.add(contender{&finding{score: 9}, f, 9}) // a row is counted once
			}
		}
		if best.list[0].score != 3 || c.byURL && best.list[0].at != 2 || len(best.has) != 3 {
			t.Errorf("the last of the best is %+v", *best.list[0].finding)
		}
		best.list[0].at = 5
		f := &finding{at: c.at}
		if got := best.reach(contender{f, f, c.score}); got != c.reaches {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestRankBest draws rows with rivals, with scores and with bounds of the scores. The best rows are those
// that follow if all pages are ranked, and not all pages are.
func TestRankBest(t *testing.T) {
	pages, asked := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		score := map[*finding]float64{}
		best := bestScores{wanted: int64(rapid.IntRange(1, 2).Draw(t, "wanted")), byURL: rapid.Bool().Draw(t, "by URL"), has: make(map[*finding]bool)}
		var rows, want []*finding
		at := rapid.Permutation([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}).Draw(t, "order")
		for len(at) > 0 {
			var members []*finding
			for range rapid.IntRange(1, min(3, len(at))).Draw(t, "members") {
				f := &finding{url: fmt.Sprint(at[0]), at: at[0], last: record.Time(rapid.IntRange(1, 2).Draw(t, "last")), next: record.NoTime}
				score[f] = float64(rapid.IntRange(1, 2).Draw(t, "score"))
				members, at = append(members, f), at[1:]
			}
			row, all := members[0], *members[0]
			for _, rival := range members[1:] {
				row.rivals = append(row.rivals, rival)
				ranked := *rival
				ranked.score, ranked.ranked = score[rival], true
				all.rivals = append(all.rivals, &ranked)
			}
			row.last, all.last = 2, 2
			all.score, all.ranked = score[row], true
			all.choose()
			rows, want = append(rows, row), append(want, &all)
		}
		for list := range slices.Chunk(rows, 2) {
			var left []contender
			for _, row := range list {
				for _, f := range append([]*finding{row}, row.rivals...) {
					left = append(left, contender{f, row, score[f] + float64(rapid.IntRange(0, 1).Draw(t, "bound"))})
				}
			}
			pages += len(left)
			best.rank(left, func(list []contender) error {
				for _, c := range list {
					c.score, c.ranked = score[c.finding], true
				}
				asked += len(list)
				return nil
			})
		}
		var got []*finding
		for _, row := range rows {
			if row.choose(); row.ranked {
				got = append(got, row)
			}
		}
		for _, list := range [][]*finding{got, want} {
			slices.SortFunc(list, func(a, b *finding) int {
				return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.at, b.at))
			})
		}
		for i := range min(int(best.wanted), len(want)) {
			switch a, b := got[i], want[i]; {
			case a.score != b.score, best.byURL && a.url != b.url:
				t.Fatalf("row %d shows %s with score %v, want %s with %v", i, a.url, a.score, b.url, b.score)
			}
		}
	})
	if asked == pages {
		t.Error("all pages were ranked")
	}
}
