package index

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestDictionary adds terms, of which many begin alike and some are long, in a memory that
// had others. They come in order, each with its documents and places. Each says how many bytes it
// shares with the term before.
func TestDictionary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	d := newDictionary()
	for _, terms := range []int{0, 1, 5000, 300} {
		want := make(map[string][][]int) // for each term: its documents and places
		for doc := range terms {
			for place := range 3 {
				term := strings.Repeat("same", r.IntN(4)) + fmt.Sprint(r.IntN(2000))
				if r.IntN(50) == 0 {
					term = strings.Repeat("long", 50) + term
				}
				want[term] = append(want[term], []int{doc, place})
				d.add([]byte(term), false, int32(doc), place, false)
			}
		}
		got := make(map[string][][]int)
		var order []string
		var before sortedTerm
		d.inOrder(func(of sortedTerm, at dictTerm) {
			term := string(of.letters)
			if n := of.shared(&before); term[:n] != string(before.letters[:n]) || n < min(len(term), len(before.letters)) && term[n] == before.letters[n] {
				t.Fatalf("%q after %q: %d bytes are equal", term, before.letters, n)
			}
			before = of
			order = append(order, term)
			postings, docs := d.end(at, nil)
			c := cursor{b: postings}
			for c.next() {
				docs--
				for _, w := range c.words(nil) {
					got[term] = append(got[term], []int{c.doc, w.N})
				}
			}
			if docs != 0 {
				t.Fatalf("%q: %d documents are missing", term, docs)
			}
		})
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%d documents: got %v, want %v", terms, got, want)
		}
		if sorted := slices.Sorted(maps.Keys(want)); !slices.Equal(order, sorted) {
			t.Fatalf("%d documents: in the order %q, want %q", terms, order, sorted)
		}
		d.reset()
	}
}
