package plan

import (
	"errors"
	"strings"
	"testing"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/lang"
	"infomall/lang/ast"
)

// fuzzedQueries are the seeds of fuzzing: each clause occurs in one of them.
var fuzzedQueries = []string{
	"SELECT blocks FROM 'x.cn' BETWEEN 2008-06 AND 2008-08 WHERE changed",
	"SELECT DISTINCT host, count(*) AS n FROM captures IN 'a.cn', 'b' .. 'm' GROUP BY 1 HAVING n > 1 ORDER BY n DESC NULLS FIRST, host LIMIT 3 OFFSET 1",
	"SELECT a.url, b.time FROM pages AS a LEFT JOIN versions AT 2008 AS b ON a.url = b.url AND b.status = 200 WHERE a.section = 'x' AND b.words > 3",
	"WITH v AS (SELECT url, max(time) AS t FROM captures GROUP BY url), w AS (SELECT * FROM v) SELECT * FROM w, v",
	"SELECT url, (SELECT count(*) FROM links AS l WHERE l.url = p.url) FROM pages AS p WHERE EXISTS (SELECT * FROM news AS n WHERE n.url = p.url) OR url IN (SELECT target FROM links)",
	"SELECT * FROM news AS a JOIN counted AS b ON a.url = b.url UNION ALL SELECT url, NULL, 1, 2 FROM pages ORDER BY 1 LIMIT $n",
	"SELECT as_of, string_agg(DISTINCT kind, ', ' ORDER BY kind DESC) FILTER (WHERE status = 200) FROM versions EACH month SINCE 2008 GROUP BY as_of",
	"SELECT p.period, count(c.url) FROM periods(month) BETWEEN 2008-05 AND 2008-10 AS p LEFT JOIN captures AS c ON date_trunc('month', c.time) = p.time GROUP BY p.period",
	"SELECT CASE WHEN status < 300 THEN text ELSE html END, CAST(bytes AS text) || title FROM 'x' NEAREST 2008-07 WHERE text CONTAINS 'y' AND NOT url WITHIN ('a', 'b') AND (bytes IS NULL OR url LIKE 'http://a%')",
	"SELECT op, label, count(*) FROM changes DURING 2008 AND 2009 WHERE time BETWEEN 2008-06 AND NOW - 7d GROUP BY op, label",
	"SELECT sum(x), avg(x) FROM (SELECT bytes // 2 + 1 AS x FROM captures UNION ALL SELECT 1.5) AS v WHERE x IN (1, 2, NULL)",
}

// FuzzBuild shows that every query gives a plan that can be printed, or an
// error with a position.
func FuzzBuild(f *testing.F) {
	for _, q := range fuzzedQueries {
		f.Add(q)
	}
	definition := func(src string) ast.Statement {
		st, err := lang.ParseOne(src, "")
		if err != nil {
			f.Fatal(err)
		}
		return st
	}
	defined := func() (*value.Defined, error) {
		news := definition("CREATE VIEW news AS SELECT url, time, title FROM 'x' WHERE changed").(*ast.CreateView)
		counted := definition("CREATE VIEW counted AS SELECT url, count(*) AS n FROM news GROUP BY url").(*ast.CreateView)
		section := definition("CREATE METADATA section ON page AS split_part(path(url), '/', 2)").(*ast.CreateMetadata)
		words := definition("CREATE METADATA words ON version AS length(text) // 5").(*ast.CreateMetadata)
		return &value.Defined{
			Views:    []value.View{{Name: "news", Query: news.Query}, {Name: "counted", Query: counted.Query}},
			Metadata: []value.Metadata{{Name: "section", On: ast.OnPage, Expr: section.Expr}, {Name: "words", On: ast.OnVersion, Expr: words.Expr}},
		}, nil
	}
	f.Fuzz(func(t *testing.T, src string) {
		list, _ := lang.Parse(src, "")
		for _, st := range list {
			q, ok := st.(*ast.Query)
			if !ok {
				continue
			}
			env := &expr.Env{Params: map[string]string{"n": "3"}, Level: 2, Defined: defined}
			node, err := Build(q, env)
			var placed *ast.Error
			switch {
			case err == nil:
				Walk(node, func(n Node, _ int) {
					if strings.TrimSpace(n.String()) == "" && len(n.Columns()) > 0 {
						t.Errorf("%s\nhas a node %T without a line", q, n)
					}
				})
			case !errors.As(err, &placed):
				t.Errorf("%s\nfails without a place: %v", q, err)
			case placed.Start.Offset < 0 || placed.End.Offset > len(src):
				t.Errorf("%s\nfails at %v, which is not in it: %v", q, placed.Span, err)
			}
		}
	})
}
