package search

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infomall/store/block/facts"
	"infomall/store/block/label"
	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/search/index"
	"infomall/store/segment"
	"infomall/store/words/match"
)

// TestBounder compares the bounds of drawn pages, which a Bounder remembers, with bounds that a new Bounder computes.
func TestBounder(t *testing.T) {
	const pages = 4000
	// A third of the pages has any answer, a third any cut, and a third any length. The other two parts of their keys are
	// equal, and many of them meet at a place of Bounder.known.
	varied := func(n, part, of int) int {
		if n*3/pages != part {
			return 1
		}
		return n * 7 % of
	}
	r := rand.New(rand.NewPCG(1, 2))
	s := &index.Source{Blocks: pages, Neutral: func(int) bool { return true }, Skip: func(int) bool { return false }}
	s.Read = func(n int, _ index.Reading) (string, []string) {
		return strings.Repeat("x ", 1+varied(n, 2, 1000)), nil
	}
	for n := range pages {
		cut := []facts.OutlineBlock{{Leaves: 1 + varied(n, 1, 700), Label: label.Label(varied(n, 1, 700) % int(label.Other))}}
		s.Pages = append(s.Pages, index.Page{Kind: index.PageOwn, Title: []string{"", "page", "a page", "b"}[r.IntN(4)], Cut: cut, Print: uint64(n), Printed: n%2 > 0})
		s.Leaves = append(s.Leaves, []segment.Span{{BlockRef: segment.BlockRef{Segment: 1, N: uint32(n)}, Count: 1}})
	}
	var out bytes.Buffer
	b, err := index.NewBuilder(&out)
	if err != nil {
		t.Fatal(err)
	}
	b.Begin(1, index.Name{})
	if err := b.AddRun(s); err != nil {
		t.Fatal(err)
	}
	if err := b.Finish(func(uint32) uint32 { return 0 }); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x"), out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := index.Open(disk.Inside(disk.OS, dir), "x", nil)
	if err != nil {
		t.Fatal(err)
	}
	of, _, err := f.PagesOf(0)
	if err != nil {
		t.Fatal(err)
	}
	w := &Words{query: parse(t, "a"), atoms: 1, said: firstSaid[:]}
	for n := range uint16(1000) {
		w.said = append(w.said, said{answer: match.Yes, has: 1, place: -1, most: mostOf([]uint16{n % 5}, n)})
	}
	list := make([]uint32, pages)
	for i := range list {
		list[i] = uint32(len(firstSaid) + varied(i, 0, 1000))
	}
	w.answers = map[uint32][]answers{1: {{asked: true, said: list}}}
	w.PagesBy(func(segment.RunRef) (*index.Pages, int) { return of, 0 })
	rarity := []float64{1.5}
	bounds, found := w.Bounder(rarity), make(map[float64]bool)
	for range 2 {
		for ref, got := range bounds.All() {
			if w.Answer(ref) != match.Yes {
				continue
			}
			fresh, cut, m := w.Bounder(rarity), s.Pages[ref.N].Cut, w.of(ref).most
			fresh.weigh(s.Pages[ref.N].Title)
			at, _ := of.At(0, int(ref.N))
			if want := fresh.of(&m, cut, of.Terms(at)); got != want {
				t.Fatalf("page %d: bound %v, want %v", ref.N, got, want)
			}
			if alone, ok := bounds.Of(ref); !ok || alone != got {
				t.Fatalf("page %d: bound %v, and of this page alone %v", ref.N, got, alone)
			}
			found[got] = true
		}
	}
	if len(found) < 100 {
		t.Errorf("only %d different bounds", len(found))
	}
	for ref, got := range w.Prints() {
		if want := (Print{uint64(ref.N), ref.N%2 > 0, true}); w.Answer(ref) == match.Yes && (got != want && want.Has || got != w.Print(ref)) {
			t.Errorf("page %d: print %v, want %v", ref.N, got, want)
		}
	}
	if _, ok := bounds.Of(record.Ref{Segment: 2}); ok {
		t.Error("a capture without an answer has a bound")
	}
}
