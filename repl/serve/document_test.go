package serve

import (
	"strings"
	"testing"

	"infomall/store/document"
)

// TestDocumentPages shows the pages of a document: its title and kind, its text by
// section, and links to its bytes. Its text is escaped.
func TestDocumentPages(t *testing.T) {
	c := shot("http://a.example/r.pdf", "20080601000000")
	c.Mime, c.Body, c.Head = "application/pdf", "%PDF-1", "HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n"
	b := document.NewBuilder(document.Limits{}, nil)
	c.Document = b.Doc
	b.Doc.Kind, b.Doc.Title, b.Doc.Pages = "pdf", "<script>Report", 2
	for i, text := range []string{"one", "two <script>alert(1)</script>"} {
		if err := b.Begin(document.Page, []string{"1", "2"}[i]); err != nil {
			t.Fatal(err)
		}
		if err := b.Add(document.Paragraph, text); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := testServer(t, nil, c)
	for target, wants := range map[string][]string{
		"/2008/http://a.example/r.pdf":                          {"pdf: &lt;script&gt;Report, 2 pages", "/diff?url=http%3a%2f%2fa.example%2fr.pdf&amp;to=20080601000000&amp;as=blocks"},
		"/diff?url=a.example/r.pdf&to=20080601000000&as=blocks": {"pdf: &lt;script&gt;Report, 2 pages", "main, page 2", "two &lt;script&gt;alert(1)", `href="/20080601000000id_/http://a.example/r.pdf"`},
		"/search?q=alert":                                       {"main · page 2", "&lt;script&gt;Report"},
	} {
		body := bodyOf(t, get(t, s.interfaceHandler(), target))
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s has no %q: %s", target, want, body)
			}
		}
		if strings.Contains(body, "<script>alert") || strings.Contains(body, "<script>Report") {
			t.Errorf("%s has unescaped text: %s", target, body)
		}
	}
}
