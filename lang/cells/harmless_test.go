package cells

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestLines(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"标题\tand\nmore é 😀", "标题\tand\nmore é 😀"},
		{"\x1b[2J", `\x1b[2J`},
		{"a\r\x07\x7f\x00", `a\x0d\x07\x7f\x00`},
		{"\u009b2J", `\u009b2J`}, // one character that begins a sequence
		{"abc\u202egnp.exe\u2066", `abc\u202egnp.exe\u2066`},
		{"\xb1\xea\xcc\xe2", `\xb1\xea\xcc\xe2`}, // GB2312
		{"\uFFFD", "\uFFFD"},
	} {
		if got := Lines(c.text); got != c.want {
			t.Errorf("Lines(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

// FuzzLines shows that nothing which moves a cursor gets through, and that
// harmless text is left alone.
func FuzzLines(f *testing.F) {
	f.Add("标题\x1b[2J\u202e\xb1")
	f.Fuzz(func(t *testing.T, text string) {
		got := Lines(text)
		if !utf8.ValidString(got) {
			t.Errorf("Lines(%q) = %q is not UTF-8", text, got)
		}
		for _, r := range got {
			if r != '\t' && r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("Lines(%q) = %q lets %U through", text, got, r)
			}
		}
		if Lines(got) != got {
			t.Errorf("Lines(%q) is not harmless to itself", text)
		}
	})
}
