package exec_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// subqueryCases is statement and answer over smallSite, the header first.
var subqueryCases = []struct{ src, want string }{
	// One value.
	{"SELECT (SELECT count(*) FROM captures) AS n, (SELECT max(status) FROM captures WHERE status > 900) AS none", "n|none\n11|-\n"},
	{"SELECT url FROM captures WHERE time = (SELECT max(time) FROM captures) AND status = 200", "url\nhttp://pku.edu.cn/\n"},
	{"SELECT host, count(*) AS n FROM captures GROUP BY host HAVING n > (SELECT avg(page_count) FROM hosts)", "host|n\npku.edu.cn|8\n"},
	{"SELECT status FROM captures GROUP BY status ORDER BY status = (SELECT min(status) FROM captures), status DESC", "status\n500\n404\n301\n200\n"},
	{"SELECT sum((SELECT 2)) AS s, CASE WHEN (SELECT FALSE) THEN 1 ELSE 2 END AS c FROM hosts", "s|c\n6|2\n"},
	// One value for each row.
	{"SELECT p.url, (SELECT count(*) FROM captures AS c WHERE c.url = p.url AND c.status >= 400) AS bad FROM pages AS p WHERE p.host <> 'a.www.pku.edu.cn'",
		"url|bad\nhttp://pku.edu.cn/|1\nhttp://pku.edu.cn/a|0\nhttp://pku.edu.cn/old|0\nhttp://www.pku.edu.cn/z|0\nhttp://www.pku.edu.cn:8080/x|1\n"},
	{"SELECT p.url, (SELECT c.time FROM captures AS c WHERE p.url = c.url AND c.status = 200 ORDER BY c.time DESC LIMIT 1) AS last FROM pages AS p LIMIT 3",
		"url|last\nhttp://pku.edu.cn/|2008-08-25\nhttp://pku.edu.cn/a|2008-07-10\nhttp://pku.edu.cn/old|-\n"},
	{"SELECT h.host, (SELECT min(p.url) FROM pages AS p WHERE p.host = h.host GROUP BY p.host) AS first FROM hosts AS h LIMIT 2",
		"host|first\npku.edu.cn|http://pku.edu.cn/\nwww.pku.edu.cn|http://www.pku.edu.cn/z\n"},
	{"SELECT host, (SELECT count(*) FROM pages AS p WHERE p.host = c.host) AS pages FROM captures AS c GROUP BY host LIMIT 2",
		"host|pages\na.www.pku.edu.cn|1\npku.edu.cn|3\n"},
	// Outer columns in other comparisons, and at other places.
	{"SELECT p.url, (SELECT count(*) FROM captures c WHERE c.url = p.url AND c.time > p.first_seen) AS later FROM pages p LIMIT 3",
		"url|later\nhttp://pku.edu.cn/|4\nhttp://pku.edu.cn/a|1\nhttp://pku.edu.cn/old|0\n"},
	{"SELECT n, (SELECT max(m) FROM (SELECT 1 m UNION SELECT 3) b WHERE m < n) AS less FROM (SELECT 3 n UNION ALL SELECT 1 UNION ALL SELECT NULL UNION ALL SELECT 9 UNION ALL SELECT 3) a",
		"n|less\n3|1\n1|-\n-|-\n9|3\n3|1\n"},
	{"SELECT n, (SELECT m FROM (SELECT 1 m UNION SELECT 3) b WHERE m < n ORDER BY m DESC LIMIT 1) AS less FROM (SELECT 3 n UNION SELECT 9) a", "n|less\n3|1\n9|3\n"},
	{"SELECT n FROM (SELECT 1 n UNION ALL SELECT NULL) a WHERE EXISTS (SELECT 1 WHERE a.n IS NULL) OR NOT EXISTS (SELECT 1 WHERE a.n IS NULL)", "n\n1\n-\n"},
	{"SELECT n, (SELECT a.n + 1) AS next, (SELECT sum(m * a.n) FROM (SELECT 2 m UNION SELECT 5) b) AS s FROM (SELECT 1 n UNION SELECT 2) a", "n|next|s\n1|2|7\n2|3|14\n"},
	{"SELECT n FROM (SELECT 1 n UNION SELECT 2 UNION SELECT NULL) a WHERE n NOT IN (SELECT m FROM (SELECT 2 m UNION SELECT 1) b WHERE m <> a.n)", "n\n1\n2\n-\n"},
	{"SELECT status, count(*) AS n, (SELECT count(*) FROM hosts h WHERE h.page_count > c.status - 402) AS k FROM captures c GROUP BY status HAVING EXISTS (SELECT 1 FROM pages p WHERE p.status <> c.status AND p.status < 500)",
		"status|n|k\n200|8|3\n301|1|3\n404|1|1\n500|1|0\n"},
	{"SELECT v.time FROM versions v WHERE v.html CONTAINS 'o' AND EXISTS (SELECT 1 FROM versions w WHERE w.url = v.url AND w.html <> v.html AND w.time > v.time) LIMIT 1", "time\n2008-07-02\n"},
	{"SELECT a.n, (SELECT b.m FROM (SELECT 1 m) b LEFT JOIN (SELECT 2 k) c ON c.k > a.n WHERE c.k IS NULL) AS x FROM (SELECT 1 n UNION SELECT 2) a", "n|x\n1|-\n2|1\n"},
	{"SELECT n FROM (SELECT 1 n UNION SELECT 2 UNION SELECT 3) a WHERE EXISTS (SELECT 1 FROM (SELECT 2 m) b WHERE m < n) AND EXISTS (SELECT 1 FROM (SELECT 9 m) b WHERE m > n)", "n\n3\n"},
	{"SELECT p.url, (SELECT max(c.time) FROM captures c WHERE c.time < p.first_seen) AS before FROM pages p LIMIT 2", "url|before\nhttp://pku.edu.cn/|-\nhttp://pku.edu.cn/a|2008-06-01\n"},
	// In a subquery that itself reads outer columns.
	{"SELECT n, (SELECT sum(m) FROM (SELECT 1 m) b WHERE a.n IN (SELECT 2)) AS s FROM (SELECT 1 n UNION SELECT 2) a", "n|s\n1|-\n2|1\n"},
	{"SELECT n FROM (SELECT 1 n UNION SELECT 2) a WHERE EXISTS (SELECT 1 FROM (SELECT 2 m) b WHERE a.n NOT IN (SELECT m WHERE m > 1))", "n\n1\n"},
	// EXISTS.
	{"SELECT url FROM pages AS p WHERE EXISTS (SELECT * FROM captures AS c WHERE c.url = p.url AND c.status = 404)", "url\nhttp://pku.edu.cn/\n"},
	{"SELECT count(*) FROM pages AS p WHERE NOT EXISTS (SELECT 1 FROM versions AS v WHERE v.url = p.url AND v.changed)", "count(*)\n5\n"},
	{"SELECT EXISTS (SELECT 1 FROM captures WHERE status = 999) AS a, EXISTS (SELECT url FROM captures) AS b", "a|b\nfalse|true\n"},
	{"SELECT count(*) FROM pages AS p WHERE EXISTS (SELECT count(*) FROM captures AS c WHERE c.url = p.url AND c.status = 999)", "count(*)\n6\n"},
	{"SELECT host FROM hosts AS h WHERE h.page_count > 2 OR EXISTS (SELECT 1 FROM captures WHERE captures.host = h.host AND status = 500)", "host\npku.edu.cn\nwww.pku.edu.cn\n"},
	// IN, with its three values.
	{"SELECT url FROM pages WHERE url IN (SELECT url FROM captures WHERE status >= 400)", "url\nhttp://pku.edu.cn/\nhttp://www.pku.edu.cn:8080/x\n"},
	{"SELECT count(*) FROM pages WHERE url NOT IN (SELECT url FROM captures WHERE status >= 400)", "count(*)\n4\n"},
	{"SELECT count(*) FROM captures WHERE location NOT IN (SELECT url FROM pages)", "count(*)\n0\n"},
	{"SELECT 1 IN (SELECT 2) AS a, 1 IN (SELECT NULL) AS b, NULL IN (SELECT 1) AS c, NULL IN (SELECT 1 FROM captures WHERE FALSE) AS d, 1 IN (SELECT 1 UNION ALL SELECT NULL) AS e, 3 NOT IN (SELECT 1 UNION ALL SELECT NULL) AS f, 2.0 IN (SELECT 2) AS g",
		"a|b|c|d|e|f|g\nfalse|-|-|false|true|-|true\n"},
	{"SELECT url FROM pages AS p WHERE 404 IN (SELECT status FROM captures AS c WHERE c.url = p.url)", "url\nhttp://pku.edu.cn/\n"},
	{"SELECT p.url, 'pku.edu.cn/a' IN (SELECT location FROM captures AS c WHERE c.url = p.url) AS leads FROM pages AS p LIMIT 3",
		"url|leads\nhttp://pku.edu.cn/|-\nhttp://pku.edu.cn/a|-\nhttp://pku.edu.cn/old|true\n"},
	// Payload on both sides.
	{"SELECT url FROM versions WHERE html IN (SELECT html FROM versions WHERE html CONTAINS 'three')", "url\nhttp://pku.edu.cn/\n"},
	// Beside a join, and within WITH and UNION ALL.
	{"SELECT p.url FROM pages AS p JOIN hosts AS h ON h.host = p.host WHERE h.page_count = (SELECT max(page_count) FROM hosts) AND EXISTS (SELECT 1 FROM captures AS c WHERE c.url = p.url AND c.kind = 'redirect')",
		"url\nhttp://pku.edu.cn/old\n"},
	{"WITH bad AS (SELECT url FROM captures WHERE status >= 400) SELECT count(*) FROM pages WHERE url IN (SELECT * FROM bad UNION ALL SELECT 'pku.edu.cn/a')", "count(*)\n3\n"},
}

func TestSubqueries(t *testing.T) {
	for _, c := range subqueryCases {
		for _, memory := range []int64{1 << 20, 1} {
			s := newSession(archive{smallSite()})
			s.Settings().MemoryBytes = memory
			got, _, err := ask(s, c.src)
			if err != nil || got != c.want {
				t.Errorf("%s\nwith %d bytes: got\n%swant\n%serror %v", c.src, memory, got, c.want, err)
			}
		}
	}
}

func TestSubqueryErrors(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"SELECT (SELECT url FROM pages) AS u", "the query in brackets gives more than one row (add LIMIT 1, or an aggregate such as max)"},
		{"SELECT (SELECT c.time FROM captures AS c WHERE c.url = p.url) FROM pages AS p", "gives more than one row"},
		{"SELECT (SELECT 1, 2)", "a query within an expression has one column, but this has 2"},
		{"SELECT 1 FROM pages WHERE url IN (SELECT * FROM pages)", "has one column, but this has 14"},
		{"SELECT 1 FROM pages WHERE status IN (SELECT url FROM pages)", "they can't be compared"},
		{"SELECT (SELECT c.time FROM captures c WHERE c.time > p.first_seen) FROM pages p", "gives more than one row"},
		{"SELECT (SELECT count(*) + p.status FROM captures c) FROM pages AS p", "p.status is a column of the outer query, which may be used here only in an aggregate or in WHERE (write it outside of the brackets of the query)"},
		{"SELECT host, (SELECT count(*) FROM captures c WHERE c.time > p.first_seen) FROM pages p GROUP BY host", "neither in GROUP BY nor in an aggregate"},
		{"SELECT 1 FROM pages AS p WHERE url IN (SELECT url FROM captures AS c WHERE c.host = p.host LIMIT 3)", "takes LIMIT 1 only, and in IN none"},
		{"SELECT 1 FROM pages AS p WHERE 1 IN (SELECT count(*) FROM captures AS c WHERE c.host = p.host)", "write = in place of IN"},
		{"SELECT 1 FROM pages LIMIT 1 OFFSET 0; SELECT 1", "a second statement"},
		{"SELECT 1 FROM pages AS p JOIN hosts AS h ON h.host = (SELECT min(host) FROM hosts) AND h.host = p.host", "may not contain a query"},
		{"SELECT (SELECT nosuch FROM pages)", `no column "nosuch"`},
		{"SELECT 1 FROM pages AS p WHERE EXISTS (SELECT 1 FROM captures WHERE captures.url = q.url)", `no source "q"`},
	} {
		_, _, err := ask(newSession(archive{smallSite()}), c.src)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.src, err, c.want)
		}
	}
}

// TestSubqueryModel compares queries within expressions with the joins and
// groups that say the same.
func TestSubqueryModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := drawEvents(t)
		a := eventsArchive(t, events)
		s := newSession(archive{a})
		s.Settings().MemoryBytes = rapid.SampledFrom([]int64{1, 300, 2000, 1 << 20}).Draw(t, "memory")
		status := rapid.SampledFrom([]int{200, 404, 500}).Draw(t, "status")
		key := rapid.SampledFrom([]string{"url", "digest"}).Draw(t, "key")
		for _, pair := range [][2]string{
			{"SELECT c.url, c.time FROM captures AS c WHERE EXISTS (SELECT 1 FROM captures AS d WHERE d.KEY = c.KEY AND d.status = STATUS)",
				"SELECT c.url, c.time FROM captures AS c JOIN (SELECT DISTINCT KEY AS k FROM captures WHERE status = STATUS) AS d ON d.k = c.KEY"},
			{"SELECT url, time FROM captures WHERE KEY NOT IN (SELECT KEY FROM captures WHERE status = STATUS)",
				"SELECT c.url, c.time FROM captures AS c LEFT JOIN (SELECT DISTINCT KEY AS k FROM captures WHERE status = STATUS) AS d ON d.k = c.KEY WHERE d.k IS NULL"},
			{"SELECT c.url, (SELECT count(*) FROM captures AS d WHERE d.KEY = c.KEY AND d.status = STATUS) AS url_1 FROM captures AS c",
				"SELECT c.url, coalesce(d.n, 0) AS url_1 FROM captures AS c LEFT JOIN (SELECT KEY AS k, count(*) AS n FROM captures WHERE status = STATUS GROUP BY KEY) AS d ON d.k = c.KEY"},
			{"SELECT c.url, (SELECT max(d.time) FROM captures AS d WHERE d.KEY = c.KEY) AS url_1 FROM captures AS c",
				"SELECT c.url, (SELECT d.time FROM captures AS d WHERE d.KEY = c.KEY ORDER BY d.time DESC LIMIT 1) AS url_1 FROM captures AS c"},
		} {
			fill := strings.NewReplacer("KEY", key, "STATUS", fmt.Sprint(status))
			src, same := fill.Replace(pair[0]), fill.Replace(pair[1])
			got, _, err := ask(s, src)
			if err != nil {
				t.Fatalf("%s: %v", src, err)
			}
			want, _, err := ask(s, same)
			if err != nil {
				t.Fatalf("%s: %v", same, err)
			}
			if got != want {
				t.Fatalf("%s\nevents %v\ngot\n%swant\n%s", src, events, got, want)
			}
		}
	})
}
