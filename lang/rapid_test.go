package lang

import (
	"strings"

	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"infomall/lang/ast"
)

// TestAnyTreePrintsAndParses makes trees at random, also such as nobody would
// write, and shows that each parses back from its print.
func TestAnyTreePrintsAndParses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := treeMaker{t}
		checkRoundTrip(t, g.statement())
	})
}

// treeMaker draws trees.
type treeMaker struct{ *rapid.T }

func (g treeMaker) bool() bool { return rapid.Bool().Draw(g.T, "bool") }

func (g treeMaker) upTo(n int) int { return rapid.IntRange(0, n).Draw(g.T, "n") }

func (g treeMaker) of(words ...string) string { return rapid.SampledFrom(words).Draw(g.T, "word") }

func (g treeMaker) name() ast.Name {
	if g.bool() {
		return ast.Name{Text: g.of("url", "time", "标题", "_x1", "host", "format", "nulls", "Page")}
	}
	return ast.Name{Text: rapid.StringN(1, 8, -1).Draw(g.T, "name"), Quoted: true}
}

func (g treeMaker) nameOrNil() *ast.Name {
	if g.bool() {
		return nil
	}
	n := g.name()
	return &n
}

func (g treeMaker) text() ast.Expr {
	if g.bool() {
		return g.param()
	}
	return &ast.String{Value: rapid.String().Draw(g.T, "text")}
}

func (g treeMaker) param() ast.Expr { return &ast.Param{Name: g.of("n", "since", "标", "AND")} }

func (g treeMaker) number() ast.Expr {
	if g.bool() {
		i := rapid.Int64Range(0, 1<<62).Draw(g.T, "int")
		return &ast.Number{Text: strconv.FormatInt(i, 10), IsInt: true, Int: i, Float: float64(i)}
	}
	f := rapid.Float64Range(0, 1e300).Draw(g.T, "float")
	return &ast.Number{Text: strconv.FormatFloat(f, 'e', -1, 64), Float: f}
}

func (g treeMaker) duration() ast.Expr {
	n := rapid.IntRange(0, 999).Draw(g.T, "duration")
	switch g.upTo(2) {
	case 0:
		return &ast.Duration{Text: fmt.Sprintf("%dd", n), Length: time.Duration(n) * 24 * time.Hour}
	case 1:
		return &ast.Duration{Text: fmt.Sprintf("%dms", n), Length: time.Duration(n) * time.Millisecond}
	}
	return &ast.Duration{Text: fmt.Sprintf("%dy", n), Months: 12 * n}
}

func (g treeMaker) period() ast.Expr {
	p := &ast.Period{Unit: ast.UnitMonth, Year: 2000 + g.upTo(99), Month: 1 + g.upTo(11), Day: 1}
	p.Text = fmt.Sprintf("%04d-%02d", p.Year, p.Month)
	if g.bool() {
		p.Unit, p.Day = ast.UnitDay, 1+g.upTo(27)
		p.Text += fmt.Sprintf("-%02d", p.Day)
		if g.bool() {
			p.Unit, p.Hour, p.Minute, p.Second, p.Milli = ast.UnitMilli, g.upTo(23), g.upTo(59), g.upTo(59), g.upTo(999)
			p.Text += fmt.Sprintf("T%02d:%02d:%02d.%03d", p.Hour, p.Minute, p.Second, p.Milli)
		}
	}
	switch g.upTo(2) {
	case 0:
		p.HasZone = true
		p.Text += "Z"
	case 1:
		hours, minutes := g.upTo(15), g.upTo(59)
		p.HasZone, p.Offset = true, -(hours*3600 + minutes*60)
		p.Text += fmt.Sprintf("-%02d:%02d", hours, minutes)
	}
	return p
}

func (g treeMaker) constant() ast.Expr {
	switch g.upTo(9) {
	case 0:
		return &ast.Bool{Value: g.bool()}
	case 1:
		return &ast.Null{}
	case 2:
		return &ast.Today{}
	case 3:
		n := g.upTo(1000)
		return &ast.Size{Text: fmt.Sprintf("%dKB", n), Bytes: int64(n) << 10}
	case 4:
		return g.duration()
	case 5:
		return g.period()
	case 6:
		return g.number()
	}
	return g.text()
}

func (g treeMaker) exprOrNil(depth int) ast.Expr {
	if g.bool() {
		return nil
	}
	return g.expr(depth)
}

func (g treeMaker) exprs(depth, least int) []ast.Expr {
	var list []ast.Expr
	for range least + g.upTo(2) {
		list = append(list, g.expr(depth))
	}
	return list
}

func (g treeMaker) expr(depth int) ast.Expr {
	if depth == 0 {
		return g.leaf()
	}
	d := depth - 1
	switch g.upTo(15) {
	case 13:
		if g.upTo(4) == 0 {
			return g.subquery()
		}
	case 0:
		return &ast.Unary{Op: g.of("NOT", "-", "+"), X: g.expr(d)}
	case 1, 2, 3:
		op := g.of("OR", "AND", "=", "<>", "<", "<=", ">", ">=", "||", "+", "-", "*", "/", "//", "%", "~", "!~", "~*", "!~*", "CONTAINS", "MATCH")
		return &ast.Binary{Op: op, Not: (op == "CONTAINS" || op == "MATCH") && g.bool(), X: g.expr(d), Y: g.expr(d)}
	case 4:
		return &ast.Between{Not: g.bool(), X: g.expr(d), A: g.expr(d), B: g.expr(d)}
	case 5:
		return &ast.In{Not: g.bool(), X: g.expr(d), List: g.exprs(d, 1)}
	case 6:
		l := &ast.Like{Not: g.bool(), Fold: g.bool(), X: g.expr(d), Y: g.expr(d)}
		if g.bool() {
			l.Escape = g.text()
		}
		return l
	case 7:
		what := ast.Expr(&ast.Null{})
		if g.bool() {
			what = &ast.Bool{Value: g.bool()}
		}
		return &ast.Is{Not: g.bool(), X: g.expr(d), What: what}
	case 8:
		return &ast.Within{Not: g.bool(), X: g.expr(d), Scopes: g.scopes()}
	case 9:
		c := &ast.Case{X: g.exprOrNil(d), Else: g.exprOrNil(d)}
		for range 1 + g.upTo(2) {
			c.Whens = append(c.Whens, ast.When{Cond: g.expr(d), Then: g.expr(d)})
		}
		return c
	case 10:
		return &ast.Cast{X: g.expr(d), Type: ast.Name{Text: g.of("int", "text", "时")}}
	}
	c := &ast.Call{Name: ast.Name{Text: g.of("count", "lower", "函数")}}
	switch g.upTo(2) {
	case 0:
		c.Star = true
	case 1:
		c.Distinct, c.Args = true, g.exprs(d, 1)
	case 2:
		c.Args = g.exprs(d, 0)
	}
	if len(c.Args) > 0 && g.bool() {
		c.OrderBy = []ast.OrderItem{{Expr: g.expr(d), Desc: g.bool(), NullsFirst: g.bool()}}
	}
	c.Filter = g.exprOrNil(d)
	if g.upTo(3) == 0 {
		c.Over = &ast.Window{}
		if g.bool() {
			c.Over.PartitionBy = g.exprs(d, 1)
		}
		if g.bool() {
			c.Over.OrderBy = []ast.OrderItem{{Expr: g.expr(d), Desc: g.bool()}}
		}
	}
	return c
}

// subquery is small: it may stand many times in one expression.
func (g treeMaker) subquery() ast.Expr {
	q := &ast.Query{Select: &ast.Select{Items: []ast.Item{{Expr: g.leaf()}}, Where: g.exprOrNil(0)}}
	if g.bool() {
		q.Select.From = &ast.Source{Relation: g.nameOrNil(), Scopes: g.scopes()}
	}
	switch g.upTo(2) {
	case 0:
		return &ast.Exists{Query: q}
	case 1:
		return &ast.In{Not: g.bool(), X: g.leaf(), Query: q}
	}
	return &ast.Subquery{Query: q}
}

func (g treeMaker) leaf() ast.Expr {
	switch g.upTo(2) {
	case 0:
		return g.constant()
	case 1:
		return &ast.Now{}
	}
	return &ast.Column{Qualifier: g.nameOrNil(), Name: g.name()}
}

func (g treeMaker) scopes() []ast.Scope {
	var list []ast.Scope
	for range 1 + g.upTo(2) {
		s := ast.Scope{From: g.text()}
		if g.bool() {
			s.To = g.text()
		}
		list = append(list, s)
	}
	return list
}

func (g treeMaker) moment() ast.Expr {
	var x ast.Expr
	switch g.upTo(4) {
	case 0:
		x = &ast.Now{}
	case 1:
		x = &ast.Today{}
	case 2:
		x = g.period()
	case 3:
		x = g.number()
	case 4:
		x = g.text()
	}
	for range g.upTo(2) {
		by := g.duration()
		if g.bool() {
			by = g.param()
		}
		x = &ast.Binary{Op: g.of("+", "-"), X: x, Y: by}
	}
	return x
}

// known returns the time of KNOWN AT, or nil if it is absent.
func (g treeMaker) known() ast.Expr {
	if g.upTo(3) > 0 {
		return nil
	}
	return g.moment()
}

func (g treeMaker) time() (t ast.TimeClause) {
	t.Known = g.known()
	if g.bool() {
		r := &ast.TimeRange{Op: ast.RangeOp(g.upTo(4))}
		if r.Op != ast.RangeUntil {
			r.A = g.moment()
		}
		if r.Op != ast.RangeSince {
			r.B = g.moment()
		}
		t.Range = r
	}
	if g.bool() {
		c := &ast.TimeChoice{Op: ast.ChoiceOp(g.upTo(4))}
		if c.Op == ast.ChoiceEach {
			if c.Unit = g.of(ast.PeriodUnits...); g.bool() {
				c.Unit, c.T = "", g.param()
			}
		}
		if c.Op == ast.ChoiceAt || c.Op == ast.ChoiceNearest {
			c.T = g.moment()
		}
		if c.Op == ast.ChoiceAt && g.bool() {
			if c.Within = g.duration(); g.bool() {
				c.Within = g.param()
			}
		}
		t.Choice = c
	}
	return t
}

func (g treeMaker) source() *ast.Source {
	if g.upTo(5) == 0 {
		if g.bool() {
			return &ast.Source{File: g.text(), Alias: g.nameOrNil()}
		}
		return &ast.Source{Query: g.query(), Alias: g.nameOrNil()}
	}
	s := &ast.Source{Relation: g.nameOrNil(), Time: g.time(), Alias: g.nameOrNil()}
	if s.Relation != nil && g.upTo(3) == 0 {
		s.Relation, s.Unit = &ast.Name{Text: g.of("periods", "Periods")}, &ast.Name{Text: g.of("month", "x")}
	}
	if s.Relation == nil || g.bool() {
		s.Scopes = g.scopes()
	}
	return s
}

func (g treeMaker) query() *ast.Query {
	q := &ast.Query{Select: g.selectClauses()}
	for range g.upTo(7) - 5 {
		o := ast.SetOp{Op: ast.SetOperator(g.of("UNION", "EXCEPT", "INTERSECT")), Select: g.selectClauses()}
		o.All = o.Op == ast.Union && g.bool()
		q.Sets = append(q.Sets, o)
	}
	if g.upTo(5) == 0 {
		q.With = []ast.With{{Name: g.name(), Query: g.query()}}
	}
	for range g.upTo(2) {
		q.OrderBy = append(q.OrderBy, ast.OrderItem{Expr: g.expr(1), Desc: g.bool(), NullsFirst: g.bool()})
	}
	if g.bool() {
		q.Limit = g.number()
		if g.bool() {
			q.Offset = g.param()
		}
	}
	return q
}

func (g treeMaker) selectClauses() *ast.Select {
	const depth = 3
	s := &ast.Select{Distinct: g.bool()}
	for range 1 + g.upTo(2) {
		it := ast.Item{Star: g.upTo(4) == 0}
		if !it.Star {
			it.Expr, it.Alias = g.expr(depth), g.nameOrNil()
		}
		s.Items = append(s.Items, it)
	}
	if g.bool() {
		s.From = g.source()
		for range g.upTo(4) - 2 {
			j := ast.Join{Left: g.bool(), Source: g.source(), On: g.expr(1)}
			switch g.upTo(3) {
			case 0:
				j.On, j.Using = nil, []ast.Name{g.name()}
			case 1:
				j.On, j.Left = nil, false
			}
			s.Joins = append(s.Joins, j)
		}
	}
	s.Where, s.Having = g.exprOrNil(depth), g.exprOrNil(depth)
	if g.bool() {
		s.GroupBy = g.exprs(1, 1)
	}
	return s
}

func (g treeMaker) deletion() *ast.Delete {
	d := &ast.Delete{Scopes: []ast.Scope{{From: g.text()}}}
	for range g.upTo(1) {
		d.Scopes = append(d.Scopes, ast.Scope{From: g.text(), To: g.text()})
	}
	if g.bool() {
		d.Range = &ast.TimeRange{Op: ast.RangeBetween, A: g.moment(), B: g.moment()}
	}
	if g.bool() {
		d.Where = g.expr(3)
	}
	if g.bool() {
		d.Reason = g.text()
	}
	if d.Forever = g.bool(); d.Forever {
		d.ByDigest = g.bool()
	}
	return d
}

func (g treeMaker) schedule() *ast.Schedule {
	s := &ast.Schedule{Name: g.name(), Statement: &ast.CopyPool{To: &ast.String{Value: "d"}}}
	switch g.upTo(3) {
	case 0:
		s.Every = g.duration()
	case 1:
		s.Cron = g.text()
	case 2:
		s.Budget, s.Per = g.param(), g.duration()
		fallthrough
	default:
		s.Adaptive = true
	}
	return s
}

func (g treeMaker) statement() ast.Statement {
	switch g.upTo(14) {
	case 0:
		im := &ast.Import{Alias: g.nameOrNil()}
		for range 1 + g.upTo(2) {
			im.Paths = append(im.Paths, g.text())
		}
		if g.bool() {
			im.Format = &ast.Name{Text: g.of("warc", "auto")}
		}
		if g.bool() {
			im.Base, im.Time = g.text(), g.moment()
		}
		return im
	case 1:
		return &ast.Explain{Analyze: g.bool(), Statement: g.query()}
	case 2:
		return &ast.Describe{Name: g.name()}
	case 3:
		return &ast.Show{What: ast.Name{Text: g.of("pools", "columns", "关系")}}
	case 4:
		p := &ast.ShowPage{URL: g.text(), Form: ast.PageForm(g.upTo(5)), Known: g.known()}
		if g.bool() {
			p.Time = g.moment()
		}
		return p
	case 13:
		bl := &ast.Blame{URL: g.text(), Unit: ast.BlameUnit(g.upTo(3)), Known: g.known()}
		if g.bool() {
			bl.Time = g.moment()
		}
		return bl
	case 15:
		p := &ast.ShowPath{From: g.text(), To: g.text(), Graph: g.nameOrNil(), Known: g.known()}
		switch g.upTo(2) {
		case 1:
			p.Time = g.moment()
		case 2:
			p.During = &ast.TimeRange{Op: ast.RangeDuring, A: g.moment(), B: g.moment()}
		}
		return p
	case 14:
		st := &ast.ShowStory{URL: g.text(), Range: g.time().Range, Known: g.known(), All: g.bool()}
		if g.bool() {
			st.Block = g.text()
		}
		return st
	case 5:
		s := &ast.Set{Name: g.name(), Value: g.constant()}
		if g.bool() {
			s.Value = &ast.Column{Name: ast.Name{Text: g.of("on", "off", "csv")}}
		}
		if g.bool() {
			s.Param, s.Name = true, ast.Name{Text: g.of("n", "since")}
		}
		return s
	case 6:
		return &ast.Reset{Name: g.name()}
	case 7:
		d := &ast.Diff{URL: g.text()}
		if g.bool() {
			d.From = g.moment()
		}
		if g.bool() {
			d.To = g.moment()
		}
		return d
	case 8:
		if g.bool() {
			return &ast.ExportProvenance{Query: g.query(), To: g.expr(2)}
		}
		ex := &ast.Export{Query: g.query(), To: g.expr(2)}
		if g.bool() {
			ex.PartitionBy = []ast.Item{{Expr: g.expr(2), Alias: g.nameOrNil()}}
		}
		if g.bool() {
			ex.Follow = &ast.Follow{Crawl: g.nameOrNil()}
		}
		if g.bool() {
			ex.Format = &ast.Name{Text: g.of("csv", "jsonl")}
		}
		return ex
	case 9:
		switch g.upTo(22) {
		case 21:
			return g.schedule()
		case 22:
			if g.bool() {
				return &ast.RunSchedule{Name: g.name()}
			}
			return &ast.Unschedule{Name: g.name()}
		case 18:
			return g.crawl()
		case 19:
			return &ast.AddToCrawl{URLs: []ast.Expr{g.text(), g.text()}, Name: g.name(), Force: g.bool()}
		case 20:
			if g.bool() {
				return &ast.OrderCrawl{Deed: ast.CrawlWorkers, Workers: g.param(), Name: g.name()}
			}
			return &ast.OrderCrawl{Deed: ast.CrawlStop, Name: g.name()}
		case 0:
			return &ast.Verify{}
		case 11:
			return &ast.CreateView{Replace: g.bool(), Name: g.name(), Query: withoutParams(g.query())}
		case 12:
			e := g.expr(2)
			if len(paramsIn(e)) > 0 || strings.Contains(e.String(), "SELECT") {
				e = &ast.Null{}
			}
			return &ast.CreateMetadata{Replace: g.bool(), Name: g.name(), On: ast.MetadataOn(g.upTo(2)), Expr: e}
		case 13:
			return &ast.DropView{Name: g.name()}
		case 14:
			return &ast.DropMetadata{Name: g.name()}
		case 15:
			save := &ast.Save{Name: g.name(), Query: g.query()}
			for _, p := range paramsIn(save.Query) {
				save.Params = append(save.Params, ast.Name{Text: p, Quoted: true})
			}
			return save
		case 16:
			run := &ast.Run{File: g.text()}
			if g.bool() {
				name := g.name()
				run.Name, run.File = &name, nil
			}
			if g.bool() {
				run.Args = []ast.Arg{{Name: g.name(), Value: g.constant()}}
			}
			return run
		case 2:
			return &ast.Recover{File: g.text()}
		case 3:
			return &ast.Recover{File: g.text(), To: g.text()}
		case 4:
			return &ast.Reindex{Derived: g.bool()}
		case 5:
			return &ast.Reindex{Pool: g.text(), Derived: g.bool()}
		case 6:
			return &ast.DropPool{Pool: g.text()}
		case 7:
			return g.deletion()
		case 1:
			return &ast.RepairPool{Pool: g.text(), From: g.text()}
		case 8:
			return &ast.MergePool{Seal: g.bool()}
		case 9:
			return &ast.MergePool{Pool: g.text(), Seal: g.bool()}
		}
		return &ast.Verify{Pool: g.text(), Sample: &ast.Number{Text: "7", IsInt: true, Int: 7, Float: 7}}
	case 10:
		return &ast.Help{Topic: g.of("", "SELECT", "SHOW PAGE")}
	}
	return g.query()
}

// paramsIn are the names of the parameters below n, once each.
func paramsIn(n ast.Node) []string {
	var names []string
	ast.Walk(n, func(n ast.Node) bool {
		if p, ok := n.(*ast.Param); ok && !slices.Contains(names, p.Name) {
			names = append(names, p.Name)
		}
		return true
	})
	return names
}

// withoutParams gives a query without parameters.
func withoutParams(q *ast.Query) *ast.Query {
	if len(paramsIn(q)) == 0 {
		return q
	}
	return &ast.Query{Select: &ast.Select{Items: []ast.Item{{Star: true}}, From: &ast.Source{Relation: &ast.Name{Text: "pages"}}}}
}

func (g treeMaker) crawl() *ast.Crawl {
	c := &ast.Crawl{Seeds: []ast.Expr{g.text()}, Requisites: g.bool(), IgnoreRobots: g.bool(), AllowPrivate: g.bool(), TrapsOff: g.bool(), Alias: g.nameOrNil(), Order: g.of("", "BFS", "BEST", "RANDOM")}
	if c.Alias == nil && g.bool() {
		c.AliasText = &ast.Binary{Op: "||", X: g.text(), Y: g.param()}
	}
	if g.bool() {
		c.Due, c.Seeds, c.In = true, nil, []ast.Scope{{From: g.text()}, {From: g.text(), To: g.text()}}
	} else if g.bool() {
		c.Seeds, c.Query = nil, &ast.Query{Select: &ast.Select{Items: []ast.Item{{Expr: &ast.Column{Name: ast.Name{Text: "url"}}}}, From: &ast.Source{Relation: &ast.Name{Text: "links"}}}}
	}
	if g.bool() {
		c.Depth, c.Workers, c.Delay = g.param(), &ast.Number{Text: "7", IsInt: true, Int: 7, Float: 7}, g.param()
	}
	if g.bool() {
		c.FromArchive = true
		c.Agent, c.Proxy, c.Rate = g.text(), g.text(), &ast.Size{Text: "2MB", Bytes: 2 << 20}
		c.For, c.Expand = g.text(), g.expr(2)
		if g.bool() {
			c.Through = g.param()
		}
		c.Limits = []ast.CrawlLimit{{Pages: true, N: g.param()}, {N: &ast.Size{Text: "2MB", Bytes: 2 << 20}}}
	}
	if !c.TrapsOff && g.bool() {
		c.TrapLimit = g.param()
	}
	if g.bool() {
		c.Within = []ast.Scope{{From: g.text()}, {From: g.text(), To: g.text()}}
		c.Exclude = []ast.Exclusion{{Scope: ast.Scope{From: g.text()}}, {Match: g.text()}}
	}
	return c
}
