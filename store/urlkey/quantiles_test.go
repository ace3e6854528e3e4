package urlkey

import (
	"slices"
	"testing"
)

// TestQuantiles divides lists of keys, also lists in which a key is often.
func TestQuantiles(t *testing.T) {
	for _, c := range []struct {
		keys  []string
		parts int
		want  []string
	}{
		{nil, 3, nil},
		{[]string{"a", "b", "c", "d"}, 1, nil},
		{[]string{"a", "b", "c", "d"}, 2, []string{"c"}},
		{[]string{"a", "b", "c", "d"}, 4, []string{"b", "c", "d"}},
		{[]string{"a", "b"}, 5, []string{"b"}},
		{[]string{"a", "a", "a", "b"}, 4, []string{"b"}},
		{[]string{"a", "b", "b", "b"}, 4, []string{"b"}},
	} {
		if got := Quantiles(c.keys, c.parts); !slices.Equal(got, c.want) {
			t.Errorf("Quantiles(%q, %d) = %q, want %q", c.keys, c.parts, got, c.want)
		}
	}
}
