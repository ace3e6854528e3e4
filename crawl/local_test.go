package crawl

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infomall/crawl/report"
	"infomall/store/record"
)

// asked gives the paths of what a crawl took up, in its order, with outcomes
// other than ok.
func asked(t *testing.T, a archive, crawl string) string {
	var list []string
	for rows, err := range a.Fetches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range rows {
			if f.Crawl != crawl {
				continue
			}
			name := f.URL[strings.LastIndexByte(f.URL, '/')+1:]
			if f.Outcome != report.OutcomeOK {
				name += ":" + f.Outcome.String()
			}
			list = append(list, name)
		}
	}
	return strings.Join(list, " ")
}

// TestFromArchive shows that pages of the archive are walked in another order,
// in another scope and at another time, that no server is asked, and that nothing
// is stored.
func TestFromArchive(t *testing.T) {
	w := newWeb(t, map[string]string{"A": "BCE", "B": "D", "C": "X", "D": "", "X": ""})
	w.pages["/E"] = func(out http.ResponseWriter, r *http.Request) { http.Redirect(out, r, "/B", http.StatusFound) }
	a := newArchive(t)
	o := w.options()
	o.Depth = 1
	if _, err := Run(t.Context(), a, o, Env{}); err != nil {
		t.Fatal(err)
	}
	w.Close() // nobody is there any more
	o.Name, o.Depth, o.FromArchive, o.Before = "again", -1, true, record.MaxTime
	res, err := Run(t.Context(), a, o, Env{})
	if err != nil || res.Fetched != 4 || res.Stored != 0 {
		t.Errorf("%+v, %v", res, err)
	}
	if got, want := asked(t, a, "again"), "A B C E:redirect D:unreachable X:unreachable"; got != want {
		t.Errorf("took up %s, want %s", got, want)
	}
	o.Name, o.Exclude = "less", append(o.Exclude, scope(t, w.URL+"/B"))
	if _, err := Run(t.Context(), a, o, Env{}); err != nil {
		t.Fatal(err)
	}
	if got, want := asked(t, a, "less"), "A B:filtered C E:redirect X:unreachable"; got != want {
		t.Errorf("took up %s, want %s", got, want)
	}
	o.Name, o.Before = "early", 1
	if _, err := Run(t.Context(), a, o, Env{}); err != nil {
		t.Fatal(err)
	}
	if got, want := asked(t, a, "early"), "A:unreachable"; got != want {
		t.Errorf("took up %s, want %s", got, want)
	}
	if got := stored(t, a, w.URL+"/D"); got != "" {
		t.Errorf("the archive has %q of a page that it did not have", got)
	}
}

// TestFiles shows that a mirror on disk is crawled from a seed, that nothing leads
// out of its folder, and that no page of the web leads to files.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("secret.html", "not to be read")
	write("mirror/index.html", "<a href=a%20b.html?x>a</a> <a href=sub/>sub</a> <a href=../secret.html>s</a> <a href=%2e%2e%2fsecret.html>s</a> <a href=link.html>l</a> <a href=gone.html>g</a> <a href=http://a.example/>web</a>")
	write("mirror/a b.html", "<title>A</title>")
	write("mirror/sub/index.htm", "<title>Sub</title>")
	if err := os.Symlink(filepath.Join(dir, "secret.html"), filepath.Join(dir, "mirror", "link.html")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	seed := "file://" + filepath.ToSlash(dir) + "/mirror/"
	a := newArchive(t)
	o := report.CrawlOptions{Name: "files", Statement: "CRAWL", Seeds: []string{seed}, Depth: -1, Workers: 1}
	res, err := Run(t.Context(), a, o, Env{})
	if err != nil || res.Fetched != 3 || res.Stored != 3 {
		t.Errorf("%+v, %v", res, err)
	}
	got := asked(t, a, "files")
	for _, want := range []string{"a%20b.html?x", "gone.html:unreachable", "link.html:unreachable", "secret.html:filtered"} {
		if !strings.Contains(got, want) {
			t.Errorf("took up %s; missing %s", got, want)
		}
	}
	if text := stored(t, a, seed+"sub/"); text != "<title>Sub</title>" {
		t.Errorf("the archive has %q", text)
	}
	o.Name, o.Seeds = "folder", []string{strings.TrimSuffix(seed, "/")}
	if res, err := Run(t.Context(), a, o, Env{}); err != nil || len(res.Lost) != 1 || res.Lost[0].Reason != "it is a folder, whose URL ends in a slash" {
		t.Errorf("a folder without a slash: %+v, %v", res.Lost, err)
	}
	w := newWeb(t, nil)
	w.pages["/A"] = func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Type", "text/html")
		out.Write([]byte("<a href='" + seed + "'>files</a><base href='" + seed + "'>"))
	}
	o.Name, o.AllowPrivate, o.Agent = "web", true, "infomall"
	o.Seeds = []string{w.URL + "/A"}
	if _, err := Run(t.Context(), a, o, Env{}); err != nil {
		t.Fatal(err)
	}
	if got := asked(t, a, "web"); strings.Contains(got, "index") || strings.Contains(got, "mirror") {
		t.Errorf("a page of the web led to %s", got)
	}
}
