package exec_test

import (
	"fmt"
	"strings"
	"testing"

	"infomall/exec/relation/relationtest"
)

// TestChangesGoOn asks for the changes of the last month of many URLs. The versions that are compared
// come from one scan of one URL and one scan of all others: a further scan would read the same chunks
// of the index again.
func TestChangesGoOn(t *testing.T) {
	needsNoWorkers(t, "each worker scans its part")
	const urls = 3000
	var all []relationtest.Capture
	for i := range urls {
		for _, day := range []string{"2008-06-01", "2008-07-01"} {
			all = append(all, relationtest.Capture{
				URL: fmt.Sprintf("http://h.example/%d", i), Time: at(day), Status: 200, Mime: html, Body: "<p>" + day,
			})
		}
	}
	c := &scanned{Archive: relationtest.New(all...)}
	rows, _, err := ask(newSession(c), "SELECT count(DISTINCT url) AS n FROM changes SINCE 2008-07")
	if err != nil || rows != fmt.Sprintf("n\n%d\n", urls) {
		t.Errorf("got %q, error %v", rows, err)
	}
	if c.scans != 3 {
		t.Errorf("%d scans, want 3: of the versions asked for, of the first URL, and of the others", c.scans)
	}
}

// TestChangesWithoutFolds asks for the identities of blocks in the last month of many URLs. No stored
// fold is valid, so each URL is read from its first version on. Nearly all are read by one scan, and the rows
// are the same wherever its batches end.
func TestChangesWithoutFolds(t *testing.T) {
	needsNoWorkers(t, "each worker scans its part")
	const urls = 1000
	var all []relationtest.Capture
	for i := range urls {
		for k, day := range []string{"2008-05-01", "2008-06-01", "2008-07-01"} {
			all = append(all, relationtest.Capture{
				URL: fmt.Sprintf("http://h.example/%d", i), Time: at(day), Status: 200, Mime: html, Body: fmt.Sprintf("<p>one %d<p>two %d", i, k),
			})
		}
	}
	want := ""
	for _, size := range []int{0, 1, 2, 3, 4, 7} {
		c := &scanned{Archive: relationtest.New(all...)}
		c.BatchRows = size
		rows, _, err := ask(newSession(c), "SELECT url, op, block, identity FROM changes SINCE 2008-07")
		if want == "" {
			want = rows
		}
		if err != nil || rows != want || strings.Count(rows, "\n") != urls+1 {
			t.Errorf("batches of %d rows: got %d lines, equal to those of large batches: %v, error %v", size, strings.Count(rows, "\n"), rows == want, err)
		}
		if size == 0 && c.scans > 10 {
			t.Errorf("%d scans, want at most 10", c.scans)
		}
	}
}
