package index

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/words/match"
)

// TestHits adds drawn documents to a Hits. It must have these documents in order, each with its
// Part, and refuse a document that does not come after the others. The number of a Part may take more than 16 bits.
func TestHits(t *testing.T) {
	q, err := match.Parse("a")
	if err != nil {
		t.Fatal(err)
	}
	parts := q.Parts()
	for n := range 1<<16 + 10 {
		parts.Of(match.Shape{Terms: n + 1}, []match.Word{{N: n, Bits: 1}})
	}
	rapid.Check(t, func(t *rapid.T) {
		docs := rapid.IntRange(1, 400).Draw(t, "documents")
		added := rapid.SliceOfDistinct(rapid.IntRange(0, docs-1), rapid.ID).Draw(t, "added")
		slices.Sort(added)
		of := make(map[int]*match.Part)
		h := Hits{parts: parts}
		for _, doc := range added {
			n := uint32(rapid.SampledFrom([]int{1, 2, 3, 1<<16 - 1, 1 << 16, 1<<16 + 9}).Draw(t, "part"))
			of[doc] = parts.At(n)
			if !h.add(doc, n, docs) || h.add(rapid.IntRange(0, doc).Draw(t, "refused"), n, docs) {
				t.Fatalf("%v: document %d was refused, or one before it was not", added, doc)
			}
		}
		h.end()
		if want := int64(12*len(h.some) + 2*len(added)); h.wide == nil && h.Bytes() != want {
			t.Fatalf("%v: takes %d bytes, want %d", added, h.Bytes(), want)
		}
		for doc := range docs {
			next := -1
			if i, _ := slices.BinarySearch(added, doc); i < len(added) {
				next = added[i]
			}
			if got := h.Next(doc); got != next || h.Part(doc) != of[doc] || h.Len() != len(added) {
				t.Fatalf("%v: after %d comes %d, want %d; its part is %v, want %v", added, doc, got, next, h.Part(doc), of[doc])
			}
		}
	})
}
