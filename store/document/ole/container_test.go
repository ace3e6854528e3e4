package ole

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"infomall/store/document"
	"infomall/store/document/documenttest"
	"infomall/store/document/ole/oletest"
	"infomall/store/page/pagetest"
)

// sample returns a compound file and its streams.
func sample() ([]byte, []oletest.Stream) {
	r := rand.New(rand.NewPCG(1, 2))
	var streams []oletest.Stream
	for _, s := range []struct {
		name string
		size int
	}{{"WordDocument", 9000}, {"1Table", 4096}, {"\x05SummaryInformation", 300}, {"Empty", 0}, {"Data", 4095}} {
		data := make([]byte, s.size)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		streams = append(streams, oletest.Stream{Name: s.name, Data: data})
	}
	return oletest.Build(streams...), streams
}

// TestStreams reads the streams of a whole file.
func TestStreams(t *testing.T) {
	body, streams := sample()
	f, err := Open(body)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		if got := f.Stream(s.Name); !f.Has(s.Name) || !bytes.Equal(got, s.Data) {
			t.Errorf("%q: %d bytes, want %d, or they differ", s.Name, len(got), len(s.Data))
		}
	}
	if f.Stream("worddocument") == nil || f.Stream("Other") != nil {
		t.Error("upper and lower case, or a stream that does not exist")
	}
	if _, err := Open([]byte("%PDF-1.4")); err != errFormat {
		t.Errorf("another file: %v", err)
	}
}

// TestCut cuts a file at every length. While the directory is there its streams are read
// as far as they go; without it the file is one stream.
func TestCut(t *testing.T) {
	body, streams := sample()
	want := streams[0].Data
	for n := headerBytes; n <= len(body); n++ {
		f, err := Open(body[:n])
		if err != nil {
			t.Fatal(err)
		}
		got := f.Find([]string{"WordDocument"}, []string{string(want[:2])})
		have := want[:min(len(want), n-headerBytes)]
		if f.Lost() { // it has all of the file
			got = got[:min(len(got), len(have))]
		}
		if len(have) >= 2 && !bytes.Equal(got, have) {
			t.Fatalf("cut at %d: %d bytes of the first stream, want %d, or they differ", n, len(got), len(have))
		}
	}
}

// TestLoops reads files whose chains and folders are loops: it must end.
func TestLoops(t *testing.T) {
	body, _ := sample()
	fat := int(U32(body, 76)+1) << 9
	for n := range 20 {
		loop := bytes.Clone(body)
		binary.LittleEndian.PutUint32(loop[fat+4*n:], uint32(n)) // the sector follows itself
		f, err := Open(loop)
		if err != nil {
			t.Fatal(err)
		}
		for p := range f.Paths {
			if got := f.Stream(p); len(got) > len(body) {
				t.Errorf("sector %d: stream %q has %d bytes", n, p, len(got))
			}
		}
	}
	dir := int(U32(body, 48)+1) << 9
	tree := bytes.Clone(body)
	binary.LittleEndian.PutUint32(tree[dir+entryBytes+72:], 1) // an entry follows itself
	if f, err := Open(tree); err != nil || !f.Has("WordDocument") || !f.Has("Data") {
		t.Errorf("loop of entries: %v", err)
	}
}

// everything is a kind that reads every stream, for Mutate.
var everything = document.Kind{
	Name: "ole",
	Is:   func(in *document.Input) bool { return Is(in.Body) },
	Read: func(b *document.Builder, in *document.Input) error {
		f, err := Open(in.Body)
		if err != nil {
			return err
		}
		f.Describe(b.Doc)
		for p := range f.Paths {
			if len(f.Stream(p)) > len(in.Body) {
				panic("a stream is longer than the file")
			}
		}
		return nil
	},
}

// TestSameSectors opens a damaged file in which many streams are in the same sectors. All streams together
// have a few times the bytes of the file.
func TestSameSectors(t *testing.T) {
	const count = 200
	streams := []oletest.Stream{{Name: "big", Data: make([]byte, 100_000)}}
	for i := range count {
		streams = append(streams, oletest.Stream{Name: fmt.Sprintf("s%03d", i), Data: []byte("x")})
	}
	body := oletest.Build(streams...)
	big := bytes.Index(body, []byte("b\x00i\x00g\x00"))
	for i := range count {
		e := bytes.Index(body, []byte(strings.Join(strings.Split(streams[i+1].Name, ""), "\x00")+"\x00"))
		copy(body[e+116:e+128], body[big+116:big+128])
	}
	f, err := Open(body)
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for p := range f.Paths {
		size += len(f.Stream(p))
	}
	if size < len(body) || size > (givenMost+1)*len(body) {
		t.Errorf("the streams of a file of %d bytes have %d bytes", len(body), size)
	}
}

// TestDamaged reads damaged files.
func TestDamaged(t *testing.T) {
	body, _ := sample()
	set := oletest.Build(oletest.Stream{Name: summaryStream, Data: summary(1252, map[uint32]string{propTitle: "A title", propAuthor: "An author"})})
	documenttest.Mutate(t, everything, "", body, set)
}

// summary returns a property set with strings in a code page.
func summary(page uint16, values map[uint32]string) []byte {
	le := binary.LittleEndian
	head := make([]byte, 48)
	le.PutUint16(head, 0xfffe)
	head[24], head[44] = 1, 48
	var list, data []byte
	count := len(values) + 2
	at := uint32(8 + 8*count)
	add := func(id uint32, value []byte) {
		list = le.AppendUint32(le.AppendUint32(list, id), at+uint32(len(data)))
		data = append(data, value...)
	}
	add(1, le.AppendUint16([]byte{2, 0, 0, 0}, page))
	add(propCreated, le.AppendUint64([]byte{64, 0, 0, 0}, 128_000_000_000_000_000))
	for id, s := range values {
		add(id, append(le.AppendUint32([]byte{30, 0, 0, 0}, uint32(len(s)+1)), s+"\x00\x00"...))
	}
	set := le.AppendUint32(le.AppendUint32(nil, at+uint32(len(data))), uint32(count))
	return append(append(append(head, set...), list...), data...)
}

// TestProperties reads property sets in several code pages.
func TestProperties(t *testing.T) {
	for _, c := range []struct {
		page  uint16
		bytes string
		want  string
	}{
		{1252, "Gr\xfc\xdfe \x80", "Grüße €"},
		{936, "\xd6\xd0\xce\xc4", "中文"},
		{950, "\xa4\xa4\xa4\xe5", "中文"},
		{932, "\x93\xfa\x96{", "日本"},
		{1251, "\xcc\xe0\xff\xea", "Маяк"},
		{65001, "灯塔", "灯塔"},
		{10000, "l\xd5\x8et\x8e", "l’été"},
	} {
		f, err := Open(oletest.Build(oletest.Stream{Name: summaryStream, Data: summary(c.page, map[uint32]string{propTitle: c.bytes})}))
		if err != nil {
			t.Fatal(err)
		}
		d := document.New()
		f.Describe(d)
		if d.Title != c.want || d.Author != "" {
			t.Errorf("code page %d: title %q, author %q, want title %q", c.page, d.Title, d.Author, c.want)
		}
		if got := d.Created.Std().Format("2006-01-02 15:04:05"); got != "2006-08-14 03:33:20" {
			t.Errorf("created %s", got)
		}
	}
}

// TestOther reads the properties of a file that no other kind takes.
func TestOther(t *testing.T) {
	set := oletest.Stream{Name: summaryStream, Data: summary(1252, map[uint32]string{propTitle: "A plan"})}
	for stream, want := range map[string]error{"VisioDocument": errOther, "EncryptedPackage": errEncrypted} {
		d := documenttest.Read(t, Other, document.Input{Body: oletest.Build(set, oletest.Stream{Name: stream, Data: []byte("x")})})
		if d.Title != "A plan" || d.Reason != want.Error() {
			t.Errorf("%s: title %q, reason %q", stream, d.Title, d.Reason)
		}
	}
}

// TestSharedContainers opens every OLE2 file of the shared test data.
func TestSharedContainers(t *testing.T) {
	_, bodies := pagetest.Files(t, filepath.Join(pagetest.Shared(t), "documents", "office.tar.zst"), "")
	opened, empty := 0, 0
	for _, body := range bodies {
		f, err := Open(body)
		if err != nil {
			continue
		}
		opened++
		size := 0
		for p := range f.Paths {
			size += len(f.Stream(p))
		}
		if size == 0 {
			empty++
		}
	}
	t.Logf("%d files, %d of them without content", opened, empty)
	if opened < 361 || empty > 0 {
		t.Errorf("%d files opened, %d of them without content; want 361 or more, and 0", opened, empty)
	}
}
