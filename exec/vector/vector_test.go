package vector

import (
	"math"
	"testing"
)

// TestWeights compares the weights of the words of three short texts with the weights
// that the formula of the package comment gives.
func TestWeights(t *testing.T) {
	c := Counter{Dictionary: new(Dictionary)}
	var m Matrix
	for _, text := range []string{"Apple apple pear", "pear plum", "apple fig"} {
		c.Text(text)
		m.Add(c.Vector())
	}
	idf := NewIDF(&m, c.Dictionary.Len(), nil)
	want := []map[string]float64{{}, {}, {}}
	for i := range m.Len() {
		v := m.Row(i)
		idf.Weigh(v)
		for j, n := range v.Words {
			want[i][c.Dictionary.Word(n)] = float64(v.Values[j])
		}
	}
	ln := math.Log
	// Two of three texts have apple and pear, one has plum and fig.
	two, one := ln(4./3)+1, ln(4./2)+1
	twice := (1 + ln(2)) * two
	for i, values := range []map[string]float64{
		{"apple": twice / math.Hypot(twice, two), "pear": two / math.Hypot(twice, two)},
		{"pear": two / math.Hypot(one, two), "plum": one / math.Hypot(one, two)},
		{"apple": two / math.Hypot(one, two), "fig": one / math.Hypot(one, two)},
	} {
		if len(want[i]) != len(values) {
			t.Errorf("text %d has the words %v, want %v", i, want[i], values)
		}
		for w, x := range values {
			if got := want[i][w]; math.Abs(got-x) > 1e-6 {
				t.Errorf("text %d, %s: weight %v, want %v", i, w, got, x)
			}
		}
	}
}

// TestDot compares products of vectors with those of the same vectors written in full.
func TestDot(t *testing.T) {
	a := Vector{[]uint32{0, 2, 5}, []float32{1, 2, 3}}
	b := Vector{[]uint32{2, 3, 5, 9}, []float32{4, 5, 6, 7}}
	dense := make([]float64, 6)
	a.AddTo(dense, 2)
	if got := a.Dot(b); got != 26 {
		t.Errorf("the product is %v, want 26", got)
	}
	if got := b.DotDense(dense); got != 52 { // b has a word beyond dense
		t.Errorf("the product with twice a is %v, want 52", got)
	}
	a.Normalize()
	if got := a.Square(); math.Abs(got-1) > 1e-6 {
		t.Errorf("the length of a vector after Normalize is %v", math.Sqrt(got))
	}
}

// TestFixed shows that a counter with a fixed dictionary leaves out other words.
func TestFixed(t *testing.T) {
	c := Counter{Dictionary: new(Dictionary)}
	c.Text("eins zwei")
	c.Vector()
	c.Fixed = true
	c.Text("zwei drei 北京 zwei")
	v := c.Vector()
	if len(v.Words) != 1 || c.Dictionary.Word(v.Words[0]) != "zwei" || v.Values[0] != 2 || c.Dictionary.Len() != 2 {
		t.Errorf("vector %v of a dictionary with %d words", v, c.Dictionary.Len())
	}
}
