package office

import (
	"unicode"
	"unicode/utf8"
)

// Languages are the languages of a run of text, one for each family of scripts, such
// as "de-DE". Office documents declare all three, whatever the text is.
type Languages struct {
	Western string // for Latin, Cyrillic, Greek and other letters
	Asian   string // for Chinese, Japanese and Korean
	Complex string // for Arabic, Hebrew, Thai and the scripts of India
}

// Or returns l with the languages of o in place of languages that l lacks.
func (l Languages) Or(o Languages) Languages {
	if l.Western == "" {
		l.Western = o.Western
	}
	if l.Asian == "" {
		l.Asian = o.Asian
	}
	if l.Complex == "" {
		l.Complex = o.Complex
	}
	return l
}

// LanguageCount counts the letters of each language of a document. The zero value is
// ready to use.
type LanguageCount struct{ letters map[string]int }

// Add counts the letters of a run of text in the given languages.
func (c *LanguageCount) Add(text []byte, l Languages) {
	var western, asian, complexly int
	for i := 0; i < len(text); {
		if b := text[i]; b < utf8.RuneSelf {
			if b|0x20-'a' < 26 {
				western++
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		i += n
		switch {
		case r < 0x590: // Latin, Greek, Cyrillic, Armenian
			western++
		case r < 0x1000 || r >= 0x1780 && r < 0x1800 || r >= 0xfb1d && r < 0xfe00 || r >= 0xfe70 && r < 0xff00:
			complexly++
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			asian += 3 // one character says as much as several letters
		case unicode.IsLetter(r):
			western++
		}
	}
	c.count(l.Western, western)
	c.count(l.Asian, asian)
	c.count(l.Complex, complexly)
}

func (c *LanguageCount) count(lang string, letters int) {
	if lang == "" || letters == 0 || len(lang) > langBytesMax {
		return
	}
	if c.letters == nil {
		c.letters = make(map[string]int)
	}
	if _, known := c.letters[lang]; known || len(c.letters) < langsMax {
		c.letters[lang] += letters
	}
}

// The limits for languages that a document declares.
const (
	langBytesMax = 35
	langsMax     = 200
)

// Most returns the language with most letters, or "" if there is none.
func (c *LanguageCount) Most() string {
	best, most := "", 0
	for lang, n := range c.letters {
		if n > most || n == most && lang < best {
			best, most = lang, n
		}
	}
	return best
}
