package value

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// all returns the values of a vector of n rows.
func all(v *Vector, n int) []Value {
	list := make([]Value, n)
	for i := range list {
		list[i] = v.At(i)
	}
	return list
}

// equal reports whether two values are equal. NaN equals NaN.
func equal(a, b Value) bool {
	return a.Type == b.Type && (a.IsNull() || Compare(a, b) == 0)
}

// TestVector moves rows in every way and compares with a slice of values.
func TestVector(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom([]Type{Bool, Int, Float, Text, URL, Time, Duration}).Draw(t, "type")
		want := rapid.SliceOfN(values(typ), 1, 20).Draw(t, "values")
		n := len(want)
		check := func(what string, v *Vector, want []Value) {
			if got := all(v, len(want)); !slices.EqualFunc(got, want, equal) {
				t.Fatalf("%s: got %v, want %v", what, got, want)
			}
		}

		v := NewVector(typ, 0)
		for _, x := range want {
			v.AppendValue(x)
		}
		check("AppendValue", v, want)

		set := NewVector(typ, n)
		for _, i := range rapid.Permutation(indices(n)).Draw(t, "order") {
			set.Set(int(i), want[0])
			set.Set(int(i), want[i])
		}
		check("Set", set, want)

		from := rapid.IntRange(0, n).Draw(t, "from")
		to := rapid.IntRange(from, n).Draw(t, "to")
		check("Slice", v.Slice(from, to), want[from:to])

		sel := rapid.SliceOf(rapid.SampledFrom(indices(n))).Draw(t, "selection")
		var picked []Value
		for _, i := range sel {
			picked = append(picked, want[i])
		}
		gathered := NewVector(Int, 3) // a vector that was something else before
		gathered.SetNull(1)
		gathered.Gather(v, sel)
		check("Gather", gathered, picked)

		appended := NewVector(typ, 0)
		for _, i := range sel {
			appended.Append(v, int(i))
		}
		check("Append", appended, picked)

		order := rapid.Permutation(indices(n)).Draw(t, "order")
		shuffled := new(Vector)
		shuffled.Gather(v, order)
		back := NewVector(typ, n)
		back.Scatter(shuffled, order)
		check("Scatter", back, want)
		back.Scatter(&Vector{}, order[:1])
		if !back.IsNull(int(order[0])) {
			t.Fatal("Scatter of a vector without a type leaves no NULL")
		}
	})
}

func indices(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// TestAppendTrue shows that false and NULL are left out.
func TestAppendTrue(t *testing.T) {
	v := NewVector(Bool, 0)
	for _, x := range []Value{OfBool(true), OfBool(false), {}, OfBool(true)} {
		v.AppendValue(x)
	}
	if got, want := v.AppendTrue(nil, 4), []int32{0, 3}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := new(Vector).AppendTrue(nil, 4); len(got) != 0 {
		t.Errorf("of NULLs alone: got %v, want none", got)
	}
}

// TestBatch gathers rows of several columns.
func TestBatch(t *testing.T) {
	src := &Batch{N: 3, Cols: []*Vector{{Type: Int, Ints: []int64{1, 2, 3}}, {Type: Text, Texts: []string{"a", "b", "c"}, Nulls: []bool{false, true, false}}}}
	var b Batch
	b.Gather(src, []int32{2, 1})
	if b.N != 2 || b.Cols[0].Ints[0] != 3 || b.Cols[1].Texts[0] != "c" || !b.Cols[1].IsNull(1) {
		t.Errorf("Gather gave %d rows: %v, %v", b.N, b.Cols[0], b.Cols[1])
	}
	s := src.Slice(1, 3)
	if s.N != 2 || s.Cols[0].Ints[0] != 2 || !s.Cols[1].IsNull(0) || s.Cols[1].IsNull(1) {
		t.Errorf("Slice gave %d rows: %v, %v", s.N, s.Cols[0], s.Cols[1])
	}
}
