package format

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// containerFile is a small container, and what it is.
type containerFile struct {
	name string
	want ID
	make func() []byte
}

// word is how an OLE2 file says that it is of Word 97: the name of its class.
const word = "\x01\x00\xfe\xff\x03\x0a\x00\x00\xff\xff\xff\xff\x06\x09\x02\x00\x00\x00\x00\x00\xc0\x00\x00\x00\x00\x00\x00\x46\x18\x00\x00\x00Microsoft Word-Dokument\x00\x0a\x00\x00\x00MSWordDoc\x00\x10\x00\x00\x00Word.Document.8\x00"

// containerFiles are containers that are written by hand, as their specifications say.
var containerFiles = []containerFile{
	{"docx", "fmt/412", zipOf("[Content_Types].xml", `<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`, "word/document.xml", "<w:document/>")},
	{"xlsx", "fmt/214", zipOf("[Content_Types].xml", `<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`, "xl/workbook.xml", "<workbook/>")},
	{"pptx", "fmt/215", zipOf("[Content_Types].xml", `<Types><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>`, "ppt/presentation.xml", "<p/>")},
	{"odt 1.2", "fmt/291", openDocument("text", "1.2")},
	{"odt 1.3", "fmt/1756", openDocument("text", "1.3")},
	{"ods 1.2", "fmt/295", openDocument("spreadsheet", "1.2")},
	{"odp 1.1", "fmt/292", openDocument("presentation", "1.1")},
	{"EPUB", "fmt/483", zipOf("mimetype", "application/epub+zip", "META-INF/container.xml", "<container/>")},
	{"zip", "x-fmt/263", zipOf("a.txt", "a", "b/c.txt", strings.Repeat("c", 1000))},
	{"jar", "x-fmt/412", zipOf("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\n")},
	{"doc", "fmt/40", oleOf("WordDocument", "\xec\xa5\xc1\x00"+zeros(5000), "\x01CompObj", word)},
	{"xls", "fmt/61", oleOf("Workbook", "\x09\x08\x10\x00\x00\x06\x05\x00"+zeros(5000))},
	{"msg", "x-fmt/430", oleOf("__properties_version1.0", zeros(32), "__nameid_version1.0", "")},
	{"OLE2", "fmt/111", oleOf("Something", zeros(300))},
}

// openDocument returns a function that makes an OpenDocument file.
func openDocument(kind, version string) func() []byte {
	mime := "application/vnd.oasis.opendocument." + kind
	return zipOf("mimetype", mime,
		"META-INF/manifest.xml", `<manifest:manifest><manifest:file-entry manifest:media-type="`+mime+`" manifest:full-path="/"/></manifest:manifest>`,
		"content.xml", `<?xml version="1.0" encoding="UTF-8"?>`+"\n"+`<office:document-content office:version="`+version+`"/>`)
}

// zipOf returns a function that makes a zip file of entries, each a name and its content.
func zipOf(entries ...string) func() []byte {
	return func() []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for i := 0; i < len(entries); i += 2 {
			h := &zip.FileHeader{Name: entries[i], Method: zip.Deflate}
			if h.Name == "mimetype" {
				h.Method = zip.Store
			}
			w, err := z.CreateHeader(h)
			if err == nil {
				_, err = w.Write([]byte(entries[i+1]))
			}
			if err != nil {
				panic(err)
			}
		}
		if err := z.Close(); err != nil {
			panic(err)
		}
		return b.Bytes()
	}
}

// oleOf returns a function that makes an OLE2 file of streams, each a name and its content.
func oleOf(streams ...string) func() []byte {
	const free, end, fat = 0xffffffff, 0xfffffffe, 0xfffffffd
	return func() []byte {
		le := binary.LittleEndian
		var sectors [][]byte
		links := []uint32{}
		add := func(data []byte) (first uint32) {
			if len(data) == 0 {
				return end
			}
			first = uint32(len(sectors))
			for len(data) > 0 {
				s := make([]byte, 512)
				data = data[copy(s, data):]
				sectors = append(sectors, s)
				links = append(links, uint32(len(sectors)))
			}
			links[len(links)-1] = end
			return first
		}
		var mini []byte
		var miniLinks []uint32
		n := len(streams) / 2
		dir := make([]byte, 0, 128*(n+1))
		entry := func(name string, kind byte, right, child, first uint32, size int) {
			e := make([]byte, 128)
			units := utf16.Encode([]rune(name))
			for i, u := range units {
				le.PutUint16(e[2*i:], u)
			}
			le.PutUint16(e[64:], uint16(2*len(units)+2))
			e[66], e[67] = kind, 1
			le.PutUint32(e[68:], free)
			le.PutUint32(e[72:], right)
			le.PutUint32(e[76:], child)
			le.PutUint32(e[116:], first)
			le.PutUint32(e[120:], uint32(size))
			dir = append(dir, e...)
		}
		entry("Root Entry", 5, free, 1, end, 0)
		for i := range n {
			right := uint32(free)
			if i+1 < n {
				right = uint32(i + 2)
			}
			data := []byte(streams[2*i+1])
			if len(data) >= 4096 {
				entry(streams[2*i], 2, right, free, add(data), len(data))
				continue
			}
			first := uint32(end)
			if len(data) > 0 {
				first = uint32(len(miniLinks))
				for at := 0; at < len(data); at += 64 {
					piece := make([]byte, 64)
					copy(piece, data[at:])
					mini = append(mini, piece...)
					miniLinks = append(miniLinks, uint32(len(miniLinks)+1))
				}
				miniLinks[len(miniLinks)-1] = end
			}
			entry(streams[2*i], 2, right, free, first, len(data))
		}
		le.PutUint32(dir[116:], add(mini))
		le.PutUint32(dir[120:], uint32(len(mini)))
		miniTable := bytes.Repeat([]byte{0xff}, 512)
		for i, l := range miniLinks {
			le.PutUint32(miniTable[4*i:], l)
		}
		miniAt := add(miniTable)
		dirAt := add(dir)
		table := bytes.Repeat([]byte{0xff}, 512)
		tableAt := add(table)
		links[tableAt] = fat
		for i, l := range links {
			le.PutUint32(sectors[tableAt][4*i:], l)
		}
		h := make([]byte, 512)
		copy(h, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
		copy(h[24:], "\x3e\x00\x03\x00\xfe\xff\x09\x00\x06\x00")
		le.PutUint32(h[44:], 1)
		le.PutUint32(h[48:], dirAt)
		le.PutUint32(h[56:], 4096)
		le.PutUint32(h[60:], miniAt)
		le.PutUint32(h[64:], 1)
		le.PutUint32(h[68:], end)
		for i := 76; i < 512; i += 4 {
			le.PutUint32(h[i:], free)
		}
		le.PutUint32(h[76:], tableAt)
		return append(h, bytes.Join(sectors, nil)...)
	}
}

// fileOf returns the container with this name.
func fileOf(name string) containerFile {
	return containerFiles[slices.IndexFunc(containerFiles, func(c containerFile) bool { return c.name == name })]
}

// TestContainers looks into zip and OLE2 files.
func TestContainers(t *testing.T) {
	for _, c := range containerFiles {
		body := c.make()
		f := Identify(body)
		if f.ID != c.want {
			got, _ := Of(f.ID)
			t.Errorf("%s: %s %s by %s, want %s", c.name, f.ID, got.Title(), f.Basis, c.want)
		}
		if half := len(body) / 2; c.name == "docx" {
			// Only the first and last bytes of a large file are given.
			if f := IdentifyEnds(body[:half], body[half:], int64(len(body))); f.ID != c.want {
				t.Errorf("%s: %s by its ends, want %s", c.name, f.ID, c.want)
			}
			if f := Identify(append([]byte("#!/bin/sh\n"), body...)); f.ID != "" && f.ID != c.want {
				t.Errorf("%s with something before it: %s", c.name, f.ID)
			}
		}
	}
}

// TestCutZip identifies a zip file whose end is missing by its first entries.
func TestCutZip(t *testing.T) {
	for _, c := range containerFiles[:3] {
		body := c.make()
		at := bytes.Index(body, []byte("PK\x01\x02"))
		if f := Identify(body[:at]); f.ID != c.want || f.Basis != ByContainer {
			t.Errorf("%s: %s by %s, want %s", c.name, f.ID, f.Basis, c.want)
		}
	}
}

// TestLoops identifies an OLE2 file and a zip file whose directories lead back to
// themselves.
func TestLoops(t *testing.T) {
	body := fileOf("doc").make()
	for at := 512; at+4 <= len(body); at += 4 {
		looped := bytes.Clone(body)
		binary.LittleEndian.PutUint32(looped[at:], 1)
		Identify(looped)
	}
	body = fileOf("docx").make()
	end := bytes.LastIndex(body, []byte("PK\x05\x06"))
	for _, at := range []uint32{0, 1, uint32(end), 1 << 31, 1<<32 - 1} {
		binary.LittleEndian.PutUint32(body[end+16:], at)
		if f := Identify(body); f.ID == "" {
			t.Errorf("a directory at %d: unknown", at)
		}
	}
}
