package store

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"infomall/store/document"
	"infomall/store/record"
	"infomall/store/record/task"
)

// docMark begins the bodies that testReader reads. Such a body is not read as a page,
// whatever its media type is.
const docMark = "%PDF-test\n"

// testReader reads a body that begins with docMark: its first line is the title, and each
// further line a paragraph. It counts the bodies.
type testReader struct {
	bodies int
	after  func() // is called after each body, if not nil
}

func (r *testReader) Read(ctx context.Context, in *document.Input) (*document.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.bodies++
	if r.after != nil {
		defer r.after()
	}
	text, ok := bytes.CutPrefix(in.Body, []byte(docMark))
	if !ok {
		return nil, nil
	}
	b := document.NewBuilder(in.Limits, nil)
	b.Doc.Kind = "test"
	title, rest, _ := strings.Cut(string(text), "\n")
	b.Doc.Title = title
	for line := range strings.SplitSeq(rest, "\n") {
		if err := b.Add(document.Paragraph, line); err != nil {
			return nil, err
		}
	}
	return b.Doc, nil
}

// docBody returns the body of a document with a title and one paragraph.
func docBody(title, text string) string { return docMark + title + "\n" + text }

// readDocuments carries out REINDEX DOCUMENTS.
func readDocuments(t testing.TB, a *Archive) []task.ReindexResult {
	t.Helper()
	res, err := a.Reindex(context.Background(), task.ReindexOptions{Documents: true})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// titles returns, for each capture, the title of the document that its Payload has, as
// "url title".
func titles(t testing.TB, a *Archive) (out []string) {
	t.Helper()
	ctx := context.Background()
	v, err := a.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for b, err := range v.Scan(ctx, record.Scan{From: record.MinTime, To: record.MaxTime, Columns: record.ColTitle}) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.N {
			p, err := v.Payload(ctx, b.Ref[i])
			if err != nil {
				t.Fatal(err)
			}
			const often = 100 // Document looks at all files after some calls
			for range often {
				if reading, err := v.Document(ctx, b.Ref[i]); err != nil || !bytes.Equal(reading, p.Document) {
					t.Fatalf("%s: Document returns %d bytes and %v, Payload has %d bytes", b.URLs()[i], len(reading), err, len(p.Document))
				}
			}
			title := "-"
			if p.Document != nil {
				d, err := document.Unpack(p.Document)
				if err != nil {
					t.Fatal(err)
				}
				if title = d.Title; b.Title[i] != title {
					t.Errorf("%s: a scan says that the title is %q, the document %q", b.URLs()[i], b.Title[i], title)
				}
			}
			out = append(out, b.URLs()[i]+" "+title)
		}
	}
	return out
}

// TestDocuments imports documents, pages and a picture. Each body is read once, whatever
// is asked, and a revisit has the document of its original.
func TestDocuments(t *testing.T) {
	reader := &testReader{}
	a := openAt(t.TempDir(), Options{Documents: reader, Warn: func(err error) { t.Error(err) }})
	defer a.Close()
	first := &visit{url: "http://a.example/1", time: day0, status: 200, body: docBody("One", "kafka")}
	put(t, a, []*visit{
		first,
		{url: "http://a.example/1", time: day0 + 1000, status: 200, body: first.body},
		{url: "http://a.example/2", time: day0, status: 200, body: first.body},
		{url: "http://a.example/3", time: day0, status: 200, body: "<html><title>Page</title><p>words</p></html>"},
		{url: "http://a.example/4", time: day0, status: 200, body: "\x89PNG\r\n\x1a\n"},
		{url: "http://a.example/5", time: day0, status: 404, body: docBody("Error", "not found")},
	})
	before := []string{"http://a.example/1 -", "http://a.example/1 -", "http://a.example/2 -", "http://a.example/3 -", "http://a.example/4 -", "http://a.example/5 -"}
	if got := titles(t, a); fmt.Sprint(got) != fmt.Sprint(before) {
		t.Errorf("before: %q", got)
	}
	state := func() string {
		v, err := a.Snapshot(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		return v.State()
	}
	unread := state()
	readDocuments(t, a)
	if state() == unread {
		t.Errorf("the state is still %s after documents were read", unread)
	}
	want := []string{"http://a.example/1 One", "http://a.example/1 One", "http://a.example/2 One", "http://a.example/3 -", "http://a.example/4 -", "http://a.example/5 -"}
	if got := titles(t, a); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("after: %q", got)
	}
	if reader.bodies != 2 {
		t.Errorf("%d bodies were read, want 2: the document and the picture", reader.bodies)
	}
	if res := readDocuments(t, a); len(res) > 0 || reader.bodies != 2 {
		t.Errorf("the second time %v, and %d bodies were read", res, reader.bodies)
	}
	put(t, a, []*visit{{url: "http://a.example/6", time: day0, status: 200, body: docBody("Six", "zookeeper")}, {url: "http://a.example/1", time: day0 + 2000, status: 200, body: first.body}})
	readDocuments(t, a)
	want = append(append([]string{want[0]}, want...), "http://a.example/6 Six")
	if got := titles(t, a); fmt.Sprint(got) != fmt.Sprint(want) || reader.bodies != 3 {
		t.Errorf("after another import: %d bodies were read: %q", reader.bodies, got)
	}
}

// TestNearWordsOfDocument shows that the words near a question come from a document whose
// body was also sent with an error, where it is no document.
func TestNearWordsOfDocument(t *testing.T) {
	a := openAt(t.TempDir(), Options{Documents: &testReader{}})
	defer a.Close()
	body := docBody("title", "a cluster without zookeeper")
	put(t, a, []*visit{{url: "http://www.example.com/0", time: day0, status: 404, body: body}})
	put(t, a, []*visit{{url: "http://www.example.com/1", time: day0 + 40*dayMillis, status: 200, body: body}})
	readDocuments(t, a)
	v, err := a.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	near, err := v.NearWords(context.Background(), []string{"zookeper"}, nil, record.MinTime, record.MaxTime)
	if err != nil || len(near[0]) != 1 || near[0][0].Word != "zookeeper" {
		t.Errorf("got %v, %v", near, err)
	}
}
