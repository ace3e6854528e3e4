package reports

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"infomall/exec/dedup"
	"infomall/store/record"
	"infomall/store/record/task"
)

// manyTexts returns n texts, of which every tenth is the start of a family of near-copies.
func manyTexts(n int) []Text {
	r := rand.New(rand.NewPCG(1, 2))
	texts := make([]Text, 0, n)
	for i := range n {
		x := Text{ID: r.Uint64(), Published: record.NoTime, Seen: record.Time(i), URL: fmt.Sprintf("http://www.host%d.example/news/2008/%d.html", i%100, i), Host: fmt.Sprintf("www.host%d.example", i%100)}
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

// BenchmarkUpdate reads 300,000 stored texts and adds 1,000 new ones.
func BenchmarkUpdate(b *testing.B) {
	texts := manyTexts(301_000)
	var s State
	for _, x := range texts[:300_000] {
		s.Add(x)
	}
	if err := s.Update(context.Background()); err != nil {
		b.Fatal(err)
	}
	var rows []task.ResultRow
	for row := range s.Rows() {
		rows = append(rows, task.ResultRow{Key: slices.Clone(row.Key), Value: slices.Clone(row.Value)})
	}
	for b.Loop() {
		s, err := Load(func(yield func(task.ResultRow, error) bool) {
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
			}
		})
		if err != nil {
			b.Fatal(err)
		}
		for _, x := range texts[300_000:] {
			s.Add(x)
		}
		if err := s.Update(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
