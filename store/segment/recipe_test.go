package segment

import (
	"math/rand/v2"
	"testing"

	"infomall/store/packed"
)

// BenchmarkRecipes decodes the recipes of 300 bodies, which take 60 spans each from 60 runs. On a
// busy machine it took 290 ns a span when each number was decoded alone and the runs were found in
// a list, and then 52. With the list of runs in the recipes it takes 21 to 33 where it took 31.
func BenchmarkRecipes(b *testing.B) {
	const recipes, spans = 300, 60
	r := rand.New(rand.NewPCG(1, 2))
	first := make([]Span, spans)
	for i := range first {
		first[i] = Span{BlockRef{Segment: 5 + r.Uint32N(90), Run: r.Uint32N(3), N: r.Uint32N(3000)}, 1 + r.Uint32N(9)}
	}
	var list []Recipe
	for range recipes {
		of := append([]Span(nil), first...)
		for k := range uint32(6) {
			of[r.IntN(spans)] = Span{BlockRef{Segment: 100, N: k * 10}, 3}
		}
		list = append(list, Recipe{Layout: 1, Spans: of})
	}
	encoded := packRecipes(list, 100)
	for b.Loop() {
		q := recipeReader{own: 100, plain: packed.Reader{B: encoded}, numbers: new(recipeNumbers)}
		if err := q.unpack(); err != nil {
			b.Fatal(err)
		}
		for range recipes {
			if _, err := q.next(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/recipes/spans, "ns/span")
}
