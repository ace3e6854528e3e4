package value

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestPattern compares with a regular expression made from the pattern.
func TestPattern(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[ab%_北A]{0,6}`).Draw(t, "pattern")
		text := rapid.StringMatching(`[abAB北%_\n]{0,8}`).Draw(t, "text")
		fold := rapid.Bool().Draw(t, "fold")
		p, err := NewPattern(pattern, 0, fold)
		if err != nil {
			t.Fatal(err)
		}
		flags := "(?s)"
		if fold {
			flags = "(?si)"
		}
		re := regexp.MustCompile(flags + "^" + strings.NewReplacer("%", ".*", "_", ".").Replace(pattern) + "$")
		if got, want := p.Match(text), re.MatchString(text); got != want {
			t.Fatalf("%q LIKE %q (fold %t): got %t, want %t", text, pattern, fold, got, want)
		}
		literal, exact, prefix := p.Literal()
		if exact && p.Match(text) != (text == literal) || prefix && p.Match(text) != strings.HasPrefix(text, literal) {
			t.Fatalf("%q LIKE %q: the literal %q says otherwise", text, pattern, literal)
		}
	})
}

// TestPatternEscape shows that escaped wildcards match themselves.
func TestPatternEscape(t *testing.T) {
	for _, c := range []struct {
		text, pattern string
		escape        rune
		want          bool
	}{
		{"50%", "50!%", '!', true}, {"50x", "50!%", '!', false}, {"a_b", `a\_b`, '\\', true}, {"a!b", "a!!b", '!', true},
		{"A_B", "ax_b", 'X', false}, {"%", "%%", '%', true}, {"x%", "%%", '%', false},
	} {
		p, err := NewPattern(c.pattern, c.escape, false)
		if err != nil {
			t.Errorf("%q: %v", c.pattern, err)
			continue
		}
		if got := p.Match(c.text); got != c.want {
			t.Errorf("%q LIKE %q ESCAPE %q: got %t, want %t", c.text, c.pattern, c.escape, got, c.want)
		}
	}
}

// TestPatternSteps bounds the work for a pattern that can fail in many ways.
func TestPatternSteps(t *testing.T) {
	p, err := NewPattern(strings.Repeat("%_a", 50)+"b", 0, false)
	if err != nil {
		t.Fatal(err)
	}
	if p.Match(strings.Repeat("a", 20000)) {
		t.Error("a text without b matches")
	}
}

// TestFolded shows which texts CONTAINS treats as equal.
func TestFolded(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""},
		{"abc", "abc"},
		{"Ab C", "ab c"},
		{"  a \n\t b　", "a b"},
		{"北京 大学", "北京大学"},
		{"北京\n 大学 PKU 北", "北京大学 pku 北"},
		{"ＰＫＵ　２００８", "pku 2008"},
		{"北京， 大学。", "北京, 大学。"},
		{"。 北", "。北"},
		{"ｶﾀｶﾅ", "カタカナ"},
		{"ΣΊΣΥΦΟΣ σίσυφος", "σίσυφοσ σίσυφοσ"},
		{"a\xffb", "a\uFFFDb"},
	} {
		if got := Folded(c[0]); got != c[1] {
			t.Errorf("%q: got %q, want %q", c[0], got, c[1])
		}
		if got := Folded(c[1]); got != c[1] {
			t.Errorf("%q folded again: got %q", c[1], got)
		}
	}
	if !Contains("《北京 大学》概况", Folded("北京大学")) || Contains("北京", Folded("北京大学")) {
		t.Error("Contains does not agree with Folded")
	}
}

// FuzzPattern compiles any pattern and matches it against any text.
func FuzzPattern(f *testing.F) {
	f.Add("a%_b", "axxb", "!", true)
	f.Add("!%", "%", "!", false)
	f.Add("\xff_%", "\xffa", "", true)
	f.Fuzz(func(t *testing.T, pattern, text, escape string, fold bool) {
		var e rune
		for _, e = range escape {
			break
		}
		p, err := NewPattern(pattern, e, fold)
		if err != nil {
			return
		}
		p.Match(text)
		if !strings.ContainsAny(pattern, "%_") && e == 0 && !fold && !p.Match(pattern) {
			t.Errorf("the pattern %q does not match itself", pattern)
		}
	})
}

// FuzzFolded folds any text. Folding again changes nothing, and each part of a
// text is found in it.
func FuzzFolded(f *testing.F) {
	for _, s := range []string{"北京 大学", "Ａ b\nC", "ｶﾞ ﾊﾟ", "\xff \xfe", "ǅ ß ŉ"} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		folded := Folded(s)
		if again := Folded(folded); again != folded {
			t.Errorf("%q folds to %q, which folds to %q", s, folded, again)
		}
		runes := []rune(s)
		if len(runes) > 0 {
			piece := string(runes[:uint(n)%uint(len(runes))+1])
			if !Contains(string(runes), Folded(piece)) {
				t.Errorf("%q is not found in %q", piece, s)
			}
		}
	})
}
