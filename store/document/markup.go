package document

import (
	"html"
	"strings"
)

// Span is the range Start to End of one section or part in the result of
// Document.Markup, in bytes.
type Span struct {
	Start, End int
	Section    int // index in Document.Sections
	Part       int // index in Section.Parts; -1 for the section as a whole
}

// Markup returns the document as a page of HTML in UTF-8, and the ranges of its
// sections and parts in the order of the page, each section before its parts.
// Sections of kind Whole and sections without text have no range. The page has
// no links. The blocks of a document are ranges of this page.
func (d *Document) Markup() ([]byte, []Span) {
	w := &markupWriter{}
	w.WriteString("<!DOCTYPE html>\n<html")
	if d.Lang != "" {
		w.WriteString(` lang="` + html.EscapeString(d.Lang) + `"`)
	}
	w.WriteString("><head><meta charset=\"utf-8\"><title>" + html.EscapeString(d.Title) + "</title>")
	w.meta("author", d.Author)
	w.meta("description", d.Description)
	w.meta("keywords", d.Keywords)
	w.WriteString("</head>\n<body>\n")
	for i := range d.Sections {
		w.section(i, &d.Sections[i])
	}
	w.WriteString("</body></html>\n")
	return []byte(w.String()), w.spans
}

// markupWriter writes the markup of one document.
type markupWriter struct {
	strings.Builder
	spans []Span
}

func (w *markupWriter) meta(name, content string) {
	if content != "" {
		w.WriteString(`<meta name="` + name + `" content="` + html.EscapeString(content) + `">`)
	}
}

func (w *markupWriter) section(n int, s *Section) {
	own := -1
	if s.Kind != Whole {
		own = len(w.spans)
		w.spans = append(w.spans, Span{w.Len(), 0, n, -1})
		w.WriteString("<section>\n")
	}
	before := len(w.spans)
	for i, p := range s.Parts {
		if p.Kind == Deleted {
			continue
		}
		start := w.Len()
		w.part(p)
		w.spans = append(w.spans, Span{start, w.Len(), n, i})
		w.WriteString("\n")
	}
	if own < 0 {
		return
	}
	w.WriteString("</section>")
	if w.spans[own].End = w.Len(); len(w.spans) == before {
		w.spans = w.spans[:own]
	}
	w.WriteString("\n")
}

func (w *markupWriter) part(p Part) {
	switch p.Kind {
	case Table:
		w.WriteString("<table>")
		for row := range strings.SplitSeq(p.Text, "\n") {
			w.WriteString("<tr>")
			for cell := range strings.SplitSeq(row, "\t") {
				w.WriteString("<td>" + html.EscapeString(cell) + "</td>")
			}
			w.WriteString("</tr>")
		}
		w.WriteString("</table>")
	case Heading:
		w.WriteString("<h2>" + lines(p.Text) + "</h2>")
	default:
		w.WriteString("<p>" + lines(p.Text) + "</p>")
	}
}

// lines returns text as markup. It writes <br> for each line break.
func lines(text string) string {
	return strings.ReplaceAll(html.EscapeString(text), "\n", "<br>")
}
