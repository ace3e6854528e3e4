package exec_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/exec/op/optest"
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
		"date_trunc('week', time) > 2008-07-03", "NOT status = 200 OR domain = 'h0.cn'", "url = 'http://h0.cn/0'")
	from := pick("from", "captures", "captures", "captures", "versions", "captures IN 'h1.cn'", "captures SINCE 2008-07", "captures LATEST", "captures IN 'h0.cn/', 'h2.cn/1' BETWEEN 2008-06 AND 2008-07")
	where := ""
	if len(conds) > 0 {
		where = " WHERE " + strings.Join(conds, " AND ")
	}
	if rapid.IntRange(0, 3).Draw(t, "ungrouped") == 0 {
		cols := some("columns", 1, "url", "time", "status", "host", "mime", "time + 1d")
		order := ""
		if by := some("by", 0, "url", "time", "status DESC", "mime NULLS FIRST", "time DESC"); len(by) > 0 {
			order = " ORDER BY " + strings.Join(by, ", ")
		}
		return "SELECT " + pick("distinct", "", "", "DISTINCT ") + strings.Join(append(cols, "url", "time"), ", ") + " FROM " + from + where + order + pick("limit", "", " LIMIT 5", " LIMIT 3 OFFSET 2")
	}
	keys := some("keys", 0, "status", "mime", "kind", "host", "domain", "date_trunc('month', time)", "date_trunc('week', time)", "year(time)", "strftime(time, '%Y-%m')",
		"strftime(time, '%H')", "changed", "truncated", "job", "status / 100", "time")
	aggs := some("aggregates", 1, "count(*)", "count(mime)", "count(DISTINCT host)", "count(DISTINCT month(time))", "sum(status)", "sum(bytes)", "avg(status)", "min(time)", "max(host)",
		"min(month(time))", "count(DISTINCT url)", "sum(bytes) FILTER (WHERE status = 200)", "count(*) FILTER (WHERE mime = 'text/html')", "count_if(kind = 'page')", "median(status)",
		"stddev(status)", "arg_min(status, time)", "any_value(status)", "avg(bytes / 2)", "avg(time - 2008-06)", "sum(DISTINCT status)")
	q := "SELECT " + strings.Join(append(keys, aggs...), ", ") + " FROM " + from + where
	if len(keys) > 0 {
		q += " GROUP BY " + strings.Join(keys, ", ") + pick("having", "", "", " HAVING count(*) > 2")
	}
	return q + pick("order", "", " ORDER BY count(*) DESC, min(url)", " ORDER BY count(*)") + pick("bound", "", "", " LIMIT 2")
}

// TestPlain asks random questions both ways, as they are written and as the
// planner would have it: the rows are the same. Where rows are equal but for
// what they are not ordered by, the order is the same too.
func TestPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		captures := make([]optest.Capture, rapid.IntRange(0, 40).Draw(t, "captures"))
		for i := range captures {
			captures[i] = optest.Capture{
				URL:    fmt.Sprintf("http://h%d.cn/%d", rapid.IntRange(0, 2).Draw(t, "host"), rapid.IntRange(0, 2).Draw(t, "page")),
				Time:   modelStart + record.Time(rapid.IntRange(0, 90).Draw(t, "day"))*day1 + record.Time(rapid.IntRange(0, 23).Draw(t, "hour"))*day1/24,
				Status: rapid.SampledFrom([]int{200, 200, 404, 500, 0}).Draw(t, "status"),
				Mime:   rapid.SampledFrom([]string{html, "text/plain", ""}).Draw(t, "mime"),
				Body:   rapid.SampledFrom([]string{"", "x", "yy"}).Draw(t, "body"),
			}
		}
		a := optest.New(captures...)
		s := newSession(archive{a})
		for range 5 {
			src := drawPlainQuery(t)
			s.Plain = true
			want, _, refused := ask(s, src)
			s.Plain = false
			got, _, err := ask(s, src)
			if fmt.Sprint(err) != fmt.Sprint(refused) || got != want {
				t.Fatalf("%s: error %v, got\n%s\nwithout ways of the planner: error %v,\n%s", src, err, got, refused, want)
			}
		}
	})
}
