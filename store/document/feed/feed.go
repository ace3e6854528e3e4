// Package feed reads the lists that sites publish for programs: RSS of all
// versions, Atom, JSON Feed, sitemaps and OPML. It reads damaged XML as far as
// possible.
package feed

import (
	"bytes"
	"strings"

	"infomall/store/document"
	"infomall/store/document/xmlscan"
	"infomall/store/page"
)

// Kind reads feeds, sitemaps and OPML. It recognises them by the root element,
// and JSON Feed by the version at the start of the body.
var Kind = document.Kind{Name: "feed", Is: is, Read: read}

func is(in *document.Input) bool { return formatOf(in) != none }

// format is one of the formats that this package reads.
type format uint8

const (
	none format = iota
	feedXML
	sitemap
	opml
	feedJSON
)

// jsonHead is how many bytes at the start of a body are searched for the
// version of JSON Feed.
const jsonHead = 1000

// formatOf returns the format of a body.
func formatOf(in *document.Input) format {
	if !page.LooksLikeMarkup(in.Body) {
		head := bytes.ReplaceAll(in.Body[:min(len(in.Body), jsonHead)], []byte(`\/`), []byte("/"))
		if body := bytes.TrimLeft(head, "\ufeff \t\r\n"); len(body) > 0 && body[0] == '{' && bytes.Contains(head, []byte(`//jsonfeed.org/version/`)) {
			return feedJSON
		}
		return none
	}
	root, ok := xmlscan.RootOf(in)
	if !ok {
		return none
	}
	switch strings.ToLower(root.Local) {
	case "rss":
		return feedXML
	case "feed", "entry":
		if root.Space == "" && root.Local == "feed" || strings.Contains(strings.ToLower(root.Space), "atom") {
			return feedXML
		}
	case "rdf":
		for a := range root.Attrs {
			if a.Value == "http://purl.org/rss/1.0/" || strings.HasPrefix(a.Value, "http://my.netscape.com/rdf/simple/") {
				return feedXML
			}
		}
	case "urlset", "sitemapindex":
		return sitemap
	case "opml":
		return opml
	}
	return none
}

func read(b *document.Builder, in *document.Input) error {
	switch formatOf(in) {
	case feedJSON:
		return readJSON(b, in)
	case sitemap:
		r := sitemapReader{scanned: scanned{b: b, s: xmlscan.New(in)}}
		return r.run(&r)
	case opml:
		r := outlineReader{scanned: scanned{b: b, s: xmlscan.New(in)}}
		return r.run(&r)
	}
	r := feedReader{scanned: scanned{b: b, s: xmlscan.New(in)}}
	return r.run(&r)
}

// prefixes maps namespaces to the prefixes with which this package names them,
// whatever prefixes a document declares.
var prefixes = map[string]string{
	"http://purl.org/rss/1.0/":                         "",
	"http://my.netscape.com/rdf/simple/0.9/":           "",
	"http://channel.netscape.com/rdf/simple/0.9/":      "",
	"http://backend.userland.com/rss2":                 "",
	"http://purl.org/dc/elements/1.1/":                 "dc",
	"http://purl.org/dc/terms/":                        "dcterms",
	"http://purl.org/rss/1.0/modules/content/":         "content",
	"http://search.yahoo.com/mrss/":                    "media",
	"http://www.itunes.com/dtds/podcast-1.0.dtd":       "itunes",
	"http://www.w3.org/1999/02/22-rdf-syntax-ns#":      "rdf",
	"http://www.w3.org/1999/xhtml":                     "xhtml",
	"http://www.google.com/schemas/sitemap-image/1.1":  "image",
	"http://www.google.com/schemas/sitemap-video/1.1":  "video",
	"http://www.google.com/schemas/sitemap-news/0.9":   "news",
	"http://www.google.com/schemas/sitemap-mobile/1.0": "mobile",
	"http://www.sitemaps.org/schemas/sitemap/0.9":      "",
	"http://www.google.com/schemas/sitemap/0.84":       "",
	"http://www.google.com/schemas/sitemap/0.9":        "",
}

// nameOf returns the name of an element in lower case, with the prefix of its namespace:
// "pubdate", "dc:creator". If the namespace is not declared or not known, the prefix is
// the one that is written.
func nameOf(t *xmlscan.Token) string {
	prefix, ok := prefixes[t.Space]
	switch {
	case ok:
	case strings.Contains(t.Space, "Atom") || strings.Contains(t.Space, "atom/ns#"):
		prefix = ""
	default:
		prefix = strings.ToLower(t.Prefix)
	}
	if prefix == "atom" {
		prefix = "" // not declared
	}
	if prefix == "" {
		return strings.ToLower(t.Local)
	}
	return prefix + ":" + strings.ToLower(t.Local)
}

// element is an open element.
type element struct {
	name  string
	typ   string // value of its attribute type
	mode  string // value of its attribute mode
	base  string // base address for relative addresses that the document declares; "" if none
	flag  bool   // for a guid element: its text is an address
	text  int    // length of scanned.text at the start tag
	inner int    // offset in the source of the end of the start tag
	kids  bool   // the element has elements inside it
}

// scanned holds the state that all readers of XML need: the open elements and their text.
type scanned struct {
	b    *document.Builder
	s    *xmlscan.Scanner
	open []element
	text []byte // text directly inside the open elements, one after the other
}

// handler handles the elements of one format. An error ends the reading.
type handler interface {
	start(e *element, t *xmlscan.Token) error
	end(e *element, text string) error // the element e has ended, and is not in scanned.open any more
	close() error                      // called after the last element
}

// run passes all elements of the document to h. It returns the first error of h. If h returns none
// and the XML is damaged, it returns an error that says where.
func (r *scanned) run(h handler) error {
	for r.s.Next() {
		t := r.s.Token()
		switch t.Kind {
		case xmlscan.Text:
			r.text = append(r.text, t.Text...)
		case xmlscan.Start:
			e := element{name: nameOf(t), text: len(r.text), inner: t.To}
			for a := range t.Attrs {
				switch {
				case a.Local == "type":
					e.typ = strings.ToLower(a.Value)
				case a.Local == "mode":
					e.mode = a.Value
				case a.Prefix == "xml" && a.Local == "base":
					e.base = a.Value
				case a.Prefix == "xml" && a.Local == "lang" && len(r.open) == 0:
					r.b.Doc.Lang = strings.ToLower(document.Clean(a.Value))
				}
			}
			if n := len(r.open); n > 0 {
				r.open[n-1].kids = true
				if e.base == "" {
					e.base = r.open[n-1].base
				}
			}
			r.open = append(r.open, e)
			if err := h.start(&r.open[len(r.open)-1], t); err != nil {
				return err
			}
		case xmlscan.End:
			e := r.open[len(r.open)-1]
			r.open = r.open[:len(r.open)-1]
			text := string(r.text[e.text:])
			if e.kids {
				text = cdata.Replace(r.s.Source[e.inner:max(e.inner, t.From)])
			}
			r.text = r.text[:e.text]
			if err := h.end(&e, text); err != nil {
				return err
			}
		}
	}
	if err := h.close(); err != nil {
		return err
	}
	return r.s.Fault()
}

// cdata removes the marks of CDATA sections from a text. HTML does not have
// these marks.
var cdata = strings.NewReplacer("<![CDATA[", "", "]]>", "")

// parent returns the name of the innermost open element, or "" if none is open.
func (r *scanned) parent() string {
	if len(r.open) == 0 {
		return ""
	}
	return r.open[len(r.open)-1].name
}

// set sets a field of the document to text, cleaned, unless the field is
// already set.
func set(field *string, text string) {
	if *field == "" {
		*field = document.Clean(text)
	}
}
