package article_test

import (
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"infomall/store/block/about"
	"infomall/store/block/divide"
	"infomall/store/page/article"
	"infomall/store/page/pagetest"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// read reads a page of HTML as an article.
func read(body []byte, url string, seen record.Time, site *article.Site) article.Article {
	b, ok := divide.Open(body, divide.As{Mime: "text/html"}, divide.Options{})
	if !ok {
		return article.Article{}
	}
	in := input(b, url, seen)
	in.Site = site
	return article.Read(in)
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
	for i, l := range strings.Split(strings.TrimSpace(string(list)), "\n") {
		f := strings.Split(l, "\t")
		if i == 0 || len(f) < 3 {
			continue
		}
		body, ok := pages[f[0]]
		if !ok {
			t.Fatalf("no page %s", f[0])
		}
		a := read(body, f[1], seen, nil)
		if kept(f[1]) {
			measured.add(f[2], day(a.Published))
			continue
		}
		if got := day(a.Published); got != f[2] {
			t.Logf("%s %s: got %q from %s, want %q; title %q", f[0], f[1], got, a.Published.From, f[2], a.Title)
		}
		tuned.add(f[2], day(a.Published))
	}
	tuned.log(t, "sites to learn from")
	measured.log(t, "sites for measuring only")
}
