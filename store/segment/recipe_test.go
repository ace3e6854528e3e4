package segment

import (
	"bytes"
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

// TestGivesBack damages a compressed frame. The Packer notices it, and stores the bytes without
// compression.
func TestGivesBack(t *testing.T) {
	blocks, facts, ahead := bytes.Repeat([]byte("some text that comes again, "), 20), []byte("facts of the text"), []byte("the text ahead that comes again")
	p := new(Packer)
	parts := [][]byte{blocks, facts}
	good, _ := p.appendFrame(nil, blocks, facts, ahead)
	if !givesBack(good, ahead, parts) {
		t.Error("a frame is refused")
	}
	other := bytes.Clone(ahead)
	other[20] ^= 1
	if givesBack(good, ahead, [][]byte{facts, blocks}) || givesBack(good, other, parts) || givesBack(good[:len(good)-5], ahead, parts) || givesBack(nil, ahead, parts) {
		t.Error("a frame is not refused although it has other content")
	}
	calls := 0
	raw := p.checked([]byte("xy"), ahead, parts, func() []byte {
		out, _ := p.tight.AppendAfter([]byte("xy"), ahead, blocks, facts)
		if calls++; calls == 1 {
			out[len(out)-1] ^= 1
		}
		return out
	})
	if calls != 2 || len(raw) < len(blocks) || !givesBack(raw[2:], ahead, parts) || p.tight.Raw {
		t.Errorf("after %d calls, %d bytes are stored", calls, len(raw))
	}
}
