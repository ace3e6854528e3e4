package repl

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestInterruptImport stops an import three times. What was imported until then
// must be whole, and the import must continue from there.
func TestInterruptImport(t *testing.T) {
	const pages = 12_000
	home := t.TempDir()
	writeWARC(t, filepath.Join(home, "many.warc"), pages)
	s := onTerminal(t, home, "infomall")
	s.sees(prompt)
	for range 3 {
		s.types("IMPORT 'many.warc';" + enter)
		s.until("an import writes", func() bool {
			writers, err := filepath.Glob(filepath.Join(home, "archive", "writers", "*"))
			return err == nil && len(writers) > 0
		})
		time.Sleep(50 * time.Millisecond) // the import is most likely under way then
		s.types(ctrlC)
		s.sees("interrupted")
		s.sees(prompt)
		s.types("VERIFY;" + enter)
		s.sees("(0 rows)")
		s.sees(prompt)
	}
	s.types("IMPORT 'many.warc';" + enter)
	s.sees("(1 row)")
	s.sees(prompt)
	s.types("SELECT count(*) FROM captures; VERIFY;" + enter)
	s.sees(fmt.Sprintf("%d │", pages))
	s.sees("(0 rows)")
	s.sees(prompt)
	s.types(ctrlD)
	s.ends(statusDone)
}

// writeWARC writes a WARC file with that many pages.
func writeWARC(t *testing.T, path string, pages int) {
	t.Helper()
	writePages(t, path, pages, func(i int) string {
		return fmt.Sprintf("<title>Page %d</title>", i) + strings.Repeat(fmt.Sprintf("<div><h2>%d</h2><p>%d words of page %d and no other</p></div>", i, i%7, i), 10)
	})
}

// writePages writes a WARC file with pages on 50 hosts. The function of returns the body of page i.
func writePages(t *testing.T, path string, pages int, of func(i int) string) {
	t.Helper()
	list := make([]visit, pages)
	for i := range list {
		list[i] = visit{fmt.Sprintf("http://h%d.example/p%d", i%50, i), fmt.Sprintf("2008-07-%02dT00:00:00Z", 1+i%28), of(i)}
	}
	writeVisits(t, path, list)
}

// visit is a visit of a page for a WARC file. The page is missing if it has no body.
type visit struct{ url, time, body string }

// writeVisits writes a WARC file with these visits.
func writeVisits(t *testing.T, path string, list []visit) {
	t.Helper()
	var b strings.Builder
	for i, v := range list {
		status := "200 OK"
		if v.body == "" {
			status = "404 Not Found"
		}
		response := fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", status, len(v.body), v.body)
		fmt.Fprintf(&b, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%08x-0000-0000-0000-%012d>\r\n"+
			"WARC-Date: %s\r\nWARC-Target-URI: %s\r\n"+
			"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", crc32.ChecksumIEEE([]byte(v.time+v.url)), i, v.time, v.url, len(response), response)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestInterruptSort stops a sort three times. A sort holds all rows before it
// yields the first one.
func TestInterruptSort(t *testing.T) {
	s := onTerminal(t, t.TempDir(), "endless")
	s.sees(prompt)
	for range 3 {
		s.types("SELECT url, time FROM captures ORDER BY time DESC;" + enter)
		s.sees("select  ") // it sorts
		s.types(ctrlC)
		s.sees("interrupted")
		s.sees(prompt)
	}
	s.types(ctrlD)
	s.ends(statusDone)
}

// TestInterruptTwice shows that a second Ctrl-C ends the program if the
// statement ignores the first one, and that two in quick succession count as
// one.
func TestInterruptTwice(t *testing.T) {
	s := onTerminal(t, t.TempDir(), "stuck")
	s.sees(prompt)
	s.types("IMPORT 'x';" + enter)
	s.sees("it has begun")
	s.types(ctrlC + ctrlC)
	s.sees("Still stopping; another Ctrl-C ends the program.")
	s.types(ctrlC)
	s.sees("interrupted")
	s.ends(statusInterrupted)
}
