package match

import (
	"testing"
	"unicode"
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
