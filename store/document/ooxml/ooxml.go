// Package ooxml reads the files of Microsoft Office since 2007: documents (docx),
// workbooks (xlsx) and presentations (pptx), their templates and their forms with
// macros.
//
// Such a file is a zip file of parts. The main part is found by its relationship and
// its content type, never by its name. What is read:
//
//   - of a document: paragraphs, headings, tables, text boxes, fields' results, links;
//     footnotes, comments, headers and footers as notes; deletions of tracked changes
//     as deleted text
//   - of a workbook: a section for each sheet with its cells as they are shown, as
//     far as their number format is simple, and comments as notes. Hidden sheets
//     are left out; hidden rows and columns are not, because they are often hidden
//     by a filter only.
//   - of a presentation: a section for each slide with titles, texts, tables and
//     diagrams, and the speaker's notes as notes. Hidden slides are left out.
//
// Hidden text, field codes and macros are not text. Binary workbooks (xlsb) are named
// as unread; their properties are read.
package ooxml

import (
	"errors"
	"strings"

	"infomall/store/document"
	"infomall/store/document/office"
	"infomall/store/document/xmlpull"
	"infomall/store/document/zipped"
)

// Kind is the kind of the files of Microsoft Office since 2007.
var Kind = document.Kind{Name: "ooxml", Is: is, Read: read}

// family is the kind of the main part of a file, such as a text or a table.
type family uint8

const (
	unknown family = iota
	word
	workbook
	binaryWorkbook
	slides
)

// familyOf returns the family of a part by its content type. The forms with macros and
// the templates have types of their own.
func familyOf(contentType string) family {
	t := strings.ToLower(contentType)
	if !strings.Contains(t, ".main") {
		return unknown
	}
	switch {
	case strings.Contains(t, "wordprocessingml"), strings.Contains(t, "vnd.ms-word."):
		return word
	case strings.Contains(t, "vnd.ms-excel.sheet.binary"):
		return binaryWorkbook
	case strings.Contains(t, "spreadsheetml"), strings.Contains(t, "vnd.ms-excel."):
		return workbook
	case strings.Contains(t, "presentationml"), strings.Contains(t, "vnd.ms-powerpoint."):
		return slides
	}
	return unknown
}

func is(in *document.Input) bool {
	if !zipped.Is(in.Body) {
		return false
	}
	p, err := open(in.Body, in.Limits.WithDefaults())
	if err != nil {
		return false
	}
	_, f := p.main()
	return f != unknown
}

var errBinary = errors.New("a binary workbook (xlsb): its sheets are not read")

func read(b *document.Builder, in *document.Input) error {
	p, err := open(in.Body, b.Limits())
	if err != nil {
		return err
	}
	main, f := p.main()
	p.properties(b.Doc)
	langs := &office.LanguageCount{}
	switch f {
	case word:
		err = readWord(p, b, main, langs)
	case workbook:
		err = readWorkbook(p, b, main)
	case slides:
		err = readSlides(p, b, main, langs)
	case binaryWorkbook:
		return errBinary
	}
	// The languages of the text are a better witness than the property: LibreOffice
	// writes the language of its menus there.
	if most := langs.Most(); most != "" || strings.HasPrefix(b.Doc.Producer, "LibreOffice") {
		b.Doc.Lang = most
	}
	if cut := p.zip.Err(); cut != nil {
		return cut
	}
	if err == nil {
		err = p.fault
	}
	return err
}

// namespaces are the namespaces of the parts, in their transitional and strict form.
var namespaces = xmlpull.Namespaces{
	"http://schemas.openxmlformats.org/package/2006/content-types":              "ct",
	"http://schemas.openxmlformats.org/package/2006/relationships":              "rel",
	"http://schemas.openxmlformats.org/package/2006/metadata/core-properties":   "cp",
	"http://purl.org/dc/elements/1.1/":                                          "dc",
	"http://purl.org/dc/terms/":                                                 "dcterms",
	"http://schemas.openxmlformats.org/officeDocument/2006/extended-properties": "app",
	"http://purl.oclc.org/ooxml/officeDocument/extendedProperties":              "app",
	"http://schemas.openxmlformats.org/officeDocument/2006/relationships":       "r",
	"http://purl.oclc.org/ooxml/officeDocument/relationships":                   "r",
	"http://schemas.openxmlformats.org/markup-compatibility/2006":               "mc",
	"http://schemas.openxmlformats.org/wordprocessingml/2006/main":              "w",
	"http://purl.oclc.org/ooxml/wordprocessingml/main":                          "w",
	"http://schemas.openxmlformats.org/officeDocument/2006/math":                "m",
	"http://purl.oclc.org/ooxml/officeDocument/math":                            "m",
	"http://schemas.openxmlformats.org/drawingml/2006/main":                     "a",
	"http://purl.oclc.org/ooxml/drawingml/main":                                 "a",
	"http://schemas.openxmlformats.org/drawingml/2006/diagram":                  "dgm",
	"http://purl.oclc.org/ooxml/drawingml/diagram":                              "dgm",
	"http://schemas.openxmlformats.org/drawingml/2006/chart":                    "c",
	"http://purl.oclc.org/ooxml/drawingml/chart":                                "c",
	"http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing":       "xdr",
	"http://purl.oclc.org/ooxml/drawingml/spreadsheetDrawing":                   "xdr",
	"http://schemas.openxmlformats.org/presentationml/2006/main":                "p",
	"http://purl.oclc.org/ooxml/presentationml/main":                            "p",
	"http://schemas.openxmlformats.org/spreadsheetml/2006/main":                 "x",
	"http://purl.oclc.org/ooxml/spreadsheetml/main":                             "x",
	"urn:schemas-microsoft-com:vml":                                             "v",
	"http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes":      "vt",
	"http://purl.oclc.org/ooxml/officeDocument/docPropsVTypes":                  "vt",
}
