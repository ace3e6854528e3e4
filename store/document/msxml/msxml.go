// Package msxml reads the XML files that Word 2003 and Excel 2003 write: documents and
// workbooks that are one XML file each, without a zip file around it.
package msxml

import (
	"strconv"
	"strings"

	"infomall/store/document"
	"infomall/store/document/office"
	"infomall/store/document/xmlscan"
	"infomall/store/page"
)

// Kind reads documents of Word 2003 and workbooks of Excel 2003 in XML.
var Kind = document.Kind{Name: "msxml", Is: is, Read: read}

// The namespaces of the two formats, and of what is inside of them. That of Word ends in
// the version of the schema.
const (
	wordSpace   = "http://schemas.microsoft.com/office/word/2003/"
	excelSpace  = "urn:schemas-microsoft-com:office:spreadsheet"
	officeSpace = "urn:schemas-microsoft-com:office:office"
	hintSpace   = wordSpace + "auxHint"                        // what Word shows, such as the numbers of lists
	markSpace   = "http://schemas.microsoft.com/aml/2001/core" // comments and tracked changes
	drawSpace   = "urn:schemas-microsoft-com:vml"
)

func is(in *document.Input) bool {
	if page.IsBinary(in.Body) {
		return false
	}
	root, ok := xmlscan.RootOf(in)
	return ok && (isWord(&root.Token) || root.Local == "Workbook" && root.Space == excelSpace)
}

// isWord reports whether the root element t is that of a Word document.
func isWord(t *xmlscan.Token) bool {
	return t.Local == "wordDocument" && strings.HasPrefix(t.Space, wordSpace)
}

func read(b *document.Builder, in *document.Input) error {
	root, _ := xmlscan.RootOf(in)
	if isWord(&root.Token) {
		return readWord(b, in)
	}
	return readWorkbook(b, in)
}

// properties reads the element DocumentProperties.
type properties struct {
	doc  *document.Document
	name string // the property that is open; "" outside of properties
}

// start takes the start tag t and reports whether it is a property.
func (p *properties) start(t *xmlscan.Token) bool {
	p.name = ""
	if t.Space == officeSpace {
		p.name = t.Local
	}
	return p.name != ""
}

// text takes the text of the property that is open.
func (p *properties) text(text string) {
	d := p.doc
	switch p.name {
	case "Title":
		d.Title += document.Clean(text)
	case "Author":
		d.Author += document.Clean(text)
	case "Description":
		d.Description += document.Clean(text)
	case "Keywords":
		d.Keywords += document.Clean(text)
	case "Created":
		d.Created = office.Date(text)
	case "LastSaved":
		d.Modified = office.Date(text)
	case "Pages":
		if n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32); err == nil && n > 0 {
			d.Pages = n
		}
	}
}
