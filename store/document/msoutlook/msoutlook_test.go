package msoutlook

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"infomall/store/document"
	"infomall/store/document/documenttest"
	"infomall/store/document/ole/oletest"
)

var le = binary.LittleEndian

func wide(name, text string) oletest.Stream {
	var data []byte
	for _, u := range utf16.Encode([]rune(text)) {
		data = le.AppendUint16(data, u)
	}
	return oletest.Stream{Name: "__substg1.0_" + name + "001F", Data: data}
}

func narrow(name, text string) oletest.Stream {
	return oletest.Stream{Name: "__substg1.0_" + name + "001E", Data: []byte(text)}
}

// fixed returns the properties of a fixed size: the time of submission and a code page.
func fixed(page uint64) oletest.Stream {
	data := make([]byte, fixedHead)
	add := func(id, kind uint16, n uint64) {
		data = le.AppendUint64(le.AppendUint32(le.AppendUint16(le.AppendUint16(data, kind), id), 6), n)
	}
	add(propSubmitted, typeTime, 128_000_000_000_000_000)
	add(propPage, typeNumber, page)
	return oletest.Stream{Name: fixedStream, Data: data}
}

const want = `title: 灯塔
author: Anna Weber
created: 2006-08-14 03:33:20
==  ""
heading: "灯塔"
paragraph: "From: Anna Weber\nTo: Li Wei\nDate: Mon, 14 Aug 2006 03:33:20 +0000"
paragraph: "First line\nsecond line"
paragraph: "Last"
`

func TestRead(t *testing.T) {
	unicode := oletest.Build(fixed(1252), wide("0037", "灯塔"), wide("0042", "Anna Weber"), wide("0E04", "Li Wei\x00"), wide("1000", "First line\r\nsecond line\r\n\r\nLast\r\n"))
	bytes := oletest.Build(fixed(936), narrow("0037", "\xb5\xc6\xcb\xfe"), narrow("0C1A", "Anna Weber"), narrow("0E04", "Li Wei"), narrow("1000", "First line\r\nsecond line\r\n\r\nLast"))
	for name, body := range map[string][]byte{"UTF-16": unicode, "bytes": bytes} {
		if got := oletest.Outline(documenttest.Read(t, Kind, document.Input{Body: body})); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestPage reads the page of a message without plain text by the kind for pages.
func TestPage(t *testing.T) {
	body := oletest.Build(fixed(1252), wide("0037", "Subject"), oletest.Stream{Name: "__substg1.0_10130102", Data: []byte("<p>caf\xe9")})
	b := document.NewBuilder(document.Limits{}, func(in *document.Input) *document.Document {
		d := document.New()
		d.Sections = []document.Section{{Parts: []document.Part{{Text: in.Mime + " " + string(in.Body)}}}}
		return d
	})
	if err := Kind.Read(b, &document.Input{Body: body}); err != nil {
		t.Fatal(err)
	}
	if got := documenttest.Text(b.Doc); !strings.HasSuffix(got, "text/html <p>café\n") {
		t.Errorf("got %q", got)
	}
}

func TestDamaged(t *testing.T) {
	documenttest.Mutate(t, Kind, "", oletest.Build(fixed(936), narrow("0037", "\xb5\xc6\xcb\xfe"), wide("1000", "First line\r\n\r\nLast")))
}

// TestShared reads the messages among the shared test data.
func TestShared(t *testing.T) {
	documenttest.Office(t, Kind, ".msg", 21, map[string]string{
		"quick.msg":               "The quick brown fox jumps over the lazy dog",
		"chinese-traditional.msg": "格式測試",
		"cyrillic_message.msg":    "Автоматический ответ подсистемы",
		"attachment_test_msg.msg": "contenu\ntest-unicode.doc\npj1.txt",
		"simple_test_msg.msg":     "This is a test message.",
	})
}
