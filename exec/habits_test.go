package exec_test

import (
	"strings"
	"testing"
)

// TestOtherForms runs statements in forms of other databases beside statements that mean the same
// in the forms of this language. Both must give the same rows, and some.
func TestOtherForms(t *testing.T) {
	s := newSession(archive{smallSite()})
	rows := func(src string) string {
		got, _, err := ask(s, src)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		_, got, _ = strings.Cut(got, "\n") // without the names of the columns
		if strings.TrimSpace(got) == "" {
			t.Errorf("%s gives no rows", src)
		}
		return got
	}
	for _, c := range [][2]string{
		{"SELECT DISTINCT ON (url) url, time FROM captures ORDER BY url, time DESC", "SELECT url, max(time) FROM captures GROUP BY url ORDER BY url"},
		{"SELECT DISTINCT ON (h) host AS h, count(*) FROM captures GROUP BY host, status ORDER BY h, 2 DESC LIMIT 3", "SELECT host, max(n) FROM (SELECT host, status, count(*) AS n FROM captures GROUP BY host, status) GROUP BY host ORDER BY host LIMIT 3"},
		{"SELECT DISTINCT ON (url) time FROM captures ORDER BY url, time", "SELECT min(time) FROM captures GROUP BY url ORDER BY url"},
		{"SELECT count(*) FROM captures WHERE (url, time) IN (SELECT url, max(time) FROM captures GROUP BY url)", "SELECT count(DISTINCT url) FROM captures"},
		{"SELECT url, time FROM captures WHERE (url, time) NOT IN (SELECT url, max(time) FROM captures GROUP BY url)", "SELECT url, time FROM (SELECT url, time, lead(time) OVER (PARTITION BY url ORDER BY time) AS next FROM captures) WHERE next IS NOT NULL"},
		{"SELECT count(*) FROM captures WHERE (status, changed) IN ((200, TRUE), (404, TRUE))", "SELECT count(*) FROM captures WHERE status IN (200, 404) AND changed"},
		{"SELECT url FROM captures ORDER BY url, time OFFSET 1 ROW FETCH FIRST 2 ROWS ONLY", "SELECT url FROM captures ORDER BY url, time LIMIT 2 OFFSET 1"},
		{"SELECT url, count(*) FROM captures GROUP BY url ORDER BY count DESC, url", "SELECT url, count(*) AS n FROM captures GROUP BY url ORDER BY n DESC, url"},
		{"SELECT count(*) FROM captures WHERE url = ANY (SELECT url FROM pages) AND url <> ALL (SELECT 'http://x.example/')", "SELECT count(*) FROM captures"},
		{"WITH t (u, n) AS (SELECT url, count(*) FROM captures GROUP BY url) SELECT m FROM (SELECT max(n) FROM t) AS x (m)", "SELECT max(n) FROM (SELECT count(*) AS n FROM captures GROUP BY url)"},
		{"SELECT h.host, c.url FROM captures c RIGHT JOIN hosts h USING (host)", "SELECT h.host, c.url FROM hosts h LEFT JOIN captures c USING (host)"},
		{"SELECT variance(bytes) FROM captures", "SELECT stddev(bytes) * stddev(bytes) FROM captures"},
		{"SELECT array_agg(DISTINCT status ORDER BY status) FROM captures", "SELECT string_agg(DISTINCT CAST(status AS text), ', ') FROM captures"},
		{"SELECT count(*) FROM captures WHERE status = '200' AND status LIKE '2%' AND time LIKE '2%'", "SELECT count(*) FROM captures WHERE status = 200"},
		{"COPY pages (url) TO STDOUT", "SELECT url FROM pages"},
	} {
		if got, want := rows(c[0]), rows(c[1]); got != want {
			t.Errorf("%s gives\n%s\n%s gives\n%s", c[0], got, c[1], want)
		}
	}
}

// TestRandom shows that random gives each row a number of its own, also in queries that could
// count captures without looking at each.
func TestRandom(t *testing.T) {
	s := newSession(archive{smallSite()})
	for _, src := range []string{
		"SELECT count(DISTINCT r) = count(*) FROM (SELECT random() AS r FROM captures)",
		"SELECT count(DISTINCT random()) = count(*) FROM captures",
		"SELECT min(r) >= 0 AND max(r) < 1 FROM (SELECT random() AS r FROM captures)",
		"SELECT (SELECT count(*) FROM captures TABLESAMPLE BERNOULLI (100)) = (SELECT count(*) FROM captures)",
	} {
		if got, _, err := ask(s, src); err != nil || !strings.HasSuffix(strings.TrimSpace(got), "true") {
			t.Errorf("%s: %s %v", src, got, err)
		}
	}
	for _, src := range []string{
		"EXPLAIN SELECT count(*) FROM captures WHERE random() < 0.5",
		"EXPLAIN SELECT DISTINCT host FROM captures WHERE random() < 0.5",
		"EXPLAIN SELECT host, count(*) OVER (PARTITION BY host) FROM captures WHERE random() < 0.5",
	} {
		if got, _, err := ask(s, src); err != nil || strings.Contains(got, "counted") {
			t.Errorf("%s: %s %v", src, got, err)
		}
	}
}

// TestOtherValues shows the notes on an empty answer whose condition compares a column with a text
// that has another form than the values of the column.
func TestOtherValues(t *testing.T) {
	s := newSession(archive{smallSite()})
	for src, want := range map[string]string{
		"SELECT url FROM versions WHERE charset = 'Big5'":              "pages in Big5 have charset = 'big5'",
		"SELECT url FROM versions WHERE charset = 'gb2312'":            "pages in gb2312 have charset = 'gb18030'",
		"SELECT url FROM captures WHERE mime = 'pdf'":                  "mime is a media type such as 'text/html': write mime LIKE '%pdf%'",
		"SELECT url FROM versions WHERE lang = 'zh-CN'":                "write lang = 'zh', without a country",
		"SELECT url FROM versions WHERE change = 'deleted'":            "change is never 'deleted': difference from the previous version: first, gone, back, kind, changed or layout",
		"SELECT url FROM captures WHERE host = 'PKU.edu.cn'":           "host has small letters: write host = 'pku.edu.cn'",
		"SELECT url FROM captures WHERE host = 'http://www.example/x'": "a host has no slash: write host = 'www.example'",
		"SELECT url FROM captures WHERE url LIKE 'www.%'":              "a URL begins with http:// or https://: write url LIKE '%www.%'",
		"SELECT url FROM captures WHERE mime = 'text/nothing'":         "",
		"SELECT url FROM versions WHERE change = 'gone' AND 1 = 2":     "",
	} {
		_, notes, err := ask(s, src)
		if got := strings.Join(notes, " "); err != nil || got != want {
			t.Errorf("%s: notes %q %v, want %q", src, got, err, want)
		}
	}
}
