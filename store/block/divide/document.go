package divide

import (
	"cmp"
	"slices"

	"infomall/store/document"
	"infomall/store/page/charset"
	"infomall/store/page/markup"
	"infomall/store/record"
)

// OpenStored divides the body of the stored response p into blocks, like Open. If the
// archive has a reading of the body as a document, the blocks are those of the
// document, see ofDocument.
func OpenStored(p *record.Payload, body []byte, o Options) (*Body, bool) {
	if p.Document != nil {
		d, err := document.Unpack(p.Document)
		if err != nil {
			return nil, false // the archive gives only readings that can be unpacked
		}
		return ofDocument(d), true
	}
	return Open(body, AsOf(p), o)
}

// ofDocument divides a document into blocks: its sections, such as pages or slides, and
// their paragraphs, tables and notes. A document without sections has the blocks of
// its parts at level 1. The blocks are ranges of the markup of the document, not of
// the stored body.
func ofDocument(d *document.Document) *Body {
	page, spans := d.Markup()
	t := &Tree{Page: markup.NewTree(page), Document: d}
	t.Blocks = append(make([]Block, 0, 1+len(spans)), Block{End: len(page)})
	t.spans = append(make([]document.Span, 0, 1+len(spans)), document.Span{Section: -1, Part: -1})
	t.spans = append(t.spans, spans...)
	section := 0 // the block of the current section, 0 if it has none
	for _, s := range spans {
		n := len(t.Blocks)
		if s.Start >= t.Blocks[section].End {
			section = 0
		}
		if s.Part < 0 {
			section = n
			t.Blocks = append(t.Blocks, Block{Start: s.Start, End: s.End, Next: n + 1, Depth: 1})
			continue
		}
		t.Blocks = append(t.Blocks, Block{Start: s.Start, End: s.End, Parent: section, Next: n + 1, Depth: t.Blocks[section].Depth + 1})
		t.Blocks[section].Next = n + 1
	}
	t.Blocks[0].Next = len(t.Blocks)
	t.name()
	return &Body{Tree: t, Charset: "utf-8", Found: charset.Found{Charset: "utf-8"}}
}

// SectionOf returns the name of the section of a document to which block n belongs, such as
// "page 12". It returns "" if the tree is not of a document, or if the document has no
// sections.
func (t *Tree) SectionOf(n int) string {
	if n <= 0 || n >= len(t.spans) {
		return ""
	}
	return t.Document.Sections[t.spans[n].Section].String()
}

// PartOf returns the part of a document (a paragraph, table or note) that block n is. It
// returns nil if the block is a section, or if the tree is not of a document.
func (t *Tree) PartOf(n int) *document.Part {
	if n <= 0 || n >= len(t.spans) || t.spans[n].Part < 0 {
		return nil
	}
	return &t.Document.Sections[t.spans[n].Section].Parts[t.spans[n].Part]
}

// SectionBlock returns the block of a section of a document, given as an index in
// Document.Sections. It returns 0, the block of the whole document, if the section
// has no block of its own.
func (t *Tree) SectionBlock(section int) int {
	n, ok := slices.BinarySearchFunc(t.spans, section, func(s document.Span, section int) int { return cmp.Compare(s.Section, section) })
	if !ok || t.spans[n].Part >= 0 {
		return 0
	}
	return n
}
