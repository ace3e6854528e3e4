package exec_test

import (
	"context"
	"fmt"
	"testing"

	"infomall/exec/relation"
	"infomall/exec/relation/relationtest"
	"infomall/store/record"
)

// scansCounted is an archive that counts the scans of it.
type scansCounted struct {
	*relationtest.Archive
	scans int
}

func (c *scansCounted) Snapshot(context.Context) (relation.Snapshot, error) { return c, nil }

func (c *scansCounted) Scan(ctx context.Context, s record.Scan) record.Rows {
	c.scans++
	return c.Archive.Scan(ctx, s)
}

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
	c := &scansCounted{Archive: relationtest.New(all...)}
	rows, _, err := ask(newSession(c), "SELECT count(DISTINCT url) AS n FROM changes SINCE 2008-07")
	if err != nil || rows != fmt.Sprintf("n\n%d\n", urls) {
		t.Errorf("got %q, error %v", rows, err)
	}
	if c.scans != 3 {
		t.Errorf("%d scans, want 3: of the versions asked for, of the first URL, and of the others", c.scans)
	}
}
