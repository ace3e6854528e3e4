package divide

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"infomall/store/page"
	"infomall/store/page/charset"
	"infomall/store/page/coding"
	"infomall/store/page/markup"
	"infomall/store/record"
	"infomall/store/record/message"
)

// Body is a stored body that Open decoded and divided into blocks.
type Body struct {
	*Tree
	Found   charset.Found // the charset of the body as it was sent, and how it was found
	Charset string        // the charset of Page.Body; not that of Found if the body was converted to UTF-8
	Plain   bool          // the body is plain text and was not read as markup
	Outside []markup.Link // the links in the headers of the response
	// If only the first part of the body is read, ReadBytes is the size of that part
	// after content-decoding, and Unread says why. Otherwise they are 0 and "".
	ReadBytes int64
	Unread    string
}

// unread returns a message that says why only the first n bytes of a body are
// read, such as "larger than page_limit: only the first 8388608 bytes are
// read". The argument part is the error that stopped the decoding.
func unread(part error, n int64) string {
	why := part.Error()
	if errors.Is(part, coding.ErrTooLarge) {
		why = "larger than page_limit"
	}
	return fmt.Sprintf("%s: only the first %d bytes are read", why, n)
}

// PageLimit is the default of As.Limit: how many bytes of a body are read at most, counted
// after content-decoding. The tree of a page of many small elements takes twenty times as much
// memory.
const PageLimit = page.BytesMax

// PageLimitMax is the largest value of As.Limit, in bytes.
const PageLimitMax = 64 << 20

// As says how to read a body: its type, headers, charset and limit.
type As struct {
	Mime        string // media type in lower case, without parameters
	ContentType string // the header Content-Type
	Encoding    string // the header Content-Encoding
	LinkHeaders string // the headers that have links, as markup.LinkHeaders returns them
	Usual       string // charset of other pages of the host, for a body that does not declare its own; or ""
	Limit       int64  // largest number of bytes that are read, counted after content-decoding; 0 means PageLimit
}

// AsOf returns how the body of the stored response p was read when it was added
// to the archive.
func AsOf(p *record.Payload) As {
	as := Sent(p.Head, p.Mime)
	as.Usual, as.Limit = p.Charset, p.ReadLimit
	return as
}

// Sent returns how to read the body of a response with this head (the status
// line and the headers). mime is the media type of the body. The fields Usual
// and Limit of the result are zero.
func Sent(head []byte, mime string) As {
	return As{Mime: mime, ContentType: message.Header(head, "Content-Type"), Encoding: message.Codings(head), LinkHeaders: markup.LinkHeaders(head)}
}

// Open decodes a body and divides it into blocks. It returns false if the body
// has no blocks. That is so if its media type is neither a page nor plain text, if
// it is a feed or an office document in XML that is declared as a page, or if it
// cannot be decoded.
//
// Blocks are ranges of Tree.Page.Body, which is the body after
// content-decoding. In some charsets (UTF-16, ISO-2022-JP, HZ) markup cannot be
// found in the bytes; Tree.Page.Body is then also converted to UTF-8.
func Open(body []byte, as As, o Options) (*Body, bool) {
	return (*Memory)(nil).Open(body, as, o)
}

// Open does the same as the function Open, but does not divide again the parts
// that m remembers. Afterwards Tree.Known lists the parts of the page that m
// knows. A nil Memory remembers nothing.
func (m *Memory) Open(body []byte, as As, o Options) (*Body, bool) {
	html, plain := page.IsMarkup(as.Mime), as.Mime == "text/plain"
	if !html && !plain {
		return nil, false
	}
	decoded, part, ok := as.decode(body)
	if !ok || as.Mime == "" && !page.LooksLikeMarkup(decoded) || html && page.IsXMLDocument(decoded) {
		return nil, false
	}
	b := &Body{Plain: !html, Outside: markup.HeaderLinks(as.LinkHeaders)}
	if part != nil {
		b.ReadBytes, b.Unread = int64(len(decoded)), unread(part, int64(len(decoded)))
	}
	b.Found = charset.Find(decoded, as.ContentType, as.Usual)
	b.Charset = b.Found.Charset
	if !charset.ASCIISafe(b.Charset) {
		decoded, b.Charset = charset.ToUTF8(decoded, b.Charset), "utf-8"
	}
	if html {
		b.Tree = divide(markup.NewTree(decoded), o, m, b.Charset)
	} else {
		b.Tree = Divide(markup.NewPlainTree(decoded), o)
	}
	return b, true
}

// decode decodes the content codings of a body. If only the first part of the
// body can be read, decoded is that part, and the error part says why. ok is
// false if there is nothing to read: the body is empty, cannot be decoded, or is
// binary.
func (as *As) decode(body []byte) (decoded []byte, part error, ok bool) {
	limit := as.Limit
	if limit == 0 {
		limit = PageLimit
	}
	decoded, part, err := coding.DecodePart(body, as.Encoding, limit)
	return decoded, part, err == nil && len(decoded) > 0 && !page.IsBinary(decoded)
}

// Outside returns the links of a response whose body has no blocks: the links in
// its headers and, if its body is a style sheet, the links in the body.
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

// Text returns the text that the bytes of the body from start to end show by
// themselves, without the rest of the page.
func (b *Body) Text(start, end int) string {
	if b.Plain {
		return markup.NewPlainTree(b.Page.Body[start:end]).Text(b.Charset)
	}
	t := parts.Get().(*markup.Tree)
	defer freePart(t)
	b.ReadPart(t, start, end)
	return t.Text(b.Charset)
}

// ReadsLike reports whether any bytes show the same text in b and in o, because
// both have the same charset and are both markup or both plain text.
func (b *Body) ReadsLike(o *Body) bool { return b.Charset == o.Charset && b.Plain == o.Plain }

// TextOf returns the text that the bytes of part show by themselves. part is read
// as markup or as plain text, in the same way as the body.
func (b *Body) TextOf(part []byte) string {
	if b.Plain {
		return markup.NewPlainTree(part).Text(b.Charset)
	}
	t := parts.Get().(*markup.Tree)
	defer freePart(t)
	t.Read(part)
	return t.Text(b.Charset)
}

// Anchors returns the texts of links in the bytes of the body from start to
// end. It leaves out links to a place in the same page, whose targets are
// written #name.
func (b *Body) Anchors(start, end int) []string {
	if b.Plain {
		return nil
	}
	t := parts.Get().(*markup.Tree)
	defer freePart(t)
	b.ReadPart(t, start, end)
	return anchors(t, b.Charset)
}

// AnchorsOf returns the texts of links in the bytes of part, as Anchors does.
func (b *Body) AnchorsOf(part []byte) []string {
	if b.Plain {
		return nil
	}
	t := parts.Get().(*markup.Tree)
	defer freePart(t)
	t.Read(part)
	return anchors(t, b.Charset)
}

// AppendTextAndAnchors appends to dst what TextOf returns for part, and also returns what AnchorsOf
// returns.
func (b *Body) AppendTextAndAnchors(dst, part []byte) (text []byte, links []string) {
	t := parts.Get().(*markup.Tree)
	defer freePart(t)
	if b.Plain {
		t.ReadPlain(part)
		return t.AppendText(dst, b.Charset), nil
	}
	t.Read(part)
	return t.AppendText(dst, b.Charset), anchors(t, b.Charset)
}

func anchors(t *markup.Tree, charset string) []string {
	if !t.MayLink(0, len(t.Body)) {
		return nil // most leaves
	}
	return AnchorsIn(t.Links(0, len(t.Body), charset))
}

// AnchorsIn returns the texts of those of the links that AnchorsOf returns.
func AnchorsIn(links []markup.Link) (out []string) {
	for _, l := range links {
		if l.Kind == markup.LinkA && l.Anchor != "" && !strings.HasPrefix(l.Target, "#") {
			out = append(out, l.Anchor)
		}
	}
	return out
}

// ReadPart parses the bytes of the body from start to end as markup into t.
func (b *Body) ReadPart(t *markup.Tree, start, end int) {
	if b.Plain {
		t.Read(b.Page.Body[start:end])
	} else {
		t.ReadPart(b.Page, start, end)
	}
}

// parts holds unused trees for the parts of bodies.
var parts = sync.Pool{New: func() any { return new(markup.Tree) }}

// freePart gives the memory of t to later parts. t is not valid after that.
func freePart(t *markup.Tree) {
	t.Body = nil
	parts.Put(t)
}
