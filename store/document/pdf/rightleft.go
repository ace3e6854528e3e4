package pdf

import (
	"slices"
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// PDFium turns round words of scripts that are written from right to left, such as Arabic
// and Hebrew: it expects their letters sorted from left to right. Some programs write them
// in the order of reading, and then PDFium gives them in the wrong order. The places of
// the letters on the page decide.

// readRightToLeft puts the letters of right-to-left words into the order of reading.
// chars[from:to] are the characters of one line. Their indexes are those of PDFium.
func (f *file) readRightToLeft(text references.FPDF_TEXTPAGE, chars []rune, from, to int) error {
	right, left := 0, 0
	for i := from; i < to; i++ {
		if !isRightToLeft(chars[i]) {
			if unicode.IsLetter(chars[i]) {
				left++
			}
			continue
		}
		end := i + 1
		for end < to && (isRightToLeft(chars[end]) || unicode.IsMark(chars[end])) {
			end++
		}
		if err := f.readWord(text, chars, i, end); err != nil {
			return err
		}
		right += end - i
		i = end - 1
	}
	if right > left {
		mirror(chars[from:to])
	}
	return nil
}

// isRightToLeft reports whether r is a letter of Hebrew, Arabic or a script near to them.
func isRightToLeft(r rune) bool {
	return r >= 0x5d0 && r <= 0x8ff && unicode.IsLetter(r) || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefc
}

// letter is a letter of a word, with the marks on it.
type letter struct {
	runes []rune
	index int // of the letter, by PDFium
}

// readWord puts the letters of the right-to-left word chars[from:to] into the order of
// reading, in which each is on the left of the letter before.
func (f *file) readWord(text references.FPDF_TEXTPAGE, chars []rune, from, to int) error {
	var word []letter
	for i := from; i < to; {
		end := i + 1
		for end < to && unicode.IsMark(chars[end]) {
			end++
		}
		word = append(word, letter{slices.Clone(chars[i:end]), i})
		i = end
	}
	var failed error
	place := func(l letter) float64 {
		at, err := f.p.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: text, Index: l.index})
		if err != nil {
			failed = trapOnly(err)
			return 0
		}
		return at.X
	}
	if place(word[len(word)-1]) > place(word[0]) {
		slices.Reverse(word)
	}
	// One glyph shows lam and alef together. PDFium turns these two round as well.
	for i := 1; i < len(word); i++ {
		if a, b := word[i-1], word[i]; isAlef(a.runes[0]) && b.runes[0] == lam && place(a) == place(b) {
			word[i-1], word[i] = b, a
		}
	}
	at := from
	for _, l := range word {
		at += copy(chars[at:], l.runes)
	}
	return failed
}

const lam = 'ل'

func isAlef(r rune) bool { return strings.ContainsRune("اأإآ", r) }

// mirror exchanges the opening and closing brackets of a line if its first bracket is a
// closing one: in a text from right to left, an opening bracket looks like a closing one.
func mirror(chars []rune) {
	const opening, closing = "([{«<", ")]}»>"
	for i, r := range chars {
		if strings.ContainsRune(opening, r) {
			return
		}
		if strings.ContainsRune(closing, r) {
			chars = chars[i:]
			break
		}
	}
	open, closed := []rune(opening), []rune(closing)
	for i, r := range chars {
		if n := slices.Index(open, r); n >= 0 {
			chars[i] = closed[n]
		} else if n := slices.Index(closed, r); n >= 0 {
			chars[i] = open[n]
		}
	}
}
