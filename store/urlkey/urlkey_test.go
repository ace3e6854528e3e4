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
