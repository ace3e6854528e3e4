package msppt

import (
	"encoding/binary"
	"os"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"infomall/store/document"
	"infomall/store/document/documenttest"
	"infomall/store/document/ole/oletest"
)

var le = binary.LittleEndian

// rec returns a record. The version of a container is 15.
func rec(kind, instance, version int, data ...[]byte) []byte {
	out := le.AppendUint16(nil, uint16(instance<<4|version))
	out = le.AppendUint32(le.AppendUint16(out, uint16(kind)), 0)
	for _, d := range data {
		out = append(out, d...)
	}
	le.PutUint32(out[4:], uint32(len(out)-recordHead))
	return out
}

func box(kind, instance int, data ...[]byte) []byte  { return rec(kind, instance, 15, data...) }
func atom(kind, instance int, data ...[]byte) []byte { return rec(kind, instance, 0, data...) }

func num(list ...uint32) (out []byte) {
	for _, n := range list {
		out = le.AppendUint32(out, n)
	}
	return out
}

func wide(s string) (out []byte) {
	for _, r := range s {
		out = le.AppendUint16(out, uint16(r))
	}
	return out
}

// shape returns a shape with a text of a type.
func shape(kind uint32, text []byte, more ...[]byte) []byte {
	return box(typeShape, 0, rec(typeTextbox, 0, 15, atom(typeTextHeader, 0, num(kind)), text, join(more...)))
}

func join(list ...[]byte) (out []byte) {
	for _, b := range list {
		out = append(out, b...)
	}
	return out
}

func slide(kind int, head []byte, shapes ...[]byte) []byte {
	return box(kind, 0, head, box(typeDrawing, 0, box(typeDgContainer, 0, box(typeGroup, 0, shapes...))))
}

// saved is a presentation with two edits: the second replaces a slide and orders the
// slides differently.
func saved() []byte {
	var stream []byte
	put := func(b []byte) uint32 {
		at := uint32(len(stream))
		stream = append(stream, b...)
		return at
	}
	persist := func(ref, number uint32) []byte { return atom(typePersist, 0, num(ref, 0, 0, number, 0)) }
	first := put(slide(typeSlide, nil, shape(0, atom(typeTextBytes, 0, []byte("An old title")))))
	second := put(slide(typeSlide, nil,
		box(typeShape, 0, rec(typeTextbox, 0, 15, atom(typeOutlineRef, 0, num(1)))),
		shape(4, atom(typeTextChars, 0, wide("灯塔 see*\rnext\vline")), atom(typeSlideNumber, 0, num(6)),
			box(typeInteractive, 0, atom(typeInteractive1, 0, num(0, 5))), atom(typeLinkRange, 0, num(3, 6)))))
	notes := put(slide(typeNotes, atom(typeNotesAtom, 0, num(258, 0)), shape(2, atom(typeTextBytes, 0, []byte("Say hello")))))
	doc := func(slides ...[]byte) []byte {
		return box(typeDocument, 0,
			box(typeLinkList, 0, box(typeLink, 0, atom(typeLinkAtom, 0, num(5)), atom(typeString, 0, wide("name")), atom(typeString, 1, wide("http://a.example/")))),
			box(typeSlideList, 0, slides...),
			box(typeSlideList, 2, persist(4, 0)),
			box(typeMargins, 0, atom(typeString, 2, wide("A footer"))))
	}
	document1 := put(doc(persist(2, 257)))
	dir1 := put(atom(typePersistDir, 0, num(4<<20|1, document1, first, second, notes)))
	edit1 := put(atom(typeEdit, 0, num(0, 0, 0, dir1, 1, 0, 0)))
	newer := put(slide(typeSlide, nil, shape(0, atom(typeTextBytes, 0, []byte("A title\vin two lines")))))
	document2 := put(doc(persist(3, 258),
		atom(typeTextHeader, 0, num(0)), atom(typeTextBytes, 0, []byte("Left over")),
		atom(typeTextHeader, 0, num(1)), atom(typeTextBytes, 0, []byte("First\rSecond")),
		persist(2, 257)))
	dir2 := put(atom(typePersistDir, 0, num(2<<20|1, document2, newer)))
	edit2 := put(atom(typeEdit, 0, num(0, 0, edit1, dir2, 1, 0, 0)))
	return oletest.Build(
		oletest.Stream{Name: "Current User", Data: atom(0x0ff6, 0, num(20, 0xe391c05f, edit2))},
		oletest.Stream{Name: "PowerPoint Document", Data: stream})
}

func TestFive(t *testing.T) { oletest.File(t, Kind, "testdata/five.ppt", "testdata/five.txt") }

// TestEdits reads slides in the order and form of the last edit, with the outline, a
// link, a field and notes.
func TestEdits(t *testing.T) {
	const want = `pages: 2
== slide "1"
paragraph: "First"
paragraph: "Second"
paragraph: "灯塔 see"
paragraph: "next\nline"
heading: "Left over"
note: "Say hello"
== slide "2"
heading: "A title\nin two lines"
note: "A footer"
link of section 0: http://a.example/ "see"
`
	if got := oletest.Outline(documenttest.Read(t, Kind, document.Input{Body: saved()})); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestUnreadable(t *testing.T) {
	user := atom(0x0ff6, 0, num(20, tokenEncrypted, 0))
	for want, body := range map[string][]byte{
		errEncrypted.Error(): oletest.Build(oletest.Stream{Name: "Current User", Data: user}, oletest.Stream{Name: "PowerPoint Document", Data: num(0, 0)}),
		errOld.Error():       oletest.Build(oletest.Stream{Name: "PP40", Data: num(0, 0)}),
		errLost.Error():      oletest.Build(oletest.Stream{Name: "PowerPoint Document", Data: slide(typeSlide, nil, shape(0, atom(typeTextBytes, 0, []byte("A title"))))}),
	} {
		if d := documenttest.Read(t, Kind, document.Input{Body: body}); d.Reason != want {
			t.Errorf("reason %q, want %q", d.Reason, want)
		}
	}
}

// TestOverlap reads a presentation in which all slides are one record.
func TestOverlap(t *testing.T) {
	big := slide(typeSlide, nil, shape(4, atom(typeTextBytes, 0, []byte(strings.Repeat("word ", 10_000)))))
	var slides, places []byte
	const count = 4000
	for i := range uint32(count) {
		slides = append(slides, atom(typePersist, 0, num(2+i, 0, 0, 300+i, 0))...)
		places = append(places, num(0)...)
	}
	stream := big
	doc := uint32(len(stream))
	stream = append(stream, box(typeDocument, 0, box(typeSlideList, 0, slides))...)
	dir := uint32(len(stream))
	stream = append(stream, atom(typePersistDir, 0, num(1<<20|1, doc), num(4000<<20&0xfff00000|2), places)...)
	edit := uint32(len(stream))
	stream = append(stream, atom(typeEdit, 0, num(0, 0, 0, dir, 1, 0, 0))...)
	d := documenttest.Read(t, Kind, document.Input{Body: oletest.Build(
		oletest.Stream{Name: "Current User", Data: atom(0x0ff6, 0, num(20, 0xe391c05f, edit))},
		oletest.Stream{Name: "PowerPoint Document", Data: stream})})
	if n := len(documenttest.Text(d)); n < 40_000 || n > 2*len(stream) || d.Reason != document.ErrLimit.Error() {
		t.Errorf("%d bytes of text of a stream of %d, reason %q", n, len(stream), d.Reason)
	}
}

// TestManyLinks reads a text whose links all have the whole text as anchor. All anchors together are
// bounded.
func TestManyLinks(t *testing.T) {
	s := &show{b: document.NewBuilder(document.Limits{Text: 100_000}, nil)}
	long := text{units: utf16.Encode([]rune(strings.Repeat("word ", 10_000)))}
	for range 2000 {
		long.links = append(long.links, textLink{"http://a.example/", 0, 50_000})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := s.add([]text{long}, false); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 20<<20 || len(s.b.Doc.Links) != 2000 {
		t.Errorf("%d links take %d bytes", len(s.b.Doc.Links), used)
	}
}

func TestDamaged(t *testing.T) {
	five, err := os.ReadFile("testdata/five.ppt")
	if err != nil {
		t.Fatal(err)
	}
	documenttest.Mutate(t, Kind, "", five, saved())
}

// TestShared reads the presentations among the shared test data.
func TestShared(t *testing.T) {
	documenttest.Office(t, Kind, "", 40, map[string]string{
		"54880_chinese.ppt":         "カタカナ",
		"WithComments.ppt":          "Administrator: This is a test comment",
		"SampleShow.ppt":            "I am the notes of the first slide",
		"incorrect_slide_order.ppt": "Slide 1\nFirst slide I added\nSlide 2",
		"headers_footers.ppt":       "Global Slide Footer",
	})
}
