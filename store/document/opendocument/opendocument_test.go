package opendocument

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"infomall/store/document"
	"infomall/store/document/documenttest"
	"infomall/store/document/office/officetest"
	"infomall/store/record"
)

// made are the formats of the documents that LibreOffice made, with their pages.
var made = map[string]int64{"odt": 1, "ods": 1, "odp": 2}

// TestMade reads the documents that LibreOffice made, and the flat files from which it
// made them.
func TestMade(t *testing.T) {
	for ext, pages := range made {
		officetest.Check(t, Kind, ext, pages)
	}
	for i := range officetest.Texts {
		text := &officetest.Texts[i]
		for kind, pages := range map[string]int64{officetest.Letter: 1, officetest.Workbook: 1, officetest.Presentation: 2} {
			text.CheckBody(t, Kind, text.Lang+"."+kind, []byte(text.Flat(kind)), pages)
		}
	}
}

// TestMutations reads damaged documents.
func TestMutations(t *testing.T) {
	for ext, pages := range made {
		bodies := officetest.Check(t, Kind, ext, pages)
		for _, body := range bodies {
			bodies = append(bodies, officetest.Stored(t, body))
		}
		documenttest.Mutate(t, Kind, "", bodies...)
	}
	text := &officetest.Texts[0]
	documenttest.Mutate(t, Kind, "", []byte(text.Flat(officetest.Letter)), []byte(text.Flat(officetest.Workbook)), []byte(text.Flat(officetest.Presentation)))
}

// flatFile returns a flat file with automatic styles and a body.
func flatFile(kind, body string) []byte {
	return []byte(`<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" office:mimetype="application/vnd.oasis.opendocument.` + kind + `">
<office:meta><dc:title>T</dc:title><meta:initial-creator>First</meta:initial-creator><dc:creator>Last</dc:creator><meta:creation-date>2008-06-12T10:00:00.5</meta:creation-date><meta:keyword>k</meta:keyword><meta:keyword>l</meta:keyword><meta:generator>G</meta:generator></office:meta>
<office:automatic-styles><style:style style:name="h" style:family="text"><style:text-properties text:display="none"/></style:style><style:style style:name="t" style:family="table"><style:table-properties table:display="false"/></style:style>
<style:style style:name="d" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style><style:style style:name="child" style:family="text" style:parent-style-name="h"/></office:automatic-styles>
<office:master-styles><style:master-page style:name="m"><style:header><text:p>head</text:p></style:header><style:footer style:display="false"><text:p>foot</text:p></style:footer></style:master-page></office:master-styles>
<office:body><office:` + kind + `>` + body + `</office:` + kind + `></office:body></office:document>`)
}

// TestTexts shows what of a text is read, and as which part.
func TestTexts(t *testing.T) {
	note := func(text string) document.Part { return document.Part{Kind: document.Note, Text: text} }
	for _, c := range []struct {
		name, body string
		want       []document.Part
	}{
		{"white space", "<text:p>  a \n b<text:s text:c=\"2\"/>c<text:tab/>d<text:line-break/>e</text:p>", []document.Part{{Text: "a b  c\td\ne"}}},
		{"heading", `<text:h>a</text:h>`, []document.Part{{Kind: document.Heading, Text: "a"}}},
		{"hidden", `<text:p>a<text:span text:style-name="child">x</text:span><text:hidden-text>x</text:hidden-text>b</text:p><text:section text:display="none"><text:p>x</text:p></text:section>`, []document.Part{{Text: "ab"}}},
		{"note", `<text:p>a<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>n1</text:p><text:p>n2</text:p></text:note-body></text:note>b<office:annotation><dc:creator>Li</dc:creator><dc:date>2008</dc:date><text:p>c</text:p></office:annotation></text:p>`,
			[]document.Part{{Text: "ab"}, note("n1\nn2"), note("c")}},
		{"tracked changes", `<text:tracked-changes><text:changed-region><text:deletion><office:change-info><dc:creator>x</dc:creator></office:change-info><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes><text:p>a</text:p>`,
			[]document.Part{{Kind: document.Deleted, Text: "gone"}, {Text: "a"}}},
		{"table", `<table:table><table:table-row><table:table-cell><text:p>a</text:p><text:p>b</text:p></table:table-cell><table:covered-table-cell/><table:table-cell><text:p>c</text:p></table:table-cell></table:table-row></table:table>`,
			[]document.Part{{Kind: document.Table, Text: "a b\t\tc"}}},
		{"boxes", `<draw:frame><draw:text-box><text:p>page</text:p></draw:text-box></draw:frame><text:p>a<draw:frame><draw:text-box><text:p>in</text:p></draw:text-box><svg:title>x</svg:title></draw:frame>b</text:p>`,
			[]document.Part{{Text: "page"}, {Text: "ab"}, {Text: "in"}}},
		{"ruby", `<text:p><text:ruby><text:ruby-base>東京</text:ruby-base><text:ruby-text>とう</text:ruby-text></text:ruby></text:p>`, []document.Part{{Text: "東京(とう)"}}},
		{"links", `<text:p><text:a xlink:href="http://a.example/">there</text:a><text:a xlink:href="#x"> here</text:a></text:p>`, []document.Part{{Text: "there here"}}},
	} {
		d := documenttest.Read(t, Kind, document.Input{Body: flatFile("text", c.body)})
		// The notes of the pages come first among the notes.
		var parts, notes []document.Part
		for _, p := range c.want {
			if p.Kind == document.Note {
				notes = append(notes, p)
			} else {
				parts = append(parts, p)
			}
		}
		want := []document.Section{{Parts: append(append(parts, note("head")), notes...)}}
		if d.Reason != "" || !reflect.DeepEqual(d.Sections, want) {
			t.Errorf("%s: %s\ngot  %q\nwant %q", c.name, d.Reason, d.Sections, want)
		}
		if want := []document.Link{{Target: "http://a.example/", Anchor: "there"}}; c.name == "links" && !reflect.DeepEqual(d.Links, want) {
			t.Errorf("links: got %v, want %v", d.Links, want)
		}
		if d.Title != "T" || d.Author != "First" || d.Keywords != "k, l" || d.Producer != "G" || d.Created != record.At(time.Date(2008, 6, 12, 10, 0, 0, 5e8, time.UTC)) {
			t.Errorf("got %+v", d)
		}
	}
}

// TestSheets shows that repeated cells and rows are bounded, and that hidden sheets are
// left out.
func TestSheets(t *testing.T) {
	cell := func(repeat, text string) string {
		if text != "" {
			text = "<text:p>" + text + "</text:p>"
		}
		return `<table:table-cell table:number-columns-repeated="` + repeat + `">` + text + `</table:table-cell>`
	}
	row := func(repeat, cells string) string {
		return `<table:table-row table:number-rows-repeated="` + repeat + `">` + cells + `</table:table-row>`
	}
	body := `<table:table table:name="one">` +
		row("1", cell("1", "a")+cell("3", "")+cell("2", "b")+cell("16384", "")) +
		row("1", `<table:table-cell><office:annotation><text:p>note</text:p></office:annotation><text:p>c</text:p><text:p>d</text:p></table:table-cell>`) +
		row("1048576", cell("16384", "")) +
		row("1048576", cell("16384", "x")) +
		`</table:table><table:table table:name="two" table:style-name="t">` + row("1", cell("1", "hidden")) + `</table:table>`
	d := documenttest.Read(t, Kind, document.Input{Body: flatFile("spreadsheet", body)})
	wide := strings.TrimSuffix(strings.Repeat("x\t", repeatMost), "\t")
	want := []document.Section{{Kind: document.Sheet, Name: "one", Parts: []document.Part{
		{Kind: document.Table, Text: "a\t\t\t\tb\tb\nc d"},
		{Kind: document.Table, Text: strings.TrimSuffix(strings.Repeat(wide+"\n", repeatMost), "\n")},
		{Kind: document.Note, Text: "note"},
	}}}
	if d.Reason != "" || !reflect.DeepEqual(d.Sections, want) || d.Pages != 1 {
		t.Errorf("%s, %d pages\ngot  %.300q\nwant %.300q", d.Reason, d.Pages, d.Sections, want)
	}
}

// TestRepeatedText repeats a cell with a long text in a row, and the row. The memory that this takes is
// bounded by the limit of text.
func TestRepeatedText(t *testing.T) {
	body := flatFile("spreadsheet", `<table:table><table:table-row table:number-rows-repeated="100"><table:table-cell table:number-columns-repeated="100"><text:p>`+
		strings.Repeat("x", 200_000)+`</text:p></table:table-cell></table:table-row></table:table>`)
	documenttest.CheckLimit(t, Kind, body)
}

// TestSlides shows what of a presentation is read.
func TestSlides(t *testing.T) {
	frame := func(class, text string) string {
		return `<draw:frame presentation:class="` + class + `"><draw:text-box><text:p>` + text + `</text:p></draw:text-box></draw:frame>`
	}
	body := `<draw:page>` + frame("title", "Title") + frame("outline", "one") + frame("footer", "x") + `<draw:g><draw:custom-shape><text:p>shape</text:p></draw:custom-shape></draw:g><presentation:notes>` + frame("notes", "say") + `</presentation:notes></draw:page>` +
		`<draw:page draw:style-name="d">` + frame("title", "hidden") + `</draw:page><draw:page>` + frame("title", "Last") + `</draw:page>`
	d := documenttest.Read(t, Kind, document.Input{Body: flatFile("presentation", body)})
	want := []document.Section{
		{Kind: document.Slide, Name: "1", Parts: []document.Part{{Kind: document.Heading, Text: "Title"}, {Text: "one"}, {Text: "shape"}, {Kind: document.Note, Text: "say"}}},
		{Kind: document.Slide, Name: "3", Parts: []document.Part{{Kind: document.Heading, Text: "Last"}}},
	}
	if d.Reason != "" || !reflect.DeepEqual(d.Sections, want) || d.Pages != 2 {
		t.Errorf("%s, %d pages\ngot  %q\nwant %q", d.Reason, d.Pages, d.Sections, want)
	}
}

// TestUnread shows what is said of files that are not read.
func TestUnread(t *testing.T) {
	const mime = "application/vnd.oasis.opendocument.text"
	body := officetest.Zip(t, "mimetype", mime,
		"META-INF/manifest.xml", `<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>`, "content.xml", "noise")
	if d := documenttest.Read(t, Kind, document.Input{Body: body}); d.Reason != errEncrypted.Error() {
		t.Errorf("an encrypted file: %q", d.Reason)
	}
	if d := documenttest.Read(t, Kind, document.Input{Body: officetest.Zip(t, "mimetype", mime)}); !strings.Contains(d.Reason, "content.xml: missing") {
		t.Errorf("a file without content: %q", d.Reason)
	}
	if Kind.Is(&document.Input{Body: officetest.Zip(t, "mimetype", "application/epub+zip")}) {
		t.Error("a book is of the kind")
	}
	if !Kind.Is(&document.Input{Body: officetest.Zip(t, "content.xml", "noise", "mimetype", mime)}) {
		t.Error("a file that was packed again is not of the kind")
	}
}
