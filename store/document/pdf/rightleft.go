package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// PDFium expects that the letters of scripts that are written from right to left, such as
// Arabic and Hebrew, are sorted from left to right in the file. Some programs write them in
// the order of reading. PDFium then turns words round, exchanges them, and puts blanks into
// them. The places of the letters on the page decide here.

// readRightToLeft returns the characters of a line in the order of reading. chars[from:to]
// are its characters; their indexes are those of PDFium. If most letters are of scripts that
// are written from right to left, it returns the place of the line, too. In any other line
// only the letters of each right-to-left word change places.
func (f *file) readRightToLeft(text references.FPDF_TEXTPAGE, chars []rune, from, to int) ([]rune, *extent, error) {
	line := chars[from:to]
	right, left := 0, 0
	for _, r := range line {
		if isRightToLeft(r) {
			right++
		} else if unicode.IsLetter(r) {
			left++
		}
	}
	if right == 0 {
		return line, nil, nil
	}
	if right > left {
		glyphs, err := f.glyphs(text, chars, from, to)
		if len(glyphs) == 0 {
			return nil, nil, err
		}
		at := &extent{math.Inf(1), math.Inf(-1)}
		for _, g := range glyphs {
			at.left, at.right = min(at.left, g.left), max(at.right, g.right)
		}
		return join(words(glyphs)), at, nil
	}
	var out []rune
	for i := from; i < to; {
		end := i
		for end < to && (isRightToLeft(chars[end]) || end > i && unicode.IsMark(chars[end])) {
			end++
		}
		if end == i {
			out = append(out, chars[i])
			i++
			continue
		}
		glyphs, err := f.glyphs(text, chars, i, end)
		if err != nil {
			return nil, nil, err
		}
		for _, w := range words(glyphs) {
			out = append(out, w...)
		}
		i = end
	}
	return out, nil, nil
}

// isRightToLeft reports whether r is a letter of Hebrew, Arabic or a script near to them.
func isRightToLeft(r rune) bool {
	return r >= 0x5d0 && r <= 0x8ff && unicode.IsLetter(r) || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefc
}

// glyph is a character of a line, with the marks on it, and its place on the page.
type glyph struct {
	runes []rune
	extent
	size float64 // its height
	word int     // the number of the word, as PDFium divides the line
}

// extent is the place of a line or character in its row.
type extent struct{ left, right float64 }

func (e extent) middle() float64 { return (e.left + e.right) / 2 }

// apart reports whether two neighbouring glyphs belong to two words: there is a gap between them,
// and PDFium puts a blank between their words. height is the height of the line. In the fonts
// tried, words are at least .1 of the height apart.
func apart(right, left *glyph, height float64) bool {
	return right.word != left.word && right.left-left.right > .09*height
}

// words returns the words of a line from right to left, in the order of their places. In a
// number, and in a word of another script, the characters are in the order of their places
// from left to right.
func words(glyphs []glyph) [][]rune {
	slices.SortStableFunc(glyphs, func(a, b glyph) int { return cmp.Compare(b.middle(), a.middle()) })
	orderLigatures(glyphs)
	size := 0.0
	for i := range glyphs {
		size = max(size, glyphs[i].size)
	}
	var out [][]rune
	for i := 0; i < len(glyphs); {
		end := i + 1
		for end < len(glyphs) && !apart(&glyphs[end-1], &glyphs[end], size) {
			end++
		}
		out = append(out, wordOf(glyphs[i:end]))
		i = end
	}
	return out
}

// orderLigatures puts lam before alef if both are one glyph, and have the same place. PDFium
// turns them round with their word. No other glyph stands for alef and lam.
func orderLigatures(glyphs []glyph) {
	const lam, alefs = 'ل', "اأإآٱ"
	for i := 1; i < len(glyphs); i++ {
		a, b := &glyphs[i-1], &glyphs[i]
		if a.extent == b.extent && b.runes[0] == lam && strings.ContainsRune(alefs, a.runes[0]) {
			*a, *b = *b, *a
		}
	}
}

// glyphs returns the characters of chars[from:to] that are no blanks. A mark is on the
// character that is nearest to it.
func (f *file) glyphs(text references.FPDF_TEXTPAGE, chars []rune, from, to int) ([]glyph, error) {
	var out, marks []glyph
	word := 0
	for i := from; i < to; i++ {
		if isBlank(chars[i]) {
			word++
			continue
		}
		box, err := f.p.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: text, Index: i})
		if err != nil {
			if isTrap(err) {
				return nil, err
			}
			continue
		}
		r := box.Rect
		g := glyph{[]rune{chars[i]}, extent{float64(r.Left), float64(r.Right)}, float64(r.Top - r.Bottom), word}
		if unicode.In(chars[i], unicode.M, unicode.Cf) {
			marks = append(marks, g)
		} else {
			out = append(out, g)
		}
	}
	for _, m := range marks {
		nearest := -1
		for i := range out {
			if nearest < 0 || math.Abs(out[i].middle()-m.middle()) < math.Abs(out[nearest].middle()-m.middle()) {
				nearest = i
			}
		}
		if nearest >= 0 {
			out[nearest].runes = append(out[nearest].runes, m.runes...)
		}
	}
	return out, nil
}

// wordOf returns the characters of a word, of which glyphs are sorted from right to left.
func wordOf(glyphs []glyph) (word []rune) {
	leftToRight := func(i int) bool {
		r := glyphs[i].runes[0]
		if unicode.IsDigit(r) || unicode.IsLetter(r) {
			return !isRightToLeft(r)
		}
		// A point or comma within a number is a part of it.
		digit := func(i int) bool { return i >= 0 && i < len(glyphs) && unicode.IsDigit(glyphs[i].runes[0]) }
		return digit(i-1) && digit(i+1)
	}
	for i := 0; i < len(glyphs); {
		end := i + 1
		for leftToRight(i) && end < len(glyphs) && leftToRight(end) {
			end++
		}
		for _, g := range slices.Backward(glyphs[i:end]) {
			word = append(word, g.runes...)
		}
		i = end
	}
	return word
}

// join returns the words of a line from right to left as text. Words of another script that
// follow each other are read from left to right.
func join(words [][]rune) (text []rune) {
	other := func(w []rune) bool {
		return slices.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) && !isRightToLeft(r) })
	}
	for i := 0; i < len(words); {
		end := i + 1
		for other(words[i]) && end < len(words) && other(words[end]) {
			end++
		}
		for _, w := range slices.Backward(words[i:end]) {
			if len(text) > 0 {
				text = append(text, ' ')
			}
			text = append(text, w...)
		}
		i = end
	}
	mirror(text)
	return text
}

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
