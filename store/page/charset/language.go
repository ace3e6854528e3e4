package charset

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// languageList is the file languages.txt, which makelanguages.go made. It has one
// line for each language: its code, its script, its letters, and the cost of each
// letter after each other letter. For Chinese, Japanese and Korean, a line has
// the cost of each character.
//
//go:embed languages.txt
var languageList string

// The costs of characters. A cost is -4 ln p, rounded, of a character with the
// probability p. The less the characters of a text cost in a charset and a
// language, the likelier they are.
const (
	costSymbol  = 18 // punctuation that many languages share
	costForeign = 40 // a letter or a symbol that the language does not have
	costOther   = 28 // a letter of the same script that the language does not have
	costControl = 52 // a control character
	costInvalid = 72 // bytes that the charset does not have
	costMark    = 6  // a vowel or tone mark; languages.txt has no costs of marks
	costMixed   = 28 // two scripts in one word, or a sign within a word
	costCapital = 20 // a capital after a small letter
	costFirst   = 4  // a capital that begins a word
	costHan     = 56 // a Chinese character that is not among the frequent ones
	costWide    = 20 // East Asian punctuation
	costHalf    = 28 // a half-width kana, which is one byte
)

// language is the model of a language with an alphabet: how likely its letters
// follow each other.
type language struct {
	script  string
	letters []rune
	costs   []byte // at a*(len(letters)+1)+b: the cost of letter b directly after letter a; letters are counted from 1, and 0 stands for no letter
}

// languages returns two maps by the code of the language: the models of languages
// with alphabets, and the costs of the characters of Chinese, Japanese and
// Korean.
var languages = sync.OnceValues(func() (map[string]*language, map[string]*[1 << 16]uint8) {
	alphabets, characters := make(map[string]*language), make(map[string]*[1 << 16]uint8)
	for line := range strings.Lines(languageList) {
		code, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch code {
		case "#":
		case "zh-hans", "zh-hant", "ja", "ko":
			costs := new([1 << 16]uint8)
			for group := range strings.FieldsSeq(rest) {
				cost, list, _ := strings.Cut(group, ":")
				n := uint8(0)
				for _, c := range []byte(cost) {
					n = n*10 + c - '0'
				}
				for _, r := range list {
					if r < 1<<16 {
						costs[r] = n
					}
				}
			}
			characters[code] = costs
		default:
			script, rest, _ := strings.Cut(rest, " ")
			letters, costs, _ := strings.Cut(rest, " ")
			l := &language{script: script, letters: []rune(letters), costs: []byte(costs)}
			for i := range l.costs {
				l.costs[i] -= '0'
			}
			alphabets[code] = l
		}
	}
	return alphabets, characters
})

// byteReading is a single-byte charset read as text of one language. For each
// byte it has the meaning of the byte in that language.
type byteReading struct {
	lang  *language
	class [256]uint8 // for each byte: 1 + the index of its letter in lang.letters; 0 if the byte is no letter of lang
	cost  [256]uint8 // for each byte that is no letter of lang: its cost
	kind  [256]byteKind
}

// byteKind is a set of properties of a byte in a byteReading.
type byteKind uint8

const (
	isCapital byteKind = 1 << iota // a capital letter of the language
	isLatin                        // a letter of ASCII, in a language of another script
	isMark                         // a vowel or tone mark, which follows a letter
	noBefore                       // a sign that never directly follows a letter
	noAfter                        // a sign that no letter directly follows
)

// bytesOf lists the single-byte charsets that are tried, each with the codes of
// the languages of its texts. prior is added to the cost of a charset, because
// the charset is less frequent than windows-1252.
var bytesOf = []struct {
	charset string
	prior   int
	langs   string
}{
	{"windows-1252", 0, "en de fr es pt it nl da sv nb fi is ca ga sq"},
	{"iso-8859-15", 16, "fr fi de et"},
	{"macintosh", 16, "en de fr es pt it sv da"},
	{"ibm850", 28, "de fr es pt da sv fi"},
	{"ibm437", 32, "de fr es sv"},
	{"windows-1250", 6, "cs sk pl hu hr sl ro"},
	{"iso-8859-2", 6, "cs sk pl hu hr sl ro"},
	{"ibm852", 28, "cs sk pl hu hr sl"},
	{"iso-8859-16", 28, "ro"},
	{"windows-1251", 4, "ru uk bg be sr mk"},
	{"koi8-r", 6, "ru"},
	{"koi8-u", 10, "uk"},
	{"iso-8859-5", 12, "ru bg sr mk uk be"},
	{"ibm866", 12, "ru bg"},
	{"x-mac-cyrillic", 16, "ru bg uk sr mk"},
	{"ibm855", 20, "ru bg sr mk"},
	{"windows-1253", 6, "el"},
	{"iso-8859-7", 7, "el"},
	{"windows-1254", 6, "tr"},
	{"windows-1255", 6, "he"},
	{"iso-8859-8", 10, "he"},
	{"ibm862", 28, "he"},
	{"windows-1256", 6, "ar fa ur"},
	{"iso-8859-6", 12, "ar"},
	{"windows-1257", 8, "lt lv et"},
	{"iso-8859-13", 14, "lt lv et"},
	{"iso-8859-4", 16, "lt lv et"},
	{"windows-1258", 12, "vi"},
	{"windows-874", 6, "th"},
	{"iso-8859-3", 24, "eo tr"},
}

// byteReadings returns the readings of each charset in bytesOf, in order: one for
// each language of the charset.
var byteReadings = sync.OnceValue(func() [][]*byteReading {
	alphabets, _ := languages()
	all := make([][]*byteReading, len(bytesOf))
	for i, of := range bytesOf {
		table := singleByte(of.charset)
		for code := range strings.FieldsSeq(of.langs) {
			all[i] = append(all[i], newByteReading(table, alphabets[code]))
		}
	}
	return all
})

func newByteReading(table *charmap.Charmap, l *language) *byteReading {
	r := &byteReading{lang: l}
	place := make(map[rune]uint8, len(l.letters))
	for i, c := range l.letters {
		place[c] = uint8(i + 1)
	}
	for b := range 256 {
		c := table.DecodeByte(byte(b))
		small := canonicalLetter(unicode.ToLower(c))
		switch n := place[small]; {
		case n > 0:
			r.class[b] = n
			if small != canonicalLetter(c) {
				r.kind[b] = isCapital
			}
		case b >= utf8.RuneSelf:
			r.cost[b], r.kind[b] = symbolCost(c)
			if l.script == "Latn" && unicode.Is(unicode.Latin, c) || l.script == "Cyrl" && unicode.Is(unicode.Cyrillic, c) {
				r.cost[b] = costOther
			}
		case byte(b)|0x20-'a' < 26:
			r.kind[b] = isLatin
		}
	}
	return r
}

// canonicalLetter returns one letter for both of two letters that stand for
// each other in some charsets: ş for ş and ș. It returns any other letter
// unchanged.
func canonicalLetter(r rune) rune {
	switch r {
	case 'ș':
		return 'ş'
	case 'ț':
		return 'ţ'
	case 'ی':
		return 'ي'
	case 'ک':
		return 'ك'
	}
	return r
}

// symbolCost returns the cost and the properties of r, a character outside ASCII
// that is not a letter of the language.
func symbolCost(r rune) (uint8, byteKind) {
	switch {
	case r == utf8.RuneError:
		return costInvalid, 0
	case r < 0xa0:
		return costControl, 0
	case strings.ContainsRune("\u00a0’–—·", r):
		return costSymbol, 0
	case strings.ContainsRune("«“„‘‚‹¿¡", r):
		return costSymbol, noBefore
	case strings.ContainsRune("»”…®™›،؛؟²³ªº", r):
		return costSymbol, noAfter
	case strings.ContainsRune("©°•€№£§±½¼¾×†¢¥µ", r):
		return costSymbol, noBefore | noAfter
	case unicode.Is(unicode.Mn, r):
		return costMark, isMark
	}
	return costForeign, noBefore | noAfter
}

// pair returns the cost of byte b directly after byte a, if the charset and
// language are those of r. At least one of the two bytes is not ASCII.
func (r *byteReading) pair(a, b byte) int {
	n := len(r.lang.letters) + 1
	ca, cb := int(r.class[a]), int(r.class[b])
	ka, kb := r.kind[a], r.kind[b]
	cost := int(r.lang.costs[ca*n+cb])
	switch {
	case cb != 0:
		switch {
		case ka&(isLatin|noAfter) != 0:
			cost += costMixed
		case kb&isCapital == 0:
		case ca == 0:
			cost += costFirst
		case ka&isCapital == 0:
			cost += costCapital
		}
	case kb&isMark != 0:
		cost += costMark
		if ca == 0 && ka&isMark == 0 {
			cost += costMixed
		}
	default:
		cost += int(r.cost[b])
		if kb&isLatin != 0 && (ca != 0 || ka&(isMark|noAfter) != 0) || kb&noBefore != 0 && (ca != 0 || ka&isLatin != 0) {
			cost += costMixed
		}
	}
	return cost
}
