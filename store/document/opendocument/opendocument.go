// Package opendocument reads OpenDocument files: texts (odt), spreadsheets (ods),
// presentations (odp), drawings, their templates, their flat forms of one XML file
// (fodt, fods, fodp), and the files of OpenOffice 1 (sxw, sxc, sxi).
//
// Text becomes paragraphs, headings and tables; footnotes, comments, headers and
// footers become notes; deletions of tracked changes become deleted text. A sheet of a
// spreadsheet and a page of a presentation or drawing is a section. Hidden sheets,
// slides, sections and texts are left out.
package opendocument

import (
	"bytes"
	"errors"
	"strings"

	"infomall/store/document"
	"infomall/store/document/office"
	"infomall/store/document/xmlpull"
	"infomall/store/document/zipped"
)

// Kind is the kind of OpenDocument files.
var Kind = document.Kind{Name: "opendocument", Is: is, Read: read}

// mimes are how the media types of OpenDocument files begin.
var mimes = []string{"application/vnd.oasis.opendocument.", "application/x-vnd.oasis.opendocument.", "application/vnd.sun.xml."}

// flatHead is how many bytes of a flat file are searched for its root element.
const flatHead = 4096

func is(in *document.Input) bool {
	if zipped.Is(in.Body) {
		mime := zipped.MimeType(in.Body, in.Limits)
		for _, m := range mimes {
			if strings.HasPrefix(mime, m) {
				return true
			}
		}
		return false
	}
	return flat(in.Body)
}

// flat reports whether a body is one XML file.
func flat(body []byte) bool {
	head := body[:min(len(body), flatHead)]
	return bytes.HasPrefix(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("<")) &&
		bytes.Contains(head, []byte("office:document ")) &&
		bytes.Contains(head, []byte("urn:oasis:names:tc:opendocument:xmlns:office:1.0"))
}

var errEncrypted = errors.New("encrypted: the text cannot be read without the password")

func read(b *document.Builder, in *document.Input) error {
	r := &reader{b: b, flow: office.NewFlow(b), styles: newStyles()}
	err := r.file(in)
	if end := r.flow.EndSection(); err == nil || end != nil {
		err = end
	}
	if r.shown > 0 {
		b.Doc.Pages = int64(r.shown)
	}
	if b.Doc.Lang == "" {
		b.Doc.Lang = r.langs.Most()
	}
	return err
}

// file reads the members of the file.
func (r *reader) file(in *document.Input) error {
	nesting := r.b.Limits().Nesting
	if flat(in.Body) {
		return r.part(xmlpull.New(in.Body, namespaces, nesting))
	}
	z, err := zipped.Open(in.Body, r.b.Limits())
	if err != nil {
		return err
	}
	r.body = kindOf(zipped.MimeType(in.Body, in.Limits))
	if isEncrypted(z, nesting) {
		return errEncrypted
	}
	if meta, _ := z.Read("meta.xml"); len(meta) > 0 {
		_ = r.part(xmlpull.New(meta, namespaces, nesting)) // damaged properties do not spoil the text
	}
	if styles, _ := z.Read("styles.xml"); len(styles) > 0 {
		_ = r.part(xmlpull.New(styles, namespaces, nesting))
	}
	content, err := z.Read("content.xml")
	if len(content) == 0 && err != nil {
		return err
	}
	if failed := r.part(xmlpull.New(content, namespaces, nesting)); failed != nil {
		return failed
	}
	if cut := z.Err(); cut != nil {
		return cut
	}
	return err
}

// isEncrypted reports whether the manifest says that the content is encrypted.
func isEncrypted(z *zipped.File, nesting int) bool {
	manifest, _ := z.Read("META-INF/manifest.xml")
	s := xmlpull.New(manifest, namespaces, nesting)
	for s.Next() {
		if s.Kind == xmlpull.Start && s.Name == "manifest:encryption-data" {
			return true
		}
	}
	return false
}

// namespaces are the namespaces of OpenDocument, and those of OpenOffice 1.
var namespaces = xmlpull.Namespaces{
	"http://purl.org/dc/elements/1.1/":                            "dc",
	"http://www.w3.org/1999/xlink":                                "xlink",
	"urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0":    "svg",
	"http://www.w3.org/2000/svg":                                  "svg",
	"urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0": "fo",
	"http://www.w3.org/1999/XSL/Format":                           "fo",
	"urn:oasis:names:tc:opendocument:xmlns:office:1.0":            "office",
	"http://openoffice.org/2000/office":                           "office",
	"urn:oasis:names:tc:opendocument:xmlns:style:1.0":             "style",
	"http://openoffice.org/2000/style":                            "style",
	"urn:oasis:names:tc:opendocument:xmlns:text:1.0":              "text",
	"http://openoffice.org/2000/text":                             "text",
	"urn:oasis:names:tc:opendocument:xmlns:table:1.0":             "table",
	"http://openoffice.org/2000/table":                            "table",
	"urn:oasis:names:tc:opendocument:xmlns:drawing:1.0":           "draw",
	"http://openoffice.org/2000/drawing":                          "draw",
	"urn:oasis:names:tc:opendocument:xmlns:presentation:1.0":      "presentation",
	"http://openoffice.org/2000/presentation":                     "presentation",
	"urn:oasis:names:tc:opendocument:xmlns:meta:1.0":              "meta",
	"http://openoffice.org/2000/meta":                             "meta",
	"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0":          "manifest",
	"http://openoffice.org/2001/manifest":                         "manifest",
	"urn:oasis:names:tc:opendocument:xmlns:form:1.0":              "form",
	"http://openoffice.org/2000/form":                             "form",
}
