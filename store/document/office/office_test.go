package office

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"infomall/store/document"
	"infomall/store/record"
)

// TestFlow shows where paragraphs, boxes, notes, tables and links of a flow go.
func TestFlow(t *testing.T) {
	b := document.NewBuilder(document.Limits{}, nil)
	f := NewFlow(b)
	paragraph := func(text string) {
		f.Text(text)
		f.EndParagraph(document.Paragraph)
	}
	f.Text("before ")
	f.BeginLink("http://a.example/")
	f.Text("link")
	f.BeginBox()
	f.BeginTable()
	paragraph("x")
	f.EndCell()
	paragraph("y")
	f.EndCell()
	f.EndRow()
	f.EndTable()
	f.EndFrame()
	f.EndLink()
	f.BeginNote()
	paragraph("note")
	paragraph("and more")
	f.EndFrame()
	f.Remove("gone")
	f.EndParagraph(document.Heading)
	f.BeginTable()
	for _, row := range [][]string{{"a", "b"}, {"", ""}, {"c", ""}} {
		for _, cell := range row {
			paragraph(cell)
			if cell == "b" { // a table inside of the cell
				f.BeginTable()
				paragraph("d")
				f.EndCell()
				f.EndRow()
				f.EndTable()
				f.Remove("in a cell")
			}
			f.EndCell()
		}
		f.EndRow()
	}
	f.EndTable()
	f.BeginTable() // not ended
	paragraph("alone")
	f.BeginNote() // not ended
	f.Text("note\nand more")
	if err := f.EndSection(); err != nil {
		t.Fatal(err)
	}
	want := []document.Section{{Parts: []document.Part{
		{Kind: document.Heading, Text: "before link"}, {Kind: document.Table, Text: "x\ty"}, {Kind: document.Deleted, Text: "gone"},
		{Kind: document.Table, Text: "a\tb d\nc"}, {Kind: document.Deleted, Text: "in a cell"}, {Text: "alone"}, {Kind: document.Note, Text: "note\nand more"},
	}}}
	if !reflect.DeepEqual(b.Doc.Sections, want) {
		t.Errorf("got  %q\nwant %q", b.Doc.Sections, want)
	}
	if want := []document.Link{{Target: "http://a.example/", Anchor: "link"}}; !reflect.DeepEqual(b.Doc.Links, want) {
		t.Errorf("links: got %v, want %v", b.Doc.Links, want)
	}
}

// TestFlowLimit shows that a flow stops at the limits of its builder.
func TestFlowLimit(t *testing.T) {
	b := document.NewBuilder(document.Limits{Text: 3}, nil)
	f := NewFlow(b)
	for range 3 {
		f.Text("ab")
		f.EndParagraph(document.Paragraph)
	}
	if f.Err() != document.ErrLimit || f.EndSection() != document.ErrLimit {
		t.Errorf("got %v, want ErrLimit", f.Err())
	}
	if want := []document.Part{{Text: "ab"}, {Text: "a"}}; !reflect.DeepEqual(b.Doc.Sections[0].Parts, want) {
		t.Errorf("got %q, want %q", b.Doc.Sections[0].Parts, want)
	}
}

// TestLanguage shows that the letters of a text decide which of its languages counts.
func TestLanguage(t *testing.T) {
	l := Languages{Western: "en-US", Asian: "zh-CN", Complex: "ar-SA"}
	for text, want := range map[string]string{
		"Some words": "en-US", "Über Ελλάδα Россия": "en-US", "北京大学 PKU": "zh-CN", "تقرير عن XML": "ar-SA", "123 !?": "",
	} {
		var c LanguageCount
		c.Add([]byte(text), l)
		if got := c.Most(); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	if got, want := (Languages{Asian: "ja"}).Or(l), (Languages{"en-US", "ja", "ar-SA"}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestDate shows the forms of dates.
func TestDate(t *testing.T) {
	at := func(y, mo, d, h, mi, s, ms int) record.Time {
		return record.At(time.Date(y, time.Month(mo), d, h, mi, s, ms*1e6, time.UTC))
	}
	for text, want := range map[string]record.Time{
		"2008-06-12T10:00:00Z": at(2008, 6, 12, 10, 0, 0, 0), " 2008-06-12T10:00:00+02:00 ": at(2008, 6, 12, 8, 0, 0, 0),
		"2008-06-12T10:00:00.25": at(2008, 6, 12, 10, 0, 0, 250), "2008-06-12T10:00Z": at(2008, 6, 12, 10, 0, 0, 0), "2008-06-12": at(2008, 6, 12, 0, 0, 0, 0), "2008": at(2008, 1, 1, 0, 0, 0, 0),
		"1601-01-01T00:00:00Z": record.NoTime, "": record.NoTime, "yesterday": record.NoTime,
	} {
		if got := Date(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// TestFieldsAndNumbers shows the addresses of field codes, and numbers of lists.
func TestFieldsAndNumbers(t *testing.T) {
	for code, want := range map[string]string{
		` HYPERLINK "http://a.example/ x" \o "tip" `: "http://a.example/ x", "HYPERLINK http://a.example/ \\h": "http://a.example/",
		`HYPERLINK \l "place"`: "", "PAGE": "", "": "",
	} {
		if got := LinkOf(code); got != want {
			t.Errorf("%s: got %q, want %q", code, got, want)
		}
	}
	for _, c := range []struct {
		n      int
		format byte
		want   string
	}{{4, '1', "4"}, {4, '0', "04"}, {27, 'a', "aa"}, {28, 'A', "BB"}, {1949, 'I', "MCMXLIX"}, {4, 'i', "iv"}, {0, 'I', "0"}, {1 << 30, 'a', "1073741824"}, {3, 0, "3"}} {
		if got := Number(c.n, c.format); got != c.want {
			t.Errorf("%d as %c: got %s, want %s", c.n, c.format, got, c.want)
		}
	}
}

func TestAddKeyword(t *testing.T) {
	d := &document.Document{}
	for _, word := range []string{"one", " ", "two\n"} {
		AddKeyword(d, word)
	}
	if d.Keywords != "one, two" {
		t.Errorf("the keywords are %q, want \"one, two\"", d.Keywords)
	}
	for range 10 {
		AddKeyword(d, strings.Repeat("x", keywordBytesMax/2))
	}
	if n := len(d.Keywords); n > 2*keywordBytesMax {
		t.Errorf("a document has %d bytes of keywords", n)
	}
}

// TestTakeManyBoxes takes the text of a cell with many boxes. The memory that this takes does not grow
// with the square of their number.
func TestTakeManyBoxes(t *testing.T) {
	take := func(n int) (string, uint64) {
		f := NewFlow(document.NewBuilder(document.Limits{}, nil))
		f.Text("a")
		for range n {
			f.BeginBox()
			f.Text("some text of a box")
			f.EndFrame()
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		text := f.Take()
		runtime.ReadMemStats(&after)
		return text, after.TotalAlloc - before.TotalAlloc
	}
	if text, _ := take(2); text != "a some text of a box some text of a box" {
		t.Errorf("got %q", text)
	}
	// A copy of the text so far for each box would take 150 MB.
	if _, used := take(4000); used > 20<<20 {
		t.Errorf("4000 boxes take %d bytes", used)
	}
}

// TestHeldText adds a long text to many notes, boxes and cells. A file whose list has a long number does
// that. Their parts are added at the end of the section, and until then may take only bounded memory.
func TestHeldText(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	f := NewFlow(document.NewBuilder(document.Limits{Text: 100_000}, nil))
	for range 100 {
		f.BeginNote()
		f.Text(long)
		f.EndFrame()
		f.BeginBox()
		f.Text(long)
		f.EndFrame()
	}
	f.BeginTable()
	for range 100 {
		f.Text(long)
		f.EndCell()
	}
	size := len(f.top().table.row)
	for _, n := range f.notes {
		size += len(n)
	}
	for _, p := range f.top().boxes {
		size += len(p.Text)
	}
	if size > heldMost*100_000 {
		t.Errorf("%d bytes are held", size)
	}
	if err := f.EndSection(); err != document.ErrLimit {
		t.Errorf("got the error %v, want ErrLimit", err)
	}
}

// TestFieldsTooDeep begins a field inside of another, although only one may be open. The end of the inner
// field does not end the outer one.
func TestFieldsTooDeep(t *testing.T) {
	b := document.NewBuilder(document.Limits{}, nil)
	flow, f := NewFlow(b), &Fields{}
	f.Char("begin", flow, 1, false)
	f.Code(`HYPERLINK "http://a.example/"`)
	for _, kind := range []string{"begin", "separate", "end"} {
		f.Char(kind, flow, 1, false)
		if !f.InCode() {
			t.Errorf("after the %s of the inner field: text is not in the code of the outer field", kind)
		}
	}
	f.Char("separate", flow, 1, false)
	flow.Text("anchor")
	f.Char("end", flow, 1, false)
	if len(b.Doc.Links) != 1 || b.Doc.Links[0].Anchor != "anchor" {
		t.Errorf("got the links %v", b.Doc.Links)
	}
}
