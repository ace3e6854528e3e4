package kinds

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"infomall/store/document"
	"infomall/store/document/documenttest"
)

// zipOf returns a zip file with a file of each name and content.
func zipOf(t *testing.T, files ...[2]string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		c, err := w.Create(f[0])
		if err == nil {
			_, err = c.Write([]byte(f[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestInside shows that documents in archives and mails are read by their own kinds, to
// depth 2, and not deeper.
func TestInside(t *testing.T) {
	page := "<html><head><title>A page</title></head><body><p>Text of the page</p></body></html>"
	mail := "From: a@a.example\nTo: b\nSubject: A mail\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nText of the mail\n--x\nContent-Type: application/zip; name=deep.zip\n\n" +
		zipOf(t, [2]string{"deep.html", page}) + "\n--x--\n"
	body := zipOf(t, [2]string{"index.html", page}, [2]string{"table.csv", "a;b\nc;d\n"}, [2]string{"read.me", "Plain text"}, [2]string{"doc/README", "Text without an extension"},
		[2]string{"feed.xml", "<rss><channel><title>News</title><item><title>One item</title></item></channel></rss>"},
		[2]string{"data.json", `{"a":"some words"}`}, [2]string{"m.eml", mail}, [2]string{"a.js", "var some = 'words'"})
	d := Read(&document.Input{Body: []byte(body), Mime: "application/zip"})
	if d == nil {
		t.Fatal("no kind reads the archive")
	}
	var got []string
	for _, s := range d.Sections {
		for _, p := range s.Parts {
			got = append(got, s.Name+": "+strings.ReplaceAll(p.Text, "\n", "/"))
		}
	}
	for _, want := range []string{
		"index.html: A page", "index.html: Text of the page", "table.csv: a\tb/c\td", "read.me: Plain text", "doc/README: Text without an extension", "feed.xml: News", "feed.xml: One item",
		"data.json: some words", "m.eml: A mail", "m.eml: Text of the mail", "m.eml: deep.zip", "m.eml: deep.html\t83",
	} {
		found := false
		for _, g := range got {
			found = found || g == want
		}
		if !found {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if n := strings.Count(documenttest.Text(d), "Text of the page"); n != 1 {
		t.Errorf("the page is read %d times: it is once at depth 1 and once at depth 3", n)
	}
}

// TestCompressedSitemap shows that a compressed file is read as what it wraps.
func TestCompressedSitemap(t *testing.T) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write([]byte("<urlset><url><loc>http://a.example/</loc></url></urlset>"))
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	d := Read(&document.Input{Body: out.Bytes(), Mime: "application/gzip"})
	if d == nil || len(d.Links) != 1 || d.Links[0].Target != "http://a.example/" || d.Kind != "archive" {
		t.Errorf("got %+v", d)
	}
}
