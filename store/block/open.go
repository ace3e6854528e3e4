package block

import (
	"errors"
	"fmt"

	"infomall/store/page"
	"infomall/store/page/charset"
	"infomall/store/page/coding"
	"infomall/store/page/markup"
	"infomall/store/record"
	"infomall/store/record/message"
)

// Body is a stored body as the archive divides it.
type Body struct {
	*Tree
	Found   charset.Found // the charset of the body as it was sent
	Charset string        // the charset of Page.Body
	plain   bool          // not read as markup
	Outside []markup.Link // of the headers of the response
	// If only the first part of the body is read, ReadBytes is the size of that part
	// after content-decoding, and Unread says why. Otherwise they are 0 and "".
	ReadBytes int64
	Unread    string
}

// unread returns why only the first n bytes of a body are read, such as "larger than
// page_limit: only the first 8388608 bytes are read".
func unread(part error, n int64) string {
	why := part.Error()
	if errors.Is(part, coding.ErrTooLarge) {
		why = "larger than page_limit"
	}
	return fmt.Sprintf("%s: only the first %d bytes are read", why, n)
}

// PageLimit is how many bytes of a body after content-decoding are read if As.Limit
// is 0. The tree of a page of many small elements takes twenty times that.
const PageLimit = page.BytesMax

// PageLimitMax is the largest As.Limit.
const PageLimitMax = 64 << 20

// As says how a body is to be read.
type As struct {
	Mime        string // media type in lower case, without parameters
	ContentType string // the header
	Encoding    string // the header Content-Encoding
	LinkHeaders string // the headers that have links, as markup.LinkHeaders returns them
	Usual       string // charset of other pages of the host, for a body that does not declare its own; or ""
	Limit       int64  // bytes that are read after content-decoding; 0 is PageLimit
}

// AsOf returns how the body of a stored response was read when it came in.
func AsOf(p *record.Payload) As {
	as := Sent(p.Head, p.Mime)
	as.Usual, as.Limit = p.Charset, p.ReadLimit
	return as
}

// Sent returns how a body is to be read by the head of its response. mime is its
// media type.
func Sent(head []byte, mime string) As {
	return As{Mime: mime, ContentType: message.Header(head, "Content-Type"), Encoding: message.Codings(head), LinkHeaders: markup.LinkHeaders(head)}
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
	html, plain := page.IsMarkup(as.Mime), as.Mime == "text/plain"
	if !html && !plain {
		return nil, false
	}
	decoded, part, ok := as.decode(body)
	if !ok || as.Mime == "" && !page.LooksLikeMarkup(decoded) {
		return nil, false
	}
	b := &Body{plain: !html, Outside: markup.HeaderLinks(as.LinkHeaders)}
	if part != nil {
		b.ReadBytes, b.Unread = int64(len(decoded)), unread(part, int64(len(decoded)))
	}
	b.Found = charset.Find(decoded, as.ContentType, as.Usual)
	b.Charset = b.Found.Charset
	if !charset.ASCIISafe(b.Charset) {
		decoded, b.Charset = charset.ToUTF8(decoded, b.Charset), "utf-8"
	}
	if html {
		b.Tree = divide(markup.NewTree(decoded), o, known, b.Charset)
	} else {
		b.Tree = Divide(markup.NewPlainTree(decoded), o)
	}
	return b, true
}

// decode decodes the content codings of a body. If only the first part of the body
// can be read, decode returns that part, and part says why. ok is false if there is
// nothing to read: the body is empty, cannot be decoded, or is binary.
func (as *As) decode(body []byte) (decoded []byte, part error, ok bool) {
	limit := as.Limit
	if limit == 0 {
		limit = PageLimit
	}
	decoded, part, err := coding.DecodePart(body, as.Encoding, limit)
	return decoded, part, err == nil && len(decoded) > 0 && !page.IsBinary(decoded)
}

// Outside returns the links of a response whose body has no blocks: those of its
// headers, and of its body if that is a style sheet.
func Outside(body []byte, as As) []markup.Link {
	links := markup.HeaderLinks(as.LinkHeaders)
	if as.Mime != page.MimeSheet {
		return links
	}
	if decoded, _, ok := as.decode(body); ok {
		cs := charset.Find(decoded, as.ContentType, as.Usual).Charset
		links = append(links, markup.SheetLinks(decoded, cs)...)
	}
	return links
}

// OutsideFacts returns the facts of a response whose body has no blocks, and how many
// links it has; nil if it has none.
func OutsideFacts(body []byte, as As) (facts []byte, links int) {
	list := Outside(body, as)
	if len(list) == 0 {
		return nil, 0
	}
	r := &Reading{Body: &Body{Tree: &Tree{}, Outside: list}}
	return r.AppendFacts(nil, "", true), len(list)
}
