// Package bundle reads archives: zip, 7z, tar, and files that are compressed with gzip,
// bzip2 or xz. It lists their members and reads the documents in them.
package bundle

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"infomall/store/document"
	"infomall/store/page/charset"
	"infomall/store/record"
)

// Kind reads archives. It recognises archives in the formats RAR and compress
// too, but does not read them; the Reason of their documents says so.
var Kind = document.Kind{Name: "archive", Is: is, Read: read}

// format is a format of archives or of compressed files.
type format struct {
	name string
	is   func(body []byte) bool
	read func(b *document.Builder, body []byte) error // nil if the format is not read
}

// starts returns a function that reports whether a body starts with one of marks.
func starts(marks ...string) func([]byte) bool {
	return func(body []byte) bool {
		for _, m := range marks {
			if bytes.HasPrefix(body, []byte(m)) {
				return true
			}
		}
		return false
	}
}

// formats returns the list of formats. It is a function and not a variable, because the functions
// in the list call formats for archives inside of archives.
func formats() []format {
	return []format{
		{"zip", starts("PK\x03\x04", "PK\x05\x06"), readZip},
		{"gzip", starts("\x1f\x8b\x08"), readGzip},
		{"bzip2", isBzip2, readBzip2},
		{"tar", isTar, readTar},
		{"7z", starts("7z\xbc\xaf\x27\x1c"), readSevenZip},
		{"xz", starts("\xfd7zXZ\x00"), readXz},
		{"RAR", starts("Rar!\x1a\x07"), nil},
		{"compress", starts("\x1f\x9d"), nil},
	}
}

func is(in *document.Input) bool {
	for _, f := range formats() {
		if f.is(in.Body) {
			return true
		}
	}
	return false
}

func read(b *document.Builder, in *document.Input) error {
	for _, f := range formats() {
		if !f.is(in.Body) {
			continue
		}
		if f.read == nil {
			return fmt.Errorf("archives in the format of %s are not read", f.name)
		}
		return f.read(b, in.Body)
	}
	return errors.New("is no archive")
}

// member is a file in an archive.
type member struct {
	name      string
	size      int64       // size in bytes as the archive states it; -1 if it does not
	modified  record.Time // record.NoTime if it is not known
	encrypted bool
	bare      bool // the member is a folder, a link or the like, and has no content
	// content is the content of the member. If it is nil, open unpacks it. Both are nil if the archive
	// lacks the content, or has it in an unknown form.
	content []byte
	open    func() (io.Reader, error) // unpacks the content; or sets the field content and returns nil, if the content is then in memory
}

// row returns the line of m in the list of members: name, size and time, separated by tabs.
func (m *member) row() string {
	row := document.Clean(m.name) + "\t"
	if m.size >= 0 && !m.bare {
		row += strconv.FormatInt(m.size, 10)
	}
	if row += "\t"; m.modified != record.NoTime {
		row += m.modified.Std().Format("2006-01-02 15:04")
	}
	return strings.TrimRight(row, "\t")
}

// memberMax is the largest number of bytes that are read of one member, or of
// one compressed file that is not a tar. Reading a document takes several times
// as much memory.
const memberMax = 32 << 20

// membersMax is the largest number of members of an archive that are listed and
// read.
const membersMax = 100_000

// addMembers adds the list of members to the document as a table, and each
// member that is a document as a section.
func addMembers(b *document.Builder, members []member) error {
	rows := make([]string, 0, min(len(members), membersMax))
	for i := range members[:min(len(members), membersMax)] {
		rows = append(rows, members[i].row())
	}
	if err := b.Add(document.Table, strings.Join(rows, "\n")); err != nil {
		return err
	}
	var faults faults
	if len(members) > membersMax {
		members = members[:membersMax]
		faults.add("there are more than %d members", membersMax)
	}
	encrypted, large, damaged := 0, 0, 0
	for i := range members {
		m := &members[i]
		switch {
		case m.encrypted:
			encrypted++
			continue
		case m.bare || m.size == 0:
			continue
		case m.content == nil && m.size > min(memberMax, b.UnpackLeft()):
			large++
			continue
		}
		body, err := m.read(b)
		if err == document.ErrLimit {
			return err
		}
		if err != nil {
			damaged++
		}
		if len(body) == 0 {
			continue
		}
		d := nested(b, m.name, body)
		if d == nil {
			continue
		}
		if d.Reason != "" {
			faults.add("%s: %s", document.Clean(m.name), d.Reason)
		}
		if err := b.AddMember(m.name, d); err != nil {
			return err
		}
	}
	faults.count(encrypted, "encrypted")
	faults.count(large, "larger than the limits")
	faults.count(damaged, "damaged or compressed in an unknown way")
	return faults.err()
}

// nested reads content, the content of the member called name, as a document.
// It returns nil if no kind reads it. A member without an extension, such as
// README, may be read as plain text.
func nested(b *document.Builder, name string, content []byte) *document.Document {
	d := b.Nested(&document.Input{Body: content, Mime: document.MimeOf(name)})
	if d == nil && !strings.Contains(name[strings.LastIndexByte(name, '/')+1:], ".") {
		d = b.Nested(&document.Input{Body: content, Mime: "text/plain"})
	}
	return d
}

// errUnknown is returned for a member that is compressed by an unknown method.
var errUnknown = errors.New("compressed in an unknown way")

// read returns the content of the member. With an error, it returns the part of
// the content that could be read.
func (m *member) read(b *document.Builder) ([]byte, error) {
	if m.content != nil {
		return m.content, nil
	}
	if m.open == nil {
		return nil, errUnknown
	}
	r, err := m.open()
	if err != nil || m.content != nil {
		return m.content, err
	}
	if c, ok := r.(io.Closer); ok {
		defer c.Close() // the memory of the decompressor serves the next member
	}
	return unpack(b, r, min(memberMax, b.UnpackLeft()))
}

// faults collects messages about members that could not be read.
type faults []string

// faultsMax is the largest number of faults of one archive that are reported.
const faultsMax = 5

func (f *faults) add(format string, args ...any) {
	if len(*f) < faultsMax {
		*f = append(*f, fmt.Sprintf(format, args...))
	}
}

func (f *faults) count(n int, what string) {
	switch {
	case n == 1:
		*f = append(*f, "1 member is "+what)
	case n > 1:
		*f = append(*f, fmt.Sprintf("members that are %s: %d", what, n))
	}
}

func (f faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return errors.New(strings.Join(f, "; "))
}

// unpack reads at most n bytes from r, and counts them among the unpacked bytes
// of b. It returns document.ErrLimit if r has more bytes. With any error it
// returns the bytes that it could read.
func unpack(b *document.Builder, r io.Reader, n int64) ([]byte, error) {
	var out bytes.Buffer
	_, err := out.ReadFrom(io.LimitReader(r, n+1))
	body := out.Bytes()
	more := int64(len(body)) > n
	if more {
		body = body[:n]
	}
	if limit := b.Unpack(int64(len(body))); limit != nil {
		return body, limit
	}
	if more {
		return body, document.ErrLimit
	}
	return body, err
}

// toNames converts the names in the slice to UTF-8 in place. It finds one
// charset for all names together; names that are UTF-8 already stay unchanged.
// dos says that a program for DOS wrote the archive.
func toNames(names []string, dos bool) {
	var other []byte
	for _, n := range names {
		if len(other) < 64<<10 && !isUTF8(n) {
			other = append(other, n+"\n"...)
		}
	}
	if len(other) == 0 {
		return
	}
	f := charset.Find(other, "", "")
	cs := f.Charset
	latin := strings.HasPrefix(cs, "windows-125") && cs != "windows-1251" || strings.HasPrefix(cs, "iso-8859-")
	if dos && (latin || f.Unsure || f.Source != charset.SourceDetected) {
		cs = "ibm437" // the default of the format
	}
	for i, n := range names {
		if !isUTF8(n) {
			names[i] = string(charset.ToUTF8([]byte(n), cs))
		}
	}
}

func isUTF8(s string) bool { return strings.ToValidUTF8(s, "\x00") == s }

func isBzip2(body []byte) bool {
	return len(body) > 10 && string(body[:3]) == "BZh" && body[3] >= '1' && body[3] <= '9' && string(body[4:10]) == "1AY&SY"
}

func readGzip(b *document.Builder, body []byte) error {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("the gzip file is damaged: %w", err)
	}
	m := member{name: z.Name, size: -1, modified: record.NoTime}
	if !isUTF8(m.name) {
		names := []string{m.name}
		toNames(names, false)
		m.name = names[0]
	}
	if !z.ModTime.IsZero() {
		m.modified = record.At(z.ModTime)
	}
	content, err := unpack(b, z, b.UnpackLeft())
	return readCompressed(b, m, content, err)
}

// bzip2Max is the largest number of bytes that are unpacked from a bzip2 file.
// Unpacking is slow: about 10 MB a second.
const bzip2Max = 16 << 20

func readBzip2(b *document.Builder, body []byte) error {
	content, err := unpack(b, bzip2.NewReader(bytes.NewReader(body)), min(bzip2Max, b.UnpackLeft()))
	return readCompressed(b, member{size: -1, modified: record.NoTime}, content, err)
}

// readCompressed reads the content of a compressed file: a tar, or one document. err is
// the error with which unpacking ended.
func readCompressed(b *document.Builder, m member, content []byte, err error) error {
	if err != nil && err != document.ErrLimit {
		err = fmt.Errorf("the compressed file is damaged or cut off: %w", err)
	}
	if isTar(content) {
		if fault := readTar(b, content); err == nil {
			err = fault
		}
		return err
	}
	m.size = int64(len(content))
	if len(content) > memberMax {
		content, err = content[:memberMax:memberMax], document.ErrLimit
	}
	if d := nested(b, m.name, content); d != nil {
		// The file is the document, and compression only its wrapping.
		d.Kind = b.Doc.Kind
		*b.Doc = *d
		if err == nil && d.Reason != "" {
			err = errors.New(d.Reason)
		}
		return err
	}
	if m.name != "" {
		if fault := b.Add(document.Table, m.row()); fault != nil {
			return fault
		}
	}
	return err
}
