package repl

import (
	"testing"

	"infomall/exec"
	"infomall/exec/session"
)

// TestChangesReadTogether shows that one scan reads the earlier versions of many URLs: changes
// of 4,000 pages take few chunks of the index, not one for each page. With LIMIT, few pages
// are read ahead.
func TestChangesReadTogether(t *testing.T) {
	a := joined(pagesArchive(t), nil)
	s := exec.New(session.Options{Archive: a, Settings: session.DefaultSettings()})
	for _, c := range []struct {
		query string
		most  int64 // chunks of the index
	}{
		{"SELECT count(*) FROM changes", 200},
		{"SELECT count(*) FROM changes BETWEEN 2000 AND 2030", 200},
		{"SELECT url, identity FROM blocks IN 'lanshan.example' LIMIT 3", 20},
	} {
		node, snap := snapshotOf(t, s, c.query)
		rows, err := s.Runner(snap, "select").Rows(t.Context(), node)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range rows {
			if err != nil {
				t.Fatal(err)
			}
		}
		if got := snap.Stats().Chunks; got > c.most {
			t.Errorf("%s: %d chunks were decoded, want %d at most", c.query, got, c.most)
		} else {
			t.Logf("%s: %d chunks", c.query, got)
		}
	}
}
