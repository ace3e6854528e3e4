package repl

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"infomall/crawl"
	"infomall/crawl/report"
	"infomall/exec"
	"infomall/exec/session"
	"infomall/lang"
)

// clocked is an archive whose crawls use a clock of the test.
type clocked struct {
	archive
	now func() time.Time
}

func (c clocked) Crawl(ctx context.Context, o report.CrawlOptions) (report.CrawlResult, error) {
	return crawl.Run(ctx, c.archive, o, crawl.Env{Now: c.now})
}

// TestDueVisits runs CRAWL DUE each day of four weeks on a site whose pages
// change at different rates. It must visit only pages that are due, and at most
// as many as allowed. A page that changes and can be followed must get more
// visits than one that never changes.
func TestDueVisits(t *testing.T) {
	periods := []int{1, 4, 8, 1000} // days between two changes of a page
	const of, budget, days = 2, 3, 28
	var mu sync.Mutex
	asked := make(map[string]int)
	day := 0
	now := func() time.Time { // never before the real one, by which connections end
		mu.Lock()
		defer mu.Unlock()
		return time.Now().Add(time.Duration(day) * 24 * time.Hour)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var period, n int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d/%d", &period, &n); err != nil {
			http.NotFound(w, r)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		asked[r.URL.Path]++
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>A page</title><h1>Page</h1><p>There is something to be said about %s, and this is all of it, as far as anybody knows.</p>",
			strings.Repeat(inWords((day+n)/period+17)+" ", 9))
	}))
	defer server.Close()
	a, closer := openStore(filepath.Join(t.TempDir(), "archive"), func(err error) { t.Error(err) })
	defer closer.Close()
	store, ok := a.(archive)
	if !ok {
		t.Fatalf("the archive is a %T", a)
	}
	s := exec.New(session.Options{Archive: a, Settings: session.DefaultSettings(), Params: map[string]string{}, Crawler: clocked{store, now}, Now: now})
	run := func(text string) (rows []string) {
		t.Helper()
		for st, err := range lang.Statements(text, "") {
			if err != nil {
				t.Fatal(err)
			}
			res, err := s.Run(t.Context(), st)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if res.Rows == nil {
				continue
			}
			for b, err := range res.Rows {
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				for i := range b.N {
					rows = append(rows, string(b.Cols[0].At(i).Append(nil, time.UTC)))
				}
			}
			res.Close()
		}
		return rows
	}
	var seeds []string
	for _, p := range periods {
		for n := range of {
			seeds = append(seeds, fmt.Sprintf("'%s/%d/%d'", server.URL, p, n))
		}
	}
	run("SET revisit = '64h'; CRAWL " + strings.Join(seeds, ", ") + " DELAY 0s IGNORE ROBOTS ALLOW PRIVATE AS first")
	for day < days {
		mu.Lock()
		day++
		clear(asked)
		mu.Unlock()
		due := run("SELECT url FROM pages WHERE next_due < NOW")
		run(fmt.Sprintf("CRAWL DUE LIMIT %d PAGES DELAY 0s IGNORE ROBOTS ALLOW PRIVATE", budget))
		mu.Lock()
		if len(asked) != min(budget, len(due)) {
			t.Errorf("day %d: %d pages were visited, of %d that are due", day, len(asked), len(due))
		}
		for path, n := range asked {
			if n != 1 || !slices.Contains(due, server.URL+path) {
				t.Errorf("day %d: %s was visited %d times, and these are due: %v", day, path, n, due)
			}
		}
		mu.Unlock()
	}
	visits := make(map[int]int)
	for _, row := range run("SELECT split_part(path(url), '/', 2) || ' ' || count(*) FROM captures GROUP BY split_part(path(url), '/', 2)") {
		var period, n int
		fmt.Sscan(row, &period, &n)
		visits[period] = n
	}
	t.Logf("visits by days between changes: %v", visits)
	if visits[4] <= visits[1000] || visits[8] <= visits[1000] || visits[1000] < of*2 {
		t.Errorf("visits by days between changes: %v", visits)
	}
}
