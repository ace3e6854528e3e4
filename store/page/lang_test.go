package page

import (
	"strings"
	"testing"
)

func TestLangOf(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "plain English words": "", "北京大学是一所大学": "zh", "これは日本語の文章です": "ja", "한국어 문장입니다": "ko", "Привет мир": "ru",
		"the word 中国 among many English words that say nothing of it": "",
	} {
		if got := LangOf(in); got != want {
			t.Errorf("LangOf(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLangFor(t *testing.T) {
	const (
		chinese, russian = "北京大学是一所大学", "Привет мир, это текст"
		german           = "Das Museum wurde im Frühling eröffnet, und die ersten Besucher kamen mit dem Zug aus den Städten am Fluss."
		norwegian        = "Museet åpnet dørene våren 1923, og de første besøkende kom med tog fra byene langs elven. De fleste av dem hadde aldri sett et museum før, og mange ble værende hele dagen."
	)
	for _, c := range [][3]string{
		{"", "plain English words", ""}, {"de-AT", "plain English words", "de-AT"},
		{"", chinese, "zh"}, {"en-US", chinese, "zh"}, {"zh-TW", chinese, "zh-TW"}, {"zh_HK", chinese, "zh_HK"},
		{"", german, "de"}, {"en-US", german, "de"}, {"de-AT", german, "de-AT"}, {"DE", german, "DE"}, {"id", german, "id"},
		{"", strings.Repeat(norwegian, 4), "nb"}, {"no", strings.Repeat(norwegian, 4), "no"}, {"nn-NO", norwegian, "nn-NO"}, {"nb_NO", norwegian, "nb_NO"},
		{"en", russian, "ru"}, {"uk-UA", russian, "uk-UA"}, {"BG", russian, "BG"}, {"ce", russian, "ce"}, {"zh", russian, "zh"},
	} {
		if got := LangFor(c[0], c[1]); got != c[2] {
			t.Errorf("%q declared as %q is %q, want %q", c[1], c[0], got, c[2])
		}
	}
}
