package exec_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/lang/ast"
)

// askTraced runs the query src by the plan that also yields trails, and gives the rows
// without them, as ask does. traced is false if the query is not one that has trails.
func askTraced(s *session.Session, src string) (rows string, traced bool, err error) {
	st, err := lang.ParseOne(src, "")
	if err != nil {
		return "", false, err
	}
	q, ok := st.(*ast.Query)
	if !ok {
		return "", false, nil
	}
	node, err := plan.Traced(q, s.Env())
	if err != nil {
		return "", false, err
	}
	p := &plan.Project{In: node}
	cols := node.Columns()
	for i, c := range cols[:len(cols)-1] {
		p.Exprs, p.Names = append(p.Exprs, &expr.Col{Index: i, Name: c.Name, T: c.Type}), append(p.Names, c.Name)
	}
	res, err := s.Open(context.Background(), p)
	if err != nil {
		return "", true, err
	}
	rows, _, err = told(res)
	return rows, true, err
}

// trailsOf runs the query src and gives, for each row, the captures from which it was
// made, each as its path and day, sorted.
func trailsOf(t *testing.T, s *session.Session, snap relation.Snapshot, src string) (rows []string) {
	t.Helper()
	node, err := plan.Traced(session.Query(src), s.Env())
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	res, err := s.Open(context.Background(), node)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	defer res.Close()
	for b, err := range res.Rows {
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		for i := range b.N {
			var list []string
			for f := range plan.Footsteps(b.Cols[len(b.Cols)-1].At(i).Text) {
				c, err := snap.Stored(context.Background(), f.Ref)
				if err != nil {
					t.Fatalf("%s: %v", src, err)
				}
				_, path, _ := strings.Cut(strings.TrimPrefix(c.URL, "http://"), "/")
				list = append(list, fmt.Sprintf("/%s %s", path, c.Time.Std().Format(time.DateOnly)))
			}
			slices.Sort(list)
			rows = append(rows, strings.Join(slices.Compact(list), ", "))
		}
	}
	return rows
}

// TestTrails shows from which captures the rows of each kind of query are made.
func TestTrails(t *testing.T) {
	a := archive{smallSite()}
	s := newSession(a)
	for _, c := range trailCases {
		got := strings.Join(trailsOf(t, s, a.Archive, c.src), "\n")
		if got != c.want {
			t.Errorf("%s\ngot\n%s\nwant\n%s", c.src, got, c.want)
		}
	}
}

// trailCases are queries and, for each row of the answer, a line with its captures.
var trailCases = []struct{ src, want string }{
	{"SELECT time FROM captures IN 'pku.edu.cn' LIMIT 2", "/ 2008-06-01\n/ 2008-06-20"},
	{"SELECT time FROM versions IN 'http://pku.edu.cn/'", "/ 2008-06-01\n/ 2008-07-02\n/ 2008-08-05\n/ 2008-08-25"},
	{"SELECT 1 FROM versions IN 'http://pku.edu.cn/' ORDER BY time DESC LIMIT 1", "/ 2008-08-25"},
	{"SELECT url, count(*), max(time) FROM captures IN 'pku.edu.cn' GROUP BY url",
		"/ 2008-06-01, / 2008-06-20, / 2008-07-02, / 2008-08-05, / 2008-08-25\n" +
			"/a 2008-06-10, /a 2008-07-10\n" +
			"/old 2008-06-15\n" +
			"/z 2008-07-17\n" +
			"/x 2008-07-15\n" +
			"/y.gif 2008-07-16"},
	{"SELECT count(*) FROM captures WHERE status = 999", ""},
	{"SELECT count(*) FROM captures HAVING count(*) > 1",
		"/ 2008-06-01, / 2008-06-20, / 2008-07-02, / 2008-08-05, / 2008-08-25, /a 2008-06-10, /a 2008-07-10, /old 2008-06-15, /x 2008-07-15, /y.gif 2008-07-16, /z 2008-07-17"},
	{"SELECT DISTINCT status FROM captures ORDER BY status DESC",
		"/x 2008-07-15\n" +
			"/ 2008-08-05\n" +
			"/old 2008-06-15\n" +
			"/ 2008-06-01, / 2008-06-20, / 2008-07-02, / 2008-08-25, /a 2008-06-10, /a 2008-07-10, /y.gif 2008-07-16, /z 2008-07-17"},
	{"SELECT DISTINCT status FROM captures",
		"/ 2008-06-01, / 2008-06-20, / 2008-07-02, / 2008-08-25, /a 2008-06-10, /a 2008-07-10, /y.gif 2008-07-16, /z 2008-07-17\n" +
			"/ 2008-08-05\n" +
			"/old 2008-06-15\n" +
			"/x 2008-07-15"},
	{"SELECT op FROM changes IN 'http://pku.edu.cn/'",
		"/ 2008-06-01, / 2008-07-02\n" +
			"/ 2008-06-01, / 2008-07-02\n" +
			"/ 2008-07-02, / 2008-08-05\n" +
			"/ 2008-08-05, / 2008-08-25"},
	{"SELECT c.time, v.time FROM captures c JOIN versions v ON c.url = v.url AND c.time > v.time WHERE c.url = 'http://pku.edu.cn/'",
		"/ 2008-06-01, / 2008-06-20\n" +
			"/ 2008-06-01, / 2008-07-02\n" +
			"/ 2008-06-01, / 2008-08-05\n" +
			"/ 2008-07-02, / 2008-08-05\n" +
			"/ 2008-06-01, / 2008-08-25\n" +
			"/ 2008-07-02, / 2008-08-25\n" +
			"/ 2008-08-05, / 2008-08-25"},
	{"SELECT q.n, v.url FROM (SELECT url, count(*) AS n FROM captures GROUP BY url) q JOIN versions LATEST v ON v.url = q.url AND v.status = 200",
		"/ 2008-06-01, / 2008-06-20, / 2008-07-02, / 2008-08-05, / 2008-08-25\n" +
			"/a 2008-06-10, /a 2008-07-10\n" +
			"/z 2008-07-17\n" +
			"/y.gif 2008-07-16"},
	{"SELECT c.url, v.title FROM captures c LEFT JOIN versions v ON c.url = v.url AND v.status = 404 WHERE c.url = 'http://pku.edu.cn/a'", "/a 2008-06-10\n/a 2008-07-10"},
	{"SELECT url FROM versions LATEST WHERE url IN (SELECT url FROM captures WHERE status = 404)", "/ 2008-08-05, / 2008-08-25"},
	{"SELECT url, (SELECT max(time) FROM captures c WHERE c.url = p.url) FROM pages p WHERE depth = 0", "/ 2008-06-01, / 2008-06-20, / 2008-07-02, / 2008-08-05, / 2008-08-25"},
	{"SELECT url FROM captures WHERE status = 404 UNION SELECT url FROM captures WHERE status = 301", "/ 2008-08-05\n/old 2008-06-15"},
	{"SELECT url FROM captures EXCEPT SELECT url FROM captures WHERE status = 200", "/old 2008-06-15\n/x 2008-07-15"},
	{"SELECT url, row_number() OVER (ORDER BY time) AS n FROM captures IN 'http://pku.edu.cn/'", "/ 2008-06-01\n/ 2008-06-20\n/ 2008-07-02\n/ 2008-08-05\n/ 2008-08-25"},
	{"WITH q AS (SELECT url, time FROM captures WHERE status = 404) SELECT a.time, b.time FROM q a JOIN q b ON a.url = b.url", "/ 2008-08-05"},
	{"SELECT text FROM blocks IN 'http://pku.edu.cn/' LATEST", "/ 2008-08-25"},
	{"SELECT p.time, count(v.url) FROM periods(month) BETWEEN 2008-06 AND 2008-07 p LEFT JOIN captures v ON v.time >= p.time AND v.time < p.next AND v.url = 'http://pku.edu.cn/' GROUP BY 1", "/ 2008-06-01, / 2008-06-20\n/ 2008-07-02"},
}

// TestTraceRefused shows which queries have no trails.
func TestTraceRefused(t *testing.T) {
	s := newSession(archive{smallSite()})
	for _, c := range []struct{ src, want string }{
		{"SELECT 1", "1:1: the query reads no captures (write a query that reads captures, versions or another relation of captures)"},
		{"SELECT * FROM hosts", "1:1: the rows of hosts do not say from which captures they were made (read captures, versions, pages, blocks, changes, layouts, links or findings, with GROUP BY if needed)"},
		{"SELECT * FROM jobs", "1:1: the query reads no captures (write a query that reads captures, versions or another relation of captures)"},
		{"SELECT tite FROM captures", `1:8: no column "tite" in relation captures (did you mean time?)`},
	} {
		if _, err := plan.Traced(session.Query(c.src), s.Env()); err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v, want %s", c.src, err, c.want)
		}
	}
}
