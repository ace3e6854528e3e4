package exec_test

import (
	"fmt"
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
