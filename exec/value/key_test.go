package value

import (
	"bytes"
	"math"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/urlkey"
)

// values draws values of one type, most of them edge cases, or NULL.
func values(t Type) *rapid.Generator[Value] {
	var some *rapid.Generator[Value]
	switch t {
	case Bool:
		some = rapid.Map(rapid.Bool(), OfBool)
	case Float:
		some = rapid.OneOf(
			rapid.SampledFrom([]Value{OfFloat(0), OfFloat(math.Copysign(0, -1)), OfFloat(math.NaN()), OfFloat(math.Inf(1)), OfFloat(math.Inf(-1)), OfFloat(5e-324)}),
			rapid.Map(rapid.Float64(), OfFloat))
	case Text:
		some = rapid.Map(rapid.OneOf(rapid.String(), rapid.StringMatching("[a\x00\x01\xc3\xbf]{0,4}")), OfText)
	case URL:
		some = rapid.Map(rapid.StringMatching(`https?://(a\.cn|b\.a\.cn|ab\.cn)(:8080)?/[ab]{0,2}`), OfURL)
	default:
		some = rapid.Map(rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{0, 1, -1, math.MinInt64, math.MaxInt64})),
			func(i int64) Value { return Value{Type: t, Int: i} })
	}
	return rapid.OneOf(some, some, some, rapid.Just(Value{}))
}

// compareIn compares two values in an order, by its definition.
func compareIn(a, b Value, o Order) int {
	nullFirst := -1
	if !o.NullsFirst {
		nullFirst = 1
	}
	switch {
	case a.IsNull() && b.IsNull():
		return 0
	case a.IsNull():
		return nullFirst
	case b.IsNull():
		return -nullFirst
	case o.Desc:
		return Compare(b, a)
	}
	return Compare(a, b)
}

// TestKey shows that the keys of rows of two columns compare as the rows do,
// and that both ways to compare agree.
func TestKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var keys [2][]byte
		want := 0
		for range 2 {
			typ := rapid.SampledFrom([]Type{Bool, Int, Float, Text, URL, Time, Duration}).Draw(t, "type")
			o := Order{Desc: rapid.Bool().Draw(t, "desc"), NullsFirst: rapid.Bool().Draw(t, "nulls first")}
			a, b := values(typ).Draw(t, "a"), values(typ).Draw(t, "b")
			v := NewVector(typ, 0)
			v.AppendValue(a)
			v.AppendValue(b)
			for i := range keys {
				keys[i] = v.AppendKey(keys[i], i, o)
			}
			if !a.IsNull() && !b.IsNull() && v.Compare(0, v, 1) != Compare(a, b) {
				t.Fatalf("%v against %v: as vectors %d, as values %d", a, b, v.Compare(0, v, 1), Compare(a, b))
			}
			if want == 0 {
				want = compareIn(a, b, o)
			}
		}
		if got := bytes.Compare(keys[0], keys[1]); got != want {
			t.Fatalf("keys %x and %x compare %d, want %d", keys[0], keys[1], got, want)
		}
		if want != 0 && (bytes.HasPrefix(keys[0], keys[1]) || bytes.HasPrefix(keys[1], keys[0])) {
			t.Fatalf("of %x and %x one is a prefix", keys[0], keys[1])
		}
	})
}

// TestOfKey shows that AppendOfKey reads back what AppendKey wrote, value after
// value, and that SkipKey finds the end of each.
func TestOfKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		types := rapid.SliceOfN(rapid.SampledFrom([]Type{Bool, Int, Float, Text, URL, Time, Duration}), 1, 4).Draw(t, "types")
		var key []byte
		var want []Value
		var ends []int
		for _, typ := range types {
			x := values(typ).Draw(t, "value")
			v := NewVector(typ, 0)
			v.AppendValue(x)
			key = v.AppendKey(key, 0, Order{})
			want, ends = append(want, v.At(0)), append(ends, len(key))
		}
		rest := key
		for i, typ := range types {
			skipped := SkipKey(typ, rest)
			if len(key)-len(skipped) != ends[i] {
				t.Fatalf("value %d of %x ends at %d, want %d", i, key, len(key)-len(skipped), ends[i])
			}
			if FromKey(typ) {
				v := NewVector(typ, 0)
				if got := v.AppendOfKey(rest); len(got) != len(skipped) || v.At(0) != want[i] {
					t.Fatalf("value %d of %x is %v, want %v", i, key, v.At(0), want[i])
				}
			}
			rest = skipped
		}
	})
}

// TestCompareURLs sorts URLs by SURT: the pages of a host follow each other,
// before those of the hosts below it.
func TestCompareURLs(t *testing.T) {
	inOrder := []string{"http://a.cn/", "http://a.cn/x", "http://b.a.cn/", "http://b.cn/"}
	for i, u := range inOrder[1:] {
		if Compare(OfURL(inOrder[i]), OfURL(u)) >= 0 {
			t.Errorf("%s does not stand before %s (keys %q, %q)", inOrder[i], u, urlkey.Key(inOrder[i]), urlkey.Key(u))
		}
	}
	if Compare(OfText("http://b.a.cn/"), OfURL("http://b.cn/")) >= 0 {
		t.Error("a text and a URL do not compare as texts")
	}
}

// BenchmarkKey makes keys of a text and a time.
func BenchmarkKey(b *testing.B) {
	text, when := NewVector(Text, 0), NewVector(Time, 0)
	text.AppendValue(OfText("www.pku.edu.cn"))
	when.AppendValue(OfTime(1213000000000))
	var key []byte
	b.ReportAllocs()
	for b.Loop() {
		key = text.AppendKey(key[:0], 0, Order{})
		key = when.AppendKey(key, 0, Order{Desc: true})
	}
}
