package pagetext

import (
	"reflect"
	"testing"

	"infomall/store/document"
	"infomall/store/document/documenttest"
)

const sample = `<!DOCTYPE html><html lang=de><head><title>Der Titel</title><meta name=author content="Li Wei"><style>p{}</style></head>
<body><h1>Über <i>uns</i></h1><p>Erster <b>Absatz</b>.<br>Zeile zwei.<p>Mehr <a href="/a.html">hier</a>.
<table><tr><td>a<td>b<tr><td>c<td>d</table><script>var x</script><h2>Ende</h2>Schluss</body></html>`

// TestHTML shows what becomes of a page inside of a document.
func TestHTML(t *testing.T) {
	d := documenttest.Read(t, Kind, document.Input{Body: []byte(sample), Mime: "text/html", Depth: 1})
	want := []document.Section{{Parts: []document.Part{
		{Kind: document.Heading, Text: "Über uns"},
		{Kind: document.Paragraph, Text: "Erster Absatz."},
		{Kind: document.Paragraph, Text: "Zeile zwei."},
		{Kind: document.Paragraph, Text: "Mehr hier."},
		{Kind: document.Table, Text: "a\tb\nc\td"},
		{Kind: document.Heading, Text: "Ende"},
		{Kind: document.Paragraph, Text: "Schluss"},
	}}}
	if !reflect.DeepEqual(d.Sections, want) {
		t.Errorf("got  %q\nwant %q", d.Sections, want)
	}
	if d.Title != "Der Titel" || d.Author != "Li Wei" || d.Lang != "de" {
		t.Errorf("got title %q, author %q, language %q", d.Title, d.Author, d.Lang)
	}
	if want := []document.Link{{Target: "/a.html", Anchor: "hier"}}; !reflect.DeepEqual(d.Links, want) {
		t.Errorf("got links %v, want %v", d.Links, want)
	}
}

// TestPlain shows that blank lines divide plain text, and that its charset is found.
func TestPlain(t *testing.T) {
	d := documenttest.Read(t, Kind, document.Input{Body: []byte("eins\r\nzwei\r\n \r\n\r\ndr\xfcben geh\xf6rt f\xfcr \xfcber"), Mime: "text/plain", Depth: 1})
	want := []document.Section{{Parts: []document.Part{{Kind: document.Paragraph, Text: "eins\nzwei"}, {Kind: document.Paragraph, Text: "drüben gehört für über"}}}}
	if !reflect.DeepEqual(d.Sections, want) {
		t.Errorf("got  %q\nwant %q", d.Sections, want)
	}
}

// TestIs shows which bodies are read.
func TestIs(t *testing.T) {
	for _, c := range []struct {
		body, mime string
		depth      int
		want       bool
	}{
		{sample, "text/html", 1, true},
		{sample, "text/html", 0, false},
		{sample, "application/octet-stream", 2, true},
		{sample, "application/msword", 0, true},
		{"a text", "text/plain", 1, true},
		{"a text", "text/plain", 0, false},
		{"a\x00b\x01\x02\x00\x03\x04", "text/plain", 1, false},
		{"~v\xa6^t^\xa6^\xa5bJT-N\xfdV\x020\n\x00", "text/plain", 1, true},
		{"var x", "text/javascript", 1, false},
		{"%PDF-1.4", "text/html", 1, false},
		{"", "", 1, false},
	} {
		if got := Kind.Is(&document.Input{Body: []byte(c.body), Mime: c.mime, Depth: c.depth}); got != c.want {
			t.Errorf("%.20q as %s at depth %d: got %v", c.body, c.mime, c.depth, got)
		}
	}
}

// TestDamaged shows that damaged pages do not break the reader.
func TestDamaged(t *testing.T) {
	documenttest.Mutate(t, Kind, "text/html", []byte(sample))
}
