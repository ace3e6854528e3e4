package urlkey

import (
	"slices"
	"testing"
)

func TestRangeContains(t *testing.T) {
	for _, tt := range []struct {
		r    Range
		key  string
		want bool
	}{
		{Range{"b", "d"}, "a", false},
		{Range{"b", "d"}, "b", true},
		{Range{"b", "d"}, "c", true},
		{Range{"b", "d"}, "d", false},
		{Range{"b", ""}, "z", true},
		{Range{}, "", true},
	} {
		if got := tt.r.Contains(tt.key); got != tt.want {
			t.Errorf("%q contains %q: %v, want %v", tt.r, tt.key, got, tt.want)
		}
	}
}

func TestMerge(t *testing.T) {
	for _, tt := range []struct{ ranges, want []Range }{
		{nil, []Range{}},
		{[]Range{{"c", "d"}, {"a", "b"}}, []Range{{"a", "b"}, {"c", "d"}}},
		{[]Range{{"a", "b"}, {"b", "c"}}, []Range{{"a", "c"}}},
		{[]Range{{"a", "d"}, {"b", "c"}}, []Range{{"a", "d"}}},
		{[]Range{{"b", ""}, {"a", "c"}, {"x", "y"}}, []Range{{"a", ""}}},
		{[]Range{{"b", "b"}, {"c", "a"}}, []Range{}},
	} {
		given := slices.Clone(tt.ranges)
		got := Merge(tt.ranges)
		if got == nil || !slices.Equal(got, tt.want) {
			t.Errorf("Merge(%q) = %q, want %q", given, got, tt.want)
		}
		if !slices.Equal(tt.ranges, given) {
			t.Errorf("Merge changed its argument %q to %q", given, tt.ranges)
		}
	}
}

// TestRanges shows which keys two lists of ranges have in common, and which of the first
// are not in the second, against each key asked by itself.
func TestRanges(t *testing.T) {
	lists := [][]Range{
		{}, {{}}, {{"b", "d"}}, {{"", "b"}}, {{"c", ""}}, {{"a", "b"}, {"c", "e"}}, {{"b", "c"}, {"d", ""}}, {{"", "a"}, {"b", "bb"}, {"e", ""}},
	}
	in := func(list []Range, key string) bool {
		return slices.ContainsFunc(list, func(r Range) bool { return r.Contains(key) })
	}
	for _, a := range lists {
		for _, b := range lists {
			common, without := Common(a, b), Without(a, b)
			for _, list := range [][]Range{common, without} {
				if !slices.Equal(Merge(list), list) && len(Merge(list)) == len(list) || list == nil {
					t.Errorf("%q and %q: %q is not sorted, or nil", a, b, list)
				}
			}
			for _, key := range []string{"", "a", "aa", "b", "ba", "bb", "c", "d", "da", "e", "z"} {
				if got, want := in(common, key), in(a, key) && in(b, key); got != want {
					t.Errorf("%q and %q have %q in common: %v, want %v", a, b, key, got, want)
				}
				if got, want := in(without, key), in(a, key) && !in(b, key); got != want {
					t.Errorf("%q without %q has %q: %v, want %v", a, b, key, got, want)
				}
			}
		}
	}
}
