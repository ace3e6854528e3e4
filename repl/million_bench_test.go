//go:build unix

package repl

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"os"
	osexec "os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"infomall/exec"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/repl/memory"
	"infomall/store"
	"infomall/store/record/task"
)

// The archive that the benchmarks ask: a capture each of a million URLs on 500
// hosts, of bodies of 300 bytes, over six months.
const (
	millionCaptures = 1_000_000
	millionHosts    = 500
	millionMonths   = 6
)

// million returns the folder of the archive of a million captures. It takes
// half a minute to build, once, and is kept among the system's temporary files.
func million(b *testing.B) string {
	b.Helper()
	dir := filepath.Join(os.TempDir(), "infomall-million-3")
	if _, err := os.Stat(filepath.Join(dir, "CURRENT")); err == nil {
		return dir
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "infomall-million-*")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(tmp)
	made := filepath.Join(tmp, "archive")
	a := store.Open(made, store.Options{})
	for month := range millionMonths {
		name := filepath.Join(tmp, "month.warc")
		if err := writeMonth(name, month); err != nil {
			b.Fatal(err)
		}
		if _, err := a.Import(b.Context(), task.ImportOptions{Patterns: []string{name}}); err != nil {
			b.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		b.Fatal(err)
	}
	if err := os.Rename(made, dir); err != nil {
		b.Fatal(err)
	}
	return dir
}

// writeMonth writes a month's captures to a WARC file, in an order unrelated to
// that of the URLs.
func writeMonth(name string, month int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for i := month; i < millionCaptures; i += millionMonths {
		n := i * 7919 % millionCaptures
		c := millionCapture(n)
		head := fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: %s\r\n\r\n", c.status, c.mime)
		at := millionTime(i)
		fmt.Fprintf(w, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: %s\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\n"+
			"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s%s\r\n\r\n",
			c.url, at.Format(time.RFC3339), n, len(head)+len(c.body), head, c.body)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// millionTime returns the time of the i-th capture.
func millionTime(i int) time.Time {
	return time.Date(2008, time.Month(1+i%millionMonths), 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 2 * time.Second)
}

type millionRow struct {
	url, mime, body string
	status          int
}

func millionCapture(n int) millionRow {
	host := n % millionHosts
	c := millionRow{
		url:    fmt.Sprintf("http://www.h%d.example/d%d/page-%d.txt", host, n/millionHosts%37, n),
		status: []int{200, 200, 200, 200, 200, 200, 200, 301, 404, 500}[n/millionHosts%10],
		mime:   []string{"text/plain", "text/plain", "application/json", "text/css"}[n/(10*millionHosts)%4],
	}
	body := make([]byte, 0, 300)
	for k := uint64(n) + 1; len(body) < 290; k = k*6364136223846793005 + 1442695040888963407 {
		body = append(body, millionWords[k>>33%uint64(len(millionWords))]...)
	}
	c.body = string(fmt.Appendf(body, " %d", n))
	return c
}

var millionWords = []string{"web ", "archive ", "of ", "pages ", "and ", "what ", "they ", "said ", "then ", "number ", "block ", "host ", "seen ", "again ", "month ", "year "}

// BenchmarkMillion asks the archive of a million captures, with its index
// cached, and reports rows per second of wall time and of CPU time. For most
// queries it also reports what sqlite3 takes, if it is installed, on a table
// keyed by URL and time.
//
// These designs were tried for queries that count. The numbers are times
// sqlite3's speed, for distinct hosts, for the filter by status and mime, and
// for the ten largest hosts:
//
//   - the columns in the index's chunks, hosts found by what neighbouring keys
//     share, and two goroutines: 5.9, 8.2 and 14. A third of that time is
//     checksums and pages of the index, because a chunk has the IDs of bodies
//     too, and another third is unpacking columns. So no better decoding
//     doubles the speed.
//   - a census of each segment in the index, by host and by the columns with
//     few values: 17, 51 and 95 beside other work, and 56, 110 and 74 alone.
//     This is in use. The columns serve queries by both, or about a part of a
//     segment.
//   - if the captures of a month come in random order of time, their segments
//     overlap. They were read side by side to find captures that came in
//     twice: 208 ms for 300,000 captures, a twentieth of the speed. The
//     catalogue now says which segments have none in common: 6 ms.
//
// Pools of overlapping segments were read completely to describe them: .25 CPU
// seconds for a million captures in ten segments. The catalogue now
// says how many URLs each segment brought that its pool did not have, which its
// writer looks up in any case, and whether its captures are later than all
// earlier ones. Pools are then sums of these numbers, and SHOW POOLS takes 20
// ms of CPU time in all, for 28 pools.
//
// First and last times come from the census too: 1.3 and 550. Distinct URLs
// were remembered in memory, 3.5 seconds for a million; counted where the next
// URL begins, they take as long as a scan. Versions are still counted by a
// scan, because a capture's relation to the previous one is known only when all
// captures are read.
func BenchmarkMillion(b *testing.B) {
	dir := million(b)
	memory.AllowGarbage() // as in the program
	a, closer := openStore(dir, nil)
	defer closer.Close()
	table := millionTable(b)
	for _, c := range []struct{ name, src, sql string }{
		{"scan", "SELECT url, time, status FROM captures", "SELECT sum(length(url) + length(time) + status) FROM captures"},
		{"by-status", "SELECT status, count(*) FROM captures GROUP BY status", "SELECT status, count(*) FROM captures GROUP BY status"},
		{"by-host", "SELECT host, count(*) AS n FROM captures GROUP BY host ORDER BY n DESC, host LIMIT 10",
			"SELECT host, count(*) AS n FROM captures GROUP BY host ORDER BY n DESC, host LIMIT 10"},
		{"by-month", "SELECT date_trunc('month', time) AS month, count(*) FROM captures GROUP BY month",
			"SELECT substr(time, 1, 7) AS month, count(*) FROM captures GROUP BY month"},
		{"filter", "SELECT count(*) FROM captures WHERE status = 200 AND mime = 'text/css'",
			"SELECT count(*) FROM captures WHERE status = 200 AND mime = 'text/css'"},
		{"hosts", "SELECT count(DISTINCT host) FROM captures", "SELECT count(DISTINCT host) FROM captures"},
		{"distinct-host", "SELECT DISTINCT host FROM captures", "SELECT DISTINCT host FROM captures"},
		{"hosts-all", "SELECT host, count(*) FROM captures GROUP BY host", "SELECT host, count(*) FROM captures GROUP BY host"},
		{"host-status", "SELECT host, status, count(*) FROM captures GROUP BY host, status", "SELECT host, status, count(*) FROM captures GROUP BY host, status"},
		{"like", "SELECT count(*) FROM captures WHERE status = 404 AND mime LIKE 'text/%'", "SELECT count(*) FROM captures WHERE status = 404 AND mime LIKE 'text/%'"},
		{"rows-like", "SELECT url, time FROM captures WHERE status = 404 AND mime LIKE 'text/%'", "SELECT url, time FROM captures WHERE status = 404 AND mime LIKE 'text/%'"},
		{"rows-eq", "SELECT url FROM captures WHERE status = 200 AND mime = 'text/css'", "SELECT url FROM captures WHERE status = 200 AND mime = 'text/css'"},
		{"rows-host", "SELECT url, time FROM captures WHERE host = 'www.h77.example'", "SELECT url, time FROM captures WHERE host = 'www.h77.example'"},
		{"urls", "SELECT count(DISTINCT url) FROM captures", "SELECT count(DISTINCT url) FROM captures"},
		{"minmax", "SELECT min(time), max(time) FROM captures", "SELECT min(time), max(time) FROM captures"},
		{"count", "SELECT count(*) FROM captures", "SELECT count(*) FROM captures"},
		{"clause", "SELECT count(*) FROM captures BETWEEN 2008-02-05 AND 2008-04-10", "SELECT count(*) FROM captures WHERE time >= '2008-02-05' AND time < '2008-04-11'"},
		{"by-day", "SELECT date_trunc('day', time) AS d, count(*) FROM captures GROUP BY d", "SELECT substr(time, 1, 10) AS d, count(*) FROM captures GROUP BY d"},
		{"bytes", "SELECT sum(bytes), avg(bytes) FROM captures", "SELECT sum(bytes), avg(bytes) FROM captures"},
		{"bytes-host", "SELECT host, sum(bytes) AS n FROM captures GROUP BY host ORDER BY n DESC LIMIT 10", "SELECT host, sum(bytes) AS n FROM captures GROUP BY host ORDER BY n DESC LIMIT 10"},
		{"month-filter", "SELECT date_trunc('month', time) AS m, count(*) FROM captures WHERE status = 404 GROUP BY m", "SELECT substr(time, 1, 7) AS m, count(*) FROM captures WHERE status = 404 GROUP BY m"},
		{"host-month", "SELECT host, date_trunc('month', time) AS m, count(*) FROM captures GROUP BY host, m", "SELECT host, substr(time, 1, 7) AS m, count(*) FROM captures GROUP BY host, m"},
		{"distinct-group", "SELECT status, count(DISTINCT host) FROM captures GROUP BY status", "SELECT status, count(DISTINCT host) FROM captures GROUP BY status"},
		{"first-seen", "SELECT host, min(time), max(time) FROM captures GROUP BY host", "SELECT host, min(time), max(time) FROM captures GROUP BY host"},
		{"count-if", "SELECT host, count(*) FILTER (WHERE status = 404) AS missing, count(*) FROM captures GROUP BY host", "SELECT host, sum(status = 404), count(*) FROM captures GROUP BY host"},
		{"v-by-host", "SELECT host, count(*) AS n FROM versions GROUP BY host ORDER BY n DESC, host LIMIT 10",
			"SELECT host, count(*) AS n FROM captures GROUP BY host ORDER BY n DESC, host LIMIT 10"},
		{"v-hosts", "SELECT count(DISTINCT host) FROM versions", "SELECT count(DISTINCT host) FROM captures"},
		{"v-filter", "SELECT count(*) FROM versions WHERE status = 200 AND mime = 'text/css'", "SELECT count(*) FROM captures WHERE status = 200 AND mime = 'text/css'"},
		{"pools", "SELECT name, urls, captures, versions FROM pools", "SELECT substr(time, 1, 7) AS month, count(DISTINCT url), count(*) FROM captures GROUP BY month"},
		{"first-row", "SELECT url, time FROM captures LIMIT 1", ""},
		{"one-url", "SELECT time, status FROM captures IN 'http://www.h123.example/d3/page-1623.txt'", ""},
		{"sort", "SELECT url, time FROM captures ORDER BY time DESC, url", ""},
	} {
		b.Run(c.name, func(b *testing.B) {
			st, err := lang.ParseOne(c.src, "")
			if err != nil {
				b.Fatal(err)
			}
			before := cpuSeconds()
			for b.Loop() {
				drainOne(b, a, st)
			}
			rows := float64(millionCaptures) * float64(b.N) / 1e6
			b.ReportMetric(rows/b.Elapsed().Seconds(), "Mrows/s")
			b.ReportMetric(rows/(cpuSeconds()-before), "Mrows/cpu-s")
			if table != "" && c.sql != "" {
				sqlite := sqliteSeconds(b, table, c.sql)
				b.ReportMetric(float64(millionCaptures)/1e6/sqlite, "sqlite-Mrows/s")
				b.ReportMetric(sqlite*float64(b.N)/b.Elapsed().Seconds(), "times-sqlite")
			}
		})
	}
}

// drainOne runs a query to its end with 64 MB for operators.
func drainOne(b *testing.B, a session.Archive, st ast.Statement) {
	b.Helper()
	settings := session.DefaultSettings()
	settings.MemoryBytes = 64 << 20
	drain(b, a, settings, st)
}

// drain runs a query to its end.
func drain(b *testing.B, a session.Archive, settings session.Settings, st ast.Statement) {
	b.Helper()
	s := exec.New(session.Options{Archive: a, Settings: settings})
	res, err := s.Run(b.Context(), st)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Close()
	for _, err := range res.Rows {
		if err != nil {
			b.Fatal(err)
		}
	}
}

// cpuSeconds returns the CPU time, in seconds, that this process has used.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// millionTable returns a database of sqlite3 with the same captures, or "" if
// sqlite3 is not installed.
func millionTable(b *testing.B) string {
	b.Helper()
	if _, err := osexec.LookPath("sqlite3"); err != nil {
		return ""
	}
	name := filepath.Join(b.TempDir(), "million.db")
	cmd := osexec.Command("sqlite3", name)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(in)
	fmt.Fprintln(w, "PRAGMA journal_mode = off; PRAGMA synchronous = off; CREATE TABLE captures (url text, time text, host text, status int, mime text, bytes int, PRIMARY KEY (url, time)) WITHOUT ROWID; BEGIN;")
	for i := range millionCaptures {
		n := i * 7919 % millionCaptures
		c := millionCapture(n)
		at := millionTime(i)
		fmt.Fprintf(w, "INSERT INTO captures VALUES ('%s', '%s', 'www.h%d.example', %d, '%s', %d);\n", c.url, at.Format(time.RFC3339), n%millionHosts, c.status, c.mime, len(c.body))
	}
	fmt.Fprintln(w, "COMMIT;")
	if err := errors.Join(w.Flush(), in.Close(), cmd.Wait()); err != nil {
		b.Fatal(err)
	}
	return name
}

// sqliteSeconds returns how long sqlite3 takes for a query, with the database
// in memory.
func sqliteSeconds(b *testing.B, table, sql string) float64 {
	b.Helper()
	best := math.Inf(1)
	for range 3 {
		start := time.Now()
		if out, err := osexec.Command("sqlite3", table, sql).CombinedOutput(); err != nil {
			b.Fatalf("sqlite3: %v: %s", err, out)
		}
		best = min(best, time.Since(start).Seconds())
	}
	return best
}
