package repl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infomall/exec/relation"
	"infomall/exec/relation/all"
	"infomall/exec/value"
)

// question is one query for this program and for sqlite3, over the same rows.
// theirs is "" if the text is the same.
type question struct{ ours, theirs string }

// readQuestions returns the questions of a file, one per line, with " ;; "
// between the two texts if they differ.
func readQuestions(t *testing.T, name string) []question {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var list []question
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		ours, theirs, _ := strings.Cut(line, " ;; ")
		list = append(list, question{ours, theirs})
	}
	return list
}

// questions returns the questions of testdata/questions.txt, and others that
// differ in scopes and times.
func questions(t *testing.T) []question {
	t.Helper()
	list := readQuestions(t, "testdata/questions.txt")
	// The truth tables of three values, and what NULL does to other operators.
	for _, a := range []string{"TRUE", "FALSE", "NULL"} {
		for _, b := range []string{"TRUE", "FALSE", "NULL"} {
			text := strings.NewReplacer("{a}", a, "{b}", b)
			list = append(list, question{ours: text.Replace("SELECT {a} AND {b}, {a} OR {b}, NOT {a}, {a} = {b}, {a} <> {b}, {a} IS NULL, {a} IS NOT NULL, {a} IN ({b}, NULL), {a} NOT IN ({b}, NULL), {a} NOT IN ({b})")},
				question{ours: text.Replace("SELECT CASE WHEN {a} THEN 'a' WHEN {b} THEN 'b' ELSE 'c' END, coalesce({a}, {b}), nullif({a}, {b}), count(*) FROM captures WHERE {a} OR {b}")},
				question{ours: text.Replace("SELECT count(*) FROM captures WHERE NOT ({a} AND location = 'http://x.example/') OR {b}")})
		}
	}
	for _, a := range []string{"1", "2", "NULL"} {
		for _, b := range []string{"1", "2", "NULL"} {
			text := strings.NewReplacer("{a}", a, "{b}", b)
			list = append(list, question{ours: text.Replace("SELECT {a} < {b}, {a} <= {b}, {a} + {b}, {a} * {b}, {a} % {b}, -{a}, {a} BETWEEN {b} AND 2, {a} NOT BETWEEN 1 AND {b}, CASE {a} WHEN {b} THEN 'same' ELSE 'other' END")},
				question{ours: text.Replace("SELECT 'x' || CAST({a} AS text), length('abc') > {a}, 'a' LIKE NULL, coalesce(NULL, {a}, {b}), nullif({a}, {b})")})
		}
	}
	for _, s := range questionScopes {
		list = append(list,
			question{"SELECT url, time, status, bytes FROM captures IN " + s.ours, "SELECT url, time, status, bytes FROM captures WHERE " + s.theirs},
			question{"SELECT count(*), min(time), max(last_seen), sum(visits) FROM " + s.ours, "SELECT count(*), min(time), max(last_seen), sum(visits) FROM versions WHERE " + s.theirs},
			question{"SELECT count(*) FROM captures WHERE url WITHIN (" + s.ours + ")", "SELECT count(*) FROM captures WHERE " + s.theirs},
			question{"SELECT count(*) FROM pages WHERE url NOT WITHIN (" + s.ours + ")", "SELECT count(*) FROM pages WHERE NOT (" + s.theirs + ")"},
		)
	}
	for _, r := range questionRanges {
		where := fmt.Sprintf("time >= '%s' AND time < '%s'", r.from, r.to)
		list = append(list,
			question{"SELECT url, time, kind FROM captures " + r.ours, "SELECT url, time, kind FROM captures WHERE " + where},
			question{"SELECT url, time, change, changed FROM versions " + r.ours, "SELECT url, time, change, changed FROM versions WHERE " + where},
			question{"SELECT host, count(*), count(DISTINCT url) FROM captures " + r.ours + " GROUP BY host", "SELECT host, count(*), count(DISTINCT url) FROM captures WHERE " + where + " GROUP BY host"},
			question{"SELECT url, min(time), max(time) FROM captures " + r.ours + " GROUP BY url HAVING count(*) > 1", "SELECT url, min(time), max(time) FROM captures WHERE " + where + " GROUP BY url HAVING count(*) > 1"},
		)
	}
	for _, m := range questionMoments {
		last := "SELECT url, max(time) AS time FROM versions WHERE time < '" + m.to + "' GROUP BY url"
		list = append(list,
			question{"SELECT url, time, status FROM versions AT " + m.ours, "SELECT v.url, v.time, v.status FROM versions AS v JOIN (" + last + ") AS w ON v.url = w.url AND v.time = w.time"},
			question{"SELECT kind, count(*) FROM versions AT " + m.ours + " GROUP BY kind", "SELECT kind, count(*) FROM versions AS v JOIN (" + last + ") AS w ON v.url = w.url AND v.time = w.time GROUP BY kind"},
		)
	}
	return list
}

var questionScopes = []struct{ ours, theirs string }{
	{"'lanshan.example'", "(host = 'lanshan.example' OR host LIKE '%.lanshan.example')"},
	{"'=lanshan.example'", "host = 'lanshan.example'"},
	{"'www.lanshan.example'", "(host = 'www.lanshan.example' OR host LIKE '%.www.lanshan.example')"},
	{"'www.lanshan.example/news/'", "url LIKE 'http://www.lanshan.example/news/%'"},
	{"'www.lanshan.example/'", "url LIKE 'http://www.lanshan.example/%'"},
	{"'http://www.lanshan.example/'", "url = 'http://www.lanshan.example/'"},
	{"'*.example'", "host LIKE '%.example'"},
	{"'*'", "1"},
	{"'bbs.lanshan.example', 'lib.lanshan.example'", "host IN ('bbs.lanshan.example', 'lib.lanshan.example')"},
}

var questionRanges = []struct{ ours, from, to string }{
	{"BETWEEN 2008-06 AND 2008-06", "2008-06-01T00:00:00Z", "2008-07-01T00:00:00Z"},
	{"BETWEEN 2008-06-16 AND 2008-07-14", "2008-06-16T00:00:00Z", "2008-07-15T00:00:00Z"},
	{"FROM 2008-06 TO 2008-08", "2008-06-01T00:00:00Z", "2008-08-01T00:00:00Z"},
	{"FROM 2008-07-07 TO 2008-07-07T12:00", "2008-07-07T00:00:00Z", "2008-07-07T12:00:00Z"},
	{"SINCE 2008-08", "2008-08-01T00:00:00Z", "9999"},
	{"SINCE 2008-07-07T01:20", "2008-07-07T01:20:00Z", "9999"},
	{"UNTIL 2008-06-15", "", "2008-06-16T00:00:00Z"},
	{"UNTIL 2008", "", "2009-01-01T00:00:00Z"},
	{"SINCE 2009", "2009", "9999"},
}

var questionMoments = []struct{ ours, to string }{
	{"2008-06", "2008-07-01T00:00:00Z"},
	{"2008-06-02", "2008-06-03T00:00:00Z"},
	{"2008-07-10", "2008-07-11T00:00:00Z"},
	{"2008-07-21T03:59", "2008-07-21T04:00:00Z"},
	{"2008", "2009"},
	{"2007", "2008"},
}

// TestQuestions runs about three hundred queries about the demo with this
// program, and with sqlite3 over the exported relations. The rows must be the
// same, in the same order if the query has one.
func TestQuestions(t *testing.T) {
	if testing.Short() {
		t.Skip("works through whole histories in one goroutine; not with -short")
	}
	sqlite, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("there is no sqlite3 to ask the same")
	}
	list := questions(t)
	if len(list) < 200 {
		t.Errorf("there are %d questions", len(list))
	}
	dir := t.TempDir()
	archive, database := filepath.Join(dir, "archive"), filepath.Join(dir, "demo.db")
	try := func(name string, args ...string) ([]byte, error) {
		var stderr bytes.Buffer
		cmd := exec.Command(name, args...)
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%s %q: %v\n%s", name, args, err, &stderr)
		}
		return out, nil
	}
	output := func(name string, args ...string) {
		t.Helper()
		if _, err := try(name, args...); err != nil {
			t.Fatal(err)
		}
	}
	output("infomall", "-a", archive, "-c", "IMPORT '../queries/demo/*.raw'")
	for _, name := range []string{"captures", "versions", "pages", "hosts", "links", "blocks", "changes"} {
		rows := filepath.Join(dir, name+".json")
		output("infomall", "-a", archive, "-o", rows, "--format", "json", "-c", "SELECT * FROM "+name)
		output(sqlite, database, tableOf(all.Find(name), rows))
	}
	for _, q := range list {
		if q.theirs == "" {
			q.theirs = q.ours
		}
		answered, err := try("infomall", "-a", archive, "--format", "json", "-c", q.ours)
		if err != nil {
			t.Error(err)
			continue
		}
		known, err := try(sqlite, "-json", database, "PRAGMA case_sensitive_like = ON;", q.theirs)
		if err != nil {
			t.Error(err)
			continue
		}
		got, want := answer(t, answered), answer(t, known)
		if !strings.Contains(q.ours, "ORDER BY") {
			slices.SortFunc(got, slices.Compare)
			slices.SortFunc(want, slices.Compare)
		}
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s\nanswers   %.1000q\nsqlite3   %.1000q\nasked as  %s", q.ours, got, want, q.theirs)
		}
	}
}

// tableOf returns the SQL that creates a table of sqlite3 from a relation's
// rows in JSON.
func tableOf(r *relation.Relation, rows string) string {
	var columns, values []string
	for i := range r.Columns {
		c := &r.Columns[i]
		if c.Payload {
			continue
		}
		kind := "TEXT"
		switch c.Type {
		case value.Int, value.Bool, value.Duration:
			kind = "INTEGER"
		case value.Float:
			kind = "REAL"
		}
		columns = append(columns, fmt.Sprintf("%q %s", c.Name, kind))
		values = append(values, fmt.Sprintf("json_extract(value, '$.%s')", c.Name))
	}
	return fmt.Sprintf("CREATE TABLE %s (%s); INSERT INTO %s SELECT %s FROM json_each(readfile('%s'));",
		r.Name, strings.Join(columns, ", "), r.Name, strings.Join(values, ", "), rows)
}

// answer reads rows from a JSON array. Each value becomes a text that is the
// same for equal values of both programs.
func answer(t *testing.T, b []byte) [][]string {
	t.Helper()
	if len(bytes.TrimSpace(b)) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	var rows [][]string
	key := false
	for {
		tok, err := d.Token()
		if err != nil {
			if err == io.EOF {
				return rows
			}
			t.Fatalf("%v in %s", err, b)
		}
		switch tok := tok.(type) {
		case json.Delim:
			if tok == '{' {
				rows, key = append(rows, nil), true
			}
			continue
		case bool:
			rows[len(rows)-1] = append(rows[len(rows)-1], map[bool]string{true: "1", false: "0"}[tok])
		case float64:
			rows[len(rows)-1] = append(rows[len(rows)-1], fmt.Sprintf("%.9g", tok))
		case nil:
			rows[len(rows)-1] = append(rows[len(rows)-1], "NULL")
		case string:
			if !key {
				rows[len(rows)-1] = append(rows[len(rows)-1], "'"+tok+"'")
			}
		}
		key = !key
	}
}
