package exec_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// joinCases is statement and answer over smallSite, the header first.
var joinCases = []struct{ src, want string }{
	{"SELECT c.time, v.change FROM captures AS c JOIN versions AS v ON c.url = v.url AND c.time = v.time WHERE c.status = 404",
		"time|change\n2008-08-05|gone\n"},
	// A condition of one side, of both, and on payload.
	{"SELECT p.url, v.time FROM pages AS p JOIN 'pku.edu.cn' LATEST AS v ON v.url = p.url AND v.kind = 'page' WHERE p.first_seen < 2008-06-15 AND v.text CONTAINS 'three'",
		"url|time\nhttp://pku.edu.cn/|2008-08-25\n"},
	{"SELECT v.url, v.html FROM pages AS p JOIN versions LATEST AS v ON v.url = p.url AND v.html = 'a' LIMIT 1", "url|html\nhttp://pku.edu.cn/a|a\n"},
	// LEFT JOIN keeps what has no match, with NULLs, payload too.
	{"SELECT p.url, v.time, v.html FROM pages AS p LEFT JOIN versions SINCE 2008-08 AS v ON v.url = p.url AND v.status = 200 LIMIT 2",
		"url|time|html\nhttp://pku.edu.cn/|2008-08-25|three\nhttp://pku.edu.cn/a|-|-\n"},
	{"SELECT p.url FROM pages AS p LEFT JOIN versions SINCE 2008-08 AS v ON v.url = p.url WHERE v.url IS NULL AND p.host = 'pku.edu.cn'",
		"url\nhttp://pku.edu.cn/a\nhttp://pku.edu.cn/old\n"},
	// Three sources; the second ON names the first.
	{"SELECT c.status, p.url, h.page_count FROM captures AS c JOIN pages AS p ON p.url = c.url JOIN hosts AS h ON h.host = c.host WHERE c.status >= 400 ORDER BY c.status",
		"status|url|page_count\n404|http://pku.edu.cn/|3\n500|http://www.pku.edu.cn:8080/x|2\n"},
	// A text is made a URL; one that is none matches nothing, and neither does NULL.
	{"WITH list AS (SELECT 'pku.edu.cn/a' AS u UNION ALL SELECT 'not a url' UNION ALL SELECT NULL) SELECT u, p.url FROM list LEFT JOIN pages AS p ON p.url = u",
		"u|url\npku.edu.cn/a|http://pku.edu.cn/a\nnot a url|-\n-|-\n"},
	// Ints and floats meet as numbers.
	{"WITH a AS (SELECT 1 AS n UNION ALL SELECT 2), b AS (SELECT 1.0 AS f) SELECT n, f FROM a JOIN b ON n = f", "n|f\n1|1\n"},
	// Sources that a comma, CROSS JOIN and USING join, and names without AS.
	{"SELECT c.time, v.change FROM captures c, versions v WHERE c.url = v.url AND c.time = v.time AND c.status = 404", "time|change\n2008-08-05|gone\n"},
	{"SELECT url, page_count FROM pages INNER JOIN hosts h USING (host) WHERE status = 200 LIMIT 1", "url|page_count\nhttp://pku.edu.cn/|3\n"},
	{"SELECT * FROM (SELECT 1 n, 2 m) a JOIN (SELECT 2 m, 1 n, 3 o) b USING (n, m)", "n|m|o\n1|2|3\n"},
	{"SELECT n, a.n, b.n FROM (SELECT 1 n) a LEFT JOIN (SELECT 2 n) b USING (n)", "n|n|n\n1|1|-\n"},
	{"SELECT a.n, b.n, c.n FROM (SELECT 1 n UNION ALL SELECT 2) a, (SELECT 1 n) b, (SELECT 2 n UNION ALL SELECT 3) c WHERE a.n > b.n AND c.n >= a.n", "n|n|n\n2|1|2\n2|1|3\n"},
	// Conditions that are no equality.
	{"SELECT a.n, b.n FROM (SELECT 1 n UNION ALL SELECT 2 UNION ALL SELECT NULL) a LEFT JOIN (SELECT 2 n UNION ALL SELECT 3 UNION ALL SELECT 1) b ON a.n < b.n", "n|n\n1|2\n1|3\n2|3\n-|-\n"},
	{"SELECT a.n, b.n FROM (SELECT 1 n UNION ALL SELECT 2) a LEFT JOIN (SELECT 2 n) b ON a.n = 1", "n|n\n1|2\n2|-\n"},
	{"SELECT a.n, b.n FROM (SELECT 1 n UNION ALL SELECT 2) a LEFT JOIN (SELECT 2 n UNION ALL SELECT 1) b ON a.n = b.n AND a.n <> 1", "n|n\n1|-\n2|2\n"},
	{"SELECT v.time, w.time FROM versions v JOIN versions w ON v.html CONTAINS 'one' AND w.html CONTAINS 'three' AND w.time > v.time", "time|time\n2008-08-05|2008-08-25\n"},
	{"SELECT count(*) FROM hosts a, hosts b", "count(*)\n9\n"},
	// Columns that have one name, and groups that tell them apart.
	{"SELECT * FROM (SELECT 1 AS n) AS a JOIN (SELECT 1 AS n) AS b ON a.n = b.n", "n|n_1\n1|1\n"},
	{"SELECT a.host, count(b.url) AS n FROM hosts AS a LEFT JOIN captures SINCE 2008-08 AS b ON b.host = a.host GROUP BY a.host HAVING n > 0", "host|n\npku.edu.cn|2\n"},
	{"SELECT v.change, count(*) FROM versions AS v JOIN captures AS c ON c.url = v.url AND c.change = v.change GROUP BY v.change, c.change ORDER BY 1",
		"change|count(*)\nback|1\nchanged|1\nfirst|6\ngone|1\n"},
}

func TestJoin(t *testing.T) {
	for _, c := range joinCases {
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

// TestJoinErrors shows what is said about sources that cannot be told apart or
// joined.
func TestJoinErrors(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"SELECT url FROM pages JOIN hosts ON hosts.host = pages.host JOIN captures ON captures.url = pages.url", `both pages and captures have a column "url" (write pages.url or captures.url)`},
		{"SELECT 1 FROM pages JOIN pages ON pages.url = pages.url", "two sources are called pages (write AS and another name after one of them)"},
		{"SELECT 1 FROM (SELECT 1 AS a) JOIN pages ON a = url", "a query that is joined needs a name (write AS name after it)"},
		{"SELECT 1 FROM captures c, versions v JOIN hosts USING (host)", `both c and v have a column "host" (write c.host or v.host)`},
		{"SELECT 1 FROM pages JOIN hosts USING (page_count)", `no column "page_count" in relation pages`},
		{"SELECT 1 FROM pages JOIN hosts USING (url)", `no column "url" in relation hosts`},
		{"SELECT 1 FROM pages AS p JOIN hosts AS h ON p.nix = h.host", `no column "nix" in relation pages`},
		{"SELECT 1 FROM pages AS p LEFT JOIN hosts AS h ON p.host = h.host AND h.nix > 3", `no column "nix" in relation hosts`},
		{"SELECT 1 FROM pages p, (SELECT 1)", "a query that is joined needs a name"},
		{"SELECT 1 FROM pages AS p JOIN hosts AS h ON p.host = c.host JOIN captures AS c ON c.url = p.url", "names a source that is joined later"},
		{"SELECT 1 FROM pages AS p JOIN hosts AS h ON p.status = h.host", "they can't be compared"},
		{"SELECT x.url FROM pages AS p JOIN hosts AS h ON p.host = h.host", `no source "x"`},
		{"SELECT hots FROM pages AS p JOIN hosts AS h ON p.host = h.host", `no column "hots" in relation pages or relation hosts (did you mean host?)`},
	} {
		_, _, err := ask(newSession(archive{smallSite()}), c.src)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.src, err, c.want)
		}
	}
}

// TestJoinModel joins random captures with random versions and compares with a
// loop over all pairs, whatever memory there is.
func TestJoinModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := drawEvents(t)
		a := eventsArchive(t, events)
		s := newSession(archive{a})
		s.Settings().MemoryBytes = rapid.SampledFrom([]int64{1, 300, 2000, 1 << 20}).Draw(t, "memory")
		kind := rapid.SampledFrom([]string{"JOIN", "LEFT JOIN", ","}).Draw(t, "kind")
		compare := rapid.SampledFrom([]string{"", " AND c.time < v.time", "c.time < v.time", " AND (c.time <= v.time OR c.url <> 'http://a.cn/')"}).Draw(t, "compare")
		key := rapid.SampledFrom([]string{"url", "status", "digest"}).Draw(t, "key")
		bound := rapid.SampledFrom([]string{"", " SINCE 2008-07", " LATEST"}).Draw(t, "time")
		rows := func(src string) []string {
			got, _, err := ask(s, src)
			if err != nil {
				t.Fatalf("%s: %v", src, err)
			}
			return strings.Split(strings.TrimSuffix(got, "\n"), "\n")[1:]
		}
		left := rows("SELECT " + key + ", url, time FROM captures")
		right := rows("SELECT " + key + ", time, visits FROM versions" + bound)
		var want []string
		for _, l := range left {
			lkey, lrest, _ := strings.Cut(l, "|")
			matched := false
			for _, r := range right {
				rkey, rrest, _ := strings.Cut(r, "|")
				url, ltime, _ := strings.Cut(lrest, "|")
				rtime, _, _ := strings.Cut(rrest, "|")
				meets := compare == "" || ltime < rtime || strings.HasPrefix(compare, " AND (") && (ltime == rtime || url != "http://a.cn/")
				if (rkey == lkey && rkey != "-" || !strings.HasPrefix(compare, " ") && compare != "") && meets {
					want = append(want, lrest+"|"+rrest)
					matched = true
				}
			}
			if !matched && kind == "LEFT JOIN" {
				want = append(want, lrest+"|-|-")
			}
		}
		on := fmt.Sprintf("v.%s = c.%s%s", key, key, compare)
		if compare != "" && compare[0] != ' ' {
			on = compare
		}
		word := "ON"
		if kind == "," {
			word = "WHERE"
		}
		src := fmt.Sprintf("SELECT c.url, c.time, v.time, v.visits FROM captures AS c %s versions%s AS v %s %s", kind, bound, word, on)
		if got := rows(src); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("%s\nevents %v\ngot\n%s\nwant\n%s", src, events, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}
