// Package pagetext reads HTML and plain text that is inside of a document, such as a
// page in a zip file, the text of a mail or of an item of a feed.
package pagetext

import (
	"net/url"
	"strings"

	"infomall/store/document"
	"infomall/store/page/charset"
	"infomall/store/page/markup"
)

// AddHTML adds the text of an HTML page, or of a part of one, to the current section:
// a Heading for each heading, a Table for rows of cells that follow each other, and a
// Paragraph for each other line. It adds the links to pages, too, resolved against
// base; base may be "". cs is the charset of the body.
func AddHTML(b *document.Builder, body []byte, cs, base string) error {
	if cs != charset.UTF8 && !charset.ASCIISafe(cs) {
		body, cs = charset.ToUTF8(body, cs), charset.UTF8
	}
	tree := markup.NewTree(body)
	defer tree.Free()
	return addTree(b, tree, cs, base)
}

// headingBytes is the greatest length of a heading in bytes. A longer text is not a
// heading: the heading element has no end tag, and ran on.
const headingBytes = 1000

func addTree(b *document.Builder, tree *markup.Tree, cs, base string) error {
	links := tree.Links(0, len(tree.Body), cs)
	from := 0
	for i := 1; i < len(tree.Nodes); {
		n := &tree.Nodes[i]
		i++
		if n.Kind != markup.Element || n.Tag.Heading() == 0 && !n.Tag.Hidden() {
			continue
		}
		if i = int(n.Next); n.Tag.Hidden() {
			continue
		}
		text := tree.TextRange(int(n.Start), int(n.End), cs)
		if len(text) > headingBytes {
			continue
		}
		if err := addLines(b, tree.TextRange(from, int(n.Start), cs)); err != nil {
			return err
		}
		if err := b.Add(document.Heading, document.Clean(text)); err != nil {
			return err
		}
		from = int(n.End)
	}
	if err := addLines(b, tree.TextRange(from, len(tree.Body), cs)); err != nil {
		return err
	}
	for _, l := range links {
		switch l.Kind {
		case markup.LinkA, markup.LinkArea, markup.LinkFrame, markup.LinkIframe:
			b.Link(Resolve(base, l.Target), l.Anchor)
		}
	}
	return nil
}

// addLines adds each line of text as a Paragraph. Lines with tabs between cells that
// follow each other are one Table.
func addLines(b *document.Builder, text string) error {
	var rows []string
	flush := func() error {
		if len(rows) == 0 {
			return nil
		}
		table := strings.Join(rows, "\n")
		rows = rows[:0]
		return b.Add(document.Table, table)
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.Trim(line, " \t\r")
		if strings.Contains(line, "\t") {
			rows = append(rows, line)
			continue
		}
		if line == "" {
			continue
		}
		if err := flush(); err != nil {
			return err
		}
		if err := b.Add(document.Paragraph, line); err != nil {
			return err
		}
	}
	return flush()
}

// lineBreaks makes all line breaks alike. A form feed ends a page, and so a paragraph.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\f", "\n\n")

// AddPlain adds plain text to the current section. A blank line ends a Paragraph.
func AddPlain(b *document.Builder, text string) error {
	if strings.ContainsAny(text, "\r\f") {
		text = lineBreaks.Replace(text)
	}
	for len(text) > 0 {
		paragraph, rest := cutParagraph(text)
		text = rest
		if err := b.Add(document.Paragraph, strings.Trim(paragraph, "\n")); err != nil {
			return err
		}
	}
	return nil
}

// cutParagraph returns the lines of text before the first line that is blank, and the
// rest after that line.
func cutParagraph(text string) (paragraph, rest string) {
	for at := 0; ; {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return text, ""
		}
		if strings.TrimSpace(text[at:at+n]) == "" {
			return text[:at], text[at+n+1:]
		}
		at += n + 1
	}
}

// TextOf returns the text that a piece of HTML in UTF-8 shows, as one line.
func TextOf(piece string) string {
	if !strings.ContainsAny(piece, "<&") {
		return document.Clean(piece)
	}
	tree := markup.NewTree([]byte(piece))
	defer tree.Free()
	return document.Clean(tree.Text(charset.UTF8))
}

// Resolve returns the address of a link, resolved against base. It returns target as
// written if base is "" or one of the two is no URL.
func Resolve(base, target string) string {
	if base == "" || target == "" || strings.HasPrefix(target, "http:") || strings.HasPrefix(target, "https:") {
		return target
	}
	b, err := url.Parse(base)
	if err != nil {
		return target
	}
	u, err := b.Parse(target)
	if err != nil {
		return target
	}
	return u.String()
}
