package pdf

import "testing"

// TestLigature shows that lam and alef, which are one glyph, are read in this order, and that
// letters with places of their own stay where they are.
func TestLigature(t *testing.T) {
	at := func(r rune, left, right float64) glyph { return glyph{[]rune{r}, extent{left, right}, 10, 0} }
	for _, c := range []struct {
		name   string
		glyphs []glyph
		want   string
	}{
		{"ligature turned round", []glyph{at('ا', 30, 34), at('أ', 22, 30), at('ل', 22, 30), at('س', 10, 22)}, "الأس"},
		{"ligature", []glyph{at('ا', 30, 34), at('ل', 22, 30), at('أ', 22, 30), at('س', 10, 22)}, "الأس"},
		{"two letters", []glyph{at('أ', 26, 30), at('ل', 22, 26), at('ن', 10, 22)}, "ألن"},
	} {
		if got := string(join(words(c.glyphs))); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
