package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infomall/store/record/task"
)

// addPage adds a WARC record to b: a capture of page number i on the first day of a month of 2008.
func addPage(b *strings.Builder, month, i int, body string) {
	response := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n%s", body)
	fmt.Fprintf(b, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%04d%04d-0000-0000-0000-000000000000>\r\nWARC-Date: 2008-%02d-01T00:00:00Z\r\n"+
		"WARC-Target-URI: http://a.example/%d\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", month, i, month, i, len(response), response)
}

// TestLargeBatch imports as many captures into a small and into a large archive. If the captures are small, the large
// archive gets fewer db-files, because the batches of the import are larger.
func TestLargeBatch(t *testing.T) {
	for _, c := range []struct {
		name            string
		captures, words int
		fewer           bool
	}{
		{"small captures", 160, 20, true},
		{"large captures", 80, 200, false},
	} {
		a := openAt(t.TempDir(), Options{BatchBytes: 60 << 10})
		defer a.Close()
		files := func() int {
			v, err := a.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer v.Close()
			return len(v.Pin.Segments)
		}
		r := rand.New(rand.NewPCG(1, 2))
		var added []int // for each import, how many db-files it added
		for month := 1; month <= 10; month++ {
			var b strings.Builder
			for i := range c.captures {
				body := "<p>"
				for range c.words {
					body += fmt.Sprintf("%x ", r.Uint64()) // does not compress well
				}
				addPage(&b, month, i, body)
			}
			file := filepath.Join(t.TempDir(), "x.warc")
			if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			before := files()
			if _, err := a.Import(t.Context(), task.ImportOptions{Patterns: []string{file}}); err != nil {
				t.Fatal(err)
			}
			added = append(added, files()-before)
		}
		if first, last := added[0], added[len(added)-1]; (last < first) != c.fewer || last > first {
			t.Errorf("%s: the imports added %d db-files, fewer from the last one: want %t", c.name, added, c.fewer)
		}
	}
}

// TestWideBatch imports captures of few and of many months. Small captures of many months are one batch,
// which writes one db-file for each month. Other captures are several batches.
func TestWideBatch(t *testing.T) {
	for _, c := range []struct {
		name                    string
		months, captures, bytes int
		one                     bool // the import is one batch
	}{
		{"small captures of many months", 12, 60, 200, true},
		{"small captures of few months", 4, 60, 200, false},
		{"large captures of many months", 12, 36, 2000, false},
	} {
		a := openAt(t.TempDir(), Options{BatchBytes: 60 << 10})
		defer a.Close()
		r := rand.New(rand.NewPCG(1, 2))
		var b strings.Builder
		for i := range c.captures {
			body := "<p>"
			for len(body) < c.bytes {
				body += fmt.Sprintf("%x ", r.Uint64()) // does not compress well
			}
			addPage(&b, 1+i%c.months, i, body)
		}
		file := filepath.Join(t.TempDir(), "x.warc")
		if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Import(t.Context(), task.ImportOptions{Patterns: []string{file}}); err != nil {
			t.Fatal(err)
		}
		v, err := a.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n := len(v.Pin.Segments); (n == c.months) != c.one {
			t.Errorf("%s: the import wrote %d db-files for %d months, one batch: want %t", c.name, n, c.months, c.one)
		}
		v.Close()
	}
}
