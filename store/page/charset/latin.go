package charset

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits of LatinLanguage. Costs are in the units of languages.txt. The
// limits were chosen on the questions that Debian's packages ask, in 40
// languages. In languages with a model, these shares of the passages got the
// right language, a wrong one, and none:
//
//	 30 words  .80  .005  .195
//	100 words  .92  .002  .077
//
// A passage in a language without a model rarely got a language, except if a
// closely related language has a model: Bosnian is taken for Croatian, and Malay for Indonesian.
const (
	latinBytes = 4 << 10 // largest number of bytes of a text that are read
	latinLead  = 60      // least amount by which a text must cost less in its language than in any other
	latinCost  = 11      // largest mean cost of a pair of letters in the language of the text
	latinMixed = 10      // at most one letter in this many may be in another script
)

// LatinLanguage returns the language of a text in Latin script, such as "de", by the pairs of
// letters in it. It returns "" if the text is in another script, too short or too mixed, or in a
// language that has no model.
func LatinLanguage(text string) string {
	text = strings.ToLower(text[:min(len(text), latinBytes)])
	letters, others, pairs, inWord := 0, 0, 0, false
	for _, r := range text {
		letter := unicode.Is(unicode.Latin, r)
		switch {
		case letter:
			letters++
		case unicode.IsLetter(r):
			others++
		}
		if letter || inWord {
			pairs++
		}
		inWord = letter
	}
	if letters == 0 || others*latinMixed > letters {
		return ""
	}
	best, least, next := "", math.MaxInt, math.MaxInt
	alphabets, _ := languages()
	for code, l := range alphabets {
		if l.script != "Latn" {
			continue
		}
		if cost := l.cost(text); cost < least {
			best, least, next = code, cost, least
		} else {
			next = min(next, cost)
		}
	}
	if next-least < latinLead || least > latinCost*pairs {
		return ""
	}
	return best
}

// cost returns how unlikely it is that text, in lower case, is in the language l: the sum of the
// costs of its pairs of neighbouring letters. The end of a word counts as a letter.
func (l *language) cost(text string) (sum int) {
	var ascii [utf8.RuneSelf]int
	wide := make(map[rune]int)
	for i, c := range l.letters {
		if c < utf8.RuneSelf {
			ascii[c] = i + 1
		} else {
			wide[c] = i + 1
		}
	}
	before := 0
	for _, r := range text {
		at := 0
		if r < utf8.RuneSelf {
			at = ascii[r]
		} else if at = wide[canonicalLetter(r)]; at == 0 && unicode.IsLetter(r) {
			sum += costOther
		}
		sum += int(l.costs[before*(len(l.letters)+1)+at])
		before = at
	}
	return sum
}
