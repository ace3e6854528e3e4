// Package epub reads books in the format EPUB. A section is a chapter: one file of the
// book's spine, with the title that the table of contents gives it. Footnotes are
// notes. The text of books whose chapters are encrypted is not read.
package epub

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"infomall/store/document"
	"infomall/store/document/office"
	"infomall/store/document/xmlpull"
	"infomall/store/document/zipped"
)

// Kind is the kind of books in the format EPUB.
var Kind = document.Kind{Name: "epub", Is: is, Read: read}

const (
	mime      = "application/epub+zip"
	container = "META-INF/container.xml"
)

func is(in *document.Input) bool {
	if strings.HasPrefix(zipped.MimeType(in.Body, in.Limits), mime) {
		return true
	}
	if !zipped.Is(in.Body) || in.Mime != mime {
		return false
	}
	z, err := zipped.Open(in.Body, in.Limits)
	return err == nil && z.Has(container)
}

var (
	errNoPackage = errors.New("damaged: the book has no package file (.opf)")
	errEncrypted = errors.New("encrypted: the text cannot be read without the key (DRM)")
)

// namespaces are the namespaces of the files that describe the book.
var namespaces = xmlpull.Namespaces{
	"urn:oasis:names:tc:opendocument:xmlns:container": "c",
	"http://www.idpf.org/2007/opf":                    "opf",
	"http://purl.org/dc/elements/1.1/":                "dc",
	"http://www.daisy.org/z3986/2005/ncx/":            "ncx",
	"http://www.w3.org/1999/xhtml":                    "h",
	"http://www.idpf.org/2007/ops":                    "epub",
	"http://www.w3.org/2001/04/xmlenc#":               "enc",
}

// book is the state while one book is read.
type book struct {
	zip       *zipped.File
	nesting   int
	files     map[string]file // files of the book, by ID
	spine     []string        // IDs of the chapters in reading order
	nav, ncx  string          // names of the files with the table of contents; "" if there is none
	titles    map[string]string
	encrypted map[string]bool
}

// file is a file that the package file of the book lists.
type file struct{ name, mime string }

// filesMax is the largest number of files of a book that are read.
const filesMax = 50_000

func read(b *document.Builder, in *document.Input) error {
	z, err := zipped.Open(in.Body, b.Limits())
	if err != nil {
		return err
	}
	k := &book{zip: z, nesting: b.Limits().Nesting, files: map[string]file{}, titles: map[string]string{}, encrypted: map[string]bool{}}
	name := k.packageFile()
	if name == "" {
		return errNoPackage
	}
	if err := k.describe(b.Doc, name); err != nil {
		return err
	}
	k.encryption()
	k.contents()
	var failed error
	for _, id := range k.spine {
		f, ok := k.files[id]
		if !ok || f.mime != "" && !strings.Contains(f.mime, "html") && !strings.Contains(f.mime, "xml") {
			continue
		}
		if k.encrypted[strings.ToLower(f.name)] {
			return errEncrypted
		}
		content, err := z.Read(f.name)
		if err != nil && failed == nil {
			failed = err
		}
		if len(content) == 0 {
			continue
		}
		if err := b.Begin(document.Chapter, k.titles[f.name]); err != nil {
			return err
		}
		if err := chapter(b, content); err != nil {
			return err
		}
	}
	if cut := z.Err(); cut != nil {
		return cut
	}
	return failed
}

// scan returns an XML scanner for the file with this name, or nil if it cannot
// be read.
func (k *book) scan(name string) *xmlpull.Scanner {
	content, _ := k.zip.Read(name)
	if len(content) == 0 {
		return nil
	}
	return xmlpull.New(content, namespaces, k.nesting)
}

// packageFile returns the name of the file that describes the book, or "".
func (k *book) packageFile() string {
	s := k.scan(container)
	for s != nil && s.Next() {
		if s.Kind == xmlpull.Start && s.Name == "c:rootfile" {
			if name := s.Attr("full-path"); k.zip.Has(name) {
				return name
			}
		}
	}
	return ""
}

// within returns the name of the file to which ref leads, a reference in the
// file from. It leaves out the part of ref after "#".
func within(from, ref string) string {
	ref, _, _ = strings.Cut(ref, "#")
	if plain, err := url.PathUnescape(ref); err == nil {
		ref = plain
	}
	return strings.TrimPrefix(path.Join("/", path.Dir(from), ref), "/")
}

// describe reads the package file: properties, files and their order.
func (k *book) describe(d *document.Document, name string) error {
	s := k.scan(name)
	if s == nil {
		return errNoPackage
	}
	join := func(to *string, text string) {
		if text = document.Clean(text); text != "" && *to != "" {
			text = ", " + text
		}
		if len(*to)+len(text) < textBytesMax {
			*to += text
		}
	}
	toc := ""
	for s.Next() {
		if s.Kind != xmlpull.Start {
			continue
		}
		switch s.Name {
		case "dc:title":
			if text := document.Clean(s.Inner()); d.Title == "" {
				d.Title = text
			}
		case "dc:creator":
			join(&d.Author, s.Inner())
		case "dc:subject":
			join(&d.Keywords, s.Inner())
		case "dc:language":
			if text := document.Clean(s.Inner()); d.Lang == "" {
				d.Lang = text
			}
		case "dc:description":
			d.Description = document.Clean(s.Inner())
		case "dc:date":
			if event := s.Attr("opf:event"); event == "modification" {
				d.Modified = office.Date(s.Inner())
			} else if event == "" || event == "creation" || event == "publication" {
				d.Created = office.Date(s.Inner())
			}
		case "opf:meta":
			switch {
			case s.Attr("property") == "dcterms:modified":
				d.Modified = office.Date(s.Inner())
			case s.Attr("name") == "generator":
				d.Producer = document.Clean(s.Attr("content"))
			}
		case "opf:item":
			if len(k.files) < filesMax {
				f := file{within(name, s.Attr("href")), strings.ToLower(s.Attr("media-type"))}
				k.files[s.Attr("id")] = f
				if strings.Contains(" "+s.Attr("properties")+" ", " nav ") {
					k.nav = f.name
				}
				if f.mime == "application/x-dtbncx+xml" {
					k.ncx = f.name
				}
			}
		case "opf:spine":
			toc = s.Attr("toc")
		case "opf:itemref":
			if len(k.spine) < filesMax {
				k.spine = append(k.spine, s.Attr("idref"))
			}
		}
	}
	if f, ok := k.files[toc]; ok {
		k.ncx = f.name
	}
	if len(k.spine) == 0 && s.Err() == nil {
		return fmt.Errorf("damaged: %s names no chapters", document.Clean(name))
	}
	return s.Err()
}

// textBytesMax is the largest number of bytes of authors or keywords that are
// read.
const textBytesMax = 64 << 10

// encryption sets k.encrypted to the names of the encrypted files. In many
// books only the fonts are encrypted.
func (k *book) encryption() {
	s := k.scan("META-INF/encryption.xml")
	for s != nil && s.Next() {
		if s.Kind == xmlpull.Start && s.Name == "enc:CipherReference" && len(k.encrypted) < filesMax {
			k.encrypted[strings.ToLower(within("", s.Attr("URI")))] = true
		}
	}
}

// contents reads the table of contents and sets the titles of the chapters. If several titles lead
// to one file, the first counts.
func (k *book) contents() {
	add := func(from, ref, title string) {
		name := within(from, ref)
		if _, known := k.titles[name]; !known && len(k.titles) < filesMax {
			k.titles[name] = document.Clean(title)
		}
	}
	if s := k.scan(k.nav); s != nil {
		inList := false
		for s.Next() {
			switch {
			case s.Kind == xmlpull.Start && s.Name == "h:nav":
				kind := s.Attr("epub:type")
				inList = kind == "toc" || kind == ""
			case s.Kind == xmlpull.Start && s.Name == "h:a" && inList:
				ref := s.Attr("href")
				add(k.nav, ref, deepText(s))
			}
		}
	}
	if s := k.scan(k.ncx); s != nil && len(k.titles) == 0 {
		title := ""
		for s.Next() {
			switch {
			case s.Kind != xmlpull.Start:
			case s.Name == "ncx:navLabel":
				title = deepText(s)
			case s.Name == "ncx:content":
				add(k.ncx, s.Attr("src"), title)
			case s.Name == "ncx:pageList" || s.Name == "ncx:navList":
				s.Skip()
			}
		}
	}
}

// deepText returns the text of the element that has just started, with the text
// of the elements inside it. It moves the scanner to the end of the element.
func deepText(s *xmlpull.Scanner) string {
	var out []byte
	for depth := s.Depth(); s.Depth() >= depth && s.Next(); {
		if s.Kind == xmlpull.Text {
			out = s.AppendText(out)
		}
	}
	return string(out)
}
