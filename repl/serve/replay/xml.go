package replay

import (
	"bytes"

	"infomall/store/page/markup"
)

// xmlContent rewrites the text of an element of an XML document, from start on: a style sheet,
// or an address in a feed or site map.
func (r *rewriter) xmlContent(tag markup.Tag, name []byte, start, end int) {
	switch {
	case tag == markup.TagStyle:
		n := bytes.Index(r.view[start:end], []byte("</"))
		if n < 0 {
			return
		}
		quote := appendValue
		if bytes.Contains(r.view[start:start+n], []byte("<![CDATA[")) {
			quote = nil
		}
		r.veil = start
		r.styles(start, start+n, quote)
		r.veil = 0
	case r.feed && (tag == markup.TagLink || markup.EqualFold(name, "loc") || markup.EqualFold(name, "url")):
		n := bytes.IndexByte(r.view[start:end], '<')
		if n < 0 {
			return
		}
		text := r.view[start : start+n]
		from := start + len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
		to := start + len(bytes.TrimRight(text, " \t\r\n"))
		if from < to {
			r.relink(attr{markup.AttrPlace{Value: from, ValueEnd: to}, usePage}, PageTop)
		}
	}
}

// instruction rewrites the processing instruction from start to end-1 of an XML
// document if it names a style sheet.
func (r *rewriter) instruction(start, end int) {
	const name = "<?xml-stylesheet"
	if !bytes.HasPrefix(r.view[start:end], []byte(name)) {
		return
	}
	for next := start + len(name); ; {
		place, after, ok := markup.NextAttr(r.view[:end], next)
		if !ok {
			return
		}
		next = after
		if place.ValueEnd > 0 && markup.EqualFold(r.view[place.Name:place.NameEnd], "href") {
			m := Object // an XSL program
			if bytes.Contains(r.view[start:end], []byte("text/css")) {
				m = Style
			}
			r.relink(attr{place, useHref}, m)
		}
	}
}
