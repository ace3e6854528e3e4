package block

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"infomall/store/page"
	"infomall/store/record"
)

// Body is a stored body as the archive divides it.
type Body struct {
	*Tree
	Found   page.Found // the charset of the body as it was sent
	Charset string     // the charset of Page.Body
	plain   bool       // not read as markup
	// Of a body of which only the first part is read, ReadBytes is how many bytes
	// that has after content-decoding, and Unread says why; else 0 and "".
	ReadBytes int64
	Unread    string
}

// unread says why not more than the first n bytes of a body are read.
func unread(part error, n int64) string {
	why := part.Error()
	if errors.Is(part, page.ErrTooLarge) {
		why = "larger than page_limit"
	}
	return fmt.Sprintf("%s: only the first %d bytes are read", why, n)
}

// PageLimit is how many bytes of a body after content-decoding are read if As.Limit
// is 0. The tree of a page of many small elements takes twenty times that.
const PageLimit = 8 << 20

// PageLimitMax is the largest As.Limit.
const PageLimitMax = 64 << 20

// As says how a body is to be read.
type As struct {
	Mime        string // media type in lower case, without parameters
	ContentType string // the header
	Encoding    string // the header Content-Encoding
	Usual       string // charset of other pages of the host, for a body that does not tell its own; or ""
	Limit       int64  // bytes that are read after content-decoding; 0 is PageLimit
}

// AsOf returns how the body of a stored response was read when it came in.
func AsOf(p *record.Payload) As {
	return As{p.Mime, record.Header(p.Head, "Content-Type"), record.Codings(p.Head), p.Charset, p.ReadLimit}
}

// Open divides a body. It is false for what has no blocks: media types
// that are not pages or plain text, and bodies that do not decode.
//
// Blocks are ranges of Tree.Page.Body: the body after content-decoding and, if its
// markup can't be found in the bytes of its charset (UTF-16, ISO-2022-JP, HZ),
// after conversion to UTF-8.
func Open(body []byte, as As, o Options) (*Body, bool) {
	return open(body, as, o, nil)
}

// open is Open with a memory of parts, which may be nil.
func open(body []byte, as As, o Options, known *knownParts) (*Body, bool) {
	html, plain := mediaKind(as.Mime)
	if !html && !plain {
		return nil, false
	}
	limit := as.Limit
	if limit == 0 {
		limit = PageLimit
	}
	decoded, part, err := page.DecodePart(body, as.Encoding, limit)
	if err != nil || len(decoded) == 0 {
		return nil, false
	}
	if as.Mime == "" && !looksLikeMarkup(decoded) {
		return nil, false
	}
	b := &Body{plain: !html}
	if part != nil {
		b.ReadBytes, b.Unread = int64(len(decoded)), unread(part, int64(len(decoded)))
	}
	b.Found = page.FindCharset(decoded, as.ContentType, as.Usual)
	b.Charset = b.Found.Charset
	if !page.ASCIISafe(b.Charset) {
		decoded, b.Charset = page.ToUTF8(decoded, b.Charset), "utf-8"
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
	for _, mark := range []string{"\ufeff", "\xff\xfe", "\xfe\xff"} {
		b = bytes.TrimPrefix(b, []byte(mark))
	}
	b = bytes.TrimLeft(b, " \t\r\n\f\x00")
	return len(b) > 0 && b[0] == '<'
}
