// Package stem returns the stems of words, by the algorithms of Snowball. Words with the
// same stem are forms of one word: run, runs and running.
//
// A word comes as package match folds it, without marks on Latin letters. Snowball wants
// some of these marks, so they are restored where the end of a word makes them certain:
// organizacion is organización. A stem is only good for comparison with other stems of the
// same language.
package stem

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// language says how the words of a language are stemmed.
type language struct {
	stem    func(*snowballstem.Env) bool
	restore func(word string) string // returns the word with marks; nil if Snowball needs none
}

var languages = map[string]language{
	"da": {stem: danish.Stem},
	"de": {stem: german.Stem},
	"en": {stem: english.Stem},
	"es": {spanish.Stem, endings("cion", "ción", "logia", "logía", "logias", "logías", "abamos", "ábamos")},
	"fi": {stem: finnish.Stem},
	"fr": {french.Stem, endings("ee", "ée", "ees", "ées", "ite", "ité", "ites", "ités", "iere", "ière", "ieres", "ières")},
	"hu": {hungarian.Stem, endings("bol", "ból", "rol", "ról", "tol", "tól", "nal", "nál", "nel", "nél", "kent", "ként")},
	"it": {stem: italian.Stem},
	"nl": {stem: dutch.Stem},
	"no": {stem: norwegian.Stem},
	"pt": {portuguese.Stem, endings("cao", "ção", "coes", "ções", "avel", "ável", "ivel", "ível", "encia", "ência", "encias", "ências", "ancia", "ância")},
	"ro": {romanian.Stem, endings("atie", "aţie", "atia", "aţia", "atiune", "aţiune", "itati", "ităţi", "eaza", "ează", "easca", "ească", "este", "eşte", "esti", "eşti")},
	"ru": {stem: russian.Stem},
	"sv": {stem: swedish.Stem},
	"tr": {turkish.Stem, turkishMarks},
}

// Languages returns the codes of the languages, in order.
func Languages() []string { return slices.Sorted(maps.Keys(languages)) }

// Known reports whether there are stems for the language with this code.
func Known(code string) bool { return languages[code].stem != nil }

// wordBytesMax is the length in bytes of the longest word that is stemmed. A longer one is its
// own stem: it is no word of a language, and the time of stemming grows with the square of the
// length.
const wordBytesMax = 100

// Of returns the stem of a word of the language with this code, for which Known must report
// true. The word must be folded. The stem begins with the first letter of the word. If Snowball
// changes that letter, as b to p in the Turkish binla, the word is its own stem.
func Of(code, word string) string {
	if len(word) > wordBytesMax {
		return word
	}
	l := languages[code]
	marked := word
	if l.restore != nil {
		marked = l.restore(word)
	}
	env := snowballstem.NewEnv(marked)
	l.stem(env)
	stem := unmarked.Replace(env.Current())
	first, _ := utf8.DecodeRuneInString(word)
	if got, _ := utf8.DecodeRuneInString(stem); got != first {
		return word
	}
	return stem
}

// unmarked removes the marks that restore and Snowball write. So gün, whose mark no rule can
// restore, has the same stem as günler.
var unmarked = strings.NewReplacer("á", "a", "â", "a", "ã", "a", "ă", "a", "ç", "c", "é", "e", "ê", "e", "è", "e", "ë", "e", "í", "i", "ğ", "g", "ı", "i", "ó", "o", "õ", "o", "ö", "o", "ş", "s", "ţ", "t", "ü", "u")

// endings returns a function that replaces the ending of a word by the same ending with marks.
// pairs has each ending without marks, followed by the one with marks. At least three bytes
// must stand before the ending.
func endings(pairs ...string) func(string) string {
	return func(word string) string {
		for i := 0; i < len(pairs); i += 2 {
			if before, ok := strings.CutSuffix(word, pairs[i]); ok && len(before) >= 3 {
				return before + pairs[i+1]
			}
		}
		return word
	}
}

// turkishMarks restores the marks of Turkish letters by the harmony of vowels: ı follows only
// a, ı, o and u; ö and ü stand only with e, i, ö and ü. It also turns g between vowels into ğ,
// and restores the ending miş. The first letter stays as it is.
func turkishMarks(word string) string {
	letters := []rune(word)
	before := rune(0) // the last vowel
	for i, r := range letters {
		after := func() rune { // the next vowel
			for _, r := range letters[i+1:] {
				if vowel(r) {
					return r
				}
			}
			return 0
		}
		switch {
		case i == 0:
		case r == 'i' && (back(before) || before == 0 && back(after())):
			letters[i] = 'ı'
		case r == 'u' && (front(before) || before == 0 && after() == 'e'):
			letters[i] = 'ü'
		case r == 'o' && before == 0 && after() == 'e':
			letters[i] = 'ö'
		case r == 'g' && i+1 < len(letters) && vowel(letters[i-1]) && vowel(letters[i+1]):
			letters[i] = 'ğ'
		case r == 's' && i > 3 && i == len(letters)-1 && letters[i-2] == 'm' && vowel(letters[i-1]):
			letters[i] = 'ş'
		}
		if vowel(letters[i]) {
			before = letters[i]
		}
	}
	return string(letters)
}

func vowel(r rune) bool { return back(r) || front(r) }
func back(r rune) bool  { return r == 'a' || r == 'ı' || r == 'o' || r == 'u' }
func front(r rune) bool { return r == 'e' || r == 'i' || r == 'ö' || r == 'ü' }
