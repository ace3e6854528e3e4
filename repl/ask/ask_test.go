package ask

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"infomall/exec"
	"infomall/exec/relation"
	"infomall/exec/relation/relationtest"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/store/record"
)

// TestMayRun shows that only statements that read the archive are answered.
func TestMayRun(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT 1": true, "SEARCH 'x'": true, "SHOW PAGE 'http://a.example/'": true, "DIFF 'http://a.example/'": true, "BLAME 'http://a.example/' AS words": true, "SHOW STORY 'http://a.example/' ALL": true, "SHOW POOLS": true,
		"DESCRIBE captures": true, "HELP": true, "EXPLAIN SELECT 1": true, "RUN ngram (scope = 'a', term = 'b', unit = 'month')": true, "SET $x = 1": true,
		"SET timezone = 'UTC'": false, "IMPORT 'x'": false, "EXPLAIN IMPORT 'x'": false, "EXPORT (SELECT 1) TO 'x.csv'": false, "DELETE FROM 'a.example'": false,
		"CRAWL 'http://a.example/'": false, "MERGE POOL ALL": false, "VERIFY": false, "DROP POOL '200806'": false, "CREATE VIEW v AS SELECT 1": false, "RECOVER 'x' TO 'y'": false,
	} {
		st, err := lang.ParseOne(text, "")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := mayRun(st) == nil; got != want {
			t.Errorf("%s is answered: %v, want %v", text, got, want)
		}
	}
}

// TestStatements shows the statements that requests become, and that each parses.
func TestStatements(t *testing.T) {
	for _, c := range []struct {
		make  func(url.Values) (string, error)
		query string
		want  string // "" is an error
	}{
		{search, "q=a+b", "SEARCH 'a b' LIMIT 20"},
		{search, "q=it's&scope=a.example&scope=b.example&from=2008&to=2009&limit=5&offset=10", "SEARCH 'it''s' IN 'a.example', 'b.example' BETWEEN '2008' AND '2009' LIMIT 5 OFFSET 10"},
		{search, "q=a&from=200806", "SEARCH 'a' SINCE '2008-06' LIMIT 20"},
		{search, "q=a&to=2008-06", "SEARCH 'a' UNTIL '2008-06' LIMIT 20"},
		{search, "q=a&at=20080602", "SEARCH 'a' AT '2008-06-02' LIMIT 20"},
		{search, "q=", ""},
		{search, "q=a&offset=x", ""},
		{Page, "url=a.example&at=20080602011717&as=text", "SHOW PAGE 'http://a.example/' AT '2008-06-02T01:17:17Z' AS text"},
		{Page, "url=a.example&at=2008060201", "SHOW PAGE 'http://a.example/' AT '2008-06-02T01:00:00Z'"},
		{Page, "url=a.example&as=AS", ""},
		{Page, "url=http://[", ""},
		{Diff, "url=https://a.example/x?y='&from=200806021717&to=2009", "DIFF 'https://a.example/x?y=%27' FROM '2008-06-02T17:17:00Z' TO '2009'"},
		{Diff, "", ""},
	} {
		v, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.make(v)
		var param *ParamError
		if got != c.want || (c.want == "") != errors.As(err, &param) {
			t.Errorf("%s: %s, %v; want %s", c.query, got, err, c.want)
			continue
		}
		if c.want != "" {
			if _, err := lang.ParseOne(got, ""); err != nil {
				t.Errorf("%s: %v", got, err)
			}
		}
	}
}

func search(v url.Values) (string, error) { return Search(v, 20) }

// memory is an archive in memory.
type memory struct{ *relationtest.Archive }

func (m memory) Snapshot(context.Context) (relation.Snapshot, error) { return m.Archive, nil }

// TestRunner shows how statements end, and that the ends are counted.
func TestRunner(t *testing.T) {
	var list []relationtest.Capture
	for i := range 10 {
		list = append(list, relationtest.Capture{URL: "http://a.example/", Time: record.Time(i), Status: 200, Body: "x"})
	}
	m := memory{relationtest.New(list...)}
	m.BatchRows = 4
	running := 0
	ends := map[string]int64{}
	r := New(Options{
		Session: func() *session.Session {
			return exec.New(session.Options{Archive: m, Settings: session.DefaultSettings(), ReadOnly: true, NoFiles: true})
		},
		Timeout: time.Minute, Rows: 6, AtOnce: 1,
		Began: func() { running++ },
		Ended: func(end string, rows, _, _ int64) { running--; ends[end] += rows + 1 },
	})
	for _, c := range []struct {
		statement string
		rows      int
		want      error
	}{
		{"SELECT time FROM captures LIMIT 2", 2, nil},
		{"SELECT time FROM captures", 6, ErrRows},
		{"SELECT time FROM captures LIMIT 6", 6, nil},
		{"SELECT colour FROM captures", 0, errFault},
		{"SELEC", 0, errFault},
	} {
		var lines strings.Builder
		a, err := r.Run(t.Context(), c.statement, nil)
		if err == nil {
			err = a.Write(&lines, "jsonl", nil)
			a.Close(err)
		}
		if got := strings.Count(lines.String(), "\n"); got != c.rows || (c.want == nil) != (err == nil) || c.want == ErrRows && !errors.Is(err, ErrRows) || c.want == errFault && !IsFault(err) {
			t.Errorf("%s: %d rows, %v; want %d, %v", c.statement, got, err, c.rows, c.want)
		}
	}
	if running != 0 || ends["done"] != 2+2+6 || ends["cut"] != 1+6 || ends["mistake"] != 2 {
		t.Errorf("%d still run, and the ends are %v", running, ends)
	}
}

// errFault stands for a mistake in a statement.
var errFault = errors.New("a mistake")
