package terms

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/exec/spill"
	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/segment"
	"infomall/store/words/term"
)

// madePages are pages made of leaves. The version with the number n is that of the ref
// with N n.
type madePages struct {
	leaves []string // text of each leaf; leaf n is the block n%4 of run n/4
	pages  [][]int  // the leaves of each page
	whole  map[int]bool
	bad    map[int]bool // leaves that cannot be read where they are stored
	reads  int          // how often a leaf was read
}

func (p *madePages) Leaves(ctx context.Context, dst []search.LeafRef, ref record.Ref) ([]search.LeafRef, search.Reading, bool, error) {
	if p.whole[int(ref.N)] {
		return dst, search.Reading{}, false, ctx.Err()
	}
	for _, l := range p.pages[ref.N] {
		dst = append(dst, search.LeafRef{RunRef: segment.RunRef{Segment: 7, Run: uint32(l / 4)}, N: uint32(l % 4)})
	}
	return dst, search.Reading{Charset: "utf-8"}, true, ctx.Err()
}

func (p *madePages) LeafText(l search.LeafRef, as search.Reading) (string, error) {
	n := int(l.Run)*4 + int(l.N)
	if p.bad[n] {
		return "", errors.New("damaged")
	}
	p.reads++
	return p.leaves[n], nil
}

func (p *madePages) Texts(_ context.Context, ref record.Ref, f func(string) error) error {
	for _, l := range p.pages[ref.N] {
		if err := f(p.leaves[l]); err != nil {
			return err
		}
	}
	return nil
}

// model counts the terms of versions in the plainest way.
func (p *madePages) model(versions []Version, only *term.Set) (out []string) {
	type key struct {
		asOf record.Time
		term string
	}
	rows := map[key]*Row{}
	langs, texts := map[key]map[string]int{}, map[key]map[string]bool{}
	for _, v := range versions {
		had := map[string]bool{}
		for _, l := range p.pages[v.Ref.N] {
			for t := range (&term.Reader{}).Of(p.leaves[l]) {
				k := key{v.AsOf, string(t)}
				if !only.Has(t) {
					continue
				}
				if rows[k] == nil {
					rows[k] = &Row{Term: k.term, First: v.First, Last: v.Last, AsOf: v.AsOf}
					langs[k], texts[k] = map[string]int{}, map[string]bool{}
				}
				r := rows[k]
				texts[k][p.leaves[l]] = true
				if had[k.term] {
					continue
				}
				had[k.term] = true
				r.Versions++
				r.First, r.Last = min(r.First, v.First), max(r.Last, v.Last)
				langs[k][v.Lang]++
			}
		}
	}
	for k, r := range rows {
		best := 0
		for lang, n := range langs[k] {
			if lang != "" && (n > best || n == best && lang < r.Lang) {
				r.Lang, best = lang, n
			}
		}
		if r.Lang == "" {
			r.Lang = scriptLang(r.Term)
		}
		r.Leaves = int64(len(texts[k]))
		out = append(out, fmt.Sprintf("%04d %s %+v", r.AsOf, r.Term, *r))
	}
	slices.Sort(out)
	return out
}

func listOf(versions []Version) iter.Seq2[*Version, error] {
	return func(yield func(*Version, error) bool) {
		for i := range versions {
			if !yield(&versions[i], nil) {
				return
			}
		}
	}
}

// TestRows counts the terms of made pages, with little and with much memory, and compares
// the rows with those of the model.
func TestRows(t *testing.T) {
	parted := 0
	rapid.Check(t, func(t *rapid.T) {
		p := &madePages{whole: map[int]bool{}, bad: map[int]bool{}}
		vocabulary := []string{"kafka", "Kafka", "log", "北京", "大学", "圖書館", "カフカ", "한국어", "é", "и"}
		for n := range rapid.IntRange(1, 20).Draw(t, "leaves") {
			words := rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 6).Draw(t, "words")
			if rapid.Bool().Draw(t, "own") {
				for w := range rapid.IntRange(1, 60).Draw(t, "own words") {
					words = append(words, fmt.Sprintf("word%dx%d", n, w))
				}
			}
			p.leaves = append(p.leaves, strings.Join(words, " "))
			p.bad[n] = rapid.IntRange(0, 9).Draw(t, "bad") == 0
		}
		for n := range rapid.IntRange(1, 8).Draw(t, "pages") {
			p.pages = append(p.pages, rapid.SliceOfN(rapid.IntRange(0, len(p.leaves)-1), 0, 6).Draw(t, "page"))
			p.whole[n] = rapid.IntRange(0, 5).Draw(t, "whole") == 0
		}
		var versions []Version
		for range rapid.IntRange(0, 30).Draw(t, "versions") {
			first := rapid.IntRange(1, 50).Draw(t, "first")
			versions = append(versions, Version{
				Ref:   record.Ref{Segment: 1, N: uint32(rapid.IntRange(0, len(p.pages)-1).Draw(t, "page"))},
				First: record.Time(first), Last: record.Time(first + rapid.IntRange(0, 9).Draw(t, "long")),
				AsOf: record.Time(100 * rapid.IntRange(1, 3).Draw(t, "period")), Lang: rapid.SampledFrom([]string{"", "en", "zh"}).Draw(t, "lang"),
			})
		}
		var only *term.Set
		if rapid.Bool().Draw(t, "only") {
			only = &term.Set{Equal: []string{"kafka", "北京"}, Begins: []string{"word1"}}
		}
		want := p.model(versions, only)
		for _, memory := range []int64{1 << 20, 20_000, 4_000} {
			c := &Counter{Pages: p, Memory: spill.Memory{Bytes: memory}, Only: only, Leaves: true, Langs: true}
			p.reads = 0
			var got []string
			for r, err := range c.Rows(context.Background(), listOf(versions)) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, fmt.Sprintf("%04d %s %+v", r.AsOf, r.Term, *r))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("with %d bytes of memory, the rows are\n%s\nwant\n%s", memory, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			switch rounds := 2; {
			case memory < 1<<20 && p.reads > rounds*len(p.leaves):
				parted++
			case memory == 1<<20 && p.reads > rounds*len(p.leaves):
				t.Fatalf("%d leaves were read %d times, want once for new words and once for counts", len(p.leaves), p.reads)
			}
		}
	})
	if parted == 0 {
		t.Error("no count needed more memory than it had, so the test shows nothing")
	}
}

// TestNewWords counts a word that only these pages know. It counts equally wherever the
// leaves are stored, and not at all if nobody asks for it.
func TestNewWords(t *testing.T) {
	p := &madePages{}
	ends := []string{"比赛", "天气", "历史", "报纸", "电影", "市场"}
	begins := []string{"学校", "北京", "老师", "电脑", "公司"}
	var versions []Version
	for n := range 30 {
		p.leaves = append(p.leaves, begins[n%5]+"囧博"+ends[n%6], begins[n%5]+ends[n%6]+"。大学")
		p.pages = append(p.pages, []int{2 * n, 2*n + 1})
		versions = append(versions, Version{Ref: record.Ref{N: uint32(n)}, First: 1, Last: 2, AsOf: record.NoTime})
	}
	count := func(only *term.Set) (all, fresh int64, rows int) {
		c := &Counter{Pages: p, Memory: spill.Memory{Bytes: 1 << 20}, Only: only}
		for r, err := range c.Rows(context.Background(), listOf(versions)) {
			if err != nil {
				t.Fatal(err)
			}
			switch rows++; {
			case r.New:
				fresh += r.Versions
			case r.Term == "囧":
				all += r.Versions
			}
			if r.New != (r.Term == "囧博") {
				t.Errorf("row %+v", *r)
			}
		}
		return all, fresh, rows
	}
	for range 2 {
		if all, fresh, _ := count(nil); all != 30 || fresh != 30 {
			t.Errorf("囧 is in %d versions and the new word in %d, want 30 and 30", all, fresh)
		}
		if _, fresh, rows := count(&term.Set{Equal: []string{"囧博"}}); fresh != 30 || rows != 1 {
			t.Errorf("the new word alone is in %d versions and %d rows, want 30 and 1", fresh, rows)
		}
		p.reads = 0
		if all, _, rows := count(&term.Set{Equal: []string{"囧"}}); all != 30 || rows != 1 || p.reads != len(p.leaves) {
			t.Errorf("囧 is in %d versions, %d rows, after %d leaves were read; want 30, 1 and %d", all, rows, p.reads, len(p.leaves))
		}
		slices.Reverse(p.leaves) // now page n has the leaves of page 29-n
	}
}

// TestStops ends a count early, by the caller and by the context.
func TestStops(t *testing.T) {
	p := &madePages{leaves: []string{"a b c"}, pages: [][]int{{0}}}
	versions := []Version{{AsOf: 1}, {AsOf: 2}}
	c := &Counter{Pages: p, Memory: spill.Memory{Bytes: 1 << 20}}
	n := 0
	for _, err := range c.Rows(context.Background(), listOf(versions)) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n == 2 {
			break
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for r, err := range c.Rows(ctx, listOf(versions)) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("row %v and error %v after the context has ended", r, err)
		}
	}
}

// TestLeafMemory remembers more than fits. Nothing that is remembered is wrong, and what
// was used last stays.
func TestLeafMemory(t *testing.T) {
	m := newLeafMemory(10_000, func(string) int64 { return 16 })
	as := search.Reading{}
	at := func(run, n int) *string {
		return m.at(search.LeafRef{RunRef: segment.RunRef{Segment: 1, Run: uint32(run)}, N: uint32(n)}, as)
	}
	for run := range 500 {
		for n := range 10 {
			s := at(run, n)
			if run > 0 && *s != "" {
				t.Fatalf("leaf %d of run %d is known: %q", n, run, *s)
			}
			*s = fmt.Sprint(run, n)
			if got := *at(0, 3); got != "0 3" && got != "" {
				t.Fatalf("leaf 3 of run 0 is %q", got)
			}
			*at(0, 3) = "0 3"
		}
		if got := *at(run, 9); got != fmt.Sprint(run, 9) {
			t.Fatalf("leaf 9 of run %d is forgotten at once: %q", run, got)
		}
		if len(m.now)+len(m.past) > 100 {
			t.Fatalf("%d runs are remembered in 10,000 bytes", len(m.now)+len(m.past))
		}
	}
	if got := *at(0, 3); got != "0 3" {
		t.Errorf("the leaf that was used most is forgotten: %q", got)
	}
}
