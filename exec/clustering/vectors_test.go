package clustering

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/exec/vector"
)

// drawRows draws vectors of length 1: topics with words of their own beside common words, of
// which some rows are equal and some have no words.
func drawRows(t *rapid.T, most int) *vector.Matrix {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
	n := rapid.IntRange(0, most).Draw(t, "rows")
	topics := rapid.IntRange(1, 8).Draw(t, "topics")
	length := rapid.IntRange(1, 12).Draw(t, "words")
	common := rapid.IntRange(0, 10).Draw(t, "common")
	m := new(vector.Matrix)
	for range n {
		switch {
		case r.IntN(20) == 0:
			m.Add(vector.Vector{})
			continue
		case m.Len() > 0 && r.IntN(6) == 0:
			row := m.Row(r.IntN(m.Len()))
			m.Add(vector.Vector{Words: slices.Clone(row.Words), Values: slices.Clone(row.Values)})
			continue
		}
		values := map[uint32]float32{}
		topic := r.IntN(topics)
		for range 1 + r.IntN(length) {
			w := 100 + topic*20 + r.IntN(1+length/2)
			if r.IntN(10) < common {
				w = r.IntN(30)
			}
			values[uint32(w)] += 1 + r.Float32()
		}
		var v vector.Vector
		for w := range values {
			v.Words = append(v.Words, w)
		}
		slices.Sort(v.Words)
		for _, w := range v.Words {
			v.Values = append(v.Values, values[w])
		}
		v.Normalize()
		m.Add(v)
	}
	return m
}

// distanceOf returns the distance of two rows: none if they are equal, and more than any EPS
// if one has no words.
func distanceOf(m *vector.Matrix, i, j int) float64 {
	a, b := m.Row(i), m.Row(j)
	switch {
	case len(a.Words) == 0 || len(b.Words) == 0:
		return 2
	case slices.Equal(a.Words, b.Words) && slices.Equal(a.Values, b.Values):
		return 0
	}
	return Distance(a, b)
}

// TestVectors compares DBSCAN over vectors with the definition, on 1,000 random sets.
func TestVectors(t *testing.T) {
	for range 10 { // times the 100 checks of rapid
		rapid.Check(t, func(t *rapid.T) {
			m := drawRows(t, 150)
			eps := rapid.SampledFrom([]float64{0, .1, .2, .3, .5, .7, .95}).Draw(t, "eps")
			least := rapid.IntRange(2, 8).Draw(t, "least")
			got, err := Vectors(context.Background(), m, eps, least, nil)
			if err != nil {
				t.Fatal(err)
			}
			diff(t, got, model(m.Len(), eps, least, func(i, j int) float64 { return distanceOf(m, i, j) }))
		})
	}
}

// averageModel does what AverageLink does, with the average distances computed from all
// pairs of rows each time.
func averageModel(m *vector.Matrix, most float64) *Clusters {
	var clusters [][]int
	for i := range m.Len() {
		if len(m.Row(i).Words) > 0 {
			clusters = append(clusters, []int{i})
		}
	}
	for {
		a, b, least := -1, -1, most
		for i := range clusters {
			for j := range i {
				sum := 0.0
				for _, x := range clusters[i] {
					for _, y := range clusters[j] {
						sum += distanceOf(m, x, y)
					}
				}
				if d := sum / float64(len(clusters[i])*len(clusters[j])); d <= least {
					a, b, least = i, j, d
				}
			}
		}
		if a < 0 {
			break
		}
		clusters[b] = append(clusters[b], clusters[a]...)
		clusters = slices.Delete(clusters, a, a+1)
	}
	of, roles := make([]int32, m.Len()), make([]Role, m.Len())
	for i := range of {
		of[i] = -1
	}
	for c, list := range clusters {
		for _, i := range list {
			if len(list) > 1 {
				of[i], roles[i] = int32(c), Core
			}
		}
	}
	return numbered(of, len(clusters), roles)
}

// TestAverageLink compares average link with the definition. The values are random, so
// that no two clusters are equally near but equal rows.
func TestAverageLink(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawRows(t, 25)
		most := rapid.SampledFrom([]float64{.1, .3, .5, .7, .93}).Draw(t, "most")
		got, tooMany, err := AverageLink(context.Background(), m, 400, most, nil)
		if err != nil || tooMany {
			t.Fatal(err, tooMany)
		}
		diff(t, got, averageModel(m, most))
	})
}

// TestAverageLinkMax shows that many rows are refused.
func TestAverageLinkMax(t *testing.T) {
	m := new(vector.Matrix)
	for i := range AverageMax + 1 {
		m.Add(vector.Vector{Words: []uint32{uint32(i)}, Values: []float32{1}})
	}
	if _, tooMany, err := AverageLink(t.Context(), m, m.Len(), .5, nil); !tooMany || err != nil {
		t.Errorf("%d rows: tooMany %v, error %v", m.Len(), tooMany, err)
	}
}

// TestKMeans holds for random rows that each seed gives the same clusters again, that there
// are k of them if there are as many different rows, and that rows with all their words in
// common are together.
func TestKMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawRows(t, 150)
		k := rapid.IntRange(1, 12).Draw(t, "k")
		seed := rapid.Uint64().Draw(t, "seed of k-means")
		const words = 400
		got, err := KMeans(context.Background(), m, words, k, seed, nil)
		if err != nil {
			t.Fatal(err)
		}
		again, err := KMeans(context.Background(), m, words, k, seed, nil)
		if err != nil {
			t.Fatal(err)
		}
		diff(t, again, got)
		first, _, point := distinctRows(m)
		if want := min(k, len(first)); len(got.Sizes) != want {
			t.Fatalf("%d clusters, want %d", len(got.Sizes), want)
		}
		of := make(map[int32]int32)
		for i, p := range point {
			if (p < 0) != (got.Of[i] < 0) {
				t.Fatalf("row %d with words %v is in cluster %d", i, m.Row(i).Words, got.Of[i])
			}
			if c, ok := of[p]; ok && c != got.Of[i] {
				t.Fatalf("equal rows are in the clusters %d and %d", c, got.Of[i])
			}
			of[p] = got.Of[i]
		}
	})
}

// TestKMeansFinds shows that k-means finds four planted topics for each of many seeds.
func TestKMeansFinds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	m := new(vector.Matrix)
	for i := range 200 {
		v := vector.Vector{}
		for w := range uint32(12) {
			if r.IntN(4) > 0 {
				v.Words, v.Values = append(v.Words, w+12*uint32(i%4)), append(v.Values, 1+r.Float32())
			}
		}
		v.Normalize()
		m.Add(v)
	}
	for seed := range uint64(20) {
		got, err := KMeans(t.Context(), m, 48, 4, seed, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range got.Of {
			if c != got.Of[i%4] {
				t.Fatalf("seed %d: row %d of topic %d is in cluster %d, the topic's first row in %d", seed, i, i%4, c, got.Of[i%4])
			}
		}
	}
}

// TestTelling computes χ² of four words by hand.
func TestTelling(t *testing.T) {
	var c Telling
	// Word 0 is in all texts; 1 in both of the cluster; 2 in one of them; 3 only elsewhere.
	texts := [][]uint32{{0, 1, 2}, {0, 1}, {0, 3}, {0, 3}}
	for _, words := range texts {
		c.All(words)
	}
	name := func(w uint32) string { return string(rune('a' + w)) }
	all := func(string) bool { return true }
	for _, x := range []struct {
		texts  [][]uint32
		n      int
		accept func(string) bool
		want   string
	}{
		{texts[:2], 5, all, "b c"}, {texts[2:], 5, all, "d"}, {texts[:2], 1, all, "b"},
		{texts[:2], 1, func(w string) bool { return w != "b" }, "c"}, {texts, 3, all, "a b d"},
	} {
		for _, words := range x.texts {
			c.In(words)
		}
		if got := strings.Join(c.Words(x.n, name, x.accept), " "); got != x.want {
			t.Errorf("telling words of %v: %s, want %s", x.texts, got, x.want)
		}
	}
	for _, x := range []struct{ with, in, without, others, chi2 float64 }{
		{2, 2, 0, 2, 4}, {1, 2, 0, 2, 4. / 3}, {3, 4, 1, 6, 10. * 14 * 14 / (4 * 6 * 4 * 6)},
	} {
		if got, more := chiSquared(x.with, x.in, x.without, x.others); !more || got-x.chi2 > 1e-9 || x.chi2-got > 1e-9 {
			t.Errorf("χ² of %v is %v, want %v", x, got, x.chi2)
		}
	}
	if _, more := chiSquared(1, 2, 1, 2); more {
		t.Error("an equally frequent word counts as more frequent")
	}
}
