package reports

import (
	"context"
	"math/rand/v2"
	"testing"

	"infomall/exec/dedup"
	"infomall/store/record"
)

// manyTexts returns n texts, of which every tenth is the start of a family of near-copies.
func manyTexts(n int) []Text {
	r := rand.New(rand.NewPCG(1, 2))
	texts := make([]Text, 0, n)
	for i := range n {
		x := Text{ID: r.Uint64(), Published: record.NoTime, Seen: record.Time(i)}
		x.Print = dedup.ExactPrint(r.Uint64())
		if i > 0 && r.IntN(10) > 0 {
			x.Print = texts[max(0, i-1-r.IntN(10))].Print
			for range r.IntN(30) {
				x.Print[r.IntN(len(x.Print))]++
			}
		}
		texts = append(texts, x)
	}
	return texts
}

// BenchmarkFromScratch groups 300,000 texts.
func BenchmarkFromScratch(b *testing.B) {
	texts := manyTexts(300_000)
	for b.Loop() {
		var s State
		for _, x := range texts {
			s.Add(x)
		}
		if err := s.Update(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkUpdate restores 300,000 texts and adds 1,000 new ones.
func BenchmarkUpdate(b *testing.B) {
	texts := manyTexts(301_000)
	var s State
	for _, x := range texts[:300_000] {
		s.Add(x)
	}
	if err := s.Update(context.Background()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s := stored(&s)
		for _, x := range texts[300_000:] {
			s.Add(x)
		}
		if err := s.Update(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
