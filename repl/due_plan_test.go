package repl

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"infomall/crawl/revisit"
	"infomall/exec"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/urlkey"
)

// duePages is how many pages the archives of TestDuePlan have. It is so many that a plan is
// made from a sample.
const duePages = 3 * revisit.SampleEnough

// TestDuePlan compares the column next_due with the plain computation, which reads all
// captures and compares versions: for all pages and for single ones, and which pages CRAWL DUE
// finds. Some captures come in after later ones, so that the index does not know of some
// versions what they changed. The archive is looked at as imported, after captures were
// deleted, and after pools were merged.
func TestDuePlan(t *testing.T) {
	defer segment.SetSampling(revisit.SampleEnough*5/4, 1)()
	const seed = 1
	r := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	a, closer := openStore(filepath.Join(dir, "archive"), func(err error) { t.Error(err) })
	defer closer.Close()
	now := time.Date(2010, 3, 1, 0, 0, 0, 0, time.UTC)
	crawler := &planning{}
	s := exec.New(session.Options{Archive: a, Settings: session.DefaultSettings(), Params: map[string]string{}, Crawler: crawler, Now: func() time.Time { return now }, Confirm: func(context.Context, []string) error { return nil }})
	run := func(text string) (rows [][]string) {
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
					var row []string
					for _, c := range b.Cols {
						row = append(row, string(c.At(i).Append(nil, time.UTC)))
					}
					rows = append(rows, row)
				}
			}
			res.Close()
		}
		return rows
	}
	for n, file := range dueFiles(r) {
		path := filepath.Join(dir, fmt.Sprintf("%d.warc", n))
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		run("IMPORT '" + path + "'")
	}
	run("SET agent = 'x'")
	for _, change := range []string{"", "DELETE FROM '*' WHERE url LIKE '%77' AND change = 'changed'", "MERGE POOL '201001'"} {
		if change != "" {
			run(change)
		}
		snap, err := a.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		least, _, err := snap.SampleLevels(t.Context(), revisit.SampleEnough)
		snap.Close()
		if err != nil || least == 0 {
			t.Fatalf("after %q, the archive has samples of level %d, %v", change, least, err)
		}
		want, due := plainDue(t, run, record.At(now))
		wrong := 0
		for _, row := range run("SELECT url, next_due FROM pages") {
			if row[1] != want[row[0]] {
				if wrong++; wrong < 5 {
					t.Errorf("after %q, %s is due %s, want %s", change, row[0], row[1], want[row[0]])
				}
			}
		}
		for range 5 {
			url := fmt.Sprintf("http://h%d.example/%d", 3, 3+10*r.IntN(duePages/10))
			rows := run("SELECT next_due FROM pages WHERE url = '" + url + "'")
			if len(rows) > 1 || len(rows) == 1 && rows[0][0] != want[url] {
				t.Errorf("after %q, of %s alone next_due is %v, want %s", change, url, rows, want[url])
			}
		}
		run("CRAWL DUE")
		if got := slices.Sorted(slices.Values(crawler.asked.Seeds)); !slices.Equal(got, due) {
			t.Errorf("after %q, CRAWL DUE visits %d pages, want %d", change, len(got), len(due))
		}
	}
}

// dueFiles returns WARC files with the captures of duePages pages: each was visited up to
// four times, and its text or only its date changed now and then.
func dueFiles(r *rand.Rand) [][]byte {
	var files [2]strings.Builder
	for page := range duePages {
		at, text := time.Date(2010, 1, 1, 0, 0, r.IntN(1e6), 0, time.UTC), 0
		for n := range 1 + r.IntN(4) {
			file := min(n/2, 1)
			if r.IntN(20) == 0 {
				file = 1 - file
			}
			if r.IntN(3) == 0 {
				text++
			}
			body := fmt.Sprintf("<title>A page</title><p>There is %s to say about it.</p><p>Printed on %s</p>", inWords(17+text), at.Format("2006-01-02"))
			if r.IntN(4) == 0 {
				body = "<p>Nothing is here"
			}
			head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n", len(body))
			fmt.Fprintf(&files[file], "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h%d.example/%d\r\nWARC-Date: %s\r\nWARC-Record-ID: <urn:uuid:%016x>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s%s\r\n\r\n",
				page%10, page, at.Format(time.RFC3339), r.Uint64(), len(head)+len(body), head, body)
			at = at.Add(time.Duration(1+r.IntN(14*24)) * time.Hour)
		}
	}
	var out [][]byte
	for i := range files {
		out = append(out, []byte(files[i].String()))
	}
	return out
}

// plainDue computes next_due of each page, as text, and which pages are due, from the
// relations captures and versions.
func plainDue(t *testing.T, run func(string) [][]string, now record.Time) (next map[string]string, due []string) {
	timeOf := func(text string) record.Time {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return record.At(at)
	}
	substantial := make(map[string]bool)
	for _, row := range run("SELECT url, time FROM versions WHERE change = 'changed' AND substantial") {
		substantial[row[0]+" "+row[1]] = true
	}
	var urls []string
	pages, last := make(map[string]*revisit.Page), make(map[string]record.Time)
	for _, row := range run("SELECT url, time, change FROM captures") {
		url, at := row[0], timeOf(row[1])
		if pages[url] == nil {
			pages[url] = new(revisit.Page)
			urls = append(urls, url)
		} else {
			changed := slices.Contains([]string{"gone", "back", "kind"}, row[2]) || row[2] == "changed" && substantial[url+" "+row[1]]
			pages[url].Add(revisit.Visit{Days: at.Std().Sub(last[url].Std()).Hours() / 24, Changed: changed})
		}
		last[url] = at
	}
	var sample []revisit.Page
	level := 64
	for ; level > 0 && len(sample) < revisit.SampleEnough; level-- {
		sample = sample[:0]
		for _, u := range urls {
			if urlkey.Level(urlkey.Key(u)) >= level-1 {
				sample = append(sample, *pages[u])
			}
		}
	}
	total := len(sample) << level
	plan := revisit.New(sample, total, revisit.Budget{Visits: float64(total) / 7})
	next = make(map[string]string)
	for _, u := range urls {
		wait := time.Duration(plan.Interval(pages[u]) * 24 * float64(time.Hour))
		at := last[u] + record.Time(wait.Milliseconds())
		next[u] = string(value.OfTime(at).Append(nil, time.UTC))
		if at < now {
			due = append(due, u)
		}
	}
	slices.Sort(due)
	return next, due
}
