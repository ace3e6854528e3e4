package page

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"infomall/store/page/charset"
)

// latin are the languages in Latin letters that programs often declare by
// default, whatever the language of the text is. charset.LatinLanguage can
// recognise each of them; it calls "no" "nb".
var latin = []string{
	"en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "nb", "no", "fi", "is", "pl",
	"cs", "sk", "sl", "hr", "hu", "ro", "et", "lv", "lt", "tr", "ca",
}

// LangFor returns the language of a text. declared is the language that the
// file declares, such as "en-US", or "". If declared is a language in other
// than Latin letters, LangFor returns it. Otherwise it returns the language
// that the letters of the text show, or declared if they show none.
func LangFor(declared, text string) string {
	base, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(declared, "_", "-")), "-")
	if base != "" && !slices.Contains(latin, base) {
		return declared
	}
	lang := LangOf(text)
	if lang == "" {
		lang = charset.LatinLanguage(text)
	}
	if lang == "" || lang == base || lang == "nb" && base == "no" {
		return declared
	}
	return lang
}

// LangOf returns the language of a text if the script of its letters shows it:
// zh, ja, ko, ru, el, ar, he, th or hi. It returns "" for Latin script, which
// many languages share, and for text that is too mixed or too short.
func LangOf(text string) string {
	if isASCII(text[:min(len(text), langSample+1)]) {
		return ""
	}
	const han, kana = 0, 1
	scripts := [...]struct {
		table *unicode.RangeTable
		lang  string
	}{
		{unicode.Han, "zh"}, {unicode.Hiragana, "ja"}, {unicode.Hangul, "ko"}, {unicode.Cyrillic, "ru"}, {unicode.Greek, "el"},
		{unicode.Arabic, "ar"}, {unicode.Hebrew, "he"}, {unicode.Thai, "th"}, {unicode.Devanagari, "hi"},
	}
	var count [len(scripts)]int
	letters := 0
	for i, r := range text {
		if i > langSample {
			break
		}
		if r < unicode.MaxASCII {
			if byte(r)|0x20-'a' < 26 {
				letters++
			}
			continue
		}
		for s := range scripts {
			if unicode.Is(scripts[s].table, r) || s == kana && unicode.Is(unicode.Katakana, r) {
				count[s]++
				letters += 3 // Such a letter says as much as several Latin ones, and names are often Latin.
				break
			}
		}
	}
	if count[kana]*20 > count[han] && count[kana] > 0 {
		count[kana] += count[han]
		count[han] = 0
	}
	best := 0
	for s := range count {
		if count[s] > count[best] {
			best = s
		}
	}
	if count[best] < 4 || count[best]*6 < letters {
		return ""
	}
	return scripts[best].lang
}

// langSample is the largest number of bytes of a text that LangOf reads.
const langSample = 16 << 10

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
