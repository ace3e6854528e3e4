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
	Source               // sent as plain text, because it may not be a document
	Document             // HTML
	Still                // HTML whose scripts have run: the document after load
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

// Rewrites returns the kind of a body. contentType is the media type that the body
// was captured with, with or without parameters. dest is the header Sec-Fetch-Dest of
// the request: what the browser wants the body for; "" if it does not say.
//
// A body that a page wants as a script or a style sheet is one, whatever type an old
// server sent with it. A script that fetches a page gets it as it was captured. With
// the modifier Raw, bodies are not rewritten. A document that the browser would show is
// then a Source, because a browser obeys the hints in a document under any policy.
func Rewrites(contentType string, m Modifier, dest string) Kind {
	switch m {
	case Program:
		return Code
	case Style:
		return Sheet
	}
	media := mediaType(contentType)
	k, known := kinds[media]
	if !known && strings.HasSuffix(media, "+xml") {
		k = XML
	}
	switch {
	case m == Raw && shows[dest]:
		if k = k.Unrewritten(); k == Plain {
			k = Captured
		}
	case m == Raw:
		k = Captured
	case m == AfterLoad && k == Document:
		k = Still
	case dest == "empty" && (k == Document || k == XHTML):
		k = Plain
	}
	return k
}

// shown are the media types, besides those of texts, that all browsers show in a frame. PDF is not
// one of them: browsers do not show it in a sandbox.
var shown = map[string]bool{
	"image/gif": true, "image/jpeg": true, "image/jpg": true, "image/pjpeg": true, "image/png": true, "image/x-png": true, "image/apng": true,
	"image/webp": true, "image/avif": true, "image/bmp": true, "image/x-ms-bmp": true, "image/x-icon": true, "image/vnd.microsoft.icon": true,
	"video/mp4": true, "video/webm": true, "video/ogg": true, "audio/mpeg": true, "audio/mp3": true, "audio/mp4": true, "audio/ogg": true,
	"audio/webm": true, "audio/wav": true, "audio/x-wav": true, "audio/wave": true, "audio/flac": true, "audio/aac": true, "application/ogg": true,
	"application/json": true,
}

// downloaded are the media types of texts that browsers download.
var downloaded = map[string]bool{
	"text/csv": true, "text/x-csv": true, "text/comma-separated-values": true, "text/tab-separated-values": true, "text/tsv": true,
	"text/calendar": true, "text/x-vcalendar": true, "text/vcard": true, "text/x-vcard": true, "text/directory": true, "text/rtf": true, "text/richtext": true,
}

// Shown reports whether browsers show a body with this Content-Type in a frame of the archive. They
// download all others.
func Shown(contentType string) bool {
	media := mediaType(contentType)
	_, known := kinds[media]
	return known || shown[media] || strings.HasPrefix(media, "text/") && !downloaded[media] || strings.HasSuffix(media, "+xml") || strings.HasSuffix(media, "+json")
}

// shows are the values of Sec-Fetch-Dest of requests for a body to show.
var shows = map[string]bool{"document": true, "iframe": true, "frame": true, "fencedframe": true, "embed": true, "object": true}

// Unrewritten returns the kind as which a body of kind k is sent if it cannot be rewritten, for
// example because it is too large.
func (k Kind) Unrewritten() Kind {
	switch k {
	case Document, Still, XHTML, SVG, XML:
		return Source
	case Captured, Source:
		return k
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
	case Still:
		r.still = true
		return r.document()
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
