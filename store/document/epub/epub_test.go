package epub

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"infomall/store/document"
	"infomall/store/document/documenttest"
	"infomall/store/document/office/officetest"
	"infomall/store/record"
)

// TestMade reads the books that LibreOffice made.
func TestMade(t *testing.T) { officetest.Check(t, Kind, "epub", -1) }

// TestMutations reads damaged books.
func TestMutations(t *testing.T) {
	bodies := officetest.Check(t, Kind, "epub", -1)
	for _, body := range bodies {
		bodies = append(bodies, officetest.Stored(t, body))
	}
	documenttest.Mutate(t, Kind, mime, append(bodies, book3(t, ""))...)
}

// book3 returns a book of three chapters with a table of contents. encrypted is the
// name of a file that its list of encrypted files has.
func book3(t *testing.T, encrypted string) []byte {
	return officetest.Zip(t, "mimetype", mime,
		container, `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>`,
		"META-INF/encryption.xml", `<encryption xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:CipherReference URI="`+encrypted+`"/></encryption>`,
		"OPS/book.opf", `<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>
			<dc:title>The Title</dc:title><dc:title>second</dc:title><dc:creator>One</dc:creator><dc:creator>Two</dc:creator><dc:language>fr</dc:language>
			<dc:date>2008-06-12</dc:date><meta property="dcterms:modified">2009-01-02T03:04:05Z</meta><meta name="generator" content="Maker"/></metadata>
			<manifest><item id="a" href="ch%201.xhtml" media-type="application/xhtml+xml"/><item id="b" href="b.xhtml" media-type="application/xhtml+xml"/>
			<item id="p" href="p.png" media-type="image/png"/><item id="n" href="nav.xhtml" properties="scripted nav" media-type="application/xhtml+xml"/></manifest>
			<spine><itemref idref="b"/><itemref idref="p"/><itemref idref="a"/><itemref idref="none"/></spine></package>`,
		"OPS/nav.xhtml", `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><nav epub:type="toc"><a href="b.xhtml">First <i>chapter</i></a><a href="ch%201.xhtml#x">Second</a><a href="ch%201.xhtml#y">part of it</a></nav><nav epub:type="page-list"><a href="b.xhtml">9</a></nav></html>`,
		"OPS/b.xhtml", `<?xml version="1.0" encoding="utf-8"?><html><head><title/></head><body><h2>Head <b>line</b></h2><div>loose<p>one <i>two</i><br/>three</p>tail</div>
			<table><tr><td>a</td><td><p>b</p><p>c</p></td></tr></table><table><tr><td>alone</td></tr></table>
			<p>text<a epub:type="noteref" href="#f">1</a> goes on <a href="http://a.example/">there</a>.</p><aside epub:type="footnote"><p><a href="#r">1</a> a note</p></aside></body></html>`,
		"OPS/ch 1.xhtml", `<html><body>caf&eacute;</body></html>`,
	)
}

// TestBook shows the order of chapters, their titles and their parts.
func TestBook(t *testing.T) {
	d := documenttest.Read(t, Kind, document.Input{Body: book3(t, "OPS/font.otf")})
	want := []document.Section{
		{Kind: document.Chapter, Name: "First chapter", Parts: []document.Part{
			{Kind: document.Heading, Text: "Head line"}, {Text: "loose"}, {Text: "one two\nthree"}, {Text: "tail"},
			{Kind: document.Table, Text: "a\tb c"}, {Text: "alone"}, {Text: "text goes on there."}, {Kind: document.Note, Text: "a note"}}},
		{Kind: document.Chapter, Name: "Second", Parts: []document.Part{{Text: "café"}}},
	}
	if d.Reason != "" || !reflect.DeepEqual(d.Sections, want) {
		t.Errorf("%s\ngot  %q\nwant %q", d.Reason, d.Sections, want)
	}
	if d.Title != "The Title" || d.Author != "One, Two" || d.Lang != "fr" || d.Producer != "Maker" ||
		d.Created != record.At(time.Date(2008, 6, 12, 0, 0, 0, 0, time.UTC)) || d.Modified != record.At(time.Date(2009, 1, 2, 3, 4, 5, 0, time.UTC)) {
		t.Errorf("got %+v", d)
	}
	if want := []document.Link{{Target: "http://a.example/", Anchor: "there"}}; !reflect.DeepEqual(d.Links, want) {
		t.Errorf("links: got %v, want %v", d.Links, want)
	}
}

// TestPackedAgain has a book whose members were sorted, so that the member mimetype is not the first.
func TestPackedAgain(t *testing.T) {
	if !Kind.Is(&document.Input{Mime: "application/zip", Body: officetest.Zip(t, container, "<container/>", "mimetype", mime)}) {
		t.Error("is not of the kind")
	}
}

// TestManyMarks reads a paragraph with many marks of footnotes. The memory that it takes does not grow
// with the square of their number.
func TestManyMarks(t *testing.T) {
	page := []byte("<p>" + strings.Repeat(`some words<a epub:type="noteref" href="#f">1</a> `, 6000) + "</p>")
	b := document.NewBuilder(document.Limits{}, nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := chapter(b, page); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	// A copy of the text so far at each mark would take some 200 MB.
	if used := after.TotalAlloc - before.TotalAlloc; used > 40<<20 {
		t.Errorf("6000 marks take %d bytes", used)
	}
}

// TestUnread shows what is said of books that are not read.
func TestUnread(t *testing.T) {
	for name, c := range map[string]struct {
		body []byte
		want string
	}{
		"encrypted":  {book3(t, "OPS/b.xhtml"), errEncrypted.Error()},
		"no package": {officetest.Zip(t, "mimetype", mime), errNoPackage.Error()},
	} {
		if d := documenttest.Read(t, Kind, document.Input{Body: c.body}); d.Reason != c.want || d.Sections != nil {
			t.Errorf("%s: %q, %q, want %q", name, d.Reason, d.Sections, c.want)
		}
	}
}
