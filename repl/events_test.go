package repl

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// newsParts writes the captures of three news sites over 60 days as WARC files, each of which
// has some days, and returns their names. On day 20 and on day 40 something happens, of which
// each site writes for some days. Some reports are copies of one text, and front pages repeat
// headlines for days.
func newsParts(t *testing.T, dir string, parts int) (names []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	common := func(n int) string {
		var list []string
		for range n {
			k := r.ExpFloat64() * 60
			list = append(list, fmt.Sprintf("%c%cword%c%c", 'a'+int(k)%26, 'a'+int(k)/26%26, 'a'+int(k)%7, 'k'+int(k)%11))
		}
		return strings.Join(list, " ")
	}
	about := [][]string{strings.Fields("flood dike river sandbags evacuated rain"), strings.Fields("olympics opening ceremony stadium torch fireworks")}
	text := func(words []string) (title, body string) {
		title, body = common(6), common(90)
		if words != nil {
			pick := func() string { return words[r.IntN(len(words))] }
			title = words[0] + " " + pick() + " " + title
			for range 12 {
				body += " " + pick()
			}
		}
		return title, body
	}
	files := make([]strings.Builder, parts)
	const days = 60
	begin := time.Date(2008, 6, 1, 6, 0, 0, 0, time.UTC)
	n := 0
	put := func(day int, url, body string) {
		at := begin.AddDate(0, 0, day).Add(time.Duration(n) * time.Second)
		n++
		http := "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
		fmt.Fprintf(&files[day*parts/days], "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012x>\r\nWARC-Target-URI: %s\r\nWARC-Date: %s\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			n, url, at.Format(time.RFC3339), len(http), http)
	}
	copied := ""
	links := make([][]string, 3) // of the front page of each site, those of the last days
	for day := range days {
		for site := range 3 {
			host := fmt.Sprintf("http://www.news%d.example", site)
			for i := range 4 {
				var words []string
				for e := range about {
					if since := day - 20*(e+1); since >= 0 && since < 4 && i < 2 {
						words = about[e]
					}
				}
				title, body := text(words)
				if words != nil && i == 1 {
					if site == 0 {
						copied = title + "\n" + body
					}
					title, body, _ = strings.Cut(copied, "\n") // all sites print the text of the agency
				}
				url := fmt.Sprintf("%s/%s/%d.html", host, begin.AddDate(0, 0, day).Format("2006/01/02"), i)
				put(day, url, fmt.Sprintf("<html><head><title>%s</title><meta property='article:published_time' content='%s'></head><body><h1>%s</h1><p>%s.</p><p>%s.</p></body></html>",
					title, begin.AddDate(0, 0, day).Format("2006-01-02"), title, body[:len(body)/2], body[len(body)/2:]))
				links[site] = append(links[site], fmt.Sprintf("<li><a href='%s'>%s</a></li>", url, title))
			}
			links[site] = links[site][max(0, len(links[site])-20):]
			put(day, host+"/", "<html><head><title>News</title></head><body><ul>"+strings.Join(links[site], "")+"</ul></body></html>")
		}
	}
	for i := range files {
		name := filepath.Join(dir, fmt.Sprintf("part%d.warc", i))
		if err := os.WriteFile(name, []byte(files[i].String()), 0o644); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// The queries for the events and their reports, without their numbers and times of computation.
const (
	eventsAside  = `SELECT title, start, peak, finish, dated, scale, reports, sources, copies, keywords, places FROM events ORDER BY start, title`
	reportsAside = `SELECT url, time, published, title, host, sources, copies, title_of_event FROM reports ORDER BY url, time, title`
)

// TestEventsOrder imports the same captures in several orders, with an EVENTS after each import,
// after some, or only at the end. The events and reports are the same. In the order of time, each
// EVENTS but the first reads only what was added, and goes on with what the others have stored.
func TestEventsOrder(t *testing.T) {
	dir := t.TempDir()
	parts := newsParts(t, dir, 10)
	r := rand.New(rand.NewPCG(3, 4))
	want := ""
	for order := range 4 {
		archive := filepath.Join(dir, fmt.Sprint("archive", order))
		list := slices.Clone(parts)
		starts := make(map[string]string) // of the events; in the order of time, none of them changes
		if order == 2 {
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		for i, part := range list {
			statement := "IMPORT '" + part + "'"
			if order == 1 || order > 1 && r.IntN(3) == 0 || i == len(list)-1 {
				statement += "; EVENTS news"
			}
			runMain(t, []string{"-a", archive, "-c", statement})
			for _, line := range strings.Fields(runMain(t, []string{"-a", archive, "--format", "csv", "--no-header", "-c", "SELECT event, start FROM events"})) {
				event, start, _ := strings.Cut(line, ",")
				if was, ok := starts[event]; ok && was != start && order != 2 {
					t.Errorf("order %d: %s starts at %s, and now at %s", order, event, was, start)
				}
				starts[event] = start
			}
		}
		got := runMain(t, []string{"-a", archive, "--format", "csv", "-c", eventsAside + "; " + reportsAside})
		switch {
		case order == 0:
			want = got
			if !strings.Contains(got, "2008-06-21T00:00:00Z") || !strings.Contains(got, "2008-07-11T00:00:00Z") || !strings.Contains(got, "flood") || !strings.Contains(got, "olympics") {
				t.Fatalf("the two events are not there with their days:\n%s", got)
			}
		case got != want:
			t.Errorf("order %d gives\n%s, want\n%s", order, got, want)
		}
	}
	// In the order of time, all runs together have read each text once.
	read := runMain(t, []string{"-a", filepath.Join(dir, "archive1"), "--format", "csv", "--no-header", "-c",
		"EVENTS news; SELECT sum(rows), max(rows) < sum(rows) FROM jobs WHERE statement = 'EVENTS news'; SELECT count(*), true FROM articles"})
	if lines := strings.Fields(read); len(lines) != 2 || lines[0] != lines[1] {
		t.Errorf("the texts that were read, and those that there are: %q", lines)
	}
}

// TestEventsDelete hides pages of an event by a rule, and then deletes them. No event shows them
// then, and the rest of the event stays.
func TestEventsDelete(t *testing.T) {
	dir := t.TempDir()
	archive := filepath.Join(dir, "archive")
	for _, part := range newsParts(t, dir, 1) {
		runMain(t, []string{"-a", archive, "-c", "IMPORT '" + part + "'; EVENTS news"})
	}
	ask := func(statement string) string {
		return runMain(t, []string{"-a", archive, "--yes", "--format", "csv", "--no-header", "-c", statement})
	}
	const ofHost = "SELECT count(*) FROM reports WHERE host = 'www.news1.example' OR sources CONTAINS 'news1'"
	if got := strings.TrimSpace(ask(ofHost)); got == "0" {
		t.Fatal("no report is of the host that will be deleted")
	}
	// A rule hides them from readers at once.
	ask("RULE hidden ON 'www.news1.example' EXCLUDE")
	served := serveDir(t, archive)
	for _, statement := range []string{"SELECT * FROM events", "SELECT * FROM reports"} {
		body := served.query(statement)
		if strings.Contains(body, "news1") || strings.Count(body, "\n") < 3 {
			t.Errorf("under a rule, %s gives %s", statement, body)
		}
	}
	ask("DROP RULE hidden")
	ask("DELETE FROM 'www.news1.example' FOREVER")
	if left, err := filepath.Glob(filepath.Join(archive, "results", "stream", "*", "*")); err != nil || len(left) > 0 {
		t.Errorf("after DELETE the texts of EVENTS are still stored: %v, %v", left, err)
	}
	if got := strings.TrimSpace(ask(ofHost)); got != "0" {
		t.Errorf("after DELETE, %s reports are of the host", got)
	}
	if got := strings.TrimSpace(ask("SELECT count(*), min(reports) > 3 FROM events")); got != "2,true" {
		t.Errorf("after DELETE the events are %s", got)
	}
	before := ask("SELECT event, start FROM events ORDER BY event")
	ask("EVENTS news")
	if got := ask("SELECT event, start FROM events ORDER BY event"); got != before {
		t.Errorf("after the next EVENTS the events are\n%s, want\n%s", got, before)
	}
	if got := strings.TrimSpace(ask(ofHost)); got != "0" {
		t.Errorf("after the next EVENTS, %s reports are of the host", got)
	}
	ask("DROP EVENTS news")
	if got := strings.TrimSpace(ask("SELECT count(*) FROM events")); got != "0" {
		t.Errorf("after DROP EVENTS, %s events are there", got)
	}
}

// TestEventsAfterImport imports captures while a daemon runs, whose schedule finds events AFTER
// IMPORT. The daemon finds them without being asked.
func TestEventsAfterImport(t *testing.T) {
	needsHere(t, "the daemon is another process; the script schedule_after_import has one with a bucket")
	dir := t.TempDir()
	archive := filepath.Join(dir, "archive")
	ask := func(statement string) string {
		return strings.TrimSpace(runMain(t, []string{"-a", archive, "--format", "csv", "--no-header", "-c", statement}))
	}
	ask("SCHEDULE found AFTER IMPORT AS EVENTS news")
	daemon := exec.Command("infomall", "-a", archive, "--daemon")
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { daemon.Process.Kill() })
	if got := ask("SELECT state FROM schedules"); got != "waiting" {
		t.Errorf("without captures the schedule is %s, want waiting", got)
	}
	for _, part := range newsParts(t, dir, 1) {
		ask("IMPORT '" + part + "'")
	}
	got := ""
	for end := time.Now().Add(patience); got != "done" && time.Now().Before(end); {
		got = ask("SELECT state FROM jobs WHERE name = 'found'")
	}
	if got = ask("SELECT name, state, scheduled FROM jobs WHERE name = 'found'; SELECT count(*) FROM events; SELECT state FROM schedules"); got != "found,done,true\n\n2\n\nwaiting" {
		t.Errorf("after the import: %s", got)
	}
	if err := daemon.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := daemon.Wait(); err != nil {
		t.Errorf("the daemon ends with %v", err)
	}
}
