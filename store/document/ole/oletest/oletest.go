// Package oletest writes compound files for tests, and outlines what was read of them.
package oletest

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"infomall/store/document"
	"infomall/store/document/documenttest"
	"infomall/store/record"
)

// Outline returns what was read of a document, for comparison: a line for each field
// that is known, each section, part and link.
func Outline(d *document.Document) string {
	var out strings.Builder
	for _, f := range []struct{ name, value string }{
		{"title", d.Title}, {"author", d.Author}, {"producer", d.Producer}, {"keywords", d.Keywords}, {"description", d.Description}, {"reason", d.Reason},
	} {
		if f.value != "" {
			fmt.Fprintf(&out, "%s: %s\n", f.name, f.value)
		}
	}
	if d.Created != record.NoTime {
		fmt.Fprintf(&out, "created: %s\n", d.Created.Std().Format(time.DateTime))
	}
	if d.Modified != record.NoTime {
		fmt.Fprintf(&out, "modified: %s\n", d.Modified.Std().Format(time.DateTime))
	}
	if d.Pages >= 0 {
		fmt.Fprintf(&out, "pages: %d\n", d.Pages)
	}
	kinds := [...]string{document.Paragraph: "paragraph", document.Heading: "heading", document.Table: "table", document.Note: "note", document.Deleted: "deleted"}
	for _, s := range d.Sections {
		fmt.Fprintf(&out, "== %s %q\n", s.Kind, s.Name)
		for _, p := range s.Parts {
			fmt.Fprintf(&out, "%s: %q\n", kinds[p.Kind], p.Text)
		}
	}
	for _, l := range d.Links {
		fmt.Fprintf(&out, "link of section %d: %s %q\n", l.Section, l.Target, l.Anchor)
	}
	return out.String()
}

// File reads the file body by a kind, and compares its outline with the file want.
func File(t *testing.T, k document.Kind, body, want string) {
	t.Helper()
	b, err := os.ReadFile(body)
	if err != nil {
		t.Fatal(err)
	}
	outline, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	if got := Outline(documenttest.Read(t, k, document.Input{Body: b})); got != string(outline) {
		t.Errorf("%s: got\n%s\nwant\n%s", body, got, outline)
	}
}

// Stream is one stream of a compound file. All are in the root.
type Stream struct {
	Name string
	Data []byte
}

const (
	sector     = 512
	miniSector = 64
	miniBelow  = 4096
	entry      = 128
	last       = 0xfffffffe // ends a chain
	free       = 0xffffffff
	fatSector  = 0xfffffffd
)

// Build returns a compound file with the streams. Streams below 4096 bytes are in the
// ministream. The FAT and the directory are at the end, as Office writes them. It
// panics if the streams have more than 6 MB together.
func Build(streams ...Stream) []byte {
	var body, mini []byte // sectors from 0, and the ministream
	var fat, miniFAT []uint32
	// put appends data to sectors of a size and chains them.
	put := func(to *[]byte, table *[]uint32, data []byte, size int) uint32 {
		if len(data) == 0 {
			return last
		}
		start := uint32(len(*table))
		*to = append(*to, data...)
		for n := 0; n < len(data); n += size {
			*table = append(*table, uint32(len(*table)+1))
		}
		*to = append(*to, make([]byte, len(*table)*size-len(*to))...)
		(*table)[len(*table)-1] = last
		return start
	}
	dir := make([]byte, (len(streams)+1+3)/4*4*entry)
	write := func(n int, name string, kind byte, right, child, start uint32, size int) {
		e := dir[n*entry : (n+1)*entry]
		units := utf16.Encode([]rune(name))
		for i, u := range units {
			binary.LittleEndian.PutUint16(e[2*i:], u)
		}
		binary.LittleEndian.PutUint16(e[64:], uint16(2*len(units)+2))
		e[66], e[67] = kind, 1
		binary.LittleEndian.PutUint32(e[68:], free)
		binary.LittleEndian.PutUint32(e[72:], right)
		binary.LittleEndian.PutUint32(e[76:], child)
		binary.LittleEndian.PutUint32(e[116:], start)
		binary.LittleEndian.PutUint32(e[120:], uint32(size))
	}
	for i, s := range streams {
		start := uint32(0)
		if len(s.Data) < miniBelow {
			start = put(&mini, &miniFAT, s.Data, miniSector)
		} else {
			start = put(&body, &fat, s.Data, sector)
		}
		right := uint32(i + 2)
		if i == len(streams)-1 {
			right = free
		}
		write(i+1, s.Name, 2, right, free, start, len(s.Data))
	}
	miniStart := put(&body, &fat, mini, sector)
	miniFATStart := put(&body, &fat, numbers(miniFAT), sector)
	write(0, "Root Entry", 5, free, 1, miniStart, len(mini))
	dirStart := put(&body, &fat, dir, sector)
	count := 0
	for count*sector/4 < len(fat)+count {
		count++
	}
	if count > 109 {
		panic("oletest: the streams are too long")
	}
	header := make([]byte, sector)
	copy(header, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	copy(header[24:], "\x3e\x00\x03\x00\xfe\xff\x09\x00\x06\x00")
	for at, n := range map[int]uint32{44: uint32(count), 48: dirStart, 56: miniBelow, 60: miniFATStart, 64: uint32((len(miniFAT) + 127) / 128), 68: last} {
		binary.LittleEndian.PutUint32(header[at:], n)
	}
	first := len(fat)
	for i := range 109 {
		n := uint32(free)
		if i < count {
			n = uint32(first + i)
			fat = append(fat, fatSector)
		}
		binary.LittleEndian.PutUint32(header[76+4*i:], n)
	}
	table := numbers(fat)
	for len(table) < count*sector {
		table = append(table, 0xff)
	}
	return append(append(header, body...), table...)
}

// numbers returns numbers of 32 bits as bytes.
func numbers(list []uint32) []byte {
	out := make([]byte, 0, 4*len(list))
	for _, n := range list {
		out = binary.LittleEndian.AppendUint32(out, n)
	}
	return out
}
