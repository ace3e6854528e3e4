package block

import (
	"bytes"
	"strings"

	"infomall/store/page"
)

// Body is a stored body as the archive divides it.
type Body struct {
	*Tree
	Charset  string // that it is read in
	Declared string // that its header or itself says, or ""
	plain    bool   // not read as markup
}

// decodedBytesMax bounds what a body may inflate to before it is divided. The
// tree of a page of many small elements takes twenty times that.
const decodedBytesMax = 8 << 20

// Open divides a body. Head values are those of its response: mime its media
// type in lower case without parameters, contentType the header as it is,
// encoding Content-Encoding. It is false for what has no blocks: media types
// that are not pages or plain text, bodies that do not decode, and charsets
// whose markup can't be found in the bytes.
//
// Blocks are ranges of the body after content-decoding, which is Tree.Page.Body.
func Open(body []byte, mime, contentType, encoding string, o Options) (*Body, bool) {
	return open(body, mime, contentType, encoding, o, nil)
}

// open is Open with a memory of parts, which may be nil.
func open(body []byte, mime, contentType, encoding string, o Options, known *knownParts) (*Body, bool) {
	html, plain := mediaKind(mime)
	if !html && !plain {
		return nil, false
	}
	decoded, err := page.Decode(body, encoding, decodedBytesMax)
	if err != nil || len(decoded) == 0 {
		return nil, false
	}
	if mime == "" && !looksLikeMarkup(decoded) {
		return nil, false
	}
	b := &Body{plain: !html}
	b.Charset, b.Declared = page.Charset(decoded, contentType)
	if !page.ASCIISafe(b.Charset) {
		return nil, false
	}
	if html {
		b.Tree = divide(page.NewTree(decoded), o, known, b.Charset)
	} else {
		b.Tree = Divide(page.NewPlainTree(decoded), o)
	}
	return b, true
}

// mediaKind tells pages and plain text from the rest. An unknown type may be a
// page.
func mediaKind(mime string) (html, plain bool) {
	return mime == "" || strings.Contains(mime, "html"), mime == "text/plain"
}

// looksLikeMarkup reports whether a body begins as pages do.
func looksLikeMarkup(b []byte) bool {
	b = bytes.TrimLeft(b, "\ufeff \t\r\n\f\x00")
	return len(b) > 0 && b[0] == '<'
}
