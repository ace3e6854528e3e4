package exec_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"infomall/exec"
	"infomall/exec/relation"
	"infomall/exec/relation/relationtest"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record"
)

// archive makes a memory archive one that statements take.
type archive struct{ *relationtest.Archive }

func (a archive) Snapshot(context.Context) (relation.Snapshot, error) { return a.Archive, nil }

// at reads a time of a test.
func at(s string) record.Time {
	p, err := value.ParsePeriod(s, time.UTC)
	if err != nil {
		panic(err)
	}
	return p.From
}

const html = "text/html"

// smallSite is the archive of the table tests: a page that changes, goes and
// comes back, one that never changes, a redirect, and one on another port.
func smallSite() *relationtest.Archive {
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=gb2312\r\nETag: \"7\"\r\n" +
		"Last-Modified: Sun, 01 Jun 2008 00:00:00 GMT\r\n\r\n"
	return relationtest.New(
		relationtest.Capture{URL: "http://pku.edu.cn/", Time: at("2008-06-01"), Status: 200, Mime: html, Head: head, Body: "\xb1\xb1\xbe\xa9"},
		relationtest.Capture{URL: "http://pku.edu.cn/", Time: at("2008-06-20"), Status: 200, Mime: html, Head: head, Body: "\xb1\xb1\xbe\xa9"},
		relationtest.Capture{URL: "http://pku.edu.cn/", Time: at("2008-07-02"), Status: 200, Mime: html, Head: head, Body: "two"},
		relationtest.Capture{URL: "http://pku.edu.cn/", Time: at("2008-08-05"), Status: 404, Mime: html, Body: "gone"},
		relationtest.Capture{URL: "http://pku.edu.cn/", Time: at("2008-08-25"), Status: 200, Mime: html, Body: "three"},
		relationtest.Capture{URL: "http://pku.edu.cn/a", Time: at("2008-06-10"), Status: 200, Mime: html, Body: "a"},
		relationtest.Capture{URL: "http://pku.edu.cn/a", Time: at("2008-07-10"), Status: 200, Mime: html, Body: "a"},
		relationtest.Capture{URL: "http://pku.edu.cn/old", Time: at("2008-06-15"), Status: 301, Body: "", Location: "http://pku.edu.cn/a"},
		relationtest.Capture{URL: "http://www.pku.edu.cn:8080/x", Time: at("2008-07-15"), Status: 500, Mime: "text/plain", Body: "oops", Job: "j"},
		relationtest.Capture{URL: "http://a.www.pku.edu.cn/y.gif", Time: at("2008-07-16"), Status: 200, Mime: "image/gif", Body: "GIF89a"},
		relationtest.Capture{URL: "http://www.pku.edu.cn/z", Time: at("2008-07-17"), Status: 200, NoBody: true, Body: "?"},
	)
}

func newSession(a session.Archive) *session.Session { return sessionWith(a, nil) }

// sessionWith returns a session whose options were changed, unless change is nil.
func sessionWith(a session.Archive, change func(*session.Options)) *session.Session {
	o := session.Options{
		Confirm:  func(context.Context, []string) error { return nil },
		Archive:  a,
		Settings: session.DefaultSettings(),
		Params:   map[string]string{"site": "pku.edu.cn", "n": "2", "day": "2008-07-10"},
		Now:      func() time.Time { return at("2009-01-01T12:00:00").Std() },
	}
	if change != nil {
		change(&o)
	}
	if *askWorkers && o.Workers == nil {
		o.Workers = workersOf(o)
	}
	return exec.New(o)
}

// ask runs one statement and gives its rows as text, its notes, and its error.
func ask(s *session.Session, src string) (rows string, notes []string, err error) {
	return askWith(context.Background(), s, src)
}

func askWith(ctx context.Context, s *session.Session, src string) (rows string, notes []string, err error) {
	st, err := lang.ParseOne(src, "")
	if err != nil {
		return "", nil, err
	}
	res, err := s.Run(ctx, st)
	if err != nil {
		return "", nil, err
	}
	return told(res)
}

// told gives the rows of a result as text, its notes, and its error. It closes the
// result.
func told(res *session.Result) (rows string, notes []string, err error) {
	defer res.Close()
	var b strings.Builder
	if res.Bytes != nil {
		_, err := res.Bytes.WriteTo(&b)
		return b.String(), res.Notes, err
	}
	for i, c := range res.Columns {
		if i > 0 {
			b.WriteByte('|')
		}
		b.WriteString(c.Name)
	}
	b.WriteByte('\n')
	if res.Rows == nil {
		return "", res.Notes, nil
	}
	for batch, err := range res.Rows {
		if err != nil {
			return b.String(), res.Notes, err
		}
		for i := range batch.N {
			for c, v := range batch.Cols {
				if c > 0 {
					b.WriteByte('|')
				}
				b.WriteString(cell(v.At(i)))
			}
			b.WriteByte('\n')
		}
	}
	rows = b.String()
	if *askWorkers { // a plan says what workers do; the tests have none
		rows = regexp.MustCompile(`(?m)^workers: .*\n`).ReplaceAllString(rows, "")
	}
	return rows, res.Notes, nil
}

// cell prints a value; a time at midnight as its day, to keep the tables short.
func cell(v value.Value) string {
	if v.IsNull() {
		return "-"
	}
	return strings.Replace(string(v.Append(nil, time.UTC)), "T00:00:00Z", "", 1)
}

// queryCases is statement and answer, the header first.
var queryCases = []struct{ src, want string }{
	{"SELECT 1 + 1 AS two, 'x' || 'y'", "two|'x' || 'y'\n2|xy\n"},
	{"SELECT url, time FROM captures WHERE status = 404", "url|time\nhttp://pku.edu.cn/|2008-08-05\n"},
	{"SELECT url, time FROM captures LIMIT 2", "url|time\nhttp://pku.edu.cn/|2008-06-01\nhttp://pku.edu.cn/|2008-06-20\n"},
	{"SELECT time FROM captures LIMIT 1 OFFSET 3", "time\n2008-08-05\n"},
	{"SELECT time FROM captures LIMIT $n OFFSET 0", "time\n2008-06-01\n2008-06-20\n"},
	{"SELECT time FROM captures LIMIT 0", "time\n"},

	// Order: by SURT and time, hosts below after a host's default port.
	{"SELECT url FROM pages", "url\nhttp://pku.edu.cn/\nhttp://pku.edu.cn/a\nhttp://pku.edu.cn/old\n" +
		"http://www.pku.edu.cn/z\nhttp://www.pku.edu.cn:8080/x\nhttp://a.www.pku.edu.cn/y.gif\n"},

	// Versions: what was seen when.
	{"SELECT time, last_seen, next, not_before, previous, visits, change, changed FROM versions IN '=pku.edu.cn' WHERE url = 'http://pku.edu.cn'",
		"time|last_seen|next|not_before|previous|visits|change|changed\n" +
			"2008-06-01|2008-06-20|2008-07-02|-|-|2|first|false\n" +
			"2008-07-02|2008-07-02|2008-08-05|2008-06-20|2008-06-01|1|changed|true\n" +
			"2008-08-05|2008-08-05|2008-08-25|2008-07-02|2008-07-02|1|gone|true\n" +
			"2008-08-25|2008-08-25|-|2008-08-05|2008-08-05|1|back|true\n"},
	{"SELECT time, last_seen, next, visits FROM 'http://pku.edu.cn/' BETWEEN 2008-06-10 AND 2008-07",
		"time|last_seen|next|visits\n2008-07-02|2008-07-02|-|1\n"},
	{"SELECT time, visits FROM 'http://pku.edu.cn/' FROM 2008-06 TO 2008-06-20", "time|visits\n2008-06-01|1\n"},
	{"SELECT time, as_of FROM 'http://pku.edu.cn/' AT 2008-06-20", "time|as_of\n2008-06-01|2008-06-20T23:59:59.999Z\n"},
	{"SELECT time, visits, next FROM 'http://pku.edu.cn/' AS OF 2008-06-10", "time|visits|next\n2008-06-01|1|-\n"},
	{"SELECT time, as_of FROM 'http://pku.edu.cn/' NEAREST 2008-07", "time|as_of\n2008-07-02|2008-07-01\n"},
	{"SELECT time FROM 'http://pku.edu.cn/' NEAREST 2008-06-25", "time\n2008-06-01\n"},
	{"SELECT time FROM 'http://pku.edu.cn/' FIRST", "time\n2008-06-01\n"},
	{"SELECT time FROM 'http://pku.edu.cn/' LATEST UNTIL 2008-08-10", "time\n2008-08-05\n"},
	{"SELECT time FROM 'http://pku.edu.cn/' LATEST WHERE status = 404", "time\n"},
	{"SELECT time FROM captures IN 'http://pku.edu.cn/' AT 2008-07-01", "time\n2008-06-01\n2008-06-20\n"},
	{"SELECT url, time FROM captures IN 'pku.edu.cn/a' SINCE 2008-07 LATEST", "url|time\nhttp://pku.edu.cn/a|2008-07-10\n"},
	{"SELECT time FROM versions IN 'http://pku.edu.cn/' AT $day", "time\n2008-07-02\n"},

	// Pages and hosts.
	{"SELECT url, first_seen, last_seen, version_count, change_count, status FROM pages IN 'http://pku.edu.cn/' SINCE 2008-06-10",
		"url|first_seen|last_seen|version_count|change_count|status\nhttp://pku.edu.cn/|2008-06-20|2008-08-25|4|3|200\n"},
	{"SELECT url, status, version_count FROM pages IN 'http://pku.edu.cn/' AT 2008-08-10", "url|status|version_count\nhttp://pku.edu.cn/|404|1\n"},
	{"SELECT * FROM hosts", "host|domain|page_count|version_count|change_count|bytes|first_seen|last_seen|rank|error_count\n" +
		"pku.edu.cn|pku.edu.cn|3|6|3|17|2008-06-01|2008-08-25|-|0\n" +
		"www.pku.edu.cn|pku.edu.cn|2|2|0|4|2008-07-15|2008-07-17|-|1\n" +
		"a.www.pku.edu.cn|pku.edu.cn|1|1|0|6|2008-07-16|2008-07-16|-|0\n"},
	{"SELECT name, captures FROM pools WHERE name <> '200807'", "name|captures\n200806|4\n200808|2\n"},
	{"SELECT * FROM files", "file|pool|segments|sorted|bytes|crc\npools/200806/000001.raw|200806|1|true|42|0000beef\n"},

	// Payload, read as late as can be.
	{"SELECT html, charset, declared_charset, etag, last_modified FROM 'http://pku.edu.cn/' FIRST",
		"html|charset|declared_charset|etag|last_modified\n北京|gb18030|gb2312|\"7\"|2008-06-01\n"},
	{"SELECT url, html IS NULL AS none FROM versions WHERE host LIKE '%www%'", "url|none\n" +
		"http://www.pku.edu.cn/z|true\nhttp://www.pku.edu.cn:8080/x|false\nhttp://a.www.pku.edu.cn/y.gif|true\n"},
	{"SELECT time FROM versions WHERE html CONTAINS '北 京' OR html = 'two'", "time\n2008-06-01\n2008-07-02\n"},
	{"SELECT html FROM versions WHERE kind = 'page' AND mime = 'text/html' ORDER BY time DESC LIMIT 2", "html\nthree\ntwo\n"},
	{"SELECT DISTINCT charset FROM versions IN 'http://pku.edu.cn/' ORDER BY 1", "charset\ngb18030\nutf-8\n"},

	// Groups.
	{"SELECT count(*), count(mime), min(time), max(url) FROM captures", "count(*)|count(mime)|min(time)|max(url)\n11|9|2008-06-01|http://a.www.pku.edu.cn/y.gif\n"},
	{"SELECT count(*), sum(bytes), avg(bytes) FROM captures WHERE status = 999", "count(*)|sum(bytes)|avg(bytes)\n0|-|-\n"},
	{"SELECT status, count(*) AS n FROM captures GROUP BY status HAVING n > 1", "status|n\n200|8\n"},
	{"SELECT month(time) AS m, count(*), count(DISTINCT url) FROM captures GROUP BY m", "m|count(*)|count(DISTINCT url)\n6|4|3\n7|5|5\n8|2|1\n"},
	{"SELECT mime, sum(bytes) FROM captures GROUP BY 1 ORDER BY sum(bytes) DESC, 1", "mime|sum(bytes)\ntext/html|22\nimage/gif|6\ntext/plain|4\n-|0\n"},
	{"SELECT month(time) + 1 FROM captures GROUP BY month(time)", "month(time) + 1\n7\n8\n9\n"},
	{"SELECT host, avg(bytes) FROM captures GROUP BY host ORDER BY avg(bytes) NULLS FIRST LIMIT 1", "host|avg(bytes)\npku.edu.cn|2.75\n"},
	{"SELECT max(time) - min(time) FROM captures IN 'http://pku.edu.cn/'", "max(time) - min(time)\n85d\n"},
	{"SELECT sum(DISTINCT status) FROM captures", "sum(DISTINCT status)\n1405\n"},

	// Queries that read queries.
	{"SELECT n, count(*) FROM (SELECT host, count(*) AS n FROM captures GROUP BY host) AS g WHERE g.n > 1 GROUP BY n", "n|count(*)\n2|1\n8|1\n"},
	{"WITH s AS (SELECT status, count(*) AS n FROM captures GROUP BY status), t AS (SELECT * FROM s WHERE n > 1) SELECT s.status FROM t AS s", "status\n200\n"},
	{"WITH captures AS (SELECT 1 AS x) SELECT * FROM captures", "x\n1\n"},
	{"SELECT a, a_1, \"b c\" FROM (SELECT 1 AS a, 2 AS A, 3 AS \"b c\")", "a|a_1|b c\n1|2|3\n"},
	{"SELECT x, x IS NULL, coalesce(x, 'y') FROM (SELECT NULL AS x) ORDER BY x", "x|x IS NULL|coalesce(x, 'y')\n-|true|y\n"},
	{"SELECT html FROM (SELECT html, time FROM versions WHERE kind = 'page' AND mime = 'text/html') ORDER BY time DESC LIMIT 2", "html\nthree\ntwo\n"},
	{"SELECT count(*), max(n) FROM (SELECT mime, sum(bytes) AS n FROM captures GROUP BY 1 LIMIT 2 OFFSET 1)", "count(*)|max(n)\n2|22\n"},
	{"SELECT DISTINCT status FROM (SELECT status FROM (SELECT * FROM captures WHERE status = 200) LIMIT 3)", "status\n200\n"},
	{"SELECT count(*) FILTER (WHERE month(time) = 6) AS june, count(DISTINCT url) FILTER (WHERE month(time) = 7) AS july, max(bytes) FILTER (WHERE FALSE) AS none, count(*) FILTER (WHERE mime IS NULL) AS bare FROM captures",
		"june|july|none|bare\n4|5|-|2\n"},
	{"SELECT month(time) AS m FROM captures GROUP BY m HAVING count(*) FILTER (WHERE status = 200 OR NULL) > 2", "m\n6\n7\n"},

	// Distinct, order, aliases.
	{"SELECT DISTINCT status FROM captures", "status\n200\n404\n301\n500\n"},
	{"SELECT DISTINCT status FROM captures ORDER BY status DESC LIMIT 2", "status\n500\n404\n"},
	{"SELECT status AS time FROM captures ORDER BY time DESC LIMIT 1", "time\n500\n"},
	{"SELECT job, url FROM captures ORDER BY job LIMIT 1", "job|url\nj|http://www.pku.edu.cn:8080/x\n"},
	{"SELECT url FROM pages ORDER BY url DESC LIMIT 1", "url\nhttp://a.www.pku.edu.cn/y.gif\n"},
	{"SELECT c.status FROM captures AS c WHERE c.time = 2008-08-05", "status\n404\n"},
	{"SELECT url FROM captures IN $site WHERE time >= 2008-07-15 AND host = 'www.pku.edu.cn'", "url\nhttp://www.pku.edu.cn/z\nhttp://www.pku.edu.cn:8080/x\n"},
	{"SELECT url FROM versions WHERE url IN ('http://pku.edu.cn/a', 'http://pku.edu.cn/old')", "url\nhttp://pku.edu.cn/a\nhttp://pku.edu.cn/old\n"},
	{"SELECT url FROM captures IN '=www.pku.edu.cn:8080'", "url\nhttp://www.pku.edu.cn:8080/x\n"},
	{"SELECT Status FROM CAPTURES LIMIT 1", "Status\n200\n"},
}

// TestQuery asks each question with batches of 1,024, of two and of one row, the
// last with so little memory that sorts and groups spill: the answer is the same.
func TestQuery(t *testing.T) {
	for _, rows := range []int{0, 2, 1} {
		a := smallSite()
		a.BatchRows = rows
		s := newSession(archive{a})
		if rows == 1 {
			s.Settings().MemoryBytes = 100
		}
		for _, c := range queryCases {
			got, _, err := ask(s, c.src)
			if err != nil {
				t.Errorf("%s: %v", c.src, err)
			} else if got != c.want {
				t.Errorf("%s (batches of %d)\ngot\n%swant\n%s", c.src, rows, got, c.want)
			}
			if got, traced, err := askTraced(s, c.src); traced && (err != nil || got != c.want) {
				t.Errorf("%s (batches of %d, with trails): %v\ngot\n%swant\n%s", c.src, rows, err, got, c.want)
			}
		}
	}
}

// TestQueryErrors shows that faults are found before any row is read, with their
// place and what to write instead.
func TestQueryErrors(t *testing.T) {
	cases := []struct{ src, want string }{
		{"SELECT tite FROM captures", `1:8: no column "tite" in relation captures (did you mean time?)`},
		{"SELECT * FROM capture", `1:15: no relation "capture" (did you mean captures?)`},
		{"SELECT x.url FROM captures", `1:8: no source "x" (there are captures)`},
		{"SELECT url", `1:8: no column "url": there is no FROM (is FROM missing?)`},
		{"SELECT url captures", `1:8: no column "url": there is no FROM (is FROM missing before captures?)`},
		{`SELECT "page"`, `1:8: no column "page": there is no FROM (strings are quoted like this: 'page')`},
		{"SELECT blocks, url FROM 'x.cn'", `1:8: no column "blocks" in relation versions (a relation belongs in FROM: SELECT * FROM blocks)`},
		{"SELECT anchor FROM captures", `1:8: no column "anchor" in relation captures (it is a column of links)`},
		{"SELECT title FROM captures", `1:8: no column "title" in relation captures (it is a column of versions, pages, articles and findings)`},
		{"SELECT url FROM captures WHERE kind = missing", `1:39: no column "missing" in relation captures (DESCRIBE captures lists its columns; a text is quoted like this: 'missing')`},
		{"SELECT host FROM captures GROUP BY ALL", `1:36: no column "ALL" in relation captures (name the columns, or give their numbers: 1, 2)`},
		{"SELECT url FROM captures WHERE changed = 'ok'", `1:42: changed is bool and 'ok' is text; they can't be compared (write the condition alone: changed, or NOT changed)`},
		{"SELECT text FROM links", `1:8: no column "text" in relation links (did you mean anchor?)`},
		{"SELECT source FROM links", `1:8: no column "source" in relation links (did you mean url?)`},
		{"SELECT redirect FROM captures", `1:8: no column "redirect" in relation captures (did you mean location?)`},
		{"SELECT type FROM captures", `1:8: no column "type" in relation captures (did you mean mime?)`},
		{"SELECT type FROM blocks", `1:8: no column "type" in relation blocks (DESCRIBE blocks lists its columns; a text is quoted like this: 'type')`},
		{"SELECT regexp_matches(url, 'x', 'g') FROM captures", `1:8: no function "regexp_matches" (write regexp_extract(x, 'pattern') for the first match, or regexp_count(x, 'pattern') for their number; a row has one value)`},
		{"SELECT repeat('ab', 9000000000000000000)", "1:8: repeat: a text repeated 9000000000000000000 times is too long; at most 64 KB"},
		{"SELECT url FROM versions WHERE changd", `1:32: no column "changd" in relation versions (did you mean changed?)`},
		{"SELECT *", "1:8: * has no columns: there is no FROM"},
		{"SELECT url, count(*) FROM captures", `1:8: column "url" is neither in GROUP BY nor in an aggregate (add it to GROUP BY, or write min(url))`},
		{"SELECT * FROM captures GROUP BY url", `1:8: column "time" is neither in GROUP BY nor in an aggregate (add it to GROUP BY, or write min(time))`},
		{"SELECT url FROM captures HAVING status = 1", "1:33: HAVING filters groups, but there are none (use WHERE or add GROUP BY)"},
		{"SELECT zz AS zz FROM (SELECT 1 AS n) AS q", `1:8: no column "zz" in the query that FROM reads (there are n)`},
		{"SELECT url AS u FROM captures WHERE u = 'x'", `1:37: "u" names a column of the result, which does not exist here yet (write url)`},
		{"SELECT url FROM captures ORDER BY 2", "1:35: ORDER BY 2: the result has 1 column"},
		{"SELECT sum(changed) FROM captures", "1:12: sum takes numbers or durations, and changed is of type bool (count_if(changed) counts where it is true)"},
		{"SELECT sum(url) FROM captures", "1:12: sum takes numbers or durations, and url is of type url (count(DISTINCT url) counts the different ones)"},
		{"SELECT sum(*) FROM captures", "1:8: only count takes *, and without DISTINCT"},
		{"SELECT DISTINCT url FROM captures ORDER BY time", "1:44: SELECT DISTINCT is ordered by its own columns, and time is not one of them (add it to SELECT)"},
		{"SELECT * FROM pools IN 'x.cn'", "1:24: pools takes no scope (use WHERE)"},
		{"SELECT * FROM files SINCE 2008", "1:21: files takes no time (use WHERE)"},
		{"SELECT url FROM 'x.cn' FROM 2008 TO 2008", "1:24: FROM 2008 TO 2008 is empty: it ends where 2008 begins (write BETWEEN 2008 AND 2008)"},
		{"SELECT url FROM 'x.cn' FROM 2009 TO 2008", "1:24: this range ends before it begins (write BETWEEN 2008 AND 2009, which includes both periods)"},
		{"SELECT url FROM 'x.cn' BETWEEN 2009 AND 2008", "1:24: this range ends before it begins (write BETWEEN 2008 AND 2009)"},
		{"SELECT url FROM 'x.cn' AT 'soon'", `1:27: "soon" is no time: write 2008, 2008-06, 2008-06-15 or 2008-06-15T10:30:00`},
		{"SET statement_timeout = '10s'", `1:5: no setting "statement_timeout" (Ctrl-C ends a statement, and SET warn_cost = '10s' asks before one that will take longer)`},
		{"SET tmezone = 'UTC'", `1:5: no setting "tmezone" (did you mean timezone?)`},
		{"SHOW POOL", `1:6: no list "pool" to show (did you mean POOLS?)`},
		{"DESCRIBE versoins", `1:10: no relation, view, function or setting "versoins" (did you mean versions?)`},
		{"HELP wolves", `1:1: no help on "WOLVES" (HELP alone lists the topics)`},
		{"HELP SELCT", `1:1: no help on "SELCT" (did you mean SELECT?)`},
		{"EXPLAIN ANALYZE SHOW POOLS", "1:17: EXPLAIN ANALYZE runs the statement, and takes queries only (leave out ANALYZE)"},
		{"IMPORT 'x' FORMAT wrc", `1:19: no import format "wrc" (did you mean warc?)`},
		{"SHOW PAGE 'http://pku.edu.cn/' AT 2007", "1:35: no capture of http://pku.edu.cn/ at or before 2007-12-31T23:59:59.999Z (the first is of 2008-06-01T00:00:00Z)"},
		{"SHOW PAGE 'http://pku.edu.cn/old' AS headers", "1:1: this capture has no headers: it came as a file, not as an HTTP response (AS raw gives its bytes)"},
		{"SHOW PAGE 'http://www.pku.edu.cn/z' AS raw", "1:1: the archive has no body for the capture of 2008-07-17T00:00:00Z: its original is not here"},
		{"SHOW PAGE 'http://a.www.pku.edu.cn/y.gif'", "1:1: this capture can't be shown as html: it is image/gif, no text (AS raw gives its bytes)"},
		{"SET memory = 1KB", "1:14: setting memory: 1KB is too little; the least is 1MB"},
		{"SET width = wide", `1:13: setting width: write a number of cells or auto, not "wide"`},
		{"SET timezone = 'Mars'", `1:16: setting timezone: there is no time zone "Mars"; write one such as 'Asia/Shanghai' or 'UTC'`},
		{"SET mode = tabel", `1:12: setting mode: there is no "tabel"; did you mean table?`},
		{"EXPLAIN IMPORT 'no-such-file'", `1:16: no file no-such-file: file does not exist`},
		{"SHOW PAGE 'http://x.cn/'", "1:11: no capture of http://x.cn/"},
		{"SHOW PAGE 'https://pku.edu.cn/ol'", "1:11: no capture of https://pku.edu.cn/ol (the archive has http://pku.edu.cn/old)"},
		{"SHOW PAGE 'https://pku.edu.cn/' AT 2007", "1:36: no capture of http://pku.edu.cn/ at or before 2007-12-31T23:59:59.999Z (the first is of 2008-06-01T00:00:00Z)"},
	}
	s := newSession(archive{smallSite()})
	for _, c := range cases {
		_, _, err := ask(s, c.src)
		var fault *ast.Error
		if !errors.As(err, &fault) {
			t.Errorf("%s: got error %v, want an *ast.Error", c.src, err)
		} else if err.Error() != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.src, err, c.want)
		}
	}
}

// TestSummarize shows what SUMMARIZE says of queries and sources.
func TestSummarize(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"SUMMARIZE SELECT n, t FROM (SELECT 1 AS n, NULL AS t UNION ALL SELECT 3, 'b' UNION ALL SELECT NULL, 'a' UNION ALL SELECT 3, 'a') AS x",
			"column|type|least|greatest|different|nulls|example\nn|int|1|3|2|1|1\nt|text|a|b|2|1|b\n"},
		{"SUMMARIZE SELECT time, status = 200 AS ok, NULL AS none, html FROM versions IN 'http://pku.edu.cn/'",
			"column|type|least|greatest|different|nulls|example\ntime|time|2008-06-01|2008-08-25|4|0|2008-06-01\nok|bool|false|true|2|0|true\nnone|null|-|-|0|4|-\nhtml|text|gone|北京|4|0|北京\n"},
		{"SUMMARIZE SELECT 7d AS d WHERE FALSE", "column|type|least|greatest|different|nulls|example\nd|duration|-|-|0|0|-\n"},
	} {
		got, _, err := ask(newSession(archive{smallSite()}), c.src)
		if err != nil || got != c.want {
			t.Errorf("%s\ngot\n%swant\n%serror %v", c.src, got, c.want, err)
		}
	}
}
