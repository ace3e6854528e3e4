// Package msoutlook reads messages of Outlook ([MS-OXMSG]), whose files end in .msg. A
// message is a compound file with one stream for each property; the name of the stream
// has the number and the type of the property.
package msoutlook

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"infomall/store/document"
	"infomall/store/document/ole"
	"infomall/store/record"
)

// Kind reads messages of Outlook.
var Kind = document.Kind{Name: "msg", Is: is, Read: read}

// The properties that are used.
const (
	propSubject      = 0x0037
	propSubmitted    = 0x0039
	propSender       = 0x0042
	propBody         = 0x1000
	propHTML         = 0x1013
	propTo           = 0x0e04
	propCc           = 0x0e03
	propDelivered    = 0x0e06
	propActualSender = 0x0c1a
	propAddress      = 0x0c1f
	propModified     = 0x3008
	propShortName    = 0x3704
	propLongName     = 0x3707
	propPage         = 0x3ffd // code page of the texts in bytes
	propBodyPage     = 0x3fde // code page of the body
)

// The types of properties.
const (
	typeNumber = 0x0003
	typeBytes  = 0x001e // text in a code page
	typeWide   = 0x001f // text in UTF-16
	typeTime   = 0x0040
	typeBinary = 0x0102
)

const (
	fixedStream = "__properties_version1.0" // the properties of a fixed size
	fixedHead   = 32
	fixedBytes  = 16
)

func is(in *document.Input) bool {
	f, err := ole.Open(in.Body)
	return err == nil && f.Has(fixedStream)
}

// message is one message.
type message struct {
	file  *ole.File
	fixed []byte
	page  int
}

func read(b *document.Builder, in *document.Input) error {
	f, err := ole.Open(in.Body)
	if err != nil {
		return err
	}
	m := message{file: f, page: 1252}
	if s := f.Stream(fixedStream); len(s) > fixedHead {
		m.fixed = s[fixedHead:]
	}
	for _, id := range []uint16{propBodyPage, propPage} {
		if n := m.number(id, typeNumber); n > 0 && n <= 0xffff {
			m.page = int(n)
		}
	}
	d := b.Doc
	d.Title = document.Clean(m.text("", propSubject))
	for _, id := range []uint16{propSender, propActualSender, propAddress} {
		if d.Author == "" {
			d.Author = document.Clean(m.text("", id))
		}
	}
	if d.Created = m.time(propSubmitted); d.Created == record.NoTime {
		d.Created = m.time(propDelivered)
	}
	d.Modified = m.time(propModified)
	if err := b.Add(document.Heading, d.Title); err != nil {
		return err
	}
	if err := b.Add(document.Paragraph, m.head(d)); err != nil {
		return err
	}
	if err := m.body(b); err != nil {
		return err
	}
	return b.Add(document.Note, strings.Join(m.attachments(), "\n"))
}

// head returns the lines that a reader sees above the body.
func (m *message) head(d *document.Document) string {
	var lines []string
	add := func(name, value string) {
		if value = document.Clean(value); value != "" {
			lines = append(lines, name+": "+value)
		}
	}
	add("From", d.Author)
	add("To", m.text("", propTo))
	add("Cc", m.text("", propCc))
	if d.Created != record.NoTime {
		add("Date", d.Created.Std().Format(time.RFC1123Z))
	}
	return strings.Join(lines, "\n")
}

// body adds the body: the plain text, or the page if there is no plain text.
func (m *message) body(b *document.Builder) error {
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(m.text("", propBody))
	if strings.TrimSpace(text) != "" {
		for para := range strings.SplitSeq(text, "\n\n") {
			if err := b.Add(document.Paragraph, para); err != nil {
				return err
			}
		}
		return nil
	}
	page := m.text("", propHTML)
	if page == "" {
		page = ole.Text(m.stream("", propHTML, typeBinary), m.page)
	}
	if page == "" {
		return nil
	}
	d := b.Nested(&document.Input{Body: []byte(page), Mime: "text/html", Charset: "utf-8"})
	if d == nil {
		return nil
	}
	return b.AddParts(d)
}

// attachments returns the names of the attached files, in the order of the message.
func (m *message) attachments() []string {
	const prefix = "__attach_version1.0_#"
	var folders []string
	for p := range m.file.Paths {
		if folder, _, ok := strings.Cut(p, "/"); ok && strings.HasPrefix(folder, prefix) {
			folders = append(folders, folder+"/")
		}
	}
	slices.Sort(folders)
	var names []string
	for _, folder := range slices.Compact(folders) {
		name := m.text(folder, propLongName)
		if name == "" {
			name = m.text(folder, propShortName)
		}
		if name = document.Clean(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// stream returns the bytes of a property of the message or of a folder of its file.
func (m *message) stream(folder string, id, kind uint16) []byte {
	return m.file.Stream(fmt.Sprintf("%s__substg1.0_%04X%04X", folder, id, kind))
}

// text returns a text property, or "".
func (m *message) text(folder string, id uint16) string {
	s := ole.UTF16(m.stream(folder, id, typeWide))
	if s == "" {
		s = ole.Text(m.stream(folder, id, typeBytes), m.page)
	}
	s, _, _ = strings.Cut(s, "\x00")
	return s
}

// number returns a property of a fixed size, or 0.
func (m *message) number(id, kind uint16) uint64 {
	for rest := m.fixed; len(rest) >= fixedBytes; rest = rest[fixedBytes:] {
		if binary.LittleEndian.Uint16(rest) == kind && binary.LittleEndian.Uint16(rest[2:]) == id {
			n := binary.LittleEndian.Uint64(rest[8:])
			if kind == typeNumber {
				n &= 0xffffffff
			}
			return n
		}
	}
	return 0
}

// time returns a property that is a time, or NoTime.
func (m *message) time(id uint16) record.Time { return ole.FileTime(m.number(id, typeTime)) }
