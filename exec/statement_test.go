package exec_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"infomall/exec/pool"
	"infomall/exec/relation/relationtest"
	"infomall/exec/session"
	"infomall/lang"
)

// TestStatements runs statements one after another in one session and looks at
// what they give and note.
func TestStatements(t *testing.T) {
	cases := []struct{ src, want, note string }{
		{"EXPLAIN SELECT html FROM 'pku.edu.cn' LATEST WHERE kind = 'page' AND html CONTAINS 'x' ORDER BY time LIMIT 5",
			"plan\nresult: html\n  limit 5\n    sort: time\n      filter: html CONTAINS 'x'\n        payload: html\n" +
				"          filter: kind = 'page'\n            versions in 'pku.edu.cn', latest, URLs sought by kind: kind, time\n" +
				"              pools: 200806, 200807, 200808 (3 of 3) with at most 11 captures\ncost: about 0 rows, 0 B, less than 1 ms\n", ""},
		{"EXPLAIN SELECT url FROM captures WHERE url = 'http://x.cn/' AND time > 2008-07 ORDER BY url, time",
			"plan\nresult: url\n  filter: url = 'http://x.cn/' AND time >= 2008-08-01\n" +
				"    captures keys \"cn,x,)/ http\"..\"cn,x,)/ http\\x00\" from 2008-08-01: url, time\n" +
				"      pools: 200808 (1 of 3) with at most 2 captures\ncost: about 0 rows, 0 B, less than 1 ms\n", ""},
		{"EXPLAIN SELECT url, last_seen FROM versions WHERE time <= 2008-06 ORDER BY url DESC",
			"plan\nresult: url, last_seen\n  sort: url DESC\n    filter: time < 2008-07-01\n      versions: time, url, last_seen\n" +
				"        pools: 200806, 200807, 200808 (3 of 3) with at most 11 captures\ncost: about 3 rows, 0 B, less than 1 ms\n", ""},
		{"EXPLAIN SELECT url FROM versions WHERE time <= 2008-06 AND 'x' <> host",
			"plan\nresult: url\n  filter: time < 2008-07-01 AND host <> 'x'\n    versions before 2008-07-01: time, host, url\n" +
				"      pools: 200806 (1 of 3) with at most 4 captures\ncost: about 3 rows, 0 B, less than 1 ms\n", ""},
		{"EXPLAIN SHOW PAGE 'x.cn' AT 2008", "plan\nreads the last capture of http://x.cn/ at or before 2008-12-31T23:59:59.999Z\n", ""},
		{"EXPLAIN SET timezone = 'UTC'", "plan\nchanges timezone, which is UTC, for this session\n", ""},
		{"EXPLAIN IMPORT 'statements.go'", "plan\nimport into test-archive\n  statements.go: * bytes\n", ""},

		{"EXPLAIN COPY POOL '200806' TO 'd'", "plan\ncopy test-archive to d\n  pool 200806: 2 of 3 files, 4000 bytes\n", ""},
		{"EXPLAIN MOVE POOL ALL TO 'd' AFTER 12mo", "plan\nmove db-files of test-archive to d\n  pool 200806: 2 of 3 files, 4000 bytes\n", ""},
		{"MOVE POOL '200806' BACK", "pool|files|moved|bytes\n200806|3|2|4000\n", ""},
		{"COPY POOL ALL TO 'd'", "pool|files|copied|bytes\n200806|3|2|4000\n", ""},
		{"DELETE FROM 'pku.edu.cn' BETWEEN 2008-07 AND 2008-08 WHERE bytes > 3 AND host = 'pku.edu.cn'", "pool|kind|captures|versions\n200806|dynamic|2|0\n",
			"left in the archive, with the digest of a body that is deleted: 1 capture"},
		{"DELETE FROM 'x.cn'", "pool|kind|captures|versions\n", "no capture matches, and nothing was deleted"},
		{"EXPLAIN DELETE FROM '=pku.edu.cn' UNTIL 2008-06 WHERE mime IS NOT NULL OR kind = 'page'",
			"plan\ndelete from test-archive: 3 captures of 1 URL, 0 versions, in 1 pool\n" +
				"  pool 200806: 3 captures, 0 versions: hidden at once, gone from the files when the pool is merged\n" +
				"  left in the archive, with the digest of a body that is deleted: 1 capture\n", ""},
		{"DROP POOL '200807'", "pool|captures|versions|files|bytes\n200807|3|2|2|4000\n", ""},
		{"EXPLAIN DROP POOL '200807'", "plan\ndrop pool 200807 of test-archive: 3 captures, 2 versions; 2 files with 4000 bytes\n", ""},
		{"SELECT * FROM tombstones", "time|kind|captures|pools|reason|state\n1970-01-01|delete|2|200806 200807|because|hidden\n", ""},

		{"SHOW PAGE 'pku.edu.cn' AT 2008-06-22", "北京", "http://pku.edu.cn/ as captured 2008-06-20T00:00:00Z, 2d before the time asked for; AS text shows its words, AS blocks its parts"},
		{"SHOW PAGE 'pku.edu.cn' AT 2008-06 AS raw", "\xb1\xb1\xbe\xa9", "http://pku.edu.cn/ as captured 2008-06-20T00:00:00Z, within the time asked for"},
		{"SHOW PAGE 'pku.edu.cn' AS html", "three", "http://pku.edu.cn/ as captured 2008-08-25T00:00:00Z"},
		{"SHOW PAGE 'http://a.www.pku.edu.cn/y.gif' AS raw", "GIF89a", "http://a.www.pku.edu.cn/y.gif as captured 2008-07-16T00:00:00Z"},

		{"SHOW PAGE 'pku.edu.cn' AT 2008-06 AS headers", "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=gb2312\r\nETag: \"7\"\r\n" +
			"Last-Modified: Sun, 01 Jun 2008 00:00:00 GMT\r\n\r\n", "http://pku.edu.cn/ as captured 2008-06-20T00:00:00Z, within the time asked for"},

		{"SHOW PAGE 'pku.edu.cn' AT 2008-06 AS wire", "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=gb2312\r\nETag: \"7\"\r\n" +
			"Last-Modified: Sun, 01 Jun 2008 00:00:00 GMT\r\n\r\n\xb1\xb1\xbe\xa9", "http://pku.edu.cn/ as captured 2008-06-20T00:00:00Z, within the time asked for"},

		{"SET memory = 64MB", "", ""},
		{"DESCRIBE memory", "setting|value|default|meaning\nmemory|64MB|512MB|memory of one statement, besides some 100 MB of the program; what needs more is sorted and grouped in temporary files\n", ""},
		{"RESET memory", "", ""},
		{"SET cache = off", "", ""},
		{"DESCRIBE cache", "setting|value|default|meaning\ncache|off|on|whether decompressed runs of captures are cached in memory\n", ""},
		{"SET $day = 2008-08-10", "", ""},
		{"SELECT time FROM 'http://pku.edu.cn/' AT $day", "time\n2008-08-05\n", ""},
		{"DESCRIBE Substr", "function|signature|aggregate|meaning\nsubstr|substr(s text, start int [, length int]) text|false|" +
			"The characters of s from position start (the first is 1); to the end if length is omitted.\n", ""},
		{"SHOW POOLS", "name|kind|first_time|last_time|urls|captures|versions|blocks|bytes|stored_bytes|first_url|last_url|depends|dependents\n" +
			"200806|dynamic|2008-06-01|2008-06-20|3|4|3|0|5|0|http://pku.edu.cn/|http://pku.edu.cn/old|-|-\n" +
			"200807|dynamic|2008-07-02|2008-07-17|5|5|4|0|14|0|http://pku.edu.cn/|http://a.www.pku.edu.cn/y.gif|-|-\n" +
			"200808|dynamic|2008-08-05|2008-08-25|1|2|2|0|9|0|http://pku.edu.cn/|http://pku.edu.cn/|-|-\n", ""},

		// Why there are no rows.
		{"SELECT url FROM 'pku.edu.cm'", "url\n", "'pku.edu.cm' was never captured; the nearest host in the archive is pku.edu.cn"},
		{"SELECT url FROM 'www.pkuu.edu.cn'", "url\n", "'www.pkuu.edu.cn' was never captured; the nearest host in the archive is www.pku.edu.cn"},
		{"SELECT url FROM 'pku.edu.cn/zzz'", "url\n", "'pku.edu.cn/zzz' was never captured; the archive has other pages of pku.edu.cn"},
		{"SHOW PAGE 'https://www.pku.edu.cn/a/' AS blocks", "block|depth|label|topic|bytes|words|text\n1|1|main|a|1|1|a\n", "http://pku.edu.cn/a as captured 2008-07-10T00:00:00Z; https://www.pku.edu.cn/a/ was never captured"},
		{"SELECT url FROM captures WHERE url = 'https://www.pku.edu.cn/'", "url\n", "nothing that WHERE asks for was ever captured; the archive has http://pku.edu.cn/"},
		{"SELECT url FROM 'https://pku.edu.cn/'", "url\n", "'https://pku.edu.cn/' was never captured; the archive has http://pku.edu.cn/"},
		{"SELECT url FROM 'pku.edu.cn' SINCE 2010", "url\n",
			"'pku.edu.cn' has captures at other times only: from 2008-06-01T00:00:00Z to 2008-08-25T00:00:00Z"},
		{"SELECT time FROM 'http://pku.edu.cn/a' SINCE 2008-07", "time\n",
			"pages were visited then and had not changed, so no version began; the relation captures has the visits"},
		{"SELECT url FROM captures WHERE host = 'nope.cn'", "url\n",
			"nothing that WHERE asks for was ever captured; the nearest host in the archive is pku.edu.cn"},
		{"SELECT url FROM captures WHERE status = 999", "url\n", ""},
		{"SELECT url FROM 'nope.cn' LIMIT 0", "url\n", ""},
	}
	s := newSession(archive{smallSite()})
	for _, c := range cases {
		got, notes, err := ask(s, c.src)
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
			continue
		}
		if before, after, ok := strings.Cut(c.want, "*"); ok && strings.HasPrefix(got, before) && strings.HasSuffix(got, after) {
			got = c.want
		}
		note := ""
		if len(notes) > 0 {
			note = notes[len(notes)-1]
		}
		if got != c.want || note != c.note {
			t.Errorf("%s\ngot\n%s\nnote %q\nwant\n%s\nnote %q", c.src, got, note, c.want, c.note)
		}
	}
}

// TestShorthandPlan shows that the shorthand and what it stands for are one.
func TestShorthandPlan(t *testing.T) {
	s := newSession(archive{smallSite()})
	for _, rel := range []string{"captures", "versions", "pages", "hosts"} {
		short, _, err := ask(s, "EXPLAIN SELECT "+rel+" FROM 'pku.edu.cn' SINCE 2008 WHERE host <> 'x' LIMIT 3")
		if err != nil {
			t.Fatal(err)
		}
		long, _, err := ask(s, "EXPLAIN SELECT * FROM "+rel+" IN 'pku.edu.cn' SINCE 2008 WHERE host <> 'x' LIMIT 3")
		if err != nil || short != long {
			t.Errorf("%s\ngot\n%s\nwant\n%s\nerror %v", rel, short, long, err)
		}
	}
	for _, src := range []string{"SELECT \"pages\" FROM 'x'", "SELECT versions.pages FROM 'x'", "SELECT pages, url FROM 'x'", "SELECT pages AS p FROM 'x'"} {
		if _, _, err := ask(s, src); err == nil || !strings.Contains(err.Error(), "no column") {
			t.Errorf("%s: got error %v, want one about a column", src, err)
		}
	}
}

// TestAnalyze shows what each node of a plan did.
func TestAnalyze(t *testing.T) {
	got, _, err := ask(newSession(archive{smallSite()}), "EXPLAIN ANALYZE SELECT host, count(*) FROM captures WHERE status = 200 GROUP BY host LIMIT 2")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"plan|estimated|rows|ms\n", "  limit 2|2|2|", "filter: status = 200|8|8|", ": status, host|11|11|", "segments opened: 0|-|-|-", "cost: 2 rows, 0 B, "} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %q in it", got, want)
		}
	}
}

// TestLists shows that the lists have what the tables have, and that each of
// their entries can be described.
func TestLists(t *testing.T) {
	s := newSession(archive{smallSite()})
	for src, want := range map[string]string{
		"SHOW RELATIONS": "versions|one state of a page\n",
		"SHOW COLUMNS":   "versions|html|text|true|",
		"SHOW FUNCTIONS": "substr|",
		"SHOW SETTINGS":  "memory|512MB|512MB|",
		"HELP":           "HELP SELECT\n",
		"HELP select":    "SELECT [DISTINCT]",
		"HELP versions":  "html",
		"HELP substr":    "substr(",
		"HELP timezone":  "SET timezone = UTC",
		"HELP EACH":      "In SELECT:\n\n",
		"HELP crawl due": "In CRAWL:\n\n",
		"HELP PAUSE":     "In PAUSE CRAWL:\n\n",
		"HELP over":      " OVER (PARTITION BY ",
		"HELP copy":      "\n\nCOPY POOL '",
		"HELP group by":  "In SELECT:\n\n",
		"HELP scopes":    "scope = 'text'",
		"HELP between":   "BETWEEN t AND t",
		"HELP functions": "SHOW FUNCTIONS lists them.",
	} {
		got, _, err := ask(s, src)
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: got\n%s\nerror %v, want %q in it", src, got, err, want)
		}
	}
}

// TestImportKeepsWhatWasDone shows that an error comes after the rows of what
// was imported before it.
func TestImportKeepsWhatWasDone(t *testing.T) {
	a := smallSite()
	a.Err = context.Canceled
	s := sessionWith(archive{a}, func(o *session.Options) { o.Verbose = true })
	got, _, err := ask(s, "IMPORT 'a', 'b'")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
	want := "a|-|-|-|-|-|-|-|-|77|-|no record begins here\nb|5|"
	if !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant %q in it", got, want)
	}
}

// TestCancel shows that a query ends with its context, in its midst too, and
// passes on the archive's errors.
func TestCancel(t *testing.T) {
	a := smallSite()
	a.BatchRows = 1
	for _, src := range []string{
		"SELECT url FROM captures", "SELECT url FROM versions", "SELECT url FROM pages", "SELECT host FROM hosts",
		"SELECT url FROM captures LATEST", "SELECT url FROM captures ORDER BY time", "SELECT DISTINCT url FROM captures",
		"SELECT count(*) FROM captures",
	} {
		st, err := lang.ParseOne(src, "")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		res, err := newSession(archive{a}).Run(ctx, st)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := drain(res); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got error %v, want %v", src, err, context.Canceled)
		}
		broken := smallSite()
		broken.BatchRows, broken.Err = 1, errors.New("disk on fire")
		if _, _, err := ask(newSession(archive{broken}), src); !errors.Is(err, broken.Err) {
			t.Errorf("%s: got error %v, want %v", src, err, broken.Err)
		}
	}
}

func drain(res *session.Result) error {
	for _, err := range res.Rows {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestImportDamage shows that an IMPORT with damage fails after its rows, and has
// its notes.
func TestImportDamage(t *testing.T) {
	rows, notes, err := ask(newSession(archive{smallSite()}), "IMPORT 'k.warc' AS j")
	if want := "source|records|stored|visits|skipped|damaged|bytes|new_bytes|ms\nk.warc|5|1|1|2|1|300|100|0\n"; rows != want {
		t.Errorf("rows %q, want %q", rows, want)
	}
	if want := "k.warc: 2 skipped: request record"; len(notes) != 1 || notes[0] != want {
		t.Errorf("notes %q, want %q", notes, want)
	}
	var damage *pool.DamageError
	if !errors.As(err, &damage) || !strings.Contains(err.Error(), "IMPORT 'k.warc' AS j") {
		t.Errorf("error %v, want a DamageError that names the statement", err)
	}
}

// TestLimitStopsTheScan shows that rows come before all is read, and that no
// more is read than is wanted.
func TestLimitStopsTheScan(t *testing.T) {
	needsNoWorkers(t, "a worker reads the whole part that it was given")
	for _, src := range []string{"SELECT url FROM captures LIMIT 1", "SELECT url FROM versions LIMIT 1", "SELECT url FROM pages LIMIT 1",
		"SELECT DISTINCT kind FROM captures LIMIT 1"} {
		a := smallSite()
		a.BatchRows, a.Err = 10, errors.New("read too far") // after the first batch
		if _, _, err := ask(newSession(archive{a}), src); err != nil {
			t.Errorf("%s: %v", src, err)
		}
	}
}

// TestProgress reads a query whose reader rests after the first batch, on a clock of
// the test. The query reports how many rows it has read, after the first second and
// until its end.
func TestProgress(t *testing.T) {
	needsNoWorkers(t, "the process that asks does not see what workers have read")
	synctest.Test(t, func(t *testing.T) {
		s := newSession(archive{smallSite()})
		var last session.Progress
		begun, reports := time.Now(), 0
		s.SetProgress(func(p session.Progress) {
			last = p
			if reports++; time.Since(begun) < time.Second {
				t.Errorf("reported after %s", time.Since(begun))
			}
		})
		st, err := lang.ParseOne("SELECT url FROM captures", "")
		if err != nil {
			t.Fatal(err)
		}
		res, err := s.Run(t.Context(), st)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range res.Rows {
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(2050 * time.Millisecond)
		}
		if want := (session.Progress{What: "select", Done: 11, Unit: "rows"}); last != want || reports != 11 {
			t.Errorf("got %+v after %d reports, want %+v after 11", last, reports, want)
		}
		time.Sleep(time.Minute)
		if reports != 11 {
			t.Errorf("%d reports came after the end", reports-11)
		}
	})
}

var _ session.Archive = archive{relationtest.New()}
