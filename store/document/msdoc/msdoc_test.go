package msdoc

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"infomall/store/document"
	"infomall/store/document/documenttest"
	"infomall/store/document/ole/oletest"
)

var le = binary.LittleEndian

// builder makes documents of Word byte by byte.
type builder struct {
	main  []byte
	table []byte
}

// newBuilder returns a builder of a document with a head of 2048 bytes.
func newBuilder(magic string, version, language int) *builder {
	b := &builder{main: make([]byte, 2048)}
	copy(b.main, magic)
	le.PutUint16(b.main[2:], uint16(version))
	le.PutUint16(b.main[6:], uint16(language))
	return b
}

// one returns a document of Word 2, 6 or 95 with one stretch of text.
func one(magic string, version, language int, text string) []byte {
	b := newBuilder(magic, version, language)
	le.PutUint32(b.main[0x18:], uint32(len(b.main)))
	le.PutUint32(b.main[0x1c:], uint32(len(b.main)+len(text)))
	le.PutUint32(b.main[0x34:], uint32(len(text)))
	return append(b.main, text...)
}

// pieceText is one piece of a document of Word 97.
type pieceText struct {
	text string
	wide bool
}

// pieced returns a document of Word 97 whose pieces lie in the stream in reverse order.
// lengths are the characters of its stories.
func pieced(lengths []int, pieces ...pieceText) *builder {
	b := newBuilder(headWord97, 193, 0x409)
	offsets := make([]uint32, len(pieces))
	counts := make([]int, len(pieces))
	for i := len(pieces) - 1; i >= 0; i-- {
		p := pieces[i]
		if at := uint32(len(b.main)); p.wide {
			units := utf16.Encode([]rune(p.text))
			for _, u := range units {
				b.main = le.AppendUint16(b.main, u)
			}
			offsets[i], counts[i] = at, len(units)
		} else {
			b.main = append(b.main, p.text...)
			offsets[i], counts[i] = 2*at|1<<30, len(p.text)
		}
	}
	list := []byte{0, 0, 0, 0}
	total := 0
	for _, n := range counts {
		total += n
		list = le.AppendUint32(list, uint32(total))
	}
	for _, o := range offsets {
		list = le.AppendUint16(le.AppendUint32(le.AppendUint16(list, 0), o), 0)
	}
	b.table = append([]byte{1, 2, 0, 0xff, 0xff, 2}, le.AppendUint32(nil, uint32(len(list)))...)
	b.table = append(b.table, list...)
	b.place(0x1a2, 0, len(b.table))
	for i, n := range lengths {
		le.PutUint32(b.main[0x4c+4*i:], uint32(n))
	}
	return b
}

// place writes where a part of the table stream is.
func (b *builder) place(at, from, n int) {
	le.PutUint32(b.main[at:], uint32(from))
	le.PutUint32(b.main[at+4:], uint32(n))
}

// property adds a page of properties of characters: from one offset to another the
// list applies.
func (b *builder) property(from, to int, list string) {
	for len(b.main)%pageBytes != 0 {
		b.main = append(b.main, 0)
	}
	number := len(b.main) / pageBytes
	page := make([]byte, pageBytes)
	le.PutUint32(page, uint32(from))
	le.PutUint32(page[4:], uint32(to))
	page[8] = 100 // at 200
	page[200] = byte(len(list))
	copy(page[201:], list)
	page[pageBytes-1] = 1
	b.main = append(b.main, page...)
	at := len(b.table)
	for _, n := range []int{from, to, number} {
		b.table = le.AppendUint32(b.table, uint32(n))
	}
	b.place(0xfa, at, len(b.table)-at)
}

// file returns the document in its container.
func (b *builder) file() []byte {
	return oletest.Build(oletest.Stream{Name: "0Table", Data: b.table}, oletest.Stream{Name: mainStream, Data: b.main})
}

func inContainer(main []byte) []byte {
	return oletest.Build(oletest.Stream{Name: mainStream, Data: main})
}

// partsOf returns the parts of a document, one on a line, after their kinds.
func partsOf(t *testing.T, body []byte) string {
	t.Helper()
	out := oletest.Outline(documenttest.Read(t, Kind, document.Input{Body: body}))
	_, parts, _ := strings.Cut(out, "==  \"\"\n")
	return parts
}

func TestFive(t *testing.T) { oletest.File(t, Kind, "testdata/five.doc", "testdata/five.txt") }

// TestStories reads pieces that lie in the stream in another order than in the
// document, of one and two bytes a character, and the stories.
func TestStories(t *testing.T) {
	const first, second = "Caf\xe9 ", "“one” and two\x02.\x0cNext\x1epage\x0bline\r灯塔\r"
	const foot, comment = "\x02 The note\r", "Said\r"
	b := pieced([]int{len(first) + len([]rune(second)), len(foot), 0, 0, len(comment)},
		pieceText{first, false}, pieceText{second, true}, pieceText{foot + comment, false})
	const want = `paragraph: "Café “one” and two."
paragraph: "Next-page\nline"
paragraph: "灯塔"
note: "The note"
note: "Said"
`
	if got := partsOf(t, b.file()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestCharacters leaves out hidden text, and marks what a tracked change removed.
func TestCharacters(t *testing.T) {
	for _, c := range []struct{ name, list, want string }{
		{"hidden", "\x3c\x08\x01", "paragraph: \"one three\"\n"},
		{"not hidden", "\x3c\x08\x00", "paragraph: \"one two three\"\n"},
		{"after a long property", "\x03\x6a\x01\x02\x03\x04\x3c\x08\x01", "paragraph: \"one three\"\n"},
		{"removed", "\x00\x08\x01", "paragraph: \"one three\"\ndeleted: \"two\"\n"},
		{"symbol", "\x09\x6a\x00\x00\x00\x00", "paragraph: \"one three\"\n"},
	} {
		b := pieced([]int{14}, pieceText{"one two three\r", false})
		b.property(2048+4, 2048+8, c.list)
		if got := partsOf(t, b.file()); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestFields shows the results of fields, and their links.
func TestFields(t *testing.T) {
	const text = "Page \x13 PAGE \x147\x15, \x13 HYPERLINK \"http://a.example/\" \\l \"part\" \\o \"tip\" \x01\x14see \x13REF x\x14there\x15\x15.\r" +
		"\x13 HYPERLINK http://b.example/ \x15\x13 XE \"hidden\" \x15End \x13 HYPERLINK \\l \"top\" \x14up\x15\r"
	b := pieced([]int{len(text)}, pieceText{text, false})
	const want = `paragraph: "Page 7, see there."
paragraph: "End up"
link of section 0: http://a.example/#part "see there"
link of section 0: http://b.example/ ""
link of section 0: #top "up"
`
	if got := partsOf(t, b.file()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	endless := "\x13 HYPERLINK " + strings.Repeat("x", 2*instructionsMax) + "\rThe text goes on.\r"
	b = pieced([]int{len(endless)}, pieceText{endless, false})
	if got := partsOf(t, b.file()); !strings.Contains(got, "The text goes on.") {
		t.Errorf("after a field that does not end: %q", got)
	}
	deep := strings.Repeat("\x13 IF ", 1000) + strings.Repeat("\x15", 1000) + "shown\r"
	b = pieced([]int{len(deep)}, pieceText{deep, false})
	if got := partsOf(t, b.file()); got != "paragraph: \"shown\"\n" {
		t.Errorf("after 1000 nested fields: %q", got)
	}
}

// TestOld reads Word 6 and Word 2, with the code page of their language.
func TestOld(t *testing.T) {
	for _, c := range []struct {
		name     string
		language int
		text     string
		want     string
	}{
		{"English", 0x409, "A \x93caf\xe9\x94\r", "paragraph: \"A “café”\"\n"},
		{"Chinese", 0x804, "\xb5\xc6\xcb\xfe\xa1\xa3\r", "paragraph: \"灯塔。\"\n"},
		{"Taiwan", 0x404, "\xbfO\xb6\xf0\xa1C\r", "paragraph: \"燈塔。\"\n"},
		{"Russian", 0x419, "\xcc\xe0\xff\xea\r", "paragraph: \"Маяк\"\n"},
		{"table", 0x409, "Before\ra\x07b\x07\x07c\x07d\x07\x07After\r", "paragraph: \"Before\"\ntable: \"a\\tb\\nc\\td\"\nparagraph: \"After\"\n"},
	} {
		if got := partsOf(t, inContainer(one(headWord6, 104, c.language, c.text))); got != c.want {
			t.Errorf("Word 6, %s: got %q, want %q", c.name, got, c.want)
		}
		if got := partsOf(t, one(word2, 45, c.language, c.text)); got != c.want {
			t.Errorf("Word 2, %s: got %q, want %q", c.name, got, c.want)
		}
	}
	mac := one(headWord6, 104, 0x40c, "l\xd5\x8et\x8e\r")
	le.PutUint16(mac[0x14:], charsetMac)
	if got := partsOf(t, inContainer(mac)); got != "paragraph: \"l’été\"\n" {
		t.Errorf("Macintosh: %q", got)
	}
}

func TestEncrypted(t *testing.T) {
	b := pieced([]int{5}, pieceText{"text\r", false})
	le.PutUint16(b.main[10:], flagEncrypted)
	if d := documenttest.Read(t, Kind, document.Input{Body: b.file()}); d.Reason != errEncrypted.Error() || len(d.Sections) > 0 {
		t.Errorf("reason %q, %d sections", d.Reason, len(d.Sections))
	}
}

// TestOverlap reads a document whose pieces all are the same bytes: it must end within
// the bytes of the file.
func TestOverlap(t *testing.T) {
	b := pieced([]int{1 << 30}, pieceText{"text\r", false})
	list := []byte{}
	const pieces = 10_000
	for i := range pieces + 1 {
		list = le.AppendUint32(list, uint32(i*5))
	}
	for range pieces {
		list = le.AppendUint16(le.AppendUint32(le.AppendUint16(list, 0), 2*2048|1<<30), 0)
	}
	b.table = append(append([]byte{2}, le.AppendUint32(nil, uint32(len(list)))...), list...)
	b.place(0x1a2, 0, len(b.table))
	d := documenttest.Read(t, Kind, document.Input{Body: b.file()})
	if n := len(documenttest.Text(d)); n == 0 || n > 2*len(b.main) || d.Reason != document.ErrLimit.Error() {
		t.Errorf("%d bytes of text of a stream of %d, reason %q", n, len(b.main), d.Reason)
	}
}

// TestLimit stops at the limit of text.
func TestLimit(t *testing.T) {
	text := strings.Repeat("word ", 1000) + "\r"
	b := pieced([]int{len(text)}, pieceText{text, false})
	d := documenttest.Read(t, Kind, document.Input{Body: b.file(), Limits: document.Limits{Text: 100}})
	if n := len(documenttest.Text(d)); d.Reason != document.ErrLimit.Error() || n > 101 {
		t.Errorf("reason %q, %d bytes", d.Reason, n)
	}
}

// TestLost reads a file that was cut before its directory.
func TestLost(t *testing.T) {
	body := inContainer(one(headWord6, 104, 0x409, strings.Repeat("The text goes on. ", 300)+"\r"))
	d := documenttest.Read(t, Kind, document.Input{Body: body[:6000]})
	if text := documenttest.Text(d); d.Reason != errLost.Error() || len(text) < 3000 {
		t.Errorf("reason %q, %d bytes of text", d.Reason, len(text))
	}
}

func TestDamaged(t *testing.T) {
	five, err := os.ReadFile("testdata/five.doc")
	if err != nil {
		t.Fatal(err)
	}
	const text = "One\r\x13 HYPERLINK \"http://a.example/\" \x14two\x15\ra\x07b\x07\x07\r"
	b := pieced([]int{len(text)}, pieceText{text, false})
	b.property(2050, 2060, "\x3c\x08\x01")
	documenttest.Mutate(t, Kind, "", five, b.file(), inContainer(one(headWord6, 104, 0x804, text)), one(word2, 45, 0x409, text))
}

// TestShared reads the documents of Word among the shared test data.
func TestShared(t *testing.T) {
	documenttest.Office(t, Kind, "", 66, map[string]string{
		"Word95.doc":              "The quick brown fox jumps over the lazy dog",
		"word95err.doc":           "Вина Молдовы для Вас",
		"Word6_sections2.doc":     "stipulates that, when notice is given of a meeting",
		"TestInvertedClassID.doc": "les domaines de l’organisation et la stratégie",
		"hyperlink.doc":           "Hyperlink",
	})
}
