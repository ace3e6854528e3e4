// Package mail reads mails: single messages, collections in the format mbox, and pages
// that browsers saved as MHTML.
package mail

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"infomall/store/document"
	"infomall/store/document/dates"
	"infomall/store/document/pagetext"
)

// Kind reads mails: bodies that are declared as mails, or that begin with
// header fields of a mail.
var Kind = document.Kind{Name: "mail", Is: is, Read: read}

// headBytes is how many bytes at the start of a body are examined to find out
// whether it is a mail.
const headBytes = 8 << 10

// mimes are the media types of mails.
var mimes = []string{"message/rfc822", "message/global", "application/mbox", "multipart/related", "application/x-mimearchive", "message/news"}

// fields are the names of header fields that show that a body is a mail.
var fields = []string{
	"from", "to", "subject", "date", "mime-version", "content-type", "received", "message-id", "return-path", "content-location",
	"snapshot-content-location", "x-mailer", "delivered-to", "newsgroups",
}

func is(in *document.Input) bool {
	head := in.Body[:min(len(in.Body), headBytes)]
	if isFromLine(head) {
		_, head, _ = bytes.Cut(head, []byte("\n"))
	}
	if line, _, _ := bytes.Cut(head, []byte(":")); len(line) == len(head) || !isFieldName(line) {
		return false
	}
	h, rest := cutHeader(head)
	if bytes.IndexByte(head[:len(head)-len(rest)], 0) >= 0 {
		return false
	}
	known := 0
	for _, f := range fields {
		if h[f] != "" {
			known++
		}
	}
	return known >= 3 || known >= 1 && slices.Contains(mimes, in.Mime)
}

func read(b *document.Builder, in *document.Input) error {
	if isFromLine(in.Body) {
		return readBox(b, in.Body)
	}
	m := open(in.Body)
	d := b.Doc
	d.Title = m.head.text("subject", m.charset)
	d.Author = person(m.head.text("from", m.charset))
	d.Created = dates.Parse(document.Clean(m.head["date"]))
	d.Keywords = m.head.text("keywords", m.charset)
	d.Lang = strings.ToLower(m.head.text("content-language", ""))
	for _, f := range []string{"x-mailer", "user-agent"} {
		if d.Producer == "" {
			d.Producer = m.head.text(f, m.charset)
		}
	}
	if m.savedPage() {
		if strings.HasPrefix(d.Author, "Saved by ") {
			d.Producer, d.Author = d.Author, ""
		}
		return m.addPage(b)
	}
	return m.add(b)
}

// isFromLine reports whether b begins with a line that separates messages in
// the format mbox, such as "From ann@a.example Thu Jun 12 10:00:00 2008".
func isFromLine(b []byte) bool {
	if !bytes.HasPrefix(b, []byte("From ")) {
		return false
	}
	line, _, _ := bytes.Cut(b[:min(len(b), 300)], []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) < 4 {
		return false
	}
	for _, w := range words[2:] {
		if len(w) == 4 && (strings.HasPrefix(w, "19") || strings.HasPrefix(w, "20")) {
			return true
		}
	}
	return false
}

// readBox reads a collection of messages in the format mbox. Each message
// becomes a section of kind Item.
func readBox(b *document.Builder, box []byte) error {
	for len(box) > 0 {
		_, message, _ := bytes.Cut(box, []byte("\n"))
		end := 0
		for box = nil; ; {
			i := bytes.Index(message[end:], []byte("\nFrom "))
			if i < 0 {
				break
			}
			if end += i + 1; isFromLine(message[end:]) {
				message, box = message[:end], message[end:]
				break
			}
		}
		m := open(message)
		if err := b.Begin(document.Item, m.head.text("subject", m.charset)); err != nil {
			return err
		}
		if err := m.add(b); err != nil {
			return err
		}
	}
	return nil
}

// message is one mail.
type message struct {
	head    header
	charset string // charset of the bytes outside ASCII in the header; "" if it is not known
	kind    value  // value of the field Content-Type
	leaves  []leaf
	cut     bool // the message has more leaves than leavesMax, or is nested more deeply than depthMax
}

// open parses a message and returns it with its leaves.
func open(body []byte) *message {
	m := &message{}
	var rest []byte
	m.head, rest = cutHeader(body)
	m.kind = valueOf(m.head["content-type"], "")
	m.charset = m.kind.params["charset"]
	m.flatten(part{m.head, rest}, inMixed, 0)
	return m
}

// savedPage reports whether the message is a page that a browser saved as
// MHTML.
func (m *message) savedPage() bool {
	if m.kind.name == "multipart/related" {
		return m.head["snapshot-content-location"] != "" || strings.Contains(m.head["from"], "Saved by ") || m.head["to"] == "" && m.head["received"] == ""
	}
	return m.kind.name == "text/html" && m.head["content-location"] != "" && m.head["to"] == ""
}

// add adds the message to the current section, and its attachments as sections.
func (m *message) add(b *document.Builder) error {
	if err := b.Add(document.Heading, m.head.text("subject", m.charset)); err != nil {
		return err
	}
	var lines []string
	for _, f := range []string{"From", "To", "Cc", "Newsgroups", "Date"} {
		if text := m.head.text(strings.ToLower(f), m.charset); text != "" {
			lines = append(lines, f+": "+text)
		}
	}
	if err := b.Add(document.Paragraph, strings.Join(lines, "\n")); err != nil {
		return err
	}
	for _, l := range m.leaves {
		if l.shown {
			if err := l.add(b, ""); err != nil {
				return err
			}
		}
	}
	return m.addAttachments(b)
}

// addPage adds a page that a browser saved as MHTML to the document. The pages
// of its frames become sections.
func (m *message) addPage(b *document.Builder) error {
	first := true
	for i := range m.leaves {
		l := &m.leaves[i]
		if l.kind.name != "text/html" {
			continue
		}
		base := document.Clean(l.head["content-location"])
		if first {
			first = false
			about, d := pagetext.About(l.utf8()), b.Doc
			d.Description, d.Keywords = about.Description, about.Keywords
			d.Title, d.Author, d.Lang = cmp.Or(d.Title, about.Title), cmp.Or(d.Author, about.Author), cmp.Or(d.Lang, about.Lang)
		} else if err := b.Begin(document.Member, base); err != nil {
			return err
		}
		if err := l.add(b, base); err != nil {
			return err
		}
	}
	return m.fault()
}

// addAttachments adds the names of the attachments as a note, and each
// attachment that can be read as a section.
func (m *message) addAttachments(b *document.Builder) error {
	var names []string
	for _, l := range m.leaves {
		if !l.shown && l.name != "" {
			names = append(names, l.name)
		}
	}
	if err := b.Add(document.Note, strings.Join(names, "\n")); err != nil {
		return err
	}
	for _, l := range m.leaves {
		if l.shown {
			continue
		}
		mime := l.kind.name
		if mime == "application/octet-stream" || mime == "" {
			mime = document.MimeOf(l.name)
		}
		d := b.Nested(&document.Input{Body: l.decoded(), Mime: mime, Charset: strings.ToLower(l.kind.params["charset"])})
		if d == nil {
			continue
		}
		if err := b.AddMember(l.name, d); err != nil {
			return err
		}
	}
	return m.fault()
}

func (m *message) fault() error {
	if m.cut {
		return document.ErrLimit
	}
	return nil
}

// person returns the name in an address such as "Li Wei <wei@a.example>", or the address
// if it has no name.
func person(text string) string {
	if name, rest, ok := strings.Cut(text, "<"); ok {
		if name = strings.Trim(name, ` "'`); name != "" {
			return name
		}
		address, _, _ := strings.Cut(rest, ">")
		return strings.TrimSpace(address)
	}
	if address, name, ok := strings.Cut(text, "("); ok && strings.Contains(address, "@") {
		if name = strings.Trim(name, " )"); name != "" {
			return name
		}
	}
	return text
}
