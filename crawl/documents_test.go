package crawl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"infomall/store/document"
	"infomall/store/page"
)

// listReader reads bodies that begin with "%PDF-list": each further line is a link.
type listReader struct{ err error }

func (r listReader) Read(_ context.Context, in *document.Input) (*document.Document, error) {
	lines := bytes.Fields(in.Body)
	if r.err != nil || string(lines[0]) != "%PDF-list" {
		return nil, r.err
	}
	b := document.NewBuilder(in.Limits, nil)
	for _, l := range lines[1:] {
		b.Link(string(l), "")
	}
	return b.Doc, nil
}

// TestDocumentLinks shows that a crawl follows the links of documents, and which
// documents it does not read.
func TestDocumentLinks(t *testing.T) {
	const list = "%PDF-list\n/C mailto:a@b.example C#there http://127.0.0.1:1/\n"
	for _, c := range []struct {
		name, mime, body string
		reader           Documents
		want             string
	}{
		{"a document", "application/pdf", list, listReader{}, "ABC"},
		{"declared as a page", "text/html", list, listReader{}, "ABC"},
		{"declared as a picture", "image/png", list, listReader{}, "AB"},
		{"a page", "text/html", "<a href=/C>C</a>", listReader{}, "ABC"},
		{"no document", "application/pdf", "%PDF-other /C", listReader{}, "AB"},
		{"not read", "application/pdf", list, nil, "AB"},
		{"no reader can be started", "application/pdf", list, listReader{errors.New("no memory")}, "AB"},
		{"too large", "application/pdf", list + string(make([]byte, page.BytesMax)), listReader{}, "AB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWeb(t, map[string]string{"A": "B", "C": ""})
			w.pages["/B"] = func(out http.ResponseWriter, _ *http.Request) {
				out.Header().Set("Content-Type", c.mime)
				fmt.Fprint(out, c.body)
			}
			if _, err := Run(t.Context(), newArchive(t), w.options(), Env{Documents: c.reader}); err != nil {
				t.Fatal(err)
			}
			if got := w.pagesAsked(); got != c.want {
				t.Errorf("asked for %s, want %s", got, c.want)
			}
		})
	}
}
