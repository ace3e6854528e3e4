package store

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"infomall/store/record"
)

// TestScatteredBody reads a page whose blocks lie by turns in several runs, as
// those of a page do that has all chapters of a book: each run is decoded once.
func TestScatteredBody(t *testing.T) {
	const chapters, paragraphs = 30, 40
	r := rand.New(rand.NewPCG(7, 8))
	var book [paragraphs][chapters]string
	for i := range paragraphs {
		for j := range chapters {
			words := make([]string, 150)
			for k := range words {
				words[k] = fmt.Sprintf("%x", r.Uint32())
			}
			book[i][j] = "<p>" + strings.Join(words, " ") + "</p>"
		}
	}
	page := func(parts ...string) string {
		return "<html><body>" + strings.Join(parts, "\n") + "</body></html>"
	}
	var visits []*visit
	var all []string
	for j := range chapters {
		var parts []string
		for i := range paragraphs {
			parts = append(parts, book[i][j])
		}
		visits = append(visits, &visit{url: fmt.Sprintf("http://a.example/%02d.html", j), time: day0, status: 200, body: page(parts...)})
	}
	for i := range paragraphs {
		all = append(all, book[i][:]...)
	}
	whole := &visit{url: "http://a.example/z.html", time: day0, status: 200, body: page(all...)}
	a := openAt(t.TempDir(), Options{})
	defer a.Close()
	put(t, a, append(visits, whole))
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	v.SetCache(0)
	runs := 0
	for _, s := range v.Pin.Segments {
		runs += s.Runs
	}
	for b, err := range v.Scan(t.Context(), record.Scan{From: record.MinTime, To: record.MaxTime, Skip: func(_, url string) bool { return url != whole.url }}) {
		if err != nil {
			t.Fatal(err)
		}
		before := int(v.Stats().Runs)
		p, err := v.Payload(t.Context(), b.Ref[0])
		if err != nil || string(p.Body) != whole.body {
			t.Fatalf("a body of %d bytes instead of %d, error %v", len(p.Body), len(whole.body), err)
		}
		if got := int(v.Stats().Runs) - before; runs < 4 || got > runs+1 {
			t.Errorf("%d runs were decoded; there are %d", got, runs)
		}
	}
}
