package replay

import (
	"bytes"
	"io"

	"infomall/store/page/markup"
)

// CSS writes body, a style sheet, to dst, with its addresses rewritten for p. All other bytes
// stay as they are. The addresses of what the sheet loads get the time in the sheet's own
// address, p.Asked, because that is the time of the capture of the page. The error is that of
// dst.
func CSS(dst io.Writer, body []byte, p *Page) error {
	r := newRewriter(dst, body, p)
	if len(r.asked) > 0 {
		r.captured = r.asked
	}
	r.styles(0, len(r.view), nil)
	return r.finish()
}

// styles rewrites the addresses in the style sheet from start to end-1. quote appends text in
// the form in which it must be written in the markup around the sheet; nil means unchanged.
func (r *rewriter) styles(start, end int, quote func(dst, text []byte) []byte) {
	if !markup.MayHaveAddress(r.view[start:end]) {
		return
	}
	for p := range markup.SheetPlaces(string(r.view[start:end])) {
		if text, ok := r.sheetAddress(r.text(start+p.Start, start+p.End), p); ok {
			if quote != nil {
				text = quote(nil, text)
			}
			r.replace(start+p.Start, start+p.End, text)
		}
	}
}

// sheetAddress returns the text that replaces the address written at place p of a style
// sheet, in UTF-8. ok is false if the address stays.
func (r *rewriter) sheetAddress(written []byte, p markup.SheetPlace) (text []byte, ok bool) {
	m := Image
	switch p.Use {
	case markup.SheetNamespace:
		return nil, false
	case markup.SheetImport:
		m = Style
	}
	ref := []byte(markup.SheetUnescape(string(written)))
	linked := r.link(ref, m)
	if bytes.Equal(linked, ref) {
		return nil, false
	}
	return appendSheetText(nil, linked, p.Quote), true
}

// appendSheetText appends address as it is written in a style sheet, inside quote
// or, if quote is 0, without quotes.
func appendSheetText(dst, address []byte, quote byte) []byte {
	for _, c := range address {
		switch c {
		case '"', '\'', '(', ')', '\\':
			if quote == 0 || c == quote || c == '\\' {
				dst = append(dst, '\\')
			}
		}
		dst = append(dst, c)
	}
	return dst
}
