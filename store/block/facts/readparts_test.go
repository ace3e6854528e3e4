package facts

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/block/divide"
	"infomall/store/page/pagetest"
)

// TestKnownParts draws pages that have parts in common, each in surroundings of
// its own. A Reader that remembers parts divides and reads them as one does that
// sees its first page.
func TestKnownParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reader := NewReader()
		reader.parts.Shrink(rapid.SampledFrom([]int{1, 7_500, 1_000_000}).Draw(t, "shrink"))
		chunks := rapid.SliceOfN(rapid.Custom(chunk), 1, 6).Draw(t, "chunks")
		for range rapid.IntRange(2, 6).Draw(t, "pages") {
			var body strings.Builder
			for range rapid.IntRange(1, 8).Draw(t, "parts") {
				body.WriteString(rapid.SampledFrom(surroundings).Draw(t, "around"))
				body.WriteString(rapid.SampledFrom(chunks).Draw(t, "chunk"))
			}
			contentType := rapid.SampledFrom([]string{pagetest.HTMLType, pagetest.HTMLType, "text/html; charset=gbk", "text/plain"}).Draw(t, "type")
			checkKnown(t, reader, []byte(body.String()), contentType)
		}
	})
}

// surroundings are what parts of random pages stand behind.
var surroundings = []string{
	"", "", "<div>", "</div>", "<div><div>", "</div></div>", "<hr>", "<h1>A heading</h1>", "<h2>Another</h2>", "<ul><li>", "</ul>",
	"<table><tr><td>", "<td>", "<tr><td>", "</table>", "<p>", "<pre>", "</pre>", "<a href=/x>", "</a>", "<b>", "</b>", "<svg>", "</svg>",
	"<script>", "</script>", "<!--", "-->", "<![CDATA[", "]]>", "<title>", "</title>", "<form>", "<select>", "</select>", "<body>", "</body>",
}

// chunk draws markup that is large enough to be remembered.
func chunk(t *rapid.T) string {
	var w strings.Builder
	tag := rapid.SampledFrom([]string{"div", "section", "ul", "p", "table", "pre", ""}).Draw(t, "tag")
	if tag != "" {
		w.WriteString("<" + tag + ">")
	}
	const least = 400 // bytes of the smallest part that is remembered
	for w.Len() < rapid.IntRange(least, 3*least).Draw(t, "size") {
		w.WriteString(rapid.SampledFrom([]string{
			"", "", "<p>", "<div>", "</div>", "<li>", "<h3>A title</h3>", "<br>", "<br><br>", "<tr><td>", "<td>", "\n", "\n\n", "<img src=a.png>", "<a href=b>link</a>",
			"<i>", "</i>", "</p>", "<g/>", "<![CDATA[x]]>", "<pre>", "</pre>", "<dl><dt>a<dd>", "</dl>", "<ul><li>", "</ul>", "<style>p{}</style>", "<hr>", "&nbsp;", "-----",
		}).Draw(t, "markup"))
		w.WriteString(strings.Repeat(rapid.SampledFrom([]string{"", "river ", "the school opens ", "学校 "}).Draw(t, "words"), rapid.IntRange(1, 9).Draw(t, "times")))
	}
	if tag != "" {
		w.WriteString("</" + tag + ">")
	}
	return w.String()
}

// checkKnown compares what a Reader makes of a page with what a new one makes.
func checkKnown(t rapid.TB, reader *Reader, body []byte, contentType string) {
	mime, _, _ := strings.Cut(contentType, ";")
	b, ok := reader.Open(body, divide.As{Mime: mime, ContentType: contentType}, divide.Options{})
	plain, ok2 := divide.Open(body, divide.As{Mime: mime, ContentType: contentType}, divide.Options{})
	if !ok || !ok2 {
		if ok != ok2 {
			t.Fatalf("opened: %t with a memory, %t without", ok, ok2)
		}
		return
	}
	if !reflect.DeepEqual(b.Blocks, plain.Blocks) {
		t.Fatalf("blocks\n got %v\nwant %v\npage %q", b.Blocks, plain.Blocks, body)
	}
	got, want := reader.Read(b), NewReader().Read(plain)
	if !reflect.DeepEqual(got.Made, want.Made) || got.Links != want.Links {
		t.Fatalf("leaves %v and %d links, want %v and %d\npage %q", got.Made, got.Links, want.Made, want.Links, body)
	}
	if got, want := got.AppendFacts(nil, "", true), want.AppendFacts(nil, "", true); !bytes.Equal(got, want) {
		t.Fatalf("facts\n got %q\nwant %q\npage %q", got, want, body)
	}
	got.Close()
	want.Close()
}

// TestKnownCharset reads pages that have parts with the same bytes in two charsets.
// What a Reader remembers of the one it does not take for the other.
func TestKnownCharset(t *testing.T) {
	words := strings.Repeat("\xd1\xa7\xd0\xa3 opens ", 40) // 学校 in GB 18030
	part := "<p>" + words + "</p>"
	for range 12 {
		part = "<div><h3>\xd1\xa7\xd0\xa3</h3><p>" + words + "</p>" + part + "</div>"
	}
	body := []byte("<body><p>" + words + "</p><div>" + part + part + "</div>")
	reader := NewReader()
	for _, charset := range []string{"gb18030", "windows-1252", "gb18030"} {
		checkKnown(t, reader, body, "text/html; charset="+charset)
		as := divide.As{Mime: "text/html", ContentType: "text/html; charset=" + charset}
		if b, _ := reader.Open(body, as, divide.Options{}); len(b.Known) == 0 {
			t.Errorf("no part of the page in %s is remembered", charset)
		}
	}
}
