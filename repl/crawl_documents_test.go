package repl

import (
	"context"
	"errors"
	"strings"
	"testing"

	"infomall/crawl/report"
	"infomall/exec"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/store/record/task"
)

// storing is a crawler that fetches nothing, as if it had stored pages. It ends with err.
type storing struct {
	session.Crawler
	err error
}

func (c *storing) Crawl(_ context.Context, o report.CrawlOptions) (report.CrawlResult, error) {
	return report.CrawlResult{Crawl: report.Crawl{Name: o.Name, Fetched: 1}}, c.err
}

// reading is an archive that counts how often it reads documents. The reading ends with
// err, or if wait is set, when its context ends.
type reading struct {
	archive
	n    int
	stop func() // what Reindex calls first
	wait bool
	err  error
}

func (a *reading) Reindex(ctx context.Context, o task.ReindexOptions) ([]task.ReindexResult, error) {
	if !o.Documents {
		return nil, errors.New("the crawl makes indexes")
	}
	a.n++
	a.stop()
	if a.wait {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, a.err
}

// TestCrawlReadsDocuments shows when a crawl reads documents at its end, and what it says if
// some are left.
func TestCrawlReadsDocuments(t *testing.T) {
	full := errors.New("disk full")
	for _, c := range []struct {
		name, statement string
		crawler         storing
		archive         reading
		cancel          bool
		times           int
		note, err       string
	}{
		{name: "import", statement: "CRAWL 'http://127.0.0.1/'", times: 1},
		{name: "later", statement: "SET documents = later; CRAWL 'http://127.0.0.1/'"},
		{name: "off", statement: "SET documents = off; CRAWL 'http://127.0.0.1/'"},
		{name: "from archive", statement: "SET documents = off; IMPORT '../queries/demo/documents.warc.gz'; SET documents = import; CRAWL 'http://www.qingshan.example/' FROM ARCHIVE"},
		{name: "failed", statement: "CRAWL 'http://127.0.0.1/'", crawler: storing{err: full}, err: "disk full"},
		{name: "limit", statement: "CRAWL 'http://127.0.0.1/' LIMIT 10ms", archive: reading{wait: true}, times: 1,
			note: "LIMIT 10ms is over, and not all documents were read; REINDEX DOCUMENTS reads the others"},
		{name: "limit of pages", statement: "CRAWL 'http://127.0.0.1/' LIMIT 1 PAGES", times: 1},
		{name: "interrupted", statement: "CRAWL 'http://127.0.0.1/'", archive: reading{wait: true}, cancel: true, times: 1,
			err: "not all documents were read: context canceled; REINDEX DOCUMENTS reads the others"},
		{name: "reading fails", statement: "CRAWL 'http://127.0.0.1/' LIMIT 1h", archive: reading{err: full}, times: 1,
			err: "all captures are in the archive, but not all documents were read: disk full"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, closer := openStore(t.TempDir(), func(err error) { t.Error(err) })
			defer closer.Close()
			c.archive.archive = a.(archive)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c.archive.stop = func() {
				if c.cancel {
					cancel()
				}
			}
			s := exec.New(session.Options{Archive: &c.archive, Settings: session.DefaultSettings(), Params: map[string]string{}, Crawler: &c.crawler})
			var notes, failed string
			for st, err := range lang.Statements(c.statement, "") {
				if err != nil {
					t.Fatal(err)
				}
				res, err := s.Run(ctx, st)
				if err == nil {
					notes = strings.Join(res.Notes, "\n")
					if res.Rows != nil {
						for _, e := range res.Rows {
							err = errors.Join(err, e)
						}
					}
				}
				if err != nil {
					failed = err.Error()
				}
			}
			if c.archive.n != c.times {
				t.Errorf("the documents were read %d times, want %d", c.archive.n, c.times)
			}
			if c.note != notes {
				t.Errorf("notes are %q, want %q", notes, c.note)
			}
			if !strings.Contains(failed, c.err) || c.err == "" && failed != "" {
				t.Errorf("error is %q, want %q", failed, c.err)
			}
		})
	}
}
