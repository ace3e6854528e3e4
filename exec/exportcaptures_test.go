package exec_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"infomall/exec/relation"
	"infomall/exec/relation/relationtest"
	"infomall/store/record"
)

// scanned is an archive that counts scans, and the captures that they read.
type scanned struct {
	*relationtest.Archive
	scans, read int
}

func (c *scanned) Snapshot(context.Context) (relation.Snapshot, error) { return c, nil }

func (c *scanned) Scan(ctx context.Context, s record.Scan) record.Rows {
	c.scans++
	return func(yield func(*record.Batch, error) bool) {
		for b, err := range c.Archive.Scan(ctx, s) {
			if b != nil {
				c.read += b.N
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// TestExportLinear exports many captures of few URLs, two of them at each moment, in
// small batches. Each capture is read once for the query and once for the file, and
// written once.
func TestExportLinear(t *testing.T) {
	for _, urls := range []int{1, 3, 300} {
		const n = 1000
		var all []relationtest.Capture
		for i := range n {
			all = append(all, relationtest.Capture{
				URL: fmt.Sprintf("http://a.cn/%d", i/2%urls), Time: at("2008-06-01") + record.Time(i/2)*1000, Status: 200, Mime: html, Body: fmt.Sprintf("body %d.", i),
			})
		}
		c := &scanned{Archive: relationtest.New(all...)}
		c.BatchRows = 7
		file := filepath.Join(t.TempDir(), "out.warc")
		if _, _, err := ask(newSession(c), fmt.Sprintf("EXPORT (SELECT url, time FROM captures) TO '%s'", file)); err != nil {
			t.Fatal(err)
		}
		if c.read > 2*n+n/10 {
			t.Errorf("%d URLs: scans read %d captures for an export of %d", urls, c.read, n)
		}
		warc, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		times := make(map[string]int)
		for _, body := range regexp.MustCompile(`body \d+\.`).FindAllString(string(warc), -1) {
			times[body]++
		}
		for i := range n {
			if got := times[fmt.Sprintf("body %d.", i)]; got != 1 {
				t.Fatalf("%d URLs: capture %d is in the file %d times, want once", urls, i, got)
			}
		}
	}
}
