package exec_test

import (
	"strings"
	"testing"
)

// aggregateCases is statement and answer over smallSite, the header first.
var aggregateCases = []struct{ src, want string }{
	{"SELECT count_if(status = 200) AS ok, count_if(mime IS NULL) AS bare, count_if(NULL) AS none FROM captures", "ok|bare|none\n8|2|0\n"},
	{"SELECT any_value(location) AS a, any_value(status) AS s FROM captures WHERE host = 'pku.edu.cn'", "a|s\nhttp://pku.edu.cn/a|200\n"},
	{"SELECT url, arg_max(status, time) AS last, arg_min(time, bytes) AS small FROM captures WHERE host = 'pku.edu.cn' GROUP BY url",
		"url|last|small\nhttp://pku.edu.cn/|200|2008-07-02\nhttp://pku.edu.cn/a|200|2008-06-10\nhttp://pku.edu.cn/old|301|2008-06-15\n"},
	{"SELECT arg_max(url, time) FILTER (WHERE status = 404) AS u, arg_min(url, NULL) AS n FROM captures", "u|n\nhttp://pku.edu.cn/|-\n"},
	{"SELECT median(status) AS m, median(DISTINCT status) AS d, median(bytes) FILTER (WHERE FALSE) AS n FROM captures", "m|d|n\n200|352.5|-\n"},
	{"SELECT median(time) AS t FROM captures WHERE url = 'http://pku.edu.cn/a'", "t\n2008-06-25\n"},
	{"SELECT max(2) AS a, max(2.0) + 1.5 AS b FROM hosts HAVING max(CAST(NULL AS int)) IS NULL AND max(CAST(NULL AS float)) IS NULL", "a|b\n2|3.5\n"},
	{"SELECT count(*) AS n, max(2.0) < 1.5 AS x FROM hosts HAVING max(2) < 3", "n|x\n3|false\n"},
	{"SELECT 500 - status AS status FROM captures GROUP BY status ORDER BY status", "status\n0\n96\n199\n300\n"},
	{"SELECT count(*) AS status FROM captures AS c GROUP BY status ORDER BY status DESC, c.status LIMIT 3", "status\n8\n1\n1\n"},
	{"SELECT host, median(status) AS m FROM captures GROUP BY host", "host|m\na.www.pku.edu.cn|200\npku.edu.cn|200\nwww.pku.edu.cn|350\n"},
	{"SELECT round(stddev(status), 3) AS s, stddev(DISTINCT status) > 0 AS d, stddev(status) FILTER (WHERE status = 404) AS one FROM captures", "s|d|one\n104.183|true|-\n"},
	{"SELECT round(stddev(n), 6) AS s FROM (SELECT 2 AS n UNION ALL SELECT 4 UNION ALL SELECT 4 UNION ALL SELECT 6) AS v", "s\n1.632993\n"},
	{"SELECT string_agg(kind, ',') AS a, string_agg(DISTINCT kind, ',') AS d, string_agg(kind, ',') FILTER (WHERE FALSE) AS n FROM captures WHERE host = 'pku.edu.cn'",
		"a|d|n\npage,page,page,missing,page,page,page,redirect|missing,page,redirect|-\n"},
	{"SELECT host, string_agg(CAST(status AS text), '' ORDER BY status DESC, url) AS s FROM captures GROUP BY host",
		"host|s\na.www.pku.edu.cn|200\npku.edu.cn|404301200200200200200200\nwww.pku.edu.cn|500200\n"},
	{"SELECT string_agg(DISTINCT mime, '; ' ORDER BY mime DESC) AS m, string_agg(location, '') AS l FROM captures", "m|l\ntext/plain; text/html; image/gif|http://pku.edu.cn/a\n"},
	{"SELECT string_agg(x, ',' ORDER BY n NULLS FIRST) AS s FROM (SELECT 'a' AS x, 2 AS n UNION ALL SELECT 'b', NULL UNION ALL SELECT NULL, 0 UNION ALL SELECT 'c', 1) AS v", "s\nb,c,a\n"},
	{"SELECT approx_count_distinct(url) AS u, approx_count_distinct(location) AS l, approx_count_distinct(NULL) AS n, count(DISTINCT url) AS c FROM captures", "u|l|n|c\n6|1|0|6\n"},
	{"SELECT status, count(DISTINCT url) AS u, count(*) AS n FROM captures GROUP BY status", "status|u|n\n200|4|8\n301|1|1\n404|1|1\n500|1|1\n"},
	{"SELECT month(time) AS m, count(DISTINCT url) AS u, count(DISTINCT host) AS h FROM versions WHERE kind = 'page' GROUP BY m", "m|u|h\n6|2|1\n7|3|3\n8|1|1\n"},
	{"SELECT quantile(n, 0) AS a, quantile(n, 0.5) AS b, quantile(n, 0.51) AS c, quantile(n, 0.75) AS d, quantile(n, 1) AS e, quantile(DISTINCT n, 0.5) AS f FROM (SELECT 4 n UNION ALL SELECT 1 UNION ALL SELECT NULL UNION ALL SELECT 3 UNION ALL SELECT 4) x", "a|b|c|d|e|f\n1|3|4|4|4|3\n"},
	{"SELECT quantile(time, 0.5) AS t, quantile(bytes / 2, 1) AS f, quantile(NULL, 1) AS n, approx_count_distinct(url) AS u FROM captures WHERE url = 'http://pku.edu.cn/'", "t|f|n|u\n2008-07-02|2.5|-|1\n"},
	{"SELECT host, approx_count_distinct(url) AS u FROM captures GROUP BY host", "host|u\na.www.pku.edu.cn|1\npku.edu.cn|3\nwww.pku.edu.cn|2\n"},
}

func TestAggregates(t *testing.T) {
	for _, c := range aggregateCases {
		for _, memory := range []int64{1 << 20, 300, 1} {
			a := smallSite()
			a.BatchRows = 2
			s := newSession(archive{a})
			s.Settings().MemoryBytes = memory
			got, _, err := ask(s, c.src)
			if err != nil || got != c.want {
				t.Errorf("%s\nwith %d bytes: got\n%swant\n%serror %v", c.src, memory, got, c.want, err)
			}
		}
	}
}

func TestAggregateErrors(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"SELECT arg_max(status) FROM captures", "arg_max takes two arguments, a value and what it is ordered by, not 1"},
		{"SELECT median(url) FROM captures", "median takes numbers or durations"},
		{"SELECT stddev(time) FROM captures", "stddev takes numbers or durations"},
		{"SELECT count_if(status) FROM captures", "needs a condition"},
		{"SELECT any_value(*) FROM captures", "only count takes *"},
		{"SELECT string_agg(url) FROM captures", "string_agg takes two arguments, a text and what to put between"},
		{"SELECT string_agg(status, ',') FROM captures", "write CAST(status AS text)"},
		{"SELECT string_agg(url, host) FROM captures", "one text to put between"},
		{"SELECT string_agg(DISTINCT url, ',' ORDER BY time) FROM captures", "write ORDER BY url"},
		{"SELECT max(url ORDER BY time) FROM captures", "only string_agg takes ORDER BY"},
		{"SELECT lower(url ORDER BY time) FROM captures", "is no aggregate"},
	} {
		_, _, err := ask(newSession(archive{smallSite()}), c.src)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.src, err, c.want)
		}
	}
}
