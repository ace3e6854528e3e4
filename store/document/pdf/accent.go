package pdf

import (
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"golang.org/x/text/unicode/norm"
)

// accents maps an accent that is a character of its own to the mark of Unicode that puts the
// same accent on the letter before it.
var accents = map[rune]rune{
	'`': '\u0300', '´': '\u0301', 'ˆ': '\u0302', '˜': '\u0303', '¯': '\u0304', '˘': '\u0306',
	'˙': '\u0307', '¨': '\u0308', '˚': '\u030a', '˝': '\u030b', 'ˇ': '\u030c', '¸': '\u0327', '˛': '\u0328',
}

func isAccent(r rune) bool { return accents[r] != 0 }

// accentReach is how many characters before or after an accent its letter is looked for.
// PDFium sorts the accents of capital letters, which are higher, behind other words.
const accentReach = 100

// composeAccents puts accents on the letters of a line, chars[from:to]. TeX draws an accent and
// its letter as two characters in one place. A letter becomes the accented letter, if Unicode
// has one, and the accent becomes zero.
func (f *file) composeAccents(text references.FPDF_TEXTPAGE, chars []rune, from, to int) error {
	line := chars[from:to]
	if !slices.ContainsFunc(line, isAccent) {
		return nil
	}
	places := make([]extent, len(line))
	for i, r := range line {
		if !isAccent(r) && !unicode.IsLetter(r) {
			continue
		}
		box, err := f.p.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: text, Index: from + i})
		if err != nil {
			if isTrap(err) {
				return err
			}
			continue
		}
		places[i] = extent{float64(box.Rect.Left), float64(box.Rect.Right)}
	}
	for i, r := range line {
		if !isAccent(r) {
			continue
		}
		at, letter := places[i].middle(), -1
		for j := max(0, i-accentReach); j < min(len(line), i+accentReach); j++ {
			p := places[j]
			if unicode.IsLetter(line[j]) && !isAccent(line[j]) && p.left < at && at < p.right &&
				(letter < 0 || math.Abs(p.middle()-at) < math.Abs(places[letter].middle()-at)) {
				letter = j
			}
		}
		if letter < 0 {
			continue
		}
		if c, ok := composed(line[letter], r); ok {
			line[letter], line[i] = c, 0
		}
	}
	return nil
}

// composed returns a letter with an accent as one character. ok is false if there is none.
func composed(letter, accent rune) (c rune, ok bool) {
	switch letter {
	case 'ı':
		letter = 'i'
	case 'ȷ':
		letter = 'j'
	}
	s := norm.NFC.String(string([]rune{letter, accents[accent]}))
	c, n := utf8.DecodeRuneInString(s)
	return c, n == len(s)
}
