package msdoc

import (
	"infomall/store/document"
	"infomall/store/document/ole"
)

// storyKinds are the stories of a document in the order of their characters. The
// value says what their paragraphs are.
var storyKinds = [...]storyKind{mainText, notes, notes, unused, notes, notes, textBoxes, notes}

type storyKind uint8

const (
	mainText  storyKind = iota
	notes               // footnotes, headers, comments, endnotes, text boxes of headers
	unused              // macros
	textBoxes           // of the main text
)

// stories reads the stories of a document: the main text, then its text boxes, then
// the notes. lengths are their numbers of characters.
func (w *word) stories(b *document.Builder, lengths []uint32) error {
	// Every byte of a file is at most one character, so a file whose pieces overlap
	// ends too.
	budget := min(len(w.main), 4*b.Limits().Text)
	for _, kind := range []storyKind{mainText, textBoxes, notes} {
		from := uint64(0)
		for i, n := range lengths {
			to := from + uint64(n)
			if storyKinds[i] == kind && n > 0 {
				if err := w.story(b, kind, from, to, &budget); err != nil {
					return err
				}
			}
			from = to
		}
	}
	return nil
}

// story reads the characters from one position to another.
func (w *word) story(b *document.Builder, kind storyKind, from, to uint64, budget *int) error {
	var full error
	out := &writer{b: b, note: kind == notes, nesting: b.Limits().Nesting, langs: &w.langs, lang: w.lang}
	for _, p := range w.pieces {
		start, end := max(uint64(p.from), from), min(uint64(p.to), to)
		if start >= end {
			continue
		}
		text, offset := w.bytes(p, uint32(start), uint32(end))
		if len(text) > *budget {
			text = text[:*budget&^1]
			full = document.ErrLimit
		}
		*budget -= len(text)
		for len(text) > 0 {
			c, n := w.sameFormat(text, offset, p.wide)
			if err := w.run(out, text[:n], offset, p.wide, c); err != nil {
				return err
			}
			text, offset = text[n:], offset+uint32(n)
		}
	}
	if err := out.close(); err != nil {
		return err
	}
	return full
}

// sameFormat returns the properties of the first character of text, and how many bytes
// have the same ones.
func (w *word) sameFormat(text []byte, offset uint32, wide bool) (c charFormat, n int) {
	for n < len(text) {
		next, until := w.chars.charsAt(offset + uint32(n))
		if n > 0 && next != c {
			break
		}
		c = next
		end := len(text)
		if until > offset && uint64(until-offset) < uint64(end) {
			end = int(until - offset)
		}
		if wide && end%2 != 0 && end < len(text) {
			end++
		}
		n = end
	}
	return c, n
}

// run writes the text of a run of characters.
func (w *word) run(out *writer, text []byte, offset uint32, wide bool, c charFormat) error {
	page, width := w.page, 1
	if wide {
		width = 2
	}
	if w.old && c.font >= 0 && c.font < len(w.fonts) && w.fonts[c.font] != 0 {
		if page = w.fonts[c.font]; page == symbolPage {
			c.symbol = true
		}
	}
	from := 0
	flush := func(to int) {
		switch {
		case from == to || c.symbol:
		case wide:
			out.text(ole.UTF16(text[from:to]), c)
		default:
			out.text(ole.Text(text[from:to], page), c)
		}
	}
	for i := 0; i+width <= len(text); i += width {
		r := uint16(text[i])
		if wide {
			r = ole.U16(text, i)
		}
		if r >= ' ' {
			continue
		}
		flush(i)
		from = i + width
		if err := out.control(r, c, func() paraFormat { return w.paras.paraAt(offset + uint32(i)) }); err != nil {
			return err
		}
	}
	flush(len(text))
	return nil
}
