package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record"
)

// evalColumns are the columns that expressions of these tests may name.
var evalColumns = []value.Column{
	{Name: "status", Type: value.Int}, {Name: "bytes", Type: value.Int}, {Name: "score", Type: value.Float},
	{Name: "kind", Type: value.Text}, {Name: "text", Type: value.Text}, {Name: "url", Type: value.URL},
	{Name: "target", Type: value.URL}, {Name: "time", Type: value.Time}, {Name: "next", Type: value.Time},
	{Name: "changed", Type: value.Bool}, {Name: "gap", Type: value.Duration}, {Name: "ratio", Type: value.Float},
}

// bindTest binds an expression over evalColumns.
func bindTest(t testing.TB, src string) expr.Expr {
	t.Helper()
	s, err := lang.ParseOne("SELECT "+src, "")
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	b := &expr.Binder{
		Column: func(c *ast.Column, _ value.Type) (expr.Expr, error) {
			for i, col := range evalColumns {
				if col.Name == c.Name.Text {
					return &expr.Col{Index: i, Name: col.Name, T: col.Type}, nil
				}
			}
			return nil, ast.Errorf(c, "no column %q", c.Name.Text)
		},
		Where: "WHERE",
		Env:   &expr.Env{Now: record.At(time.Date(2008, 6, 18, 10, 30, 15, 0, time.UTC))},
	}
	e, err := b.Bind(s.(*ast.Query).Select.Items[0].Expr)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return e
}

// pools are the values that rows are drawn from, by type.
var pools = map[value.Type][]value.Value{
	value.Int:      {value.OfInt(0), value.OfInt(1), value.OfInt(-1), value.OfInt(200), value.OfInt(404), value.OfInt(70000)},
	value.Float:    {value.OfFloat(0), value.OfFloat(1.5), value.OfFloat(-2), value.OfFloat(200), value.OfFloat(math.NaN()), value.OfFloat(math.Inf(1))},
	value.Text:     {value.OfText(""), value.OfText("page"), value.OfText("missing"), value.OfText("北京 大学 PKU"), value.OfText("404"), value.OfText("pa_e%")},
	value.URL:      {value.OfURL("http://a.cn/"), value.OfURL("http://www.pku.edu.cn/a.pdf"), value.OfURL("https://pku.edu.cn/news/"), value.OfURL("http://b.cn:8080/x?q=1")},
	value.Time:     {value.OfTime(0), ofDate(2008, 6, 1), ofDate(2008, 6, 15), ofDate(2008, 7, 1), ofDate(2009, 1, 31), value.OfTime(record.Time(ofDate(2008, 7, 1).Int) - 1)},
	value.Duration: {value.OfDuration(0), value.OfDuration(86400000), value.OfDuration(-5000)},
	value.Bool:     {value.OfBool(true), value.OfBool(false)},
}

func ofDate(y, m, d int) value.Value {
	return value.OfTime(record.At(time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)))
}

// randomBatch draws n rows. Of ten values, nulls are NULL on average.
func randomBatch(r *rand.Rand, n, nulls int) *value.Batch {
	b := &value.Batch{N: n}
	for _, c := range evalColumns {
		v := value.NewVector(c.Type, 0)
		pool := pools[c.Type]
		last := pool[0]
		for range n {
			switch {
			case r.IntN(10) < nulls:
				v.AppendValue(value.Value{})
				continue
			case r.IntN(3) > 0:
				last = pool[r.IntN(len(pool))]
			}
			v.AppendValue(last)
		}
		b.Cols = append(b.Cols, v)
	}
	return b
}

// applyRow computes an expression for one row by expr.Apply alone.
func applyRow(e expr.Expr, b *value.Batch, i int) (value.Value, error) {
	switch e := e.(type) {
	case *expr.Col:
		return b.Cols[e.Index].At(i), nil
	case *expr.Const:
		return e.V, nil
	case *expr.And:
		return applyLogic(e, e.List, false, b, i)
	case *expr.Or:
		return applyLogic(e, e.List, true, b, i)
	case *expr.Case:
		for _, w := range e.Whens {
			cond, err := applyRow(w.Cond, b, i)
			if err != nil {
				return value.Value{}, err
			}
			if !cond.IsNull() && cond.Bool {
				return applyRow(w.Then, b, i)
			}
		}
		return applyRow(e.Else, b, i)
	}
	var args []value.Value
	for _, o := range expr.Operands(e) {
		v, err := applyRow(o, b, i)
		if err != nil {
			return value.Value{}, err
		}
		args = append(args, v)
	}
	return expr.Apply(e, args)
}

// applyLogic evaluates the conditions of AND or OR in turn until one decides.
func applyLogic(e expr.Expr, list []expr.Expr, deciding bool, b *value.Batch, i int) (value.Value, error) {
	var args []value.Value
	for _, o := range list {
		v, err := applyRow(o, b, i)
		if err != nil || !v.IsNull() && v.Bool == deciding {
			return v, err
		}
		args = append(args, v)
	}
	return expr.Apply(e, args)
}

var evalCases = []string{
	"status", "7", "'x'", "NULL",
	"status = 404", "404 < status", "status <= 200", "status <> bytes", "status >= bytes", "bytes > status",
	"score > 1.5", "score >= 200", "score = ratio", "score < ratio", "score <> 0", "status > 1.5", "score IN (1.5, 200)", "status = score",
	"score = CAST('nan' AS float)", "score IN (1.5, CAST('nan' AS float))", "score >= CAST('nan' AS float)",
	"kind = 'page'", "kind <> text", "kind < text", "kind >= 'missing'", "url = kind",
	"url = 'a.cn'", "url < 'https://pku.edu.cn/news/'", "url >= target", "url <> target",
	"time = 2008-06", "time <> 2008-06", "time < 2008-07", "time IN (2008-06, 2009)", "time BETWEEN 2008-06-02 AND 2008-07", "time = next", "time > next",
	"changed", "NOT changed", "changed = TRUE", "changed > FALSE", "changed <= (status = 404)", "changed IN (TRUE)", "changed = (kind = 'page')",
	"changed AND status = 404", "changed OR status = 404", "changed AND NOT changed", "changed OR NULL", "changed AND NULL",
	"(changed OR kind = 'page') AND (status > 0 OR score > 0) AND kind LIKE '%g%'",
	"NOT (changed AND (kind LIKE 'p%' OR text ~ '^p'))",
	"kind IN ('page', 'missing')", "kind NOT IN ('page', NULL)", "status IN (1, 200, 404)", "status IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 200, NULL)", "status IN (200, bytes)",
	"kind IN ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'page')",
	"kind IS NULL", "kind IS NOT NULL", "changed IS TRUE", "changed IS NOT FALSE", "(status = 404) IS FALSE",
	"kind LIKE 'page'", "kind LIKE 'p%'", "url LIKE '%.pdf'", "text LIKE '%a_e%'", "text ILIKE '%pku'", "text LIKE kind", "text LIKE 'pa!_e!%' ESCAPE '!'",
	"url ~ '\\.pdf$'", "text !~ 'a'", "text ~ '^' || '北'", "text CONTAINS '北京大学 pku'", "text CONTAINS kind", "text MATCH 'pku OR 北*'", "text MATCH 'a ' || kind", "NOT text MATCH 'a -b'",
	"url WITHIN 'pku.edu.cn'", "url NOT WITHIN ('b.cn', 'www.pku.edu.cn/a')", "kind WITHIN 'a.cn'",
	"status + bytes", "status - 1", "status * bytes", "status / bytes", "status // bytes", "status % bytes", "-status",
	"score + ratio", "score - 1.5", "score * status", "score / ratio", "score % ratio", "-score",
	"next - time", "time + gap", "time - 7d", "time + 1mo", "gap * 2", "gap / 2", "gap * 1.5", "gap / 0.0", "2.5 * gap", "gap / gap", "gap // gap", "gap % gap", "gap + gap", "gap > 1h",
	"CASE WHEN status = 404 THEN 'gone' WHEN changed THEN kind END",
	"CASE kind WHEN 'page' THEN 1 WHEN 'missing' THEN score ELSE -1 END",
	"CASE WHEN kind = '404' THEN CAST(kind AS int) ELSE status END",
	"kind = '404' AND CAST(kind AS int) > 3",
	"kind <> '404' OR CAST(kind AS int) > 3",
	"CASE WHEN bytes <> 0 THEN 10 // bytes > 0 END",
	"CAST(status AS text)", "CAST(time AS text)", "CAST(status AS bool)", "CAST(changed AS int)", "CAST(gap AS int)", "CAST(url AS text)",
	"lower(text)", "length(text)", "host(url)", "depth(url)", "kind || status", "coalesce(kind, text, 'x')", "nullif(status, 404)",
	"greatest(status, bytes)", "year(time)", "date_trunc('month', time)", "strftime(time, '%Y')", "round(ratio, 1)", "regexp_extract(url, 'n/(.*)', 1)",
}

// TestEval computes each expression for random rows in batches of several
// sizes, with and without NULLs, and compares with expr.Apply row by row.
func TestEval(t *testing.T) {
	for _, src := range evalCases {
		e := bindTest(t, src)
		eval, err := Compile(e)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		for _, size := range []struct{ n, nulls int }{{100, 0}, {1024, 3}, {1, 0}, {0, 0}, {300, 10}, {7, 1}} {
			b := randomBatch(r, size.n, size.nulls)
			v, err := eval(b)
			if err != nil {
				t.Fatalf("%s: %v", src, err)
			}
			for i := range b.N {
				want, err := applyRow(e, b, i)
				if err != nil {
					t.Fatalf("%s: %v", src, err)
				}
				if got := v.At(i); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("%s, row %s: got %v, want %v", src, rowText(b, i), got, want)
				}
			}
		}
	}
}

func rowText(b *value.Batch, i int) string {
	var parts []string
	for k, c := range evalColumns {
		parts = append(parts, fmt.Sprintf("%s=%v", c.Name, b.Cols[k].At(i)))
	}
	return strings.Join(parts, " ")
}

// TestEvalErrors shows that values out of range give an error with the position
// of the operation, and only in rows for which the operation is computed.
func TestEvalErrors(t *testing.T) {
	b := randomBatch(rand.New(rand.NewPCG(3, 4)), 50, 1)
	b.Cols[0].Set(40, value.OfInt(math.MaxInt64))
	for _, c := range [][2]string{
		{"CAST(kind AS int)", "1:8: '' is no whole number"},
		{"status + 1", "1:15: a result of + is out of the range of int (CAST an operand AS float)"},
		{"status * status", "1:15: a result of * is out of the range of int"},
		{"CAST(score AS int)", "1:8: NaN is out of the range of int"},
		{"text ~ ('(' || kind)", "1:16: bad pattern"},
		{"kind LIKE (text || '!') ESCAPE '!'", "1:19: the pattern ends with its escape character '!'"},
		{"time + gap * 100000000000", "1:13: a result of + is out of the range of time"},
		{"regexp_extract(kind, '(' || text)", "1:8: regexp_extract: bad pattern"},
	} {
		eval, err := Compile(bindTest(t, c[0]))
		if err != nil {
			t.Fatal(err)
		}
		_, err = eval(b)
		if err == nil || !strings.HasPrefix(err.Error(), c[1]) {
			t.Errorf("%s: got the error %v, want %s…", c[0], err, c[1])
		}
		if _, ok := err.(*ast.Error); err != nil && !ok {
			t.Errorf("%s: error is a %T, want an *ast.Error", c[0], err)
		}
	}
}

// TestEvalSparse shows that columns that an expression does not read may be
// missing from the batch.
func TestEvalSparse(t *testing.T) {
	b := randomBatch(rand.New(rand.NewPCG(5, 6)), 20, 2)
	for i := range b.Cols {
		if i > 0 && i != 3 {
			b.Cols[i] = nil
		}
	}
	for _, src := range []string{"status = 404 AND kind LIKE '%g%'", "CASE WHEN status = 404 THEN kind ELSE 'x' END"} {
		eval, err := Compile(bindTest(t, src))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := eval(b); err != nil {
			t.Errorf("%s: %v", src, err)
		}
	}
}

// BenchmarkEval filters full batches. The figure to compare is rows/s.
func BenchmarkEval(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	batch := randomBatch(r, record.BatchRows, 0)
	for _, src := range []string{
		"status = 404", "status IN (200, 404)", "time >= 2008-06-15", "time BETWEEN 2008-06 AND 2008-08", "kind = 'page'",
		"kind IN ('page', 'missing')", "url LIKE 'http://www.pku.edu.cn/%'", "url LIKE '%.pdf'", "status = 404 AND kind = 'page'",
		"url WITHIN 'pku.edu.cn'", "url ~ '\\.pdf$'", "status + bytes", "host(url)", "date_trunc('month', time)",
		"CASE WHEN status = 404 THEN 'gone' ELSE kind END",
	} {
		b.Run(src, func(b *testing.B) {
			eval, err := Compile(bindTest(b, src))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := eval(batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*record.BatchRows/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}
