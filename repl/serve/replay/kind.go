package replay

import (
	"io"
	"strings"
)

// Kind says how a body is rewritten.
type Kind uint8

// The kinds.
const (
	Plain    Kind = iota // sent as it is, for a page to use
	Captured             // sent as it is, for a reader of bytes: the modifier Raw
	Document             // HTML
	XHTML                // HTML in XML
	SVG
	XML   // feeds and site maps; their scripts never run
	Sheet // CSS
	Code  // a script, sent as it is
	Manifest
)

// kinds are the kinds by media type.
var kinds = map[string]Kind{
	"text/html":                 Document,
	"application/xhtml+xml":     XHTML,
	"image/svg+xml":             SVG,
	"text/css":                  Sheet,
	"application/manifest+json": Manifest,
	"text/xml":                  XML,
	"application/xml":           XML,
	"text/javascript":           Code,
	"application/javascript":    Code,
	"application/x-javascript":  Code,
	"application/ecmascript":    Code,
	"text/ecmascript":           Code,
	"text/jscript":              Code,
	"text/livescript":           Code,
	"text/x-javascript":         Code,
	"text/x-ecmascript":         Code,
}

// Rewrites returns the kind of a body. contentType is the media type that the
// body was captured with, with or without parameters. A body that a page wants as
// a script or a style sheet is one, whatever type an old server sent with it. With
// the modifier Raw every body is Captured.
func Rewrites(contentType string, m Modifier) Kind {
	switch m {
	case Raw:
		return Captured
	case Program:
		return Code
	case Style:
		return Sheet
	}
	media := mediaType(contentType)
	if k, ok := kinds[media]; ok {
		return k
	}
	if strings.HasSuffix(media, "+xml") {
		return XML
	}
	return Plain
}

// mediaType returns the media type in contentType, in lower case and without
// parameters.
func mediaType(contentType string) string {
	media, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(media))
}

// Rewrite writes body, a body of kind k, to dst, with its addresses rewritten for
// p. The body must be decoded from its content coding. The error is that of dst.
func Rewrite(dst io.Writer, k Kind, body []byte, p *Page) error {
	r := newRewriter(dst, body, p)
	switch k {
	case Document:
		return HTML(dst, body, p)
	case XHTML, SVG:
		r.xml, r.first = true, true
		return r.document()
	case XML:
		r.xml, r.feed = true, true
		return r.document()
	case Sheet:
		return CSS(dst, body, p)
	case Manifest:
		r.manifest()
		return r.finish()
	}
	_, err := dst.Write(body)
	return err
}
