package pagetext

import (
	"bytes"
	"strings"

	"infomall/store/document"
	"infomall/store/page"
	"infomall/store/page/charset"
	"infomall/store/page/markup"
)

// Kind reads pages and plain text inside of another document, such as a zip file, and pages that
// are declared as files of Word or Excel. Other pages are not documents and are not read here.
var Kind = document.Kind{Name: "page", Is: is, Read: read}

// headBytes is how many bytes of a body are looked at to see what it is.
const headBytes = 4096

func is(in *document.Input) bool {
	if in.Depth == 0 {
		return (strings.Contains(in.Mime, "word") || strings.Contains(in.Mime, "excel")) && isHTML(in)
	}
	if page.IsBinary(in.Body) || strings.Contains(in.Mime, "javascript") || in.Mime == page.MimeSheet {
		return false
	}
	return isHTML(in) || strings.HasPrefix(in.Mime, "text/") && isText(in)
}

// isHTML reports whether a body is HTML: by its declared media type, or by a tag near its
// start with which HTML begins.
func isHTML(in *document.Input) bool {
	if !page.LooksLikeMarkup(in.Body) {
		return strings.Contains(in.Mime, "html") && isText(in)
	}
	if strings.Contains(in.Mime, "html") {
		return true
	}
	head := bytes.ToLower(in.Body[:min(len(in.Body), headBytes)])
	head = bytes.ReplaceAll(head, []byte{0}, nil) // UTF-16
	for _, sign := range []string{"<!doctype html", "<html", "<head", "<body", "<title", "<table"} {
		if bytes.Contains(head, []byte(sign)) {
			return true
		}
	}
	return false
}

// isText reports whether a body is text in some charset: it has hardly any control
// characters.
func isText(in *document.Input) bool {
	head := in.Body[:min(len(in.Body), headBytes)]
	if charset.Wide(head) != "" {
		return true
	}
	control := 0
	for _, c := range head {
		if c == 0 {
			return false
		}
		if c < ' ' && !strings.ContainsRune("\t\r\n\f\x1b", rune(c)) {
			control++
		}
	}
	return control*100 <= len(head)
}

// read reads as much of the body as the archive reads of pages.
func read(b *document.Builder, in *document.Input) error {
	body := in.Body[:min(len(in.Body), page.BytesMax)]
	err := readBody(b, in, body)
	if err == nil && len(body) < len(in.Body) {
		err = document.ErrLimit
	}
	return err
}

func readBody(b *document.Builder, in *document.Input, body []byte) error {
	cs := charset.Find(body, "text/html; charset="+in.Charset, "").Charset
	if !isHTML(in) {
		return AddPlain(b, string(charset.ToUTF8(body, cs)))
	}
	if !charset.ASCIISafe(cs) {
		body, cs = charset.ToUTF8(body, cs), charset.UTF8
	}
	return AddPage(b, body, cs)
}

// About returns what an HTML page in UTF-8 says about itself.
func About(body []byte) markup.Meta {
	tree := markup.NewTree(body)
	defer tree.Free()
	return tree.Meta(charset.UTF8)
}

// AddPage sets what an HTML page says about itself, such as its title, and adds its
// text and links like AddHTML. Bytes below 0x40 must mean ASCII in the charset cs.
func AddPage(b *document.Builder, body []byte, cs string) error {
	tree := markup.NewTree(body)
	defer tree.Free()
	m := tree.Meta(cs)
	d := b.Doc
	d.Title, d.Author, d.Description, d.Keywords, d.Lang = m.Title, m.Author, m.Description, m.Keywords, m.Lang
	return addTree(b, tree, cs, m.Base)
}
