package repl

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/store"
	"infomall/store/record"
)

// forgetful is an archive that stores no facts beside the pages.
type forgetful struct{ archive }

func (f forgetful) Snapshot(ctx context.Context) (relation.Snapshot, error) {
	s, err := f.archive.Snapshot(ctx)
	return blank{s}, err
}

type blank struct{ relation.Snapshot }

func (blank) Kept(context.Context, record.Ref) (record.Facts, error) { return record.Facts{}, nil }

// TestKeptAnswers asks questions about the demo's pages that stored facts can
// answer. The answers must be the same as from an archive that stores no facts.
func TestKeptAnswers(t *testing.T) {
	checkKept(t, demoArchive(t), []string{
		"SELECT *, simhash, text FROM blocks",
		"SELECT *, simhash, text FROM blocks WHERE changed",
		"SELECT * FROM blocks BETWEEN 2008-07 AND 2008-08 WHERE changed",
		"SELECT *, simhash FROM blocks WHERE changed AND bytes > 200 ORDER BY bytes, url, block",
		"SET level = 1; SELECT * FROM blocks SINCE 2008-07 WHERE changed",
		"SET level = leaves; SELECT * FROM blocks SINCE 2008-07",
		"SET profile = classic; SELECT * FROM blocks SINCE 2008-07 WHERE changed",
		"SELECT *, text, old_text FROM changes",
		"SELECT * FROM changes BETWEEN 2008-07 AND 2008-08",
		"SELECT url, time, new_blocks, stored_bytes FROM versions",
		"SELECT url, time, new_blocks, stored_bytes FROM versions SINCE 2008-07 WHERE new_blocks > 0",
		"SELECT url, as_of, new_blocks, stored_bytes FROM versions EACH month",
		"SELECT host, stored_bytes FROM hosts",
		"SELECT host, stored_bytes FROM hosts SINCE 2008-07",
		"SELECT *, before, after FROM links",
		"SET level = 1; SELECT *, before, after FROM links SINCE 2008-07",
	})
}

// checkKept runs queries on an archive, and on the same archive as if it stored
// no facts. The results must be the same.
func checkKept(t *testing.T, a *store.Archive, queries []string) {
	t.Helper()
	ask := func(a session.Archive, query string) string {
		var out bytes.Buffer
		p := &program{stdin: strings.NewReader(""), stdout: &out, stderr: &out, getenv: func(string) string { return "" }}
		p.openArchive = func(string, func(error)) (session.Archive, io.Closer, error) { return a, io.NopCloser(nil), nil }
		if status := p.main(context.Background(), []string{"-c", query}); status != 0 {
			t.Fatalf("%s: status %d\n%s", query, status, &out)
		}
		return out.String()
	}
	for _, query := range queries {
		got, want := ask(joined(a, nil), query), ask(forgetful{joined(a, nil)}, query)
		if strings.Count(got, "\n") < 3 {
			t.Errorf("%s: too few rows to tell anything\n%s", query, got)
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", query, got, want)
		}
	}
}
