package match

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

func TestSimplified(t *testing.T) {
	for r, want := range map[rune]rune{
		'學': '学', '学': '学', '乾': '干', '\uf900': '岂', '㑶': '㐹', '𠀀': '𠀀',
		'a': 'a', 'Ä': 'Ä', 'カ': 'カ', 'ｶ': 'ｶ', '！': '！', '々': '々', '㈱': '㈱', -1: -1, unicode.MaxRune + 1: unicode.MaxRune + 1,
	} {
		if got := Simplified(r); got != want {
			t.Errorf("%c (%U) is %c (%U), want %c (%U)", r, r, got, got, want, want)
		}
	}
}

// TestFoldTwice holds for each character that the terms of a text, read as a text, are
// these terms. Chinese letters take one step only: 薴 is 苧, which is 苎.
func TestFoldTwice(t *testing.T) {
	for r := range rune(0x32000) {
		if r == '薴' {
			continue
		}
		once := strings.ReplaceAll(list(string(r)), "+", "")
		if twice := strings.ReplaceAll(list(once), "+", ""); twice != once {
			t.Errorf("%U is %+q, which is %+q", r, once, twice)
		}
	}
}

// TestMayFold shows that folding changes no letter for which mayFold reports false.
func TestMayFold(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		s := norm.NFKC.String(string(r))
		if strings.ContainsFunc(s, mayFold) {
			continue
		}
		if got := norm.NFKC.String(caser.String(s)); got != s {
			t.Errorf("%U: mayFold reports false for %q, but folding makes %q of it", r, s, got)
		}
	}
}
