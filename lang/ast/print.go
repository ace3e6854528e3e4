package ast

import (
	"fmt"
	"strings"
)

// The precedence levels of operators, lowest first. An operand needs brackets if
// its level is lower than its place requires.
const (
	levelAny = iota
	levelOr
	levelAnd
	levelNot
	levelCompare // a = b = c is not allowed
	levelConcat
	levelSum
	levelProduct
	levelSign
	levelAtom // constants, columns, calls and brackets
)

// level returns the precedence level of e's outermost operator, or levelAtom if e
// has no operator.
func level(e Expr) int {
	switch e := e.(type) {
	case *Unary:
		if e.Op == "NOT" {
			return levelNot
		}
		return levelSign
	case *Binary:
		return opLevel(e.Op)
	case *Between, *In, *Like, *Is, *Within:
		return levelCompare
	}
	return levelAtom
}

// opLevel returns the precedence level of a binary operator.
func opLevel(op string) int {
	switch op {
	case "OR":
		return levelOr
	case "AND":
		return levelAnd
	case "||":
		return levelConcat
	case "+", "-":
		return levelSum
	case "*", "/", "//", "%":
		return levelProduct
	}
	return levelCompare
}

// printer collects the canonical source of a tree: keywords in upper case, one
// space between words, brackets only where they are needed.
type printer struct {
	strings.Builder
}

// words writes ws one after the other, without spaces between them.
func (p *printer) words(ws ...string) {
	for _, w := range ws {
		p.WriteString(w)
	}
}

// commas calls f(0) to f(n-1), each of which writes one part, and writes a comma
// and a space between the parts.
func (p *printer) commas(n int, f func(i int)) {
	for i := range n {
		if i > 0 {
			p.WriteString(", ")
		}
		f(i)
	}
}

// quote returns text between two quote marks, with each mark inside it doubled.
func quote(text, mark string) string {
	return mark + strings.ReplaceAll(text, mark, mark+mark) + mark
}

// name writes a name, in double quotes if it needs them or had them in the source.
func (p *printer) name(n *Name) {
	if n.Quoted || !isPlain(n.Text) {
		p.WriteString(quote(n.Text, `"`))
		return
	}
	p.WriteString(n.Text)
}

// isPlain reports whether text is a name that needs no quotes.
func isPlain(text string) bool {
	for i, r := range text {
		if i == 0 && !IsIdentStart(r) || !IsIdentPart(r) {
			return false
		}
	}
	return text != "" && !isReserved(text)
}

// isReserved reports whether text is a reserved word, in any case.
func isReserved(text string) bool {
	for _, w := range Reserved {
		if len(w) == len(text) && upper(text) == w {
			return true
		}
	}
	return false
}

// upper returns text with the letters a to z in upper case. It leaves other
// letters alone, because some change their length in bytes in upper case.
func upper(text string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}, text)
}

func (p *printer) not(not bool) {
	if not {
		p.WriteString("NOT ")
	}
}

// operand writes e, in brackets if its precedence level is lower than least.
func (p *printer) operand(e Expr, least int) {
	if level(e) < least {
		p.WriteByte('(')
		p.expr(e)
		p.WriteByte(')')
		return
	}
	p.expr(e)
}

func (p *printer) list(es []Expr) {
	p.commas(len(es), func(i int) { p.expr(es[i]) })
}

func (p *printer) expr(e Expr) {
	switch e := e.(type) {
	case *String:
		p.WriteString(quote(e.Value, "'"))
	case *Number:
		p.WriteString(e.Text)
	case *Size:
		p.WriteString(e.Text)
	case *Duration:
		p.WriteString(e.Text)
	case *Period:
		p.WriteString(e.Text)
	case *Bool:
		if e.Value {
			p.WriteString("TRUE")
		} else {
			p.WriteString("FALSE")
		}
	case *Null:
		p.WriteString("NULL")
	case *Param:
		p.words("$", e.Name)
	case *Now:
		p.WriteString("NOW")
	case *Today:
		p.WriteString("TODAY")
	case *Column:
		if e.Qualifier != nil {
			p.name(e.Qualifier)
			p.WriteByte('.')
		}
		p.name(&e.Name)
	case *Unary:
		p.unary(e)
	case *Binary:
		p.binary(e)
	case *Between:
		p.operand(e.X, levelConcat)
		p.WriteByte(' ')
		p.not(e.Not)
		p.WriteString("BETWEEN ")
		p.operand(e.A, levelConcat)
		p.WriteString(" AND ")
		p.operand(e.B, levelConcat)
	case *In:
		p.operand(e.X, levelConcat)
		p.WriteByte(' ')
		p.not(e.Not)
		p.WriteString("IN ")
		if e.Query != nil {
			p.bracketed(e.Query)
			return
		}
		p.WriteByte('(')
		p.list(e.List)
		p.WriteByte(')')
	case *Like:
		p.like(e)
	case *Is:
		p.operand(e.X, levelConcat)
		p.WriteString(" IS ")
		p.not(e.Not)
		p.expr(e.What)
	case *Within:
		p.within(e)
	case *Case:
		p.caseExpr(e)
	case *Cast:
		p.WriteString("CAST(")
		p.expr(e.X)
		p.WriteString(" AS ")
		p.name(&e.Type)
		p.WriteByte(')')
	case *Call:
		p.call(e)
	case *Subquery:
		p.bracketed(e.Query)
	case *Exists:
		p.WriteString("EXISTS ")
		p.bracketed(e.Query)
	default:
		panic(fmt.Sprintf("ast: unknown expression %T", e))
	}
}

func (p *printer) unary(e *Unary) {
	if e.Op == "NOT" {
		p.WriteString("NOT ")
		p.operand(e.X, levelNot)
		return
	}
	p.WriteString(e.Op)
	if _, ok := e.X.(*Unary); ok {
		p.WriteByte(' ') // -- would begin a comment
	}
	p.operand(e.X, levelSign)
}

func (p *printer) binary(e *Binary) {
	l := opLevel(e.Op)
	left := l
	if l == levelCompare {
		left++
	}
	p.operand(e.X, left)
	p.WriteByte(' ')
	p.not(e.Not)
	p.words(e.Op, " ")
	p.operand(e.Y, l+1)
}

func (p *printer) like(e *Like) {
	p.operand(e.X, levelConcat)
	p.WriteByte(' ')
	p.not(e.Not)
	if e.Fold {
		p.WriteString("ILIKE ")
	} else {
		p.WriteString("LIKE ")
	}
	p.operand(e.Y, levelConcat)
	if e.Escape != nil {
		p.WriteString(" ESCAPE ")
		p.expr(e.Escape)
	}
}

func (p *printer) within(e *Within) {
	p.operand(e.X, levelConcat)
	p.WriteByte(' ')
	p.not(e.Not)
	p.WriteString("WITHIN ")
	if len(e.Scopes) == 1 {
		p.scope(&e.Scopes[0])
		return
	}
	p.WriteByte('(')
	p.scopes(e.Scopes)
	p.WriteByte(')')
}

func (p *printer) caseExpr(e *Case) {
	p.WriteString("CASE")
	if e.X != nil {
		p.WriteByte(' ')
		p.expr(e.X)
	}
	for i := range e.Whens {
		p.WriteByte(' ')
		p.when(&e.Whens[i])
	}
	if e.Else != nil {
		p.WriteString(" ELSE ")
		p.expr(e.Else)
	}
	p.WriteString(" END")
}

func (p *printer) when(w *When) {
	p.WriteString("WHEN ")
	p.expr(w.Cond)
	p.WriteString(" THEN ")
	p.expr(w.Then)
}

func (p *printer) call(e *Call) {
	p.name(&e.Name)
	p.WriteByte('(')
	if e.Distinct {
		p.WriteString("DISTINCT ")
	}
	if e.Star {
		p.WriteByte('*')
	}
	p.list(e.Args)
	if len(e.OrderBy) > 0 {
		p.WriteString(" ORDER BY ")
		p.commas(len(e.OrderBy), func(i int) { p.orderItem(&e.OrderBy[i]) })
	}
	p.WriteByte(')')
	if e.Filter != nil {
		p.WriteString(" FILTER (WHERE ")
		p.expr(e.Filter)
		p.WriteByte(')')
	}
}

func (p *printer) scopes(ss []Scope) {
	p.commas(len(ss), func(i int) { p.scope(&ss[i]) })
}

func (p *printer) scope(s *Scope) {
	p.expr(s.From)
	if s.To != nil {
		p.WriteString(" .. ")
		p.expr(s.To)
	}
}

func (p *printer) timeRange(r *TimeRange) {
	switch r.Op {
	case RangeBetween:
		p.WriteString("BETWEEN ")
		p.expr(r.A)
		p.WriteString(" AND ")
		p.expr(r.B)
	case RangeFromTo:
		p.WriteString("FROM ")
		p.expr(r.A)
		p.WriteString(" TO ")
		p.expr(r.B)
	case RangeSince:
		p.WriteString("SINCE ")
		p.expr(r.A)
	case RangeUntil:
		p.WriteString("UNTIL ")
		p.expr(r.B)
	case RangeDuring:
		p.WriteString("DURING ")
		p.expr(r.A)
		p.WriteString(" AND ")
		p.expr(r.B)
	}
}

func (p *printer) timeChoice(c *TimeChoice) {
	switch c.Op {
	case ChoiceAt:
		p.WriteString("AT ")
		p.expr(c.T)
	case ChoiceNearest:
		p.WriteString("NEAREST ")
		p.expr(c.T)
	case ChoiceFirst:
		p.WriteString("FIRST")
	case ChoiceLatest:
		p.WriteString("LATEST")
	case ChoiceEach:
		p.words("EACH ", c.Unit)
	}
}

func (p *printer) source(s *Source) {
	if s.Query != nil {
		p.bracketed(s.Query)
	}
	p.clause("FILE ", s.File)
	if s.Relation != nil {
		p.name(s.Relation)
		if s.Unit != nil {
			p.WriteByte('(')
			p.name(s.Unit)
			p.WriteByte(')')
		}
		if len(s.Scopes) > 0 {
			p.WriteString(" IN ")
		}
	}
	p.scopes(s.Scopes)
	p.time(&s.Time)
	p.alias(s.Alias)
}

// time writes the range and the choice of a time clause, each after a space. It
// leaves out whichever is nil.
func (p *printer) time(t *TimeClause) {
	if t.Range != nil {
		p.WriteByte(' ')
		p.timeRange(t.Range)
	}
	if t.Choice != nil {
		p.WriteByte(' ')
		p.timeChoice(t.Choice)
	}
}

func (p *printer) join(j *Join) {
	if j.Left {
		p.WriteString("LEFT ")
	}
	p.WriteString("JOIN ")
	p.source(j.Source)
	p.clause(" ON ", j.On)
}

func (p *printer) alias(n *Name) {
	if n != nil {
		p.WriteString(" AS ")
		p.name(n)
	}
}

func (p *printer) item(it *Item) {
	if it.Star {
		p.WriteByte('*')
		return
	}
	p.expr(it.Expr)
	p.alias(it.Alias)
}

func (p *printer) orderItem(o *OrderItem) {
	p.expr(o.Expr)
	if o.Desc {
		p.WriteString(" DESC")
	}
	if o.NullsFirst {
		p.WriteString(" NULLS FIRST")
	}
}

func (p *printer) selectClauses(s *Select) {
	p.WriteString("SELECT ")
	if s.Distinct {
		p.WriteString("DISTINCT ")
	}
	p.commas(len(s.Items), func(i int) { p.item(&s.Items[i]) })
	if s.From != nil {
		p.WriteString(" FROM ")
		p.source(s.From)
	}
	for i := range s.Joins {
		p.WriteByte(' ')
		p.join(&s.Joins[i])
	}
	p.clause(" WHERE ", s.Where)
	if len(s.GroupBy) > 0 {
		p.WriteString(" GROUP BY ")
		p.list(s.GroupBy)
	}
	p.clause(" HAVING ", s.Having)
}

// clause writes keyword, with the spaces that it includes, and e. It writes
// nothing if e is nil.
func (p *printer) clause(keyword string, e Expr) {
	if e != nil {
		p.WriteString(keyword)
		p.expr(e)
	}
}

func (p *printer) with(w *With) {
	p.name(&w.Name)
	p.WriteString(" AS ")
	p.bracketed(w.Query)
}

func (p *printer) bracketed(q *Query) {
	p.WriteByte('(')
	p.query(q)
	p.WriteByte(')')
}

func (p *printer) query(q *Query) {
	if len(q.With) > 0 {
		p.WriteString("WITH ")
		p.commas(len(q.With), func(i int) { p.with(&q.With[i]) })
		p.WriteByte(' ')
	}
	p.selectClauses(q.Select)
	for _, s := range q.Union {
		p.WriteString(" UNION ALL ")
		p.selectClauses(s)
	}
	if len(q.OrderBy) > 0 {
		p.WriteString(" ORDER BY ")
		p.commas(len(q.OrderBy), func(i int) { p.orderItem(&q.OrderBy[i]) })
	}
	p.clause(" LIMIT ", q.Limit)
	p.clause(" OFFSET ", q.Offset)
}

// poolOrAll writes the name of a pool, or ALL if pool is nil.
func (p *printer) poolOrAll(pool Expr) {
	if pool == nil {
		p.WriteString("ALL")
		return
	}
	p.expr(pool)
}

func (p *printer) statement(s Statement) {
	switch s := s.(type) {
	case *Query:
		p.query(s)
	case *Import:
		p.WriteString("IMPORT ")
		p.list(s.Paths)
		if s.Format != nil {
			p.WriteString(" FORMAT ")
			p.name(s.Format)
		}
		p.clause(" BASE ", s.Base)
		p.clause(" AT ", s.Time)
		p.alias(s.Alias)
	case *Export:
		p.export(s)
	case *Crawl:
		p.crawl(s)
	case *OrderCrawl:
		p.orderCrawl(s)
	case *AddToCrawl:
		p.WriteString("ADD ")
		p.list(s.URLs)
		p.WriteString(" TO CRAWL ")
		p.name(&s.Name)
		if s.Force {
			p.WriteString(" FORCE")
		}
	case *CopyPool:
		p.WriteString("COPY POOL ")
		p.poolOrAll(s.Pool)
		p.clause(" TO ", s.To)
	case *Verify:
		p.WriteString("VERIFY")
		if s.Pool != nil {
			p.clause(" POOL ", s.Pool)
		}
		if s.Sample != nil {
			p.clause(" SAMPLE 1/", s.Sample)
		}
	case *MergePool:
		if s.Seal {
			p.WriteString("SEAL POOL ")
		} else {
			p.WriteString("MERGE POOL ")
		}
		p.poolOrAll(s.Pool)
	case *RepairPool:
		p.clause("REPAIR POOL ", s.Pool)
		p.clause(" FROM ", s.From)
	case *Reindex:
		p.WriteString("REINDEX")
		if s.Pool != nil {
			p.clause(" POOL ", s.Pool)
		}
		if s.Derived {
			p.WriteString(" DERIVED")
		}
	case *DropPool:
		p.clause("DROP POOL ", s.Pool)
	case *Delete:
		p.delete(s)
	case *CreateView:
		p.createView(s)
	case *CreateMetadata:
		p.createMetadata(s)
	case *DropView:
		p.WriteString("DROP VIEW ")
		p.name(&s.Name)
	case *DropGraph:
		p.WriteString("DROP GRAPH ")
		p.name(&s.Name)
	case *DropMetadata:
		p.WriteString("DROP METADATA ")
		p.name(&s.Name)
	case *Save:
		p.save(s)
	case *Run:
		p.run(s)
	case *PageRank:
		p.pageRank(s)
	case *HITS:
		p.hits(s)
	case *Dedup:
		p.dedup(s)
	case *ShowPath:
		p.clause("SHOW PATH ", s.From)
		p.clause(" TO ", s.To)
		p.clause(" AT ", s.Time)
		p.overGraph(s.Graph)
	case *ExplainRank:
		p.clause("EXPLAIN RANK ", s.URL)
		if s.Name != nil {
			p.WriteString(" IN ")
			p.name(s.Name)
		}
	case *Schedule:
		p.schedule(s)
	case *Unschedule:
		p.WriteString("UNSCHEDULE ")
		p.name(&s.Name)
	case *RunSchedule:
		p.WriteString("RUN SCHEDULE ")
		p.name(&s.Name)
	case *Recover:
		p.clause("RECOVER ", s.File)
		if s.To != nil {
			p.clause(" TO ", s.To)
		}
	case *Explain:
		p.WriteString("EXPLAIN ")
		if s.Analyze {
			p.WriteString("ANALYZE ")
		}
		p.statement(s.Statement)
	case *Describe:
		p.WriteString("DESCRIBE ")
		p.name(&s.Name)
	case *Show:
		p.words("SHOW ", upper(s.What.Text))
	case *Trace:
		p.clause("TRACE ", s.URL)
	case *ShowRobots:
		p.clause("SHOW ROBOTS ", s.URL)
		p.clause(" AGENT ", s.Agent)
		p.clause(" AT ", s.Time)
	case *ShowPage:
		p.showPage(s)
	case *Diff:
		p.diff(s)
	case *Set:
		p.set(s)
	case *Reset:
		p.WriteString("RESET ")
		p.name(&s.Name)
	case *Help:
		p.WriteString("HELP")
		if s.Topic != "" {
			p.words(" ", s.Topic)
		}
	default:
		panic(fmt.Sprintf("ast: unknown statement %T", s))
	}
}

func (p *printer) export(s *Export) {
	p.WriteString("EXPORT ")
	p.bracketed(s.Query)
	p.clause(" TO ", s.To)
	if s.Format != nil {
		p.WriteString(" FORMAT ")
		p.name(s.Format)
	}
}

func (p *printer) delete(s *Delete) {
	p.WriteString("DELETE FROM ")
	p.commas(len(s.Scopes), func(i int) { p.scope(&s.Scopes[i]) })
	if s.Range != nil {
		p.WriteByte(' ')
		p.timeRange(s.Range)
	}
	p.clause(" WHERE ", s.Where)
	p.clause(" REASON ", s.Reason)
}

func (p *printer) showPage(s *ShowPage) {
	p.WriteString("SHOW PAGE ")
	p.expr(s.URL)
	p.clause(" AT ", s.Time)
	if s.Form != PageDefault {
		p.words(" AS ", s.Form.String())
	}
}

func (p *printer) diff(s *Diff) {
	p.WriteString("DIFF ")
	p.expr(s.URL)
	p.clause(" FROM ", s.From)
	p.clause(" TO ", s.To)
}

func (p *printer) set(s *Set) {
	p.WriteString("SET ")
	if s.Param {
		p.words("$", s.Name.Text)
	} else {
		p.name(&s.Name)
	}
	p.WriteString(" = ")
	p.setValue(s.Value)
}

// setValue writes the value of a setting or a parameter.
func (p *printer) setValue(v Expr) {
	if c, ok := v.(*Column); ok {
		p.WriteString(c.Name.Text) // no quotes, even for a reserved word such as on
		return
	}
	p.expr(v)
}

// String returns the word after AS in SHOW PAGE, such as text. It returns "" for
// PageDefault.
func (f PageForm) String() string {
	switch f {
	case PageText:
		return "text"
	case PageHTML:
		return "html"
	case PageRaw:
		return "raw"
	case PageWire:
		return "wire"
	case PageHeaders:
		return "headers"
	case PageBlocks:
		return "blocks"
	}
	return ""
}

// printed returns what write writes.
func printed(write func(*printer)) string {
	var p printer
	write(&p)
	return p.String()
}

func exprString(e Expr) string           { return printed(func(p *printer) { p.expr(e) }) }
func statementString(s Statement) string { return printed(func(p *printer) { p.statement(s) }) }

func (n *Name) String() string       { return printed(func(p *printer) { p.name(n) }) }
func (s *Select) String() string     { return printed(func(p *printer) { p.selectClauses(s) }) }
func (o *OrderItem) String() string  { return printed(func(p *printer) { p.orderItem(o) }) }
func (it *Item) String() string      { return printed(func(p *printer) { p.item(it) }) }
func (s *Source) String() string     { return printed(func(p *printer) { p.source(s) }) }
func (j *Join) String() string       { return printed(func(p *printer) { p.join(j) }) }
func (s *Scope) String() string      { return printed(func(p *printer) { p.scope(s) }) }
func (r *TimeRange) String() string  { return printed(func(p *printer) { p.timeRange(r) }) }
func (c *TimeChoice) String() string { return printed(func(p *printer) { p.timeChoice(c) }) }
func (w *With) String() string       { return printed(func(p *printer) { p.with(w) }) }
func (w *When) String() string       { return printed(func(p *printer) { p.when(w) }) }

func (s *Query) String() string      { return statementString(s) }
func (s *Import) String() string     { return statementString(s) }
func (s *Export) String() string     { return statementString(s) }
func (s *Crawl) String() string      { return statementString(s) }
func (s *OrderCrawl) String() string { return statementString(s) }
func (s *AddToCrawl) String() string { return statementString(s) }
func (s *Trace) String() string      { return statementString(s) }
func (s *CopyPool) String() string   { return statementString(s) }
func (s *Verify) String() string     { return statementString(s) }
func (s *Reindex) String() string    { return statementString(s) }
func (s *Recover) String() string    { return statementString(s) }
func (s *DropPool) String() string   { return statementString(s) }
func (s *Delete) String() string     { return statementString(s) }
func (s *MergePool) String() string  { return statementString(s) }
func (s *RepairPool) String() string { return statementString(s) }
func (s *Explain) String() string    { return statementString(s) }
func (s *Describe) String() string   { return statementString(s) }
func (s *Show) String() string       { return statementString(s) }
func (s *ShowRobots) String() string { return statementString(s) }
func (s *ShowPage) String() string   { return statementString(s) }
func (s *Diff) String() string       { return statementString(s) }
func (s *Set) String() string        { return statementString(s) }
func (s *Reset) String() string      { return statementString(s) }
func (s *Help) String() string       { return statementString(s) }

func (e *String) String() string   { return exprString(e) }
func (e *Number) String() string   { return exprString(e) }
func (e *Size) String() string     { return exprString(e) }
func (e *Duration) String() string { return exprString(e) }
func (e *Period) String() string   { return exprString(e) }
func (e *Bool) String() string     { return exprString(e) }
func (e *Null) String() string     { return exprString(e) }
func (e *Param) String() string    { return exprString(e) }
func (e *Now) String() string      { return exprString(e) }
func (e *Today) String() string    { return exprString(e) }
func (e *Column) String() string   { return exprString(e) }
func (e *Unary) String() string    { return exprString(e) }
func (e *Binary) String() string   { return exprString(e) }
func (e *Between) String() string  { return exprString(e) }
func (e *In) String() string       { return exprString(e) }
func (e *Like) String() string     { return exprString(e) }
func (e *Is) String() string       { return exprString(e) }
func (e *Within) String() string   { return exprString(e) }
func (e *Case) String() string     { return exprString(e) }
func (e *Cast) String() string     { return exprString(e) }
func (e *Call) String() string     { return exprString(e) }
func (e *Subquery) String() string { return exprString(e) }
func (e *Exists) String() string   { return exprString(e) }
