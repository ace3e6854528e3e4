package repl

import (
	"context"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"infomall/crawl/report"
	"infomall/exec"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// planning is a crawler that fetches nothing and only notes what it should
// crawl.
type planning struct {
	session.Crawler
	failed []report.Failure
	asked  report.CrawlOptions
}

func (p *planning) Failures(context.Context, []urlkey.Range) iter.Seq2[[]report.Failure, error] {
	return func(yield func([]report.Failure, error) bool) { yield(p.failed, nil) }
}

func (p *planning) Crawl(_ context.Context, o report.CrawlOptions) (report.CrawlResult, error) {
	p.asked = o
	return report.CrawlResult{Crawl: report.Crawl{Name: o.Name}}, nil
}

// TestCrawlDue shows which pages CRAWL DUE visits, given the visits in the
// demo.
func TestCrawlDue(t *testing.T) {
	a, closer := openStore(filepath.Join(t.TempDir(), "archive"), func(err error) { t.Error(err) })
	defer closer.Close()
	crawler := &planning{}
	now := time.Date(2008, 9, 1, 0, 0, 0, 0, time.UTC)
	s := exec.New(session.Options{Archive: a, Settings: session.DefaultSettings(), Params: map[string]string{}, Crawler: crawler, Now: func() time.Time { return now }})
	run := func(text string) []string {
		t.Helper()
		crawler.asked = report.CrawlOptions{}
		for st, err := range lang.Statements(text, "") {
			if err != nil {
				t.Fatal(err)
			}
			res, err := s.Run(context.Background(), st)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if res.Rows == nil {
				continue // SET
			}
			for _, err := range res.Rows {
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
		}
		return crawler.asked.Seeds
	}
	run("IMPORT '../queries/demo/*.raw'")
	run("SET agent = 'x'")
	all := run("CRAWL DUE")
	if len(all) < 10 || crawler.asked.Name != "due" || crawler.asked.Depth != 0 {
		t.Fatalf("%d pages are due, by %+v", len(all), crawler.asked)
	}
	sorted := slices.Sorted(slices.Values(all))
	if n := len(slices.Compact(sorted)); n != len(all) {
		t.Errorf("%d of %d pages are due twice", len(all)-n, len(all))
	}
	for _, u := range all {
		if strings.HasSuffix(u, "/robots.txt") || !strings.Contains(u, "lanshan.example") {
			t.Errorf("%s is due", u)
		}
	}
	if few := run("CRAWL DUE LIMIT 3 PAGES AS few"); !slices.Equal(few, all[:3]) || crawler.asked.Name != "few" {
		t.Errorf("of all the first three are %q, and with LIMIT 3 PAGES %q", all[:3], few)
	}
	for _, u := range run("CRAWL DUE IN 'lib.lanshan.example'") {
		if !strings.HasPrefix(u, "http://lib.lanshan.example/") {
			t.Errorf("%s is due in lib.lanshan.example", u)
		}
	}
	// The column next_due says the same, for a single page and for all pages.
	due := func(where string) (urls []string) {
		for st, err := range lang.Statements("SELECT url FROM pages WHERE next_due < NOW"+where, "") {
			if err != nil {
				t.Fatal(err)
			}
			res, err := s.Run(context.Background(), st)
			if err != nil {
				t.Fatal(err)
			}
			for b, err := range res.Rows {
				if err != nil {
					t.Fatal(err)
				}
				for i := range b.N {
					urls = append(urls, b.Cols[0].At(i).Text)
				}
			}
		}
		slices.Sort(urls)
		return urls
	}
	if got := due(""); !slices.Equal(got, sorted) {
		t.Errorf("next_due has %d pages due, CRAWL DUE %d", len(got), len(sorted))
	}
	if got := due(" AND url = '" + all[0] + "'"); !slices.Equal(got, all[:1]) {
		t.Errorf("of %s alone next_due tells another: %q", all[0], got)
	}
	crawler.failed = []report.Failure{{URL: all[0], Time: record.At(now.Add(-time.Minute))}}
	if again := run("CRAWL DUE"); slices.Contains(again, all[0]) {
		t.Errorf("%s, which did not answer a minute ago, is due", all[0])
	}
	crawler.failed = nil
	// What is not due yet is in the end.
	now = time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC)
	if late := run("CRAWL DUE"); len(late) <= len(all) {
		t.Errorf("%d pages are due a year later, and %d before", len(late), len(all))
	}
}
