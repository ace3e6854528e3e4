package exec_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/exec/relation/relationtest"
	"infomall/exec/session"
	"infomall/store/record"
)

// drawPlainQuery draws a query that the planner has shorter ways for.
func drawPlainQuery(t *rapid.T) string {
	pick := func(label string, list ...string) string { return rapid.SampledFrom(list).Draw(t, label) }
	some := func(label string, least int, list ...string) []string {
		return rapid.SliceOfNDistinct(rapid.SampledFrom(list), least, 3, rapid.ID[string]).Draw(t, label)
	}
	conds := some("where", 0, "status = 200", "status <> 404", "mime = 'text/html'", "host = 'h1.cn'", "host IN ('h0.cn', 'h2.cn')", "url LIKE 'http://h1.cn/%'",
		"url WITHIN 'h2.cn'", "kind = 'page'", "month(time) = 7", "time >= 2008-07", "time BETWEEN 2008-06-10 AND 2008-07", "bytes > 0", "mime IS NULL",
		"date_trunc('week', time) > 2008-07-03", "NOT status = 200 OR domain = 'h0.cn'", "url = 'http://h0.cn/0'", "digest > '4'", "title LIKE '%b%'", "title IS NULL", "bytes > 10 AND mime = 'text/html'")
	from := pick("from", "captures", "captures", "captures", "versions", "versions", "versions BETWEEN 2008-07 AND 2008-08", "versions LATEST", "pages", "captures IN 'h1.cn'", "captures SINCE 2008-07", "captures LATEST", "captures IN 'h0.cn/', 'h2.cn/1' BETWEEN 2008-06 AND 2008-07")
	where := ""
	if len(conds) > 0 {
		where = " WHERE " + strings.Join(conds, " AND ")
	}
	if rapid.IntRange(0, 3).Draw(t, "ungrouped") == 0 {
		cols := some("columns", 1, "url", "time", "status", "host", "mime", "time + 1d")
		order := ""
		if by := some("by", 0, "url", "time", "status DESC", "mime NULLS FIRST", "time DESC", "bytes DESC", "bytes", "title", "bytes DESC NULLS FIRST"); len(by) > 0 {
			order = " ORDER BY " + strings.Join(by, ", ")
		}
		return "SELECT " + pick("distinct", "", "", "DISTINCT ") + strings.Join(append(cols, "url", "time"), ", ") + " FROM " + from + where + order + pick("limit", "", " LIMIT 5", " LIMIT 3 OFFSET 2")
	}
	if rapid.IntRange(0, 5).Draw(t, "different") == 0 {
		cols := some("columns", 1, "status", "host", "mime", "month(time)", "domain", "kind", "time")
		if rapid.IntRange(0, 2).Draw(t, "adjacent") == 0 {
			cols = some("columns of url", 1, "url", "host(url)", "length(url)", "1")
		}
		return "SELECT DISTINCT " + strings.Join(cols, ", ") + " FROM " + from + where + pick("order", "", " ORDER BY 1", " ORDER BY "+strings.Join(cols, " DESC, ")) + pick("limit", "", " LIMIT 2", " LIMIT 3 OFFSET 1")
	}
	keys := some("keys", 0, "status", "mime", "kind", "host", "domain", "date_trunc('month', time)", "date_trunc('week', time)", "year(time)", "strftime(time, '%Y-%m')",
		"strftime(time, '%H')", "changed", "truncated", "job", "status / 100", "time", "digest", "substr(digest, 1, 1)")
	aggs := some("aggregates", 1, "count(*)", "count(mime)", "count(DISTINCT host)", "count(DISTINCT month(time))", "sum(status)", "sum(bytes)", "avg(status)", "min(time)", "max(host)",
		"min(month(time))", "count(DISTINCT url)", "count(DISTINCT url)", "sum(bytes) FILTER (WHERE status = 200)", "count(*) FILTER (WHERE mime = 'text/html')", "count_if(kind = 'page')", "median(status)",
		"stddev(status)", "arg_min(status, time)", "any_value(status)", "avg(bytes / 2)", "avg(time - 2008-06)", "sum(DISTINCT status)", "count(digest)", "count(DISTINCT digest)", "max(digest)")
	q := "SELECT " + strings.Join(append(keys, aggs...), ", ") + " FROM " + from + where
	if len(keys) > 0 {
		q += " GROUP BY " + strings.Join(keys, ", ") + pick("having", "", "", " HAVING count(*) > 2", " HAVING max(digest) < 'c'")
	}
	return q + pick("order", "", " ORDER BY count(*) DESC, min(url)", " ORDER BY count(*)") + pick("bound", "", "", " LIMIT 2")
}

// drawNestedQuery draws a query of several sources: joins, subqueries, queries in
// the place of a relation or with a name, UNION ALL, and the time clauses that
// choose versions.
func drawNestedQuery(t *rapid.T) string {
	pick := func(label string, list ...string) string { return rapid.SampledFrom(list).Draw(t, label) }
	source := func(label string) string {
		return pick(label+" source", "captures", "captures", "versions", "captures IN 'h1.cn'", "versions IN 'h0.cn', 'h2.cn/1'") +
			pick(label+" time", "", "", " SINCE 2008-07", " BETWEEN 2008-06 AND 2008-07", " DURING 2008-07 AND 2008-07", " LATEST", " FIRST", " AT 2008-07-15", " NEAREST 2008-07-10")
	}
	cond := func(label, of string) string {
		return strings.ReplaceAll(pick(label+" condition", "@.status = 200", "@.status <> 404", "@.host = 'h1.cn'", "@.url LIKE 'http://h1.cn/%'", "@.url WITHIN 'h2.cn'", "@.mime IS NULL",
			"@.time >= 2008-07", "@.url IN (SELECT url FROM versions WHERE status = 404)", "@.url NOT IN (SELECT url FROM captures LATEST WHERE status = 200)",
			"EXISTS (SELECT 1 FROM captures WHERE status = 500)", "@.status > (SELECT min(status) FROM captures)", "@.bytes = (SELECT max(bytes) FROM versions)"), "@", of)
	}
	order := " ORDER BY 1, 2, 3, 4" + pick("limit", "", "", " LIMIT 4", " LIMIT 3 OFFSET 2")
	switch rapid.IntRange(0, 5).Draw(t, "shape") {
	case 0:
		where := pick("where", "", " WHERE "+cond("left", "a"), " WHERE "+cond("right", "b"), " WHERE "+cond("left", "a")+" AND "+cond("right", "b"), " WHERE "+cond("left", "a")+" OR "+cond("right", "b"))
		on := pick("on", "a.url = b.url", "a.url = b.url AND a.status = b.status", "a.host = b.host AND a.mime = b.mime")
		return "SELECT a.url, a.time, b.url, b.time, b.status FROM " + source("left") + " AS a " + pick("join", "JOIN ", "LEFT JOIN ") + source("right") + " AS b ON " + on + where + order
	case 1:
		return "SELECT a.host, b.status, count(*), min(a.time), max(b.url) FROM " + source("left") + " AS a " + pick("join", "JOIN ", "LEFT JOIN ") + source("right") + " AS b ON a.url = b.url" +
			pick("where", "", " WHERE "+cond("left", "a")) + " GROUP BY a.host, b.status" + order
	case 2:
		return "SELECT q.url, q.time, q.status, q.mime FROM (SELECT url, time, status, mime, host, bytes FROM " + source("inner") + pick("inner where", "", " WHERE status = 200") + pick("inner limit", "", " ORDER BY time, url, status LIMIT 7") +
			") AS q WHERE " + cond("outer", "q") + order
	case 3:
		return "WITH w AS (SELECT host, url, time, status, mime, bytes FROM " + source("named") + ") SELECT w.url, w.time, w.status, w.mime FROM w WHERE " + cond("outer", "w") + order
	case 4:
		return "SELECT c.url, c.time, c.status, c.mime FROM " + source("first") + " AS c WHERE " + cond("first", "c") + " UNION ALL SELECT d.url, d.time, d.status, d.mime FROM " + source("second") + " AS d WHERE " + cond("second", "d") + order
	default:
		unit := pick("unit", "month", "week", "day")
		return "SELECT e.url, e.as_of, e.time, e.status FROM versions BETWEEN 2008-06 AND 2008-07 EACH " + unit + " AS e WHERE " + cond("each", "e") + order
	}
}

// plainDefinitions are views and metadata that random queries read.
var plainDefinitions = []string{
	"CREATE VIEW good AS SELECT * FROM captures WHERE status = 200",
	"CREATE VIEW july AS SELECT url, time, status, host, mime FROM good WHERE month(time) = 7",
	"CREATE VIEW ends AS SELECT url, time, status, host, mime FROM versions LATEST",
	"CREATE VIEW counted AS SELECT host, status, max(url) AS url, min(time) AS time, any_value(mime) AS mime FROM july GROUP BY host, status",
	"CREATE METADATA section ON version AS split_part(path(url), '/', 2)",
	"CREATE METADATA long ON version AS length(text) > 1",
	"CREATE METADATA part ON page AS split_part(path(url), '/', 2)",
	"CREATE METADATA words ON page AS length(text)",
}

// drawDefinedQuery draws a query that reads them.
func drawDefinedQuery(t *rapid.T) string {
	pick := func(label string, list ...string) string { return rapid.SampledFrom(list).Draw(t, label) }
	from := pick("from", "good", "july", "ends", "counted", "versions", "versions IN 'h1.cn', 'h2.cn/1'", "versions SINCE 2008-07", "versions LATEST", "pages", "pages SINCE 2008-07")
	columns := []string{"url", "status", "host", "mime"}
	conds := []string{"status = 200", "host = 'h1.cn'", "url WITHIN 'h2.cn'", "mime IS NULL", "NOT status = 404 OR host = 'h0.cn'", "url IN (SELECT url FROM ends WHERE status = 200)"}
	switch {
	case strings.HasPrefix(from, "versions"):
		columns, conds = append(columns, "time", "section", "long"), append(conds, "section = '1'", "long", "long IS NULL OR section < '2'")
	case strings.HasPrefix(from, "pages"):
		columns, conds = append(columns, "first_seen", "part", "words"), append(conds, "part = '1'", "words > 1", "words IS NULL")
	default:
		columns, conds = append(columns, "time"), append(conds, "time >= 2008-07")
	}
	list := strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom(columns), 1, 3, rapid.ID[string]).Draw(t, "columns"), ", ")
	where := ""
	if asked := rapid.SliceOfNDistinct(rapid.SampledFrom(conds), 0, 2, rapid.ID[string]).Draw(t, "where"); len(asked) > 0 {
		where = " WHERE (" + strings.Join(asked, ") AND (") + ")"
	}
	limit := pick("limit", "", "", " LIMIT 3", " LIMIT 4 OFFSET 1")
	switch rapid.IntRange(0, 3).Draw(t, "shape") {
	case 0:
		return "SELECT " + list + ", count(*) AS n, min(url) FROM " + from + where + " GROUP BY " + list + pick("order", "", " ORDER BY n DESC, 1") + limit
	case 1:
		return "SELECT a.url, a.status, b.url, b.section, b.long FROM " + pick("view", "good", "ends", "counted") + " AS a " + pick("join", "JOIN", "LEFT JOIN") + " versions LATEST AS b ON " +
			pick("on", "a.url = b.url", "a.host = b.host AND a.status = b.status") + pick("joined where", "", " WHERE b.section = '1'", " WHERE b.long OR a.status = 200") + " ORDER BY 1, 2, 3" + limit
	case 2:
		return "SELECT DISTINCT " + list + " FROM " + from + where + " ORDER BY 1" + limit
	}
	return "SELECT " + list + ", url FROM " + from + where + pick("order", "", " ORDER BY url, status DESC") + limit
}

// TestPlain asks random questions both ways, as they are written and as the
// planner would have it: the rows are the same. Where rows are equal but for
// what they are not ordered by, the order is the same too.
func TestPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		captures := make([]relationtest.Capture, rapid.IntRange(0, 40).Draw(t, "captures"))
		for i := range captures {
			captures[i] = relationtest.Capture{
				URL:    fmt.Sprintf("http://h%d.cn/%d", rapid.IntRange(0, 2).Draw(t, "host"), rapid.IntRange(0, 2).Draw(t, "page")),
				Time:   modelStart + record.Time(rapid.IntRange(0, 90).Draw(t, "day"))*day1 + record.Time(rapid.IntRange(0, 23).Draw(t, "hour"))*day1/24,
				Status: rapid.SampledFrom([]int{200, 200, 404, 500, 0}).Draw(t, "status"),
				Mime:   rapid.SampledFrom([]string{html, "text/plain", ""}).Draw(t, "mime"),
				Body:   rapid.SampledFrom([]string{"", "x", "yy", "<title>a</title>", "<title>b</title>", "<title>ab</title>x"}).Draw(t, "body"),
				NoBody: rapid.IntRange(0, 9).Draw(t, "no body") == 0,
			}
		}
		a := relationtest.New(captures...)
		s := newSession(archive{a})
		plain := sessionWith(archive{a}, func(o *session.Options) { o.Plain = true })
		for _, d := range plainDefinitions {
			if _, _, err := ask(s, d); err != nil {
				t.Fatalf("%s: %v", d, err)
			}
		}
		for range 5 {
			kind := rapid.IntRange(0, 2).Draw(t, "kind")
			src := []func(*rapid.T) string{drawPlainQuery, drawNestedQuery, drawDefinedQuery}[kind](t)
			want, _, refused := ask(plain, src)
			if kind > 0 && refused != nil {
				t.Fatalf("%s: %v", src, refused)
			}
			got, _, err := ask(s, src)
			if fmt.Sprint(err) != fmt.Sprint(refused) || got != want {
				t.Fatalf("%s: error %v, got\n%s\nwithout ways of the planner: error %v,\n%s", src, err, got, refused, want)
			}
			rows, traced, err := askTraced(s, src)
			if traced && (rows != want || (err != nil) != (refused != nil)) {
				t.Fatalf("%s: error %v, got with trails\n%s\nwithout: error %v,\n%s", src, err, rows, refused, want)
			}
		}
	})
}
