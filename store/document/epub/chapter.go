package epub

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"infomall/store/document"
	"infomall/store/page/charset"
	"infomall/store/page/markup"
)

// emptyElement matches elements such as <script/>, which may be empty in XHTML but not in HTML. A
// reader of HTML would take the rest of the chapter for their content.
var emptyElement = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<(title|script|style|iframe|textarea|noscript|xmp|select|object|audio|video)(\s[^<>]*)?/>`)
})

// chapter adds the text and the links of content, one file of XHTML, to the
// document.
func chapter(b *document.Builder, content []byte) error {
	if found := charset.Find(content, "application/xhtml+xml; charset=utf-8", ""); found.Charset != charset.UTF8 {
		content = charset.ToUTF8(content, found.Charset)
	}
	if emptyElement().Match(content) {
		content = emptyElement().ReplaceAll(content, []byte("<$1$2></$1>"))
	}
	t := markup.NewTree(content)
	defer t.Free()
	c := &chapterReader{b: b, t: t}
	c.read()
	for _, l := range t.Links(0, len(content), charset.UTF8) {
		if l.Kind == markup.LinkA && strings.Contains(l.Target, ":") {
			b.Link(l.Target, l.Anchor)
		}
	}
	return c.err
}

// chapterReader divides the text of a chapter into parts: the ranges between the starts
// and ends of block elements.
type chapterReader struct {
	b    *document.Builder
	t    *markup.Tree
	from int    // offset in the body at which the current part begins, or goes on after held
	held []byte // beginning of the text of the current part
	err  error
}

// block is a block element whose end has not been reached yet.
type block struct {
	next int32 // index of the node after the element
	end  int   // offset in the body at which the element ends
	kind document.PartKind
}

func (c *chapterReader) read() {
	open := []block{{next: int32(len(c.t.Nodes)), end: len(c.t.Body)}}
	for i := int32(1); int(i) < len(c.t.Nodes) && c.err == nil; {
		n := &c.t.Nodes[i]
		for len(open) > 1 && open[len(open)-1].next <= i {
			top := open[len(open)-1]
			open = open[:len(open)-1]
			c.part(top.kind, top.end)
		}
		if n.Kind != markup.Element {
			i++
			continue
		}
		kind := open[len(open)-1].kind
		switch {
		case n.Tag == markup.TagA && c.isMark(n, kind):
			c.held = append(c.held, c.t.TextRange(c.from, int(n.Start), charset.UTF8)...)
			if c.from = int(n.End); c.blank(int(n.Start)-1) || c.blank(c.from) {
				c.held = append(c.held, ' ')
			}
			i = n.Next
			continue
		case n.Tag.Hidden():
			c.part(kind, int(n.Start))
			c.from = int(n.End)
			i = n.Next
			continue
		case n.Tag == markup.TagTable:
			c.part(kind, int(n.Start))
			c.table(i)
			c.from = int(n.End)
			i = n.Next
			continue
		case n.Tag == markup.TagAside || n.Tag.Block() && c.isNote(n):
			c.part(kind, int(n.Start))
			open = append(open, block{n.Next, int(n.End), document.Note})
		case n.Tag.Heading() > 0 && kind != document.Note:
			c.part(kind, int(n.Start))
			open = append(open, block{n.Next, int(n.End), document.Heading})
		case n.Tag.Block():
			c.part(kind, int(n.Start))
			open = append(open, block{n.Next, int(n.End), kind})
		}
		i++
	}
	for n := len(open) - 1; n >= 0 && c.err == nil; n-- {
		c.part(open[n].kind, open[n].end)
	}
}

// isNote reports whether an element declares to be a footnote.
func (c *chapterReader) isNote(n *markup.Node) bool {
	tag := c.t.Body[n.Start:n.Inner]
	return bytes.Contains(tag, []byte("note")) && (bytes.Contains(tag, []byte(`type="footnote`)) || bytes.Contains(tag, []byte(`type="rearnote`)) || bytes.Contains(tag, []byte(`type="endnote"`)))
}

// isMark reports whether a link is only the number of a footnote, at its place
// in the text or before the note.
func (c *chapterReader) isMark(n *markup.Node, kind document.PartKind) bool {
	tag := c.t.Body[n.Start:n.Inner]
	return bytes.Contains(tag, []byte(`"noteref"`)) || kind == document.Note && bytes.Contains(tag, []byte(`href="#`))
}

// blank reports whether the byte of the body at an offset is white space.
func (c *chapterReader) blank(at int) bool {
	return at >= 0 && at < len(c.t.Body) && c.t.Body[at] <= ' '
}

// part adds the text from c.from to the offset end of the chapter as a part of the given kind, and
// sets c.from to end.
func (c *chapterReader) part(kind document.PartKind, end int) {
	if end > c.from && c.err == nil {
		if text := strings.TrimSpace(string(c.held) + c.t.TextRange(c.from, end, charset.UTF8)); text != "" {
			c.err = c.b.Add(kind, text)
		}
		c.held = c.held[:0]
	}
	c.from = max(c.from, end)
}

// table adds the table at node i to the document. A table with one column only
// serves the layout: its cells are added as paragraphs.
func (c *chapterReader) table(i int32) {
	var rows []string
	var row []string
	wide := false
	end := func() {
		if text := strings.TrimRight(strings.Join(row, "\t"), "\t"); strings.TrimSpace(text) != "" {
			rows = append(rows, text)
		}
		wide, row = wide || len(row) > 1, row[:0]
	}
	for j := i + 1; j < c.t.Nodes[i].Next; {
		n := &c.t.Nodes[j]
		switch {
		case n.Kind != markup.Element:
		case n.Tag == markup.TagTr:
			end()
		case n.Tag == markup.TagTd, n.Tag == markup.TagTh, n.Tag == markup.TagCaption:
			if n.Tag == markup.TagCaption {
				end()
			}
			row = append(row, document.Clean(c.t.TextRange(int(n.Start), int(n.End), charset.UTF8)))
			if n.Tag == markup.TagCaption {
				c.add(document.Paragraph, row[0])
				row = row[:0]
			}
			j = n.Next
			continue
		}
		j++
	}
	end()
	if wide {
		c.add(document.Table, strings.Join(rows, "\n"))
		return
	}
	for _, text := range rows {
		c.add(document.Paragraph, text)
	}
}

func (c *chapterReader) add(kind document.PartKind, text string) {
	if c.err == nil {
		c.err = c.b.Add(kind, text)
	}
}
