package jsontext

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"infomall/store/document"
	"infomall/store/document/documenttest"
)

const article = `{"@context":"https://schema.org","@graph":[{"@type":"NewsArticle","headline":"The headline of it","name":"A name",
"author":{"@type":"Person","name":"Li Wei","url":"http://a.example/li"},"datePublished":"2008-06-12T10:00:00Z","dateModified":"2008-06-13",
"description":"What it says","inLanguage":"en","url":"/a.html","image":["http://a.example/1.png"],
"articleBody":"<p>First &amp; second</p><p>Third <a href='/x'>one</a></p>","n":12,"id":"abc","ok":null,"":"an empty key","tags":["one word","two","北京"]}]}`

// TestArticle shows what is read from JSON-LD.
func TestArticle(t *testing.T) {
	d := documenttest.Read(t, Kind, document.Input{Body: []byte(article), Mime: "application/ld+json"})
	want := "The headline of it\nA name\nLi Wei\nWhat it says\nFirst & second\nThird one\nan empty key\none word\n北京\n"
	if got := documenttest.Text(d); got != want || d.Reason != "" {
		t.Errorf("got %q, reason %q, want %q", got, d.Reason, want)
	}
	if d.Title != "The headline of it" || d.Author != "Li Wei" || d.Description != "What it says" || d.Lang != "en" ||
		d.Created.Std().Format(time.DateTime) != "2008-06-12 10:00:00" || d.Modified.Std().Format(time.DateOnly) != "2008-06-13" {
		t.Errorf("got %+v", d)
	}
	var targets []string
	for _, l := range d.Links {
		targets = append(targets, l.Target)
	}
	if want := []string{"http://a.example/li", "/a.html", "http://a.example/1.png", "/x"}; !reflect.DeepEqual(targets, want) {
		t.Errorf("got links %q, want %q", targets, want)
	}
}

// TestOther shows lines of JSON, other charsets, and damaged JSON.
func TestOther(t *testing.T) {
	for _, c := range []struct{ body, title, text, reason string }{
		{"{\"title\":\"a b\"}\n{\"title\":\"c d\"}\n", "a b", "a b\nc d\n", ""},
		{`[{"name":"one two"},{"name":"three four"}]`, "one two", "one two\nthree four\n", ""},
		{`{"a":{"title":"not the title"}}`, "", "not the title\n", ""},
		{`{"a":"one two","b":`, "", "one two\n", "the JSON is cut off at byte 19"},
		{`{"a":"one two",}`, "", "one two\n", "the JSON is damaged at byte 15: invalid character '}'"},
		{"\xff\xfe{\x00\"\x00a\x00\"\x00:\x00\"\x00b\x00 \x00c\x00\"\x00}\x00", "", "b c\n", ""},
		{"{\"a\":\"\xd6\xd0\xb9\xfa\xcd\xf8\xd2\xb3\xc0\xfa\xca\xb7\xd0\xc5\xcf\xa2\"}", "", "中国网页历史信息\n", ""},
		{strings.Repeat("[", 300), "", "", "values are nested too deeply: the rest is not read"},
	} {
		b := document.NewBuilder(document.Limits{}, nil)
		if err := Kind.Read(b, &document.Input{Body: []byte(c.body)}); err != nil {
			b.Doc.Reason = err.Error()
		}
		if got := documenttest.Text(b.Doc); got != c.text || b.Doc.Title != c.title || !strings.HasPrefix(b.Doc.Reason, c.reason) || c.reason == "" && b.Doc.Reason != "" {
			t.Errorf("%.40s: got title %q, text %q, reason %q", c.body, b.Doc.Title, got, b.Doc.Reason)
		}
	}
}

// TestIs shows which bodies are read.
func TestIs(t *testing.T) {
	for _, c := range []struct {
		body, mime string
		want       bool
	}{
		{`{"a":1}`, "application/json", true},
		{`[1]`, "application/vnd.api+json", true},
		{` { "a" : 1 }`, "application/octet-stream", true},
		{`[ {"a":1}]`, "", true},
		{`{"a":1}`, "application/javascript", false},
		{`{"a":1}`, "text/plain", false},
		{`{a:1}`, "", false},
		{`[section]`, "", false},
		{`call({})`, "application/json", false},
	} {
		if got := Kind.Is(&document.Input{Body: []byte(c.body), Mime: c.mime}); got != c.want {
			t.Errorf("%s as %s: got %v", c.body, c.mime, got)
		}
	}
}

// TestDamaged shows that damaged JSON does not break the reader.
func TestDamaged(t *testing.T) {
	documenttest.Mutate(t, Kind, "application/json", []byte(article))
}
