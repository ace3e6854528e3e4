// Package uof reads files of UOF 1 (标文通, the Unified Office Format of China's GB/T 20916),
// as LibreOffice and Chinese office programs write them: texts (uot), workbooks (uos) and
// presentations (uop). Each is one XML file whose elements have Chinese names.
//
// Text becomes paragraphs, headings and tables; footnotes, comments, headers, footers and
// speaker's notes become notes; deletions of tracked changes become deleted text. A sheet and
// a slide is a section. The texts of shapes stand at the beginning of the file and come where
// an anchor names them.
package uof

import (
	"strconv"
	"strings"

	"infomall/store/document"
	"infomall/store/document/office"
	"infomall/store/document/table"
	"infomall/store/document/xmlpull"
	"infomall/store/document/xmlscan"
	"infomall/store/page"
)

// Kind is the kind of UOF files.
var Kind = document.Kind{Name: "uof", Is: is, Read: read}

// space is how the names of all namespaces of UOF 1 begin.
const space = "http://schemas.uof.org/cn/2003/"

// namespaces are the namespaces of UOF 1, with prefixes of one letter: of the file (u), of
// text (t), of workbooks (s), of presentations (p) and of drawings (d).
var namespaces = xmlpull.Namespaces{
	space + "uof": "u", space + "uof-wordproc": "t", space + "uof-spreadsheet": "s", space + "uof-slideshow": "p", space + "graph": "d",
}

func is(in *document.Input) bool {
	if page.IsBinary(in.Body) {
		return false
	}
	root, ok := xmlscan.RootOf(in)
	return ok && root.Local == "UOF" && strings.HasPrefix(root.Space, space)
}

func read(b *document.Builder, in *document.Input) error {
	r := &reader{
		b: b, flow: office.NewFlow(b), s: xmlpull.New(in.Body, namespaces, b.Limits().Nesting),
		headings: make(map[string]bool), links: make(map[string]string), shapes: make(map[string]*shape), rows: table.NewWriter(b),
	}
	err := r.file()
	if end := r.flow.EndSection(); err == nil {
		err = end
	}
	if r.shown > 0 {
		b.Doc.Pages = r.shown
	}
	return err
}

// meta reads the properties of the file, and goes to the end of their element.
func (r *reader) meta() {
	s, d := r.s, r.b.Doc
	creator := ""
	for depth := s.Depth(); s.Depth() >= depth && s.Next(); {
		if s.Kind != xmlpull.Start {
			continue
		}
		switch s.Name {
		case "u:标题":
			d.Title = document.Clean(s.Inner())
		case "u:作者":
			d.Author = document.Clean(s.Inner())
		case "u:创建者":
			creator = document.Clean(s.Inner())
		case "u:摘要":
			d.Description = document.Clean(s.Inner())
		case "u:关键字":
			office.AddKeyword(d, s.Inner())
		case "u:创建日期":
			d.Created = office.Date(s.Inner())
		case "u:创建应用程序":
			d.Producer = document.Clean(s.Inner())
		case "u:页数":
			if n, err := strconv.ParseInt(strings.TrimSpace(s.Inner()), 10, 32); err == nil && n > 0 {
				d.Pages = n
			}
		}
	}
	if d.Author == "" {
		d.Author = creator
	}
}
