package repl

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"infomall/crawl/render"
)

// shownPage is a page of testdata/shown/pages.txtar.
type shownPage struct {
	folder string // such as "01"
	words  []string
	parts  []string // URLs relative to the folder
}

// onePixel is a PNG of one pixel, in the place of each picture of the pages.
var onePixel = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde\x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00IEND\xaeB`\x82")

// shownSite returns the pages, and a server that has them.
func shownSite(t *testing.T) ([]shownPage, *httptest.Server) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/shown/pages.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string][]byte)
	var pages []shownPage
	for _, f := range archive.Files {
		files["/"+f.Name] = f.Data
		if path.Base(f.Name) != "want" {
			continue
		}
		p := shownPage{folder: path.Dir(f.Name)}
		for line := range strings.Lines(string(f.Data)) {
			if part, ok := strings.CutPrefix(line, "+ "); ok {
				p.parts = append(p.parts, strings.TrimSpace(part))
			} else {
				p.words = append(p.words, strings.Fields(line)...)
			}
		}
		pages = append(pages, p)
	}
	types := map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript", ".json": "application/json", ".css": "text/css", ".png": "image/png", ".txt": "text/plain"}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Path
		if strings.HasSuffix(name, "/") {
			name += "index.html"
		}
		body, ok := files[name]
		if !ok || path.Base(name) == "want" {
			http.NotFound(w, r)
			return
		}
		if path.Ext(name) == ".png" {
			body = onePixel
		}
		w.Header().Set("Content-Type", types[path.Ext(name)])
		w.Write(body)
	}))
	t.Cleanup(s.Close)
	return pages, s
}

// shownDefault are the pages that are opened unless INFOMALL_RENDER is all.
var shownDefault = []string{"09", "10", "34"}

// TestShownPages crawls pages that need a browser with RENDER, and opens them in replay.
// Text and parts must be complete, and replay must show what the crawl saw. By default
// it takes a few pages; INFOMALL_RENDER=all takes all 40, of which 38 must be complete.
func TestShownPages(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser takes long")
	}
	if _, err := render.Find(""); err != nil {
		t.Skip(err)
	}
	pages, site := shownSite(t)
	all := os.Getenv("INFOMALL_RENDER") == "all"
	if !all {
		pages = slices.DeleteFunc(pages, func(p shownPage) bool { return !slices.Contains(shownDefault, p.folder) })
	}
	dir := filepath.Join(t.TempDir(), "archive")
	query := func(statement string) [][]string {
		t.Helper()
		var out, failed bytes.Buffer
		args := []string{"-a", dir, "--format", "csv", "--no-header", "-c", "SET browser_sandbox = off; SET agent = 'infomall (+http://localhost/)'; " + statement}
		if status := mainElsewhere(context.Background(), args, strings.NewReader(""), &out, &failed, elsewhere); status != 0 {
			t.Fatalf("%s: status %d: %s", statement, status, failed.Bytes())
		}
		rows, err := csv.NewReader(&out).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		return rows
	}
	var seeds []string
	for _, p := range pages {
		seeds = append(seeds, fmt.Sprintf("'%s/%s/'", site.URL, p.folder))
	}
	query("CRAWL " + strings.Join(seeds, ", ") + " DEPTH 0 DELAY 0s ALLOW PRIVATE RENDER WITH 2 BROWSERS")

	texts := make(map[string]string)
	for _, row := range query("SELECT url, html FROM versions LATEST WHERE url LIKE 'dom:%'") {
		texts[row[0]] = row[1]
	}
	captured := make(map[string]bool)
	for _, row := range query("SELECT DISTINCT url FROM captures") {
		captured[row[0]] = true
	}
	replayed := make(map[string][]string)
	for _, row := range query("CHECK REPLAY") {
		replayed[row[0]] = row[1:]
	}
	complete := 0
	for _, p := range pages {
		base := site.URL + "/" + p.folder + "/"
		var faults []string
		for _, w := range p.words {
			if !strings.Contains(texts["dom:"+base], w) {
				faults = append(faults, "no word "+w)
			}
		}
		for _, part := range p.parts {
			if !captured[base+part] {
				faults = append(faults, "no part "+part)
			}
		}
		if r := replayed[base]; r == nil || r[6] != "complete" {
			faults = append(faults, fmt.Sprintf("replay: %q", r))
		}
		if faults == nil {
			complete++
			continue
		}
		report := t.Errorf
		if all {
			report = t.Logf
		}
		report("page %s: %s", p.folder, strings.Join(faults, "; "))
	}
	t.Logf("%d of %d pages are complete", complete, len(pages))
	if all && complete < 38 {
		t.Errorf("%d of %d pages are complete, want 38", complete, len(pages))
	}
}
