package divide

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOldPages divides pages made as they were from 1998 to 2005, whose regions
// are parted by rules, images and Flash alone. Beside each page stand the words
// that its regions begin with, as a reader sees them.
func TestOldPages(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("testdata", "old", "*.html"))
	if err != nil || len(pages) != 10 {
		t.Fatalf("%d pages, %v; want 10", len(pages), err)
	}
	for _, name := range pages {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.TrimSuffix(name, ".html") + ".want")
		if err != nil {
			t.Fatal(err)
		}
		begins := strings.Split(strings.TrimSpace(string(want)), "\n")
		b, ok := Open(body, As{Mime: "text/html", ContentType: "text/html; charset=utf-8"}, Options{})
		if !ok {
			t.Fatalf("%s does not divide", name)
		}
		checkTree(t, b.Tree)
		var got []string
		for _, n := range b.Cut(1) {
			got = append(got, strings.TrimSpace(b.Page.TextRange(b.Blocks[n].Start, b.Blocks[n].End, b.Charset)))
		}
		ok = len(got) == len(begins)
		for i := range got {
			ok = ok && strings.HasPrefix(got[i], begins[i])
		}
		if !ok {
			t.Errorf("%s divides into\n%q\nwant these to begin with\n%q", filepath.Base(name), got, begins)
		}
	}
}
