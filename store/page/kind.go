package page

import (
	"bytes"
	"slices"
	"strings"
)

// MimeSheet is the media type of style sheets.
const MimeSheet = "text/css"

// BytesMax is how many bytes of a body are read by default, counted after
// content-decoding.
const BytesMax = 8 << 20

// IsMarkup reports whether a body of this media type is read as HTML. mime must
// be in lower case without parameters. The result is also true if mime is "" (no
// type); then the body may be HTML, and LooksLikeMarkup decides.
func IsMarkup(mime string) bool { return mime == "" || strings.Contains(mime, "html") }

// documentRoots are the names of the root elements of feeds, and of office
// documents that are one XML file. They are in lower case, with the usual
// prefixes of their namespaces.
var documentRoots = []string{
	"rss", "feed", "rdf:rdf", "opml", "urlset", "sitemapindex",
	"office:document", "uof:uof", "w:worddocument", "workbook",
}

// rootBytes is how many bytes of a body IsXMLDocument searches for the root element.
const rootBytes = 4 << 10

// IsXMLDocument reports whether body is a feed or an office document in XML. Servers may
// declare it as HTML, or not at all. body must be decoded from its content coding.
func IsXMLDocument(body []byte) bool {
	if !LooksLikeMarkup(body) {
		return false
	}
	head := body[:min(len(body), rootBytes)]
	if bytes.IndexByte(head, 0) >= 0 {
		head = bytes.ReplaceAll(head, []byte{0}, nil) // UTF-16
	}
	for {
		at := bytes.IndexByte(head, '<')
		if at < 0 {
			return false
		}
		head = head[at+1:]
		end := ">"
		switch {
		case bytes.HasPrefix(head, []byte("!--")):
			end = "-->"
		case bytes.HasPrefix(head, []byte("?")), bytes.HasPrefix(head, []byte("!")):
		default:
			name := head[:max(0, bytes.IndexAny(head, " \t\r\n/>"))]
			return slices.Contains(documentRoots, string(bytes.ToLower(name)))
		}
		_, head, _ = bytes.Cut(head, []byte(end))
	}
}

// LooksLikeMarkup reports whether the first byte of body is "<". White space and
// a byte order mark may come before it.
func LooksLikeMarkup(body []byte) bool {
	for _, mark := range []string{"\ufeff", "\xff\xfe", "\xfe\xff"} {
		body = bytes.TrimPrefix(body, []byte(mark))
	}
	body = bytes.TrimLeft(body, " \t\r\n\f\x00")
	return len(body) > 0 && body[0] == '<'
}
