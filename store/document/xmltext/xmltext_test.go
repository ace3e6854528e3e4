package xmltext

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"infomall/store/document"
	"infomall/store/document/documenttest"
)

const docbook = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd" [<!ENTITY x "y">]>
<article lang="en"><articleinfo><title>The <emphasis>Manual</emphasis></title><author>Ann</author><pubdate>2008-06-12</pubdate></articleinfo>
<section><title>First</title>
<para><emphasis>Bold</emphasis> text with a <ulink url="http://a.example/">link &amp; more</ulink>, and <filename>a.txt</filename>.
 A second line.<itemizedlist><listitem><para>item one</para></listitem><listitem>item two</listitem></itemizedlist> after the list</para>
<xi:include href="part.xml"/></section></article>`

// TestText shows which elements are paragraphs and headings.
func TestText(t *testing.T) {
	d := documenttest.Read(t, Kind, document.Input{Body: []byte(docbook), Mime: "application/xml"})
	var got []string
	for _, p := range d.Sections[0].Parts {
		got = append(got, fmt.Sprint(p.Kind, " ", p.Text))
	}
	want := []string{
		"1 The Manual", "0 Ann", "0 2008-06-12", "1 First", "0 Bold text with a link & more, and a.txt. A second line.",
		"0 item one", "0 item two", "0 after the list",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if d.Title != "The Manual" || d.Author != "Ann" || d.Lang != "en" || d.Created.Std().Format("20060102") != "20080612" {
		t.Errorf("got title %q, author %q, language %q, created %v", d.Title, d.Author, d.Lang, d.Created.Std())
	}
	if want := []document.Link{{Target: "http://a.example/", Anchor: "link & more"}, {Target: "part.xml"}}; !reflect.DeepEqual(d.Links, want) {
		t.Errorf("got links %v, want %v", d.Links, want)
	}
}

// TestOther shows data of programs, pages declared as XML, and damaged XML.
func TestOther(t *testing.T) {
	for _, c := range []struct{ body, text, reason string }{
		{"<list><e><name>A B</name><n>1</n></e><e><name>C</name><n>2</n></e></list>", "A B\n1\nC\n2\n", ""},
		{`<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body><h1>H</h1><p>a<br/>b</p></body></html>`, "H\na\nb\n", ""},
		{"<p><command>ls</command> lists <b>all</b>\n<i>files</i></p>", "ls lists all files\n", ""},
		{"<p><b>a</b> <i>b</i> c<d>e</d></p>", "a b ce\n", ""},
		{"<r><names>\n<name>A</name>\n<name>B</name></names></r>", "A\nB\n", ""},
		{"<a><c>one</c><c>two", "one\ntwo\n", "the XML is damaged at line 1, column 20: the body ends inside of the element c"},
		{"<?xml version='1.0' encoding='gb2312'?><a>\xd6\xd0\xb9\xfa\xcd\xf8\xd2\xb3</a>", "中国网页\n", ""},
	} {
		d := documenttest.Read(t, Kind, document.Input{Body: []byte(c.body), Mime: "text/xml"})
		if got := documenttest.Text(d); got != c.text || d.Reason != c.reason {
			t.Errorf("%s: got %q, reason %q", c.body, got, d.Reason)
		}
	}
}

// TestIs shows which bodies are read.
func TestIs(t *testing.T) {
	for _, c := range []struct {
		body, mime string
		want       bool
	}{
		{"<a/>", "application/xml", true},
		{"<a/>", "application/rdf+xml", true},
		{"<?xml version='1.0'?><a/>", "application/octet-stream", true},
		{"<a xmlns='u'/>", "", true},
		{"<a/>", "application/octet-stream", false},
		{"<?xml version='1.0'?><html/>", "text/html", false},
		{"<?xml version='1.0'?><svg/>", "image/svg+xml", false},
		{"text", "text/xml", false},
	} {
		if got := Kind.Is(&document.Input{Body: []byte(c.body), Mime: c.mime}); got != c.want {
			t.Errorf("%s as %s: got %v", c.body, c.mime, got)
		}
	}
}

// TestHostile shows that deep elements with links and text cost linear time.
func TestHostile(t *testing.T) {
	body := "<r>" + strings.Repeat("<a href='x'>text of it</a>", 50_000) + "</r>"
	d := documenttest.Read(t, Kind, document.Input{Body: []byte(body), Mime: "text/xml"})
	if len(d.Links) != 50_000 {
		t.Errorf("got %d links", len(d.Links))
	}
}

// TestDamaged shows that damaged XML does not break the reader.
func TestDamaged(t *testing.T) {
	documenttest.Mutate(t, Kind, "text/xml", []byte(docbook))
}
