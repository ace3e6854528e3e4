package repl

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
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
		if got := printable(c.text); got != c.want {
			t.Errorf("printable(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

// FuzzPrintable shows that nothing which moves a cursor gets through, and that
// harmless text is left alone.
func FuzzPrintable(f *testing.F) {
	f.Add("标题\x1b[2J\u202e\xb1")
	f.Fuzz(func(t *testing.T, text string) {
		got := printable(text)
		if !utf8.ValidString(got) {
			t.Errorf("printable(%q) = %q is not UTF-8", text, got)
		}
		for _, r := range got {
			if r != '\t' && r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Errorf("printable(%q) = %q lets %U through", text, got, r)
			}
		}
		if printable(got) != got {
			t.Errorf("printable(%q) is not harmless to itself", text)
		}
	})
}
