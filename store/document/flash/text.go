package flash

import (
	"bytes"
	"encoding/xml"
	"html"
	"slices"
	"strings"

	"infomall/store/document"
	"infomall/store/document/media"
)

// textsBytesMax is the size in bytes of the longest text of a text field that
// is read.
const textsBytesMax = 16 << 20

// putTexts adds all texts that were read to the document.
func (m *movie) putTexts() error {
	for _, text := range slices.Concat(m.drawn, m.decode(m.texts)) {
		if err := m.b.Add(document.Paragraph, text); err != nil {
			return err
		}
	}
	return nil
}

// editText reads a text field, and keeps its initial text.
func (m *movie) editText(c media.View) {
	r := bits{v: c, at: 16}
	r.rectangle()
	at := r.bytes()
	flags, more := c.Byte(at), c.Byte(at+1)
	at += 2
	const (
		hasText, password, hasColor, hasMax, hasFont = 0x80, 0x10, 4, 2, 1
		hasClass, hasLayout, isHTML                  = 0x80, 0x20, 2
	)
	if flags&hasText == 0 || flags&password != 0 {
		return
	}
	zero := func() {
		if end := bytes.IndexByte(c.From(at), 0); end >= 0 {
			at += end + 1
		}
	}
	if flags&hasFont != 0 {
		at += 2
	}
	if more&hasClass != 0 {
		zero()
	}
	if flags&hasFont != 0 || more&hasClass != 0 {
		at += 2 // height
	}
	if flags&hasColor != 0 {
		at += 4
	}
	if flags&hasMax != 0 {
		at += 2
	}
	if more&hasLayout != 0 {
		at += 9
	}
	zero() // the name of the variable
	raw, _, _ := bytes.Cut(c.From(at), []byte{0})
	text := string(raw)
	if more&isHTML != 0 {
		text = m.markup(text)
	}
	m.text(text)
}

// text appends a text of a text field to m.texts. Its charset can only be found
// when all texts have been read.
func (m *movie) text(text string) {
	if text = strings.TrimSpace(text); text != "" && len(text) < textsBytesMax && len(m.texts) < m.b.Limits().Parts {
		m.texts = append(m.texts, text)
	}
}

// markup returns the text of text, the simple HTML of a text field, and keeps
// the links in it.
func (m *movie) markup(text string) string {
	var out strings.Builder
	for {
		before, tag, ok := strings.Cut(text, "<")
		out.WriteString(html.UnescapeString(before))
		if !ok {
			return out.String()
		}
		tag, rest, ok := strings.Cut(tag, ">")
		if !ok {
			return out.String()
		}
		switch name, attributes, _ := strings.Cut(tag, " "); strings.ToLower(name) {
		case "a":
			if _, href, ok := strings.Cut(strings.Replace(attributes, "href", "HREF", 1), "HREF="); ok && href != "" {
				quote := string(href[0])
				if quote != `"` && quote != "'" {
					href, quote = " "+href, " "
				}
				href, _, _ = strings.Cut(href[1:], quote)
				m.target(html.UnescapeString(href))
			}
		case "/p", "br", "br/", "/li":
			out.WriteByte('\n')
		}
		text = rest
	}
}

// fontsMax is the largest number of fonts that are kept, and glyphsMax the
// largest number of glyphs of one font.
const (
	fontsMax  = 2000
	glyphsMax = 1 << 16
)

// keep stores the characters of the glyphs of font number id in m.fonts. codes
// has the characters, of two bytes each if wide is set, and otherwise of one.
func (m *movie) keep(id int, codes media.View, wide bool) {
	if len(m.fonts) >= fontsMax {
		return
	}
	var out []uint16
	for i := 0; i < len(codes) && len(out) < glyphsMax; i++ {
		if !wide {
			out = append(out, uint16(codes[i]))
			continue
		}
		out = append(out, uint16(codes.Little16(i)))
		i++
	}
	m.fonts[id] = out
}

// fontInfo reads the characters of a font of the older form: number, name, flags, then one
// character for each glyph.
func (m *movie) fontInfo(kind int, c media.View) {
	at := 3 + int(c.Byte(2))
	flags := c.Byte(at)
	if at++; kind == 62 {
		at++ // language
	}
	m.keep(c.Little16(0), c.From(at), flags&1 != 0 || kind == 62)
}

// font reads the characters of a font of the newer form. They come after the
// shapes of the glyphs.
func (m *movie) font(c media.View) {
	flags := c.Byte(2)
	at := 5 + int(c.Byte(4))
	glyphs := c.Little16(at)
	table := at + 2
	codes := 0
	if flags&8 != 0 { // wide offsets
		codes = table + c.Little32(table+4*glyphs)
	} else {
		codes = table + c.Little16(table+2*glyphs)
	}
	if wide := flags&4 != 0; wide {
		m.keep(c.Little16(0), c.Sub(codes, 2*glyphs), true)
	} else {
		m.keep(c.Little16(0), c.Sub(codes, glyphs), false)
	}
}

// staticText reads a text that is drawn by glyphs. It consists of records that
// choose a font or a position, and of records of glyphs.
func (m *movie) staticText(kind int, c media.View) {
	r := bits{v: c, at: 16}
	r.rectangle()
	r.align()
	r.matrix()
	glyphBits, advanceBits := int(r.take(8)), int(r.take(8))
	if glyphBits > 32 || advanceBits > 32 {
		return
	}
	var font []uint16
	var out strings.Builder
	for r.bytes() < len(c) && out.Len() < 1<<20 {
		flags := r.take(8)
		if flags == 0 {
			break
		}
		if flags&8 != 0 {
			font = m.fonts[int(r.take(8)|r.take(8)<<8)]
		}
		if flags&4 != 0 {
			r.at += 24 // colour
			if kind == 33 {
				r.at += 8
			}
		}
		if flags&1 != 0 {
			r.at += 16
		}
		if flags&2 != 0 {
			if r.at += 16; out.Len() > 0 {
				out.WriteByte('\n') // another line
			}
		}
		if flags&8 != 0 {
			r.at += 16 // height
		}
		for range r.take(8) {
			glyph := int(r.take(glyphBits))
			r.at += advanceBits
			if glyph < len(font) && r.bytes() <= len(c) {
				out.WriteRune(rune(font[glyph]))
			}
		}
		r.align()
	}
	if text := strings.TrimSpace(out.String()); text != "" && len(m.drawn) < m.b.Limits().Parts {
		m.drawn = append(m.drawn, text)
	}
}

// metadataFields maps the elements of the RDF metadata of a file to fields of
// the document.
var metadataFields = map[string]media.Field{
	"title": media.Title, "description": media.Comment, "publisher": media.Rights, "creator": media.Author, "date": media.Date,
	"subject": media.Keywords,
}

// metadata reads the RDF metadata of a file into the document.
func (m *movie) metadata(c media.View) {
	raw, _, _ := bytes.Cut(c.Sub(0, 1<<20), []byte{0})
	d := xml.NewDecoder(bytes.NewReader(raw))
	d.Strict = false
	open := ""
	for {
		token, err := d.RawToken()
		if err != nil {
			return
		}
		switch e := token.(type) {
		case xml.StartElement:
			if e.Name.Space == "dc" || e.Name.Local != "li" && e.Name.Local != "Alt" && e.Name.Local != "Seq" && e.Name.Local != "Bag" {
				open = e.Name.Local
			}
			for _, a := range e.Attr {
				if f, ok := metadataFields[a.Name.Local]; ok && a.Name.Space == "dc" {
					m.tags.Add(f, a.Value)
				}
			}
		case xml.CharData:
			if f, ok := metadataFields[open]; ok {
				m.tags.AddRaw(f, e)
			}
		}
	}
}
