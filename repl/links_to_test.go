package repl

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"infomall/exec/session"
	"infomall/store/record"
	"infomall/store/record/task"
)

// linkQueries ask for links to a URL.
var linkQueries = []string{
	"SELECT url, time, anchor, block FROM links WHERE target = '%s'",
	"SELECT url, time FROM links IN 'www.lanshan.example' LATEST WHERE target = '%s' AND NOT nofollow",
	"SELECT url, time FROM links SINCE 2008-07 WHERE target IN ('%s', 'http://nowhere.example/')",
	"SELECT url, target FROM links UNTIL 2008-08 WHERE target LIKE '%s%%' OR target WITHIN 'lib.lanshan.example/'",
	"SELECT url, target, time FROM links IN 'lanshan.example' TO '%s' UNTIL 2008-09 l WHERE l.anchor IS NOT NULL",
	"SELECT p.url, l.time FROM pages AS p LEFT JOIN links TO '=www.lanshan.example', '%s' AS l ON l.url = p.url",
	"SELECT p.url, l.time FROM pages AS p LEFT JOIN links AS l ON l.url = p.url AND l.target = '%s'",
}

// TestLinksTo asks for the links to each URL in two ways: by the index, which knows which
// captures have such a link, and by reading the links of every version. The rows are equal,
// before and after pools are merged and sealed, and after captures are deleted.
func TestLinksTo(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	a := demoArchive(t)
	o := session.Options{Settings: session.DefaultSettings()}
	plain := o
	plain.Plain = true
	targets := rowsOf(t, a, "SELECT DISTINCT target FROM links WHERE target IS NOT NULL ORDER BY target", plain)
	for i := range targets {
		targets[i] = strings.Trim(targets[i], "'|")
	}
	if len(targets) < 20 {
		t.Fatalf("only %d targets", len(targets))
	}
	for _, state := range []string{"imported", "merged", "deleted", "sealed"} {
		var err error
		switch state {
		case "merged":
			_, err = a.Merge(t.Context(), task.MergeOptions{})
		case "deleted":
			o := o
			o.Confirm = func(context.Context, []string) error { return nil }
			rowsOf(t, a, "DELETE FROM 'lanshan.example' WHERE length(url) % 5 = 0 AND time > 2008-06-20", o)
		case "sealed":
			_, err = a.Merge(t.Context(), task.MergeOptions{Seal: true})
		}
		if err != nil {
			t.Fatal(err)
		}
		if state == "merged" || state == "sealed" {
			snap, err := a.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, ok, err := snap.Linking(t.Context(), nil, record.MaxTime, 1000); !ok || err != nil {
				t.Errorf("%s: the index does not know the links (error %v)", state, err)
			}
			snap.Close()
		}
		found := 0
		for i, target := range targets {
			if i%4 != 0 {
				continue
			}
			for _, query := range linkQueries {
				query = fmt.Sprintf(query, target)
				got, want := rowsOf(t, a, query, o), rowsOf(t, a, query, plain)
				if !slices.Equal(got, want) {
					t.Errorf("%s: %s gives\n%q, want\n%q", state, query, got, want)
				}
				found += len(got)
			}
		}
		if found == 0 {
			t.Errorf("%s: no links", state)
		}
	}
}

// TestOnlyLinksToTarget shows that a condition on the target reaches the reading of links: of the
// pages that have such a link, no other link is made a row.
func TestOnlyLinksToTarget(t *testing.T) {
	a := demoArchive(t)
	o := session.Options{Settings: session.DefaultSettings()}
	const query = "SELECT url, time FROM links WHERE target = 'http://www.lanshan.example/about.htm'"
	n := len(rowsOf(t, a, query, o))
	if n < 2 {
		t.Fatalf("%d links", n)
	}
	source := ""
	for _, line := range rowsOf(t, a, "EXPLAIN ANALYZE "+query, o) {
		if strings.Contains(line, " links, targets") {
			source = line
		}
	}
	if fields := strings.Split(source, "|"); len(fields) < 3 || strings.Trim(fields[2], "'") != fmt.Sprint(n) {
		t.Errorf("the line of the relation is %q; want %d rows", source, n)
	}
}
