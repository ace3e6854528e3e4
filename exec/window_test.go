package exec_test

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"infomall/exec/relation/relationtest"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/store/record"

	"pgregory.net/rapid"
)

// TestWindows computes functions with OVER for random rows, and compares with a
// loop over the rows of each partition, whatever memory there is.
func TestWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newSession(archive{smallSite()})
		s.Settings().MemoryBytes = rapid.SampledFrom([]int64{1, 500, 1 << 20}).Draw(t, "memory")
		var rows []windowRow
		var texts []string
		number := func(n int) string {
			if n == 0 {
				return "NULL"
			}
			return strconv.Itoa(n)
		}
		for i := range rapid.IntRange(1, 30).Draw(t, "rows") {
			r := windowRow{id: i, part: rapid.IntRange(0, 3).Draw(t, "part"), by: rapid.IntRange(0, 4).Draw(t, "by"), n: rapid.IntRange(0, 9).Draw(t, "n")}
			rows = append(rows, r)
			texts = append(texts, fmt.Sprintf("SELECT %d AS id, %s AS p, %s AS b, %s AS n", i, number(r.part), number(r.by), number(r.n)))
		}
		offset := rapid.IntRange(0, 3).Draw(t, "offset")
		over := "PARTITION BY p ORDER BY b"
		partitioned := rapid.Bool().Draw(t, "partitioned")
		if !partitioned {
			over = "ORDER BY b"
		}
		ordered := rapid.Bool().Draw(t, "ordered")
		desc := ordered && rapid.Bool().Draw(t, "desc")
		switch {
		case !ordered:
			over = strings.TrimSuffix(strings.TrimSuffix(over, "ORDER BY b"), " ")
		case desc:
			over += " DESC"
		}
		place := func(n int) int { // NULLs come last
			switch {
			case n == 0:
				return 100
			case desc:
				return -n
			}
			return n
		}
		slices.SortStableFunc(rows, func(a, b windowRow) int {
			order := 0
			if partitioned {
				order = cmp.Compare((a.part+9)%10, (b.part+9)%10)
			}
			if ordered {
				order = cmp.Or(order, cmp.Compare(place(a.by), place(b.by)))
			}
			return order
		})
		var want []string
		for i, r := range rows {
			var part, upTo []windowRow // of the partition; and up to the last peer
			at := 0
			for k, o := range rows {
				if partitioned && o.part != r.part {
					continue
				}
				if k == i {
					at = len(part)
				}
				part = append(part, o)
				if !ordered || place(o.by) <= place(r.by) {
					upTo = append(upTo, o)
				}
			}
			first, groups := 1, map[int]bool{}
			for _, o := range part {
				if ordered && place(o.by) < place(r.by) {
					first++
					groups[o.by] = true
				}
			}
			other := func(k int) string {
				if k < 0 || k >= len(part) {
					return number(r.id)
				}
				return number(part[k].n)
			}
			sum, count, most := 0, 0, 0
			for _, o := range upTo {
				if o.n != 0 {
					sum += o.n
					count++
				}
				most = max(most, o.n)
			}
			total := number(sum)
			want = append(want, fmt.Sprint(r.id, " ", at+1, " ", first, " ", len(groups)+1, " ", other(at-offset), " ", other(at+offset), " ",
				number(part[0].n), " ", number(upTo[len(upTo)-1].n), " ", total, " ", count, " ", len(upTo), " ", number(most)))
		}
		o := fmt.Sprintf("OVER (%s)", over)
		src := fmt.Sprintf(`SELECT id, row_number() %[1]s, rank() %[1]s, dense_rank() %[1]s, lag(n, %[2]d, CASE WHEN id > 0 THEN id END) %[1]s, lead(n, %[2]d, CASE WHEN id > 0 THEN id END) %[1]s,
			first_value(n) %[1]s, last_value(n) %[1]s, sum(n) %[1]s, count(n) %[1]s, count(*) %[1]s, max(n) %[1]s FROM (%[3]s) AS t`, o, offset, strings.Join(texts, " UNION ALL "))
		got, _, err := ask(s, src)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")[1:]
		if text := strings.ReplaceAll(strings.Join(want, "\n"), "NULL", "-"); strings.ReplaceAll(strings.Join(lines, "\n"), "|", " ") != text {
			t.Fatalf("%s\ngot\n%s\nwant\n%s", src, strings.ReplaceAll(strings.Join(lines, "\n"), "|", " "), text)
		}
	})
}

// windowRow is a row of TestWindows. A 0 stands for NULL, except as id.
type windowRow struct{ id, part, by, n int }

// TestWindowQueries shows functions with OVER beside the other clauses.
func TestWindowQueries(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"SELECT host, count(*) AS n, rank() OVER (ORDER BY count(*) DESC) AS r, sum(count(*)) OVER () AS total FROM captures GROUP BY host HAVING n > 0 ORDER BY r, host",
			"host|n|r|total\npku.edu.cn|8|1|11\nwww.pku.edu.cn|2|2|11\na.www.pku.edu.cn|1|3|11\n"},
		{"SELECT url, n FROM (SELECT url, row_number() OVER (PARTITION BY host ORDER BY time DESC) AS n FROM captures WHERE status = 200) AS x WHERE n = 1 ORDER BY url",
			"url|n\nhttp://pku.edu.cn/|1\nhttp://www.pku.edu.cn/z|1\nhttp://a.www.pku.edu.cn/y.gif|1\n"},
		{"SELECT DISTINCT rank() OVER (ORDER BY host) AS r FROM captures ORDER BY r DESC LIMIT 2", "r\n10\n2\n"},
		{"SELECT time FROM captures ORDER BY row_number() OVER (ORDER BY time DESC) LIMIT 2", "time\n2008-08-25\n2008-08-05\n"},
		{"SELECT time, lag(html) OVER (ORDER BY time) AS before FROM versions WHERE url = 'http://pku.edu.cn/' AND time > 2008-07 ORDER BY time LIMIT 3", "time|before\n2008-08-05|-\n2008-08-25|gone\n"},
		{"SELECT url, time, sum(bytes) FILTER (WHERE status = 200) OVER (PARTITION BY url) AS s, count_if(status = 404) OVER (PARTITION BY url) AS k FROM captures ORDER BY url, time LIMIT 1", "url|time|s|k\nhttp://pku.edu.cn/|2008-06-01|16|1\n"},
		{"SELECT (SELECT max(r) FROM (SELECT rank() OVER (ORDER BY page_count) AS r FROM hosts) AS x) AS m", "m\n3\n"},
		{"SELECT h.host, (SELECT row_number() OVER (ORDER BY p.url DESC) FROM pages AS p WHERE p.host = h.host ORDER BY p.url LIMIT 1) AS n FROM hosts AS h", "host|n\npku.edu.cn|3\nwww.pku.edu.cn|2\na.www.pku.edu.cn|1\n"},
		{"SELECT lag(n, 1, 0.5) OVER (ORDER BY n) AS x FROM (SELECT 1 AS n UNION ALL SELECT 2) AS t", "x\n0.5\n1\n"},
	} {
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

// TestWindowErrors shows what is said about functions with OVER at a wrong place
// or in a wrong form.
func TestWindowErrors(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"SELECT row_number() FROM captures", "row_number needs OVER (such as row_number() OVER (PARTITION BY url ORDER BY time))"},
		{"SELECT url FROM captures WHERE rank() OVER (ORDER BY url) = 1", "WHERE may not contain a function with OVER"},
		{"SELECT host FROM captures GROUP BY host HAVING rank() OVER (ORDER BY host) = 1", "HAVING may not contain a function with OVER"},
		{"SELECT sum(rank() OVER (ORDER BY url)) FROM captures", "an aggregate may not contain a function with OVER"},
		{"SELECT sum(rank() OVER ()) OVER () FROM captures", "a function with OVER may not contain a function with OVER"},
		{"SELECT lower(url) OVER () FROM captures", "lower takes no OVER"},
		{"SELECT median(bytes) OVER () FROM captures", "median takes no OVER (compute it with GROUP BY, and join the result)"},
		{"SELECT count(DISTINCT url) OVER () FROM captures", "a function with OVER takes no DISTINCT"},
		{"SELECT lag(url, -1) OVER () FROM captures", "lag takes a whole number from 0"},
		{"SELECT lag(url, 1, 2) OVER () FROM captures", "url is url, and 2 is int (CAST(2 AS url))"},
		{"SELECT lag() OVER () FROM captures", "lag has 0 arguments here; it is called as lag(x any [, offset int] [, default any]) any"},
		{"SELECT rank(url) OVER () FROM captures", "rank has 1 argument here"},
		{"SELECT host, rank() OVER (ORDER BY url) FROM captures GROUP BY host", "neither in GROUP BY nor in an aggregate"},
	} {
		_, _, err := ask(newSession(archive{smallSite()}), c.src)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.src, err, c.want)
		}
	}
}

// TestSortedWindows asks for windows over rows that come sorted, which are not sorted
// again. The result is that of rows that are sorted, and EXPLAIN says so.
func TestSortedWindows(t *testing.T) {
	for _, c := range []struct {
		over   string
		sorted bool
	}{
		{"PARTITION BY url ORDER BY time", true},
		{"PARTITION BY url", true},
		{"ORDER BY url, time", true},
		{"ORDER BY url", true},
		{"", true},
		{"PARTITION BY url ORDER BY time DESC", false},
		{"PARTITION BY time ORDER BY url", false},
		{"PARTITION BY host ORDER BY time", false},
		{"PARTITION BY url ORDER BY status", false},
		{"PARTITION BY url ORDER BY time, status", false},
	} {
		for _, funcs := range []string{ // of rows before the current one, and of others
			"row_number() OVER (%[1]s) AS n, rank() OVER (%[1]s) AS r, dense_rank() OVER (%[1]s) AS d, first_value(url) OVER (%[1]s) AS f, lag(time) OVER (%[1]s) AS a, lag(url, 0) OVER (%[1]s) AS b, lag(url, 3, 'none') OVER (%[1]s) AS c, lag(time, 3) OVER (%[1]s) AS e",
			"row_number() OVER (%[1]s) AS n, lag(time) OVER (%[1]s) AS before, lead(url) OVER (%[1]s) AS after, count(*) OVER (%[1]s) AS c, last_value(time) OVER (%[1]s) AS last",
		} {
			src := fmt.Sprintf("SELECT url, time, "+funcs+" FROM captures WHERE status = 200", c.over)
			plan := checkedPlan(t, src)
			if sorted := strings.Contains(plan, "comes sorted"); sorted != c.sorted {
				t.Errorf("%s: the plan says sorted: %v, want %v:\n%s", c.over, sorted, c.sorted, plan)
			}
		}
	}
}

// checkedPlan runs a query over the small site. The result must be the same as with a plain plan,
// which has none of the faster ways. It returns what EXPLAIN says of the query.
func checkedPlan(t *testing.T, src string) string {
	t.Helper()
	plain := sessionWith(archive{smallSite()}, func(o *session.Options) { o.Plain = true })
	want, _, err := ask(plain, src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	got, _, err := ask(newSession(archive{smallSite()}), src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	if got != want {
		t.Errorf("%s: got\n%swant\n%s", src, got, want)
	}
	plan, _, err := ask(newSession(archive{smallSite()}), "EXPLAIN "+src)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// TestWindowsByKey asks for windows of URLs. The source yields keys in place of URLs only if the
// query reads the column url nowhere but in PARTITION BY.
func TestWindowsByKey(t *testing.T) {
	for _, c := range []struct {
		src  string
		keys bool
	}{
		{"SELECT time, sum(bytes) OVER (PARTITION BY url) AS s FROM captures", true},
		{"SELECT time, row_number() OVER (PARTITION BY url ORDER BY time) AS n, lag(status) OVER (PARTITION BY url, status ORDER BY time) AS l FROM versions v", true},
		{"SELECT host, max(n) AS n FROM (SELECT host, count(*) OVER (PARTITION BY host, url) AS n FROM captures WHERE status = 200) t GROUP BY host ORDER BY host", true},
		{"SELECT time, Url, sum(bytes) OVER (PARTITION BY url) AS s FROM captures", false},
		{"SELECT *, sum(bytes) OVER (PARTITION BY url) AS s FROM captures", false},
		{"SELECT time, sum(bytes) OVER (PARTITION BY url) AS s FROM captures WHERE url LIKE '%a%'", false},
		{"SELECT time, sum(bytes) OVER (PARTITION BY url) AS s FROM captures ORDER BY url, time", false},
		{"SELECT time, lag(url) OVER (PARTITION BY url ORDER BY time) AS s FROM captures", false},
		{"SELECT time, count(*) OVER (PARTITION BY lower(url)) AS s FROM captures", false},
		{"SELECT c.time, d.status, sum(c.bytes) OVER (PARTITION BY c.url) AS s FROM captures c JOIN captures d ON c.digest = d.digest", false},
		{"SELECT time FROM captures c WHERE 1 IN (SELECT row_number() OVER (PARTITION BY url ORDER BY time) FROM versions v WHERE v.time = c.time)", false},
	} {
		plan := checkedPlan(t, c.src)
		if keys := strings.Contains(plan, "url as key"); keys != c.keys {
			t.Errorf("%s: the plan says keys: %v, want %v:\n%s", c.src, keys, c.keys, plan)
		}
	}
}

// TestWindowsOfWholePartitions asks for aggregates of whole partitions, with more and less memory
// than the rows need. The result is that of a join with the groups. The rows are not sorted, and
// counted if they need not be told apart.
func TestWindowsOfWholePartitions(t *testing.T) {
	const from = "SELECT host, sum(bytes) AS s, count(status) AS n, min(time) AS m, avg(bytes) AS a FROM captures GROUP BY host"
	for _, c := range []struct {
		items   string
		counted bool
	}{
		{"url, time, status", false},
		{"status, bytes, kind", false},
	} {
		want, _, err := ask(newSession(archive{smallSite()}), "SELECT c."+strings.ReplaceAll(c.items, ", ", ", c.")+", g.s, g.n, g.a FROM captures c JOIN ("+from+") g ON g.host = c.host ORDER BY 1, 2, 3, 4, 5")
		if err != nil {
			t.Fatal(err)
		}
		src := "SELECT " + c.items + ", sum(bytes) OVER (PARTITION BY host) AS s, count(status) OVER (PARTITION BY host) AS n, avg(bytes) OVER (PARTITION BY host) AS a FROM captures"
		for _, memory := range []int64{1 << 20, 6000, 2000, 500, 1} {
			s := newSession(archive{smallSite()})
			s.Settings().MemoryBytes = memory
			if got, _, err := ask(s, src+" ORDER BY 1, 2, 3, 4, 5"); err != nil || got != want {
				t.Errorf("%s\nwith %d bytes: got\n%swant\n%serror %v", src, memory, got, want, err)
			}
		}
		plan, _, err := ask(newSession(archive{smallSite()}), "EXPLAIN "+src)
		if err != nil || strings.Contains(plan, "counted") != c.counted {
			t.Errorf("%s: the plan says counted, want %v:\n%serror %v", src, c.counted, plan, err)
		}
	}
	counted := "SELECT host, count(*) OVER (PARTITION BY host) AS n FROM captures"
	want, _, err := ask(newSession(archive{smallSite()}), "SELECT c.host, g.n FROM captures c JOIN (SELECT host, count(*) AS n FROM captures GROUP BY host) g ON g.host = c.host ORDER BY 1")
	if got, _, err2 := ask(newSession(archive{smallSite()}), counted); err != nil || err2 != nil || got != want {
		t.Errorf("%s: got\n%swant\n%serrors %v, %v", counted, got, want, err, err2)
	}
	if plan, _, err := ask(newSession(archive{smallSite()}), "EXPLAIN "+counted); err != nil || !strings.Contains(plan, "counted") {
		t.Errorf("%s: the rows are not counted:\n%serror %v", counted, plan, err)
	}
	one, _, err := ask(newSession(archive{smallSite()}), "SELECT DISTINCT count(*) OVER () - (SELECT count(*) FROM captures) AS n, sum(bytes) OVER () - (SELECT sum(bytes) FROM captures) AS s FROM captures")
	if err != nil || !strings.Contains(one, "0") || strings.Count(one, "\n") != 2 {
		t.Errorf("one partition: got\n%serror %v", one, err)
	}
}

// TestWindowsOfPartitionsInTurn asks for windows whose partitions come one after the other,
// and for windows that sort by all columns that are read, whose rows may be counted. The
// rows are those of a plan without such shortcuts, with memory for all rows, some or none.
func TestWindowsOfPartitionsInTurn(t *testing.T) {
	const (
		turn    = "partitions come one after the other"
		counted = "counted"
	)
	for _, c := range []struct{ src, says, not string }{
		{"SELECT url, time, row_number() OVER (PARTITION BY url ORDER BY time DESC) AS n, rank() OVER (PARTITION BY url ORDER BY time DESC) AS r FROM captures", turn, counted},
		{"SELECT url, time, status, sum(time) OVER (PARTITION BY url ORDER BY status, bytes DESC) AS n FROM (SELECT url, status, bytes, bytes AS time FROM captures) AS x", "", turn},
		{"SELECT url, status, sum(bytes) OVER (PARTITION BY url ORDER BY status NULLS FIRST, bytes DESC) AS n, lead(time) OVER (PARTITION BY url ORDER BY status NULLS FIRST, bytes DESC) AS l FROM captures", turn, counted},
		{"SELECT url, time, lag(status, 2) OVER (PARTITION BY url, time ORDER BY status) AS n FROM captures", turn, counted},
		{"SELECT time, row_number() OVER (ORDER BY time DESC) AS n, lag(time) OVER (ORDER BY time DESC) AS l, lead(time) OVER (ORDER BY time DESC) AS m FROM captures WHERE time > 2008-06-02", counted, turn},
		{"SELECT status, row_number() OVER (ORDER BY status) AS n, rank() OVER (ORDER BY status) AS r, count(*) OVER (ORDER BY status) AS c FROM captures", counted, turn},
		{"SELECT status, kind, host, dense_rank() OVER (PARTITION BY host, kind ORDER BY status DESC) AS n FROM captures", counted, turn},
		{"SELECT status, time, row_number() OVER (ORDER BY status) AS n FROM captures", "", counted},
		{"SELECT time, row_number() OVER (ORDER BY date_trunc('month', time)) AS n FROM captures", "", counted},
		{"SELECT status, row_number() OVER (ORDER BY status) AS n FROM versions", counted, turn},
		{"SELECT visits, row_number() OVER (ORDER BY visits) AS n FROM versions", "", counted},
		{"SELECT status, row_number() OVER (ORDER BY status) AS n FROM versions LATEST", "", counted},
		{"SELECT time, bytes FROM captures ORDER BY bytes DESC", "", counted},
		{"SELECT url, status FROM captures ORDER BY status NULLS FIRST", "", counted},
		{"SELECT url, b FROM (SELECT url, bytes / 3 AS b FROM captures) AS x ORDER BY b", "", counted},
	} {
		plain := sessionWith(archive{smallSite()}, func(o *session.Options) { o.Plain = true })
		want, _, err := ask(plain, c.src)
		if err != nil {
			t.Fatalf("%s: %v", c.src, err)
		}
		for _, memory := range []int64{1 << 20, 2000, 500, 1} {
			s := newSession(archive{smallSite()})
			s.Settings().MemoryBytes = memory
			if got, _, err := ask(s, c.src); err != nil || got != want {
				t.Errorf("%s\nwith %d bytes: got\n%swant\n%serror %v", c.src, memory, got, want, err)
			}
		}
		plan, _, err := ask(newSession(archive{smallSite()}), "EXPLAIN "+c.src)
		if err != nil || !strings.Contains(plan, c.says) || strings.Contains(plan, c.not) {
			t.Errorf("%s: the plan has to say %q, and not %q:\n%serror %v", c.src, c.says, c.not, plan, err)
		}
	}
}

// TestGroupedWindows asks for groups of windows whose rows may come in any order, and of windows
// whose results depend on the order in which rows are read. The groups are those of a plan without
// shortcuts, with memory for all rows, some or none. The rows are counted only if their order
// cannot change the groups.
func TestGroupedWindows(t *testing.T) {
	for _, c := range []struct {
		groups, windows string // windows are those of FROM captures, and of FROM versions
		counted         bool
	}{
		{"max(s), min(n), sum(n), count(*)", "sum(bytes) OVER (PARTITION BY host) AS s, count(*) OVER (PARTITION BY host) AS n", true},
		{"status, max(a), count(*)", "status, avg(bytes) OVER (PARTITION BY host, kind) AS a", true},
		{"sum(s), count(DISTINCT s)", "sum(bytes) OVER (ORDER BY time) AS s", true},
		{"sum(r), max(d), sum(s)", "rank() OVER (PARTITION BY host ORDER BY status) AS r, dense_rank() OVER (PARTITION BY host ORDER BY status) AS d, sum(bytes) OVER () AS s", true},
		{"sum(s + n)", "sum(bytes) OVER (PARTITION BY host) AS s, count(bytes) OVER (PARTITION BY host ORDER BY time) AS n", true},
		{"kind, sum(n)", "kind, row_number() OVER (PARTITION BY host ORDER BY status) AS n", false},
		{"status, max(l)", "status, last_value(bytes) OVER (PARTITION BY kind ORDER BY status) AS l", false},
		{"status, max(f)", "status, sum(bytes / 3.0) OVER (PARTITION BY host) AS f", false},
		{"max(url), max(s)", "url, sum(bytes) OVER (PARTITION BY host) AS s", false},
	} {
		keys := ""
		if first, _, _ := strings.Cut(c.groups, ","); !strings.Contains(first, "(") {
			keys = " GROUP BY " + first + " ORDER BY " + first
		}
		for _, where := range []string{"", " WHERE time > 2008-06-02"} { // without times, rows stand for several captures
			for _, relation := range []string{"captures", "versions"} {
				src := fmt.Sprintf("SELECT %s FROM (SELECT %s FROM %s%s) AS x%s", c.groups, c.windows, relation, where, keys)
				groupedWindow(t, src, c.counted)
			}
		}
	}
}

// groupedWindow asks src for TestGroupedWindows. The plan must say counted or not.
func groupedWindow(t *testing.T, src string, counted bool) {
	t.Helper()
	plain := sessionWith(archive{smallSite()}, func(o *session.Options) { o.Plain = true })
	want, _, err := ask(plain, src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	for _, memory := range []int64{1 << 20, 6000, 2000, 500, 1} {
		s := newSession(archive{smallSite()})
		s.Settings().MemoryBytes = memory
		if got, _, err := ask(s, src); err != nil || got != want {
			t.Errorf("%s\nwith %d bytes: got\n%swant\n%serror %v", src, memory, got, want, err)
		}
	}
	plan, _, err := ask(newSession(archive{smallSite()}), "EXPLAIN "+src)
	if err != nil || strings.Contains(plan, "counted") != counted {
		t.Errorf("%s: the plan says counted, want %v:\n%serror %v", src, counted, plan, err)
	}
}

// TestWindowsOfManyPartitions asks for aggregates of partitions that have a row or two each, with
// memory for a few of them. The window then must not number the partitions in memory, but sort the
// rows: when the first row comes, the statement holds only a part of what the partitions would take.
func TestWindowsOfManyPartitions(t *testing.T) {
	const rows, memory = 60_000, 1 << 20
	a := manyCaptures(rows, rows)
	src := "SELECT url, count(*) OVER (PARTITION BY url || '#') AS n, sum(status) OVER (PARTITION BY url || '#') AS s FROM captures"
	want := map[string]int{}
	for b, err := range a.Scan(t.Context(), record.Scan{To: record.MaxTime}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, url := range b.URLs()[:b.N] {
			want[url]++
		}
	}
	st, err := lang.ParseOne(src, "")
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(archive{a})
	s.Settings().MemoryBytes = memory
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	res, err := s.Run(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	n := 0
	for b, err := range res.Rows {
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			if held := heap() - before; held > 4*memory {
				t.Errorf("the statement holds %d bytes at its first row, with memory for %d", held, int64(memory))
			}
		}
		n += b.N
		for i := range b.N {
			if url := b.Cols[0].At(i).Text; b.Cols[1].At(i).Int != int64(want[url]) {
				t.Fatalf("%s: got %d rows, want %d", url, b.Cols[1].At(i).Int, want[url])
			}
		}
	}
	if n != rows {
		t.Errorf("got %d rows, want %d", n, rows)
	}
}

// TestWindowsOfFirstRows asks for the first rows of windows over drawn captures. They must be the first
// rows of all, as they are when the planner knows no shorter ways.
func TestWindowsOfFirstRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		captures := make([]relationtest.Capture, rapid.IntRange(0, 40).Draw(t, "captures"))
		for i := range captures {
			captures[i] = relationtest.Capture{
				URL: rapid.SampledFrom([]string{"http://", "https://"}).Draw(t, "scheme") + rapid.SampledFrom([]string{"h0.cn", "h1.cn", "1a.h1.cn", "h1.cn:8080", "www.h1.cn", "10.0.0.1", "h2"}).Draw(t, "host") +
					rapid.SampledFrom([]string{"/", "/a", "/b"}).Draw(t, "path"),
				Time:   modelStart + record.Time(rapid.IntRange(0, 90).Draw(t, "day"))*day1,
				Status: rapid.SampledFrom([]int{200, 404}).Draw(t, "status"), Mime: html,
				Body: rapid.SampledFrom([]string{"", "x", "yy"}).Draw(t, "body"),
			}
		}
		a := relationtest.New(captures...)
		s := newSession(archive{a})
		plain := sessionWith(archive{a}, func(o *session.Options) { o.Plain = true })
		for range 5 {
			pick := func(label string, list ...string) string { return rapid.SampledFrom(list).Draw(t, label) }
			src := fmt.Sprintf("SELECT %s, %s OVER (%s) AS w FROM %s%s LIMIT %d OFFSET %d", pick("items", "url, time", "host, url", "status, url"), pick("function", "sum(bytes)", "count(*)", "avg(status)", "min(time)"),
				pick("window", "PARTITION BY host", "PARTITION BY domain", "PARTITION BY host, status", "PARTITION BY status, domain", "PARTITION BY status", "PARTITION BY upper(host)", "PARTITION BY url", ""),
				pick("relation", "captures", "versions", "captures IN 'h1.cn'", "versions LATEST", "captures SINCE 2008-07"), pick("where", "", " WHERE status = 200", " WHERE host <> 'h0.cn'"),
				rapid.IntRange(0, 6).Draw(t, "limit"), rapid.IntRange(0, 3).Draw(t, "offset"))
			want, _, err := ask(plain, src)
			if err != nil {
				t.Fatal(err)
			}
			if got, _, err := ask(s, src); err != nil || got != want {
				t.Fatalf("%s: error %v, got\n%swithout ways of the planner\n%s", src, err, got, want)
			}
		}
	})
}
