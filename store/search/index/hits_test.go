package index

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/words/match"
)

// TestHits adds drawn documents to a Hits. It must have these documents in order, each with its
// Part, and refuse a document that does not come after the others.
func TestHits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := rapid.IntRange(1, 400).Draw(t, "documents")
		added := rapid.SliceOfDistinct(rapid.IntRange(0, docs-1), rapid.ID).Draw(t, "added")
		slices.Sort(added)
		parts := []*match.Part{{Terms: 1}, {Terms: 2}, {Terms: 3}}
		of := make(map[int]*match.Part)
		var h Hits
		for i, doc := range added {
			of[doc] = parts[i*i%3]
			if !h.add(doc, of[doc], docs) || h.add(rapid.IntRange(0, doc).Draw(t, "refused"), of[doc], docs) {
				t.Fatalf("%v: document %d was refused, or one before it was not", added, doc)
			}
		}
		h.end()
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
