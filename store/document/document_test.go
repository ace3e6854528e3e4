package document

import (
	"reflect"
	"strings"
	"testing"

	"infomall/store/record"
)

// sample is a document with something in every field.
func sample() *Document {
	d := New()
	d.Kind, d.Format, d.Title, d.Author = "pdf", "fmt/18", "A <b> & c", "Li Wei"
	d.Lang, d.Created, d.Pages = "zh", record.Time(1_214_900_000_000), 2
	d.Print, d.HasPrint, d.Scanned, d.Reason = 77, true, true, "cut"
	d.Sections = []Section{
		{Kind: Page, Name: "1", Parts: []Part{{Heading, "Title"}, {Paragraph, "one\ntwo < three"}, {Deleted, "gone"}}},
		{Kind: Page, Name: "2", Parts: []Part{{Table, "a\tb\nc\td"}}},
		{Kind: Page, Name: "3"},
	}
	d.Links = []Link{{"http://a.example/", "a", 1}}
	return d
}

// TestPack shows that a reading gives the document back, and that a damaged reading is
// refused or gives some document, but never panics.
func TestPack(t *testing.T) {
	d := sample()
	reading := d.Append(nil)
	got, err := Unpack(reading)
	if err != nil {
		t.Fatal(err)
	}
	d.Sections[2].Parts = []Part{}
	if !reflect.DeepEqual(got, d) {
		t.Errorf("got  %+v\nwant %+v", got, d)
	}
	for i := range reading {
		if _, err := Unpack(reading[:i]); err == nil {
			t.Errorf("a reading cut to %d bytes was taken", i)
		}
		for _, flip := range []byte{1, 0x80, 0xff} {
			b := append([]byte(nil), reading...)
			b[i] ^= flip
			_, _ = Unpack(b)
		}
	}
}

// TestMarkup shows that each span of the markup is one element with the text of its
// section or part.
func TestMarkup(t *testing.T) {
	page, spans := sample().Markup()
	var got []string
	for _, s := range spans {
		got = append(got, string(page[s.Start:s.End]))
	}
	want := []string{
		"<section>\n<h2>Title</h2>\n<p>one<br>two &lt; three</p>\n</section>", "<h2>Title</h2>", "<p>one<br>two &lt; three</p>",
		"<section>\n<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>\n</section>",
		"<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if head := "<title>A &lt;b&gt; &amp; c</title>"; !strings.Contains(string(page), head) {
		t.Errorf("no %s in %s", head, page)
	}
}

// TestBuilder shows that text is cleaned, and that the limits hold.
func TestBuilder(t *testing.T) {
	b := NewBuilder(Limits{Text: 10, Parts: 4}, nil)
	if err := b.Add(Paragraph, "\u00adab\x00c\r\nd \xff"); err != nil {
		t.Fatal(err)
	}
	if err := b.Add(Paragraph, "\ufeff"); err != nil {
		t.Fatal(err)
	}
	if err := b.Add(Paragraph, "北京大学"); err != ErrLimit {
		t.Errorf("got %v, want ErrLimit", err)
	}
	want := []Section{{Parts: []Part{{Paragraph, "abc\nd"}, {Paragraph, "北"}}}}
	if !reflect.DeepEqual(b.Doc.Sections, want) {
		t.Errorf("got %q, want %q", b.Doc.Sections, want)
	}
}

// TestNested shows that a body inside of a document shares its limits, and that its
// parts become one section.
func TestNested(t *testing.T) {
	b := NewBuilder(Limits{Unpacked: 100, Parts: 10}, func(in *Input) *Document {
		inner := NewBuilder(in.Limits, nil)
		if err := inner.Unpack(60); err != nil {
			t.Error(err)
		}
		_ = inner.Begin(Page, "1")
		_ = inner.Add(Paragraph, "one")
		_ = inner.Begin(Page, "2")
		_ = inner.Add(Heading, "two")
		inner.Link("http://a.example/", "a")
		inner.Doc.Title = "A title"
		return inner.Doc
	})
	if err := b.Unpack(10); err != nil {
		t.Fatal(err)
	}
	if err := b.AddMember("a.doc", b.Nested(&Input{Body: []byte("x")})); err != nil {
		t.Fatal(err)
	}
	if left := b.UnpackLeft(); left != 30 {
		t.Errorf("%d bytes are left, want 30", left)
	}
	if err := b.Unpack(31); err != ErrLimit {
		t.Errorf("got %v, want ErrLimit", err)
	}
	want := []Section{{Member, "a.doc", []Part{{Heading, "A title"}, {Paragraph, "one"}, {Heading, "two"}}}}
	if !reflect.DeepEqual(b.Doc.Sections, want) || b.Doc.Links[0].Section != 0 {
		t.Errorf("got %v and links %v, want %v", b.Doc.Sections, b.Doc.Links, want)
	}
}

// TestLinksBounded adds a link with a long target again and again, as a link over many paragraphs
// does, and links with long texts, as links inside of each other do. All links together are bounded.
func TestLinksBounded(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	b := NewBuilder(Limits{Text: 1 << 20}, nil)
	for range 2000 {
		b.Link("http://a.example/"+long, "a")
		b.Link("http://a.example/", long)
	}
	size := 0
	for _, l := range b.Doc.Links {
		size += len(l.Target) + len(l.Anchor)
	}
	if size < 2<<20 || size > 4<<20 {
		t.Errorf("%d links have %d bytes, want 2 to 4 MB", len(b.Doc.Links), size)
	}
}
