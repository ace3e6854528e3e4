package mail

import (
	"bytes"
	"strings"

	"infomall/store/document"
	"infomall/store/document/pagetext"
	"infomall/store/page/charset"
)

// The limits for the parts of a message.
const (
	depthMax  = 30     // largest number of multiparts around a part
	leavesMax = 10_000 // largest number of parts of a message
)

// part is a part of a message.
type part struct {
	head header
	body []byte // body of the part, still in its transfer encoding
}

// leaf is a part that has no parts of its own.
type leaf struct {
	part
	kind  value
	name  string // name of the file that the part contains; "" if none
	shown bool   // the text of the leaf is part of the text of the message; if false, the leaf is an attachment
}

// place says what a part is for.
type place uint8

const (
	inMixed   place = iota
	inDigest        // the parts are messages unless they declare something else
	beside          // another form of the same text is read, so only attachments in this form count
	inRelated       // the part belongs to a page, as a picture does
)

// flatten appends the leaves of the part p to m.leaves. The parameter at is the
// purpose of p. The parameter depth is how many multiparts contain p.
func (m *message) flatten(p part, at place, depth int) {
	if depth > depthMax || len(m.leaves) >= leavesMax {
		m.cut = true
		return
	}
	l := leaf{part: p, kind: valueOf(p.head["content-type"], m.charset)}
	if !strings.Contains(l.kind.name, "/") { // RFC 2045 says so of types that are wrong
		if l.kind.name = "text/plain"; at == inDigest {
			l.kind.name = "message/rfc822"
		}
	}
	disposition := valueOf(p.head["content-disposition"], m.charset)
	if l.name = disposition.params["filename"]; l.name == "" {
		l.name = l.kind.params["name"]
	}
	if strings.HasPrefix(l.kind.name, "multipart/") {
		parts := split(p.body, l.kind.params["boundary"])
		if len(parts) == 0 {
			parts = split(p.body, guess(p.body))
		}
		if len(parts) > 0 {
			m.multipart(l.kind.name, parts, at, depth+1)
			return
		}
		l.kind.name = "text/plain" // without its parts
	}
	switch l.kind.name {
	case "text/plain", "text/html", "text/enriched", "text/richtext":
		l.shown = disposition.name != "attachment" && (at != inRelated || l.name == "")
		if at == beside && l.shown {
			return
		}
	case "message/rfc822":
		if l.name == "" {
			inner, _ := cutHeader(l.decoded())
			l.name = inner.text("subject", m.charset)
		}
	}
	if at == inRelated && strings.HasPrefix(l.kind.name, "image/") {
		return
	}
	m.leaves = append(m.leaves, l)
}

// multipart appends the leaves of parts, the parts of one multipart, to
// m.leaves. kind is the media type of the multipart, such as
// "multipart/alternative". The parameter at says what the multipart is for, and
// depth is the number of multiparts around parts.
func (m *message) multipart(kind string, parts []part, at place, depth int) {
	switch kind {
	case "multipart/alternative":
		// Plain text is what its author wrote; HTML is often the same with much
		// around it. The other forms may have attachments inside of them.
		best := -1
		for i, p := range parts {
			k := valueOf(p.head["content-type"], m.charset)
			if (k.name == "text/plain" || k.name == "") && len(bytes.TrimSpace(p.body)) > 0 {
				best = i
				break
			}
			if k.name == "text/html" || strings.HasPrefix(k.name, "multipart/") {
				best = i
			}
		}
		for i, p := range parts {
			if i == best {
				m.flatten(p, at, depth)
			} else {
				m.flatten(p, beside, depth)
			}
		}
	case "multipart/related":
		for i, p := range parts {
			if i == 0 {
				m.flatten(p, at, depth)
			} else {
				m.flatten(p, inRelated, depth)
			}
		}
	default:
		if kind == "multipart/digest" && at == inMixed {
			at = inDigest
		}
		for _, p := range parts {
			m.flatten(p, at, depth)
		}
	}
}

// guess returns the boundary of a multipart that declares no boundary, or a
// wrong one: the first line that begins with two hyphens, without the hyphens.
// It returns "" if there is no such line.
func guess(body []byte) string {
	head := body[:min(len(body), headBytes)]
	i := 0
	if !bytes.HasPrefix(head, []byte("--")) {
		if i = bytes.Index(head, []byte("\n--")) + 1; i == 0 {
			return ""
		}
	}
	line, _, _ := bytes.Cut(head[i+2:], []byte("\n"))
	return string(bytes.TrimSpace(line[:min(len(line), boundaryMax)]))
}

// boundaryMax is the largest number of bytes of a boundary that are compared.
const boundaryMax = 200

// split divides the body of a multipart at the lines with its boundary.
func split(body []byte, boundary string) (parts []part) {
	if boundary == "" {
		return nil
	}
	mark := []byte("--" + boundary)
	start := -1 // of the current part
	add := func(end int) {
		if start >= 0 && len(parts) <= leavesMax { // one more, so that flatten sees that there are too many
			h, rest := cutHeader(body[start:end])
			parts = append(parts, part{h, rest})
		}
		start = -1
	}
	for at := 0; at < len(body); {
		i := bytes.Index(body[at:], mark)
		if i < 0 {
			break
		}
		i += at
		after := body[i+len(mark):]
		line, _, _ := bytes.Cut(after[:min(len(after), 100)], []byte("\n"))
		line = bytes.TrimSpace(line)
		at = i + len(mark)
		if i > 0 && body[i-1] != '\n' || len(line) > 0 && string(line) != "--" {
			continue // another boundary that begins alike, or text
		}
		end := i
		if end > 0 {
			end-- // the line break before a boundary belongs to it
		}
		if end > 0 && body[end-1] == '\r' {
			end--
		}
		add(max(start, end))
		if string(line) == "--" {
			break
		}
		if n := bytes.IndexByte(after, '\n'); n >= 0 {
			at += n + 1
			start = at
		}
	}
	add(len(body))
	return parts
}

// decoded returns the body of the leaf, decoded from its transfer encoding.
func (l *leaf) decoded() []byte { return decode(l.body, l.head["content-transfer-encoding"]) }

// utf8 returns the body of the leaf, decoded from its transfer encoding and
// converted to UTF-8.
func (l *leaf) utf8() []byte {
	body := l.decoded()
	mime := "text/plain; charset="
	if l.kind.name == "text/html" {
		mime = "text/html; charset="
	}
	return charset.ToUTF8(body, charset.Find(body, mime+l.kind.params["charset"], "").Charset)
}

// add adds the text of the leaf to the current section. base is the base
// address of its links, or "".
func (l *leaf) add(b *document.Builder, base string) error {
	text := l.utf8()
	switch l.kind.name {
	case "text/html", "text/enriched", "text/richtext":
		return pagetext.AddHTML(b, text, charset.UTF8, base)
	}
	if strings.EqualFold(l.kind.params["format"], "flowed") {
		return pagetext.AddPlain(b, unflow(string(text)))
	}
	return pagetext.AddPlain(b, string(text))
}

// unflow returns text with those lines joined that were broken for sending (RFC
// 3676): a line that ends in a blank continues in the next line. A line "-- ",
// which begins the signature, is not joined.
func unflow(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\r\n")
		if strings.HasSuffix(bare, " ") && bare != "-- " {
			out.WriteString(bare)
			continue
		}
		out.WriteString(bare + "\n")
	}
	return out.String()
}
