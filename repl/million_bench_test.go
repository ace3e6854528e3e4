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
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store"
	"infomall/store/record"
)

// The archive that the benchmarks ask: a capture each of a million URLs on 500
// hosts, of bodies of 300 bytes, over six months.
const (
	millionCaptures = 1_000_000
	millionHosts    = 500
	millionMonths   = 6
)

// million gives the folder of that archive. It is made once, in half a minute,
// and kept among the system's temporary files.
func million(b *testing.B) string {
	b.Helper()
	dir := filepath.Join(os.TempDir(), "infomall-million-1")
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
		if _, err := a.Import(b.Context(), record.ImportOptions{Patterns: []string{name}}); err != nil {
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

// writeMonth writes a month's captures as WARC, in an order that has nothing to
// do with that of the URLs.
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

// millionTime is when the capture that comes ith was made.
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

// BenchmarkMillion asks the archive of a million captures, its index warm, and
// tells rows a second of time and of CPU. Beside most stands what sqlite3 takes,
// if it is installed, over a table that is keyed by URL and time.
func BenchmarkMillion(b *testing.B) {
	dir := million(b)
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
				b.ReportMetric(float64(millionCaptures)/1e6/sqliteSeconds(b, table, c.sql), "sqlite-Mrows/s")
			}
		})
	}
}

// drainOne runs a query to its end with 64 MB for operators.
func drainOne(b *testing.B, a exec.Archive, st ast.Statement) {
	b.Helper()
	s := &exec.Session{Archive: a, Settings: exec.DefaultSettings()}
	s.Settings.MemoryBytes = 64 << 20
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

// cpuSeconds is the CPU time that the process has used.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// millionTable gives a database of sqlite3 with the same captures; "" where it is
// not installed.
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

// sqliteSeconds is how long sqlite3 takes for a query, the database in memory.
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
