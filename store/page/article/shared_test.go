package article_test

import (
	"hash/fnv"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"infomall/store/block/about"
	"infomall/store/block/divide"
	"infomall/store/page/article"
	"infomall/store/page/charset"
	"infomall/store/page/pagetest"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// read reads a page of HTML as an article. blank reports whether the page shows next to nothing.
func read(body []byte, url string, seen record.Time) (a article.Article, blank bool) {
	b, ok := divide.Open(body, divide.As{Mime: "text/html"}, divide.Options{})
	if !ok {
		return article.Article{}, true
	}
	defer b.Free()
	return article.Read(input(b, url, seen)), len(b.Page.Text(b.Charset)) < blankBytes
}

// input returns the input that a divided page makes.
func input(b *divide.Body, url string, seen record.Time) *article.Input {
	in := &article.Input{Page: b.Page, Charset: b.Charset, URL: url, Seen: seen, Lang: b.Page.Meta(b.Charset).Lang}
	for _, r := range about.MainRanges(b) {
		in.Main = append(in.Main, article.Range(r))
	}
	return in
}

// kept reports whether a page of this URL is for measuring only: the rules are not made by
// looking at it. Half of the hosts are.
func kept(url string) bool {
	h := fnv.New32a()
	h.Write([]byte(urlkey.Host(url)))
	return h.Sum32()%2 == 1
}

// tally counts days of publication.
type tally struct{ pages, dated, right, wrong, missed int }

// add counts one page: want is the day that a person reads, or "" if the page has none, and
// got the day that was found, or "".
func (c *tally) add(want, got string) {
	c.pages++
	if want != "" {
		c.dated++
	}
	switch {
	case got == want && want != "":
		c.right++
	case got != "":
		c.wrong++
	case want != "":
		c.missed++
	}
}

func (c *tally) log(t *testing.T, name string) {
	t.Logf("%s: %d pages, %d with a day: right %.3f, wrong %.3f of all, missed %.3f", name, c.pages, c.dated, float64(c.right)/float64(max(1, c.dated)), float64(c.wrong)/float64(max(1, c.pages)),
		float64(c.missed)/float64(max(1, c.dated)))
}

// check fails the test if the bar is not reached: .88 right of the pages that have a day, and
// at most .08 wrong of all.
func (c *tally) check(t *testing.T, name string) {
	t.Helper()
	c.log(t, name)
	if c.dated == 0 || float64(c.right) < .88*float64(c.dated) || float64(c.wrong) > .08*float64(c.pages) {
		t.Errorf("%s: below the bar of .88 right and .08 wrong", name)
	}
}

// day returns the day of a date, such as 2008-08-08, or "" if it is not exact to the day.
func day(d article.Date) string {
	if d.Precision < article.Day {
		return ""
	}
	return d.Time.Std().Format(time.DateOnly)
}

// TestDays finds the day of publication of pages of many sites. Half of the sites are for
// measuring only.
func TestDays(t *testing.T) {
	root := filepath.Join(pagetest.Shared(t), "dates")
	list, err := os.ReadFile(filepath.Join(root, "dates.tsv"))
	if err != nil {
		t.Skip(err)
	}
	pages := map[string][]byte{}
	names, bodies := pagetest.Files(t, filepath.Join(root, "pages.tar.zst"), "")
	for i, name := range names {
		pages[filepath.Base(name)] = bodies[i]
	}
	seen := record.At(time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC))
	var tuned, measured tally
	blanks := 0
	for i, l := range strings.Split(strings.TrimSpace(string(list)), "\n") {
		f := strings.Split(l, "\t")
		if i == 0 || len(f) < 3 {
			continue
		}
		body, ok := pages[f[0]]
		if !ok {
			t.Fatalf("no page %s", f[0])
		}
		a, blank := read(body, f[1], seen)
		if f[2] != "" && blank {
			blanks++
			f[2] = ""
		}
		if kept(f[1]) {
			measured.add(f[2], day(a.Published))
			continue
		}
		if got := day(a.Published); got != f[2] {
			t.Logf("%s %s: got %q from %s, want %q; title %q", f[0], f[1], got, a.Published.From, f[2], a.Title)
		}
		tuned.add(f[2], day(a.Published))
	}
	t.Logf("%d pages have a day in the list, but show no text", blanks)
	tuned.check(t, "sites to learn from")
	measured.check(t, "sites for measuring only")
}

// blankBytes is how many bytes of text a page shows at least that is not blank.
const blankBytes = 200

// TestChineseDays finds the day of publication of Chinese pages, whose days were read by hand.
// Of the records of Web InfoMall only the text is left, so the test makes pages of them. Half
// of the sites are for measuring only.
func TestChineseDays(t *testing.T) {
	root := filepath.Join(pagetest.Shared(t), "chinese")
	records, err := os.ReadFile(filepath.Join(root, "infomall-dat0-first250.dat"))
	if err != nil {
		t.Skip(err)
	}
	pages := map[string][]byte{}
	for _, r := range strings.Split(string(charset.ToUTF8(records, "gb18030")), "\nid=") {
		url, rest := field(r, "url="), r
		_, rest, _ = strings.Cut(rest, "body=")
		title := html.EscapeString(strings.TrimSpace(field(r, "title=")))
		pages[url] = []byte(`<html lang="zh"><title>` + title + "</title><h1>" + title + "</h1><div><p>" +
			strings.ReplaceAll(html.EscapeString(strings.TrimSpace(rest)), "  ", "</p>\n<p>") + "</p></div>")
	}
	names, bodies := pagetest.Files(t, filepath.Join(root, "gne-odd.tar.zst"), ".html")
	for i, name := range names {
		pages[strings.TrimPrefix(name, "./")] = bodies[i]
	}
	list, err := os.ReadFile(filepath.Join("testdata", "chinese.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	seen := record.At(time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC))
	var tuned, measured tally
	for l := range strings.Lines(string(list)) {
		name, want, ok := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
		if !ok || strings.HasPrefix(l, "#") {
			continue
		}
		body, ok := pages[name]
		if !ok {
			t.Fatalf("no page %s", name)
		}
		url, site := name, name
		if !strings.Contains(name, "://") {
			url, site = "", "http://"+strings.Split(name, "/")[1]+"/"
		}
		a, _ := read(body, url, seen)
		if kept(site) {
			measured.add(want, day(a.Published))
			continue
		}
		if got := day(a.Published); got != want {
			t.Logf("%s: got %q from %s, want %q; title %q", name, got, a.Published.From, want, a.Title)
		}
		tuned.add(want, day(a.Published))
	}
	tuned.check(t, "sites to learn from")
	measured.check(t, "sites for measuring only")
}

// field returns the rest of the line that begins with name, or "".
func field(s, name string) string {
	_, rest, _ := strings.Cut("\n"+s, "\n"+name)
	rest, _, _ = strings.Cut(rest, "\n")
	return strings.TrimRight(rest, "\r")
}
