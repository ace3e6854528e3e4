package ast

// Query is one SELECT, or several that UNION, EXCEPT and INTERSECT combine, with the
// clauses around them. ORDER BY, LIMIT and OFFSET apply to the combined rows.
type Query struct {
	Span
	Search  *Search // nil unless the query was written as SEARCH
	With    []With
	Select  *Select
	Sets    []SetOp // the SELECTs after the first, each with the operator before it
	OrderBy []OrderItem
	Limit   Expr // nil if absent
	Offset  Expr // nil if absent
}

func (*Query) statement() {}

// Selects returns all SELECTs of s, in order.
func (s *Query) Selects() []*Select {
	list := []*Select{s.Select}
	for i := range s.Sets {
		list = append(list, s.Sets[i].Select)
	}
	return list
}

// Search has what only a query that was written as SEARCH has.
type Search struct {
	Ordered, Limited bool // the writer gave an ORDER BY; the writer gave a LIMIT
	// For is the URL of EXPLAIN SEARCH 'words' FOR 'url', *String or *Param; nil if absent.
	// Such a query has no further clauses.
	For Expr
}

func (s *Query) String() string { return text(s) }

func (s *Query) print(p *printer) {
	if s.Search != nil {
		s.printSearch(p)
		return
	}
	if len(s.With) > 0 {
		p.WriteString("WITH ")
		p.commas(len(s.With), func(i int) { s.With[i].print(p) })
		p.WriteByte(' ')
	}
	s.Select.print(p)
	for i := range s.Sets {
		s.Sets[i].print(p)
	}
	p.orderBy(s.OrderBy)
	p.clause(" LIMIT ", s.Limit)
	p.clause(" OFFSET ", s.Offset)
}

// printSearch writes the query in the form that begins with SEARCH.
func (s *Query) printSearch(p *printer) {
	from := s.Select.From
	p.clause("SEARCH ", from.Question)
	if len(from.Scopes) > 0 {
		p.WriteString(" IN ")
		p.scopes(from.Scopes)
	}
	p.time(&from.Time)
	p.clause(" FOR ", s.Search.For)
	p.clause(" WHERE ", s.Select.Where)
	if s.Search.Ordered {
		p.orderBy(s.OrderBy)
	}
	if s.Search.Limited {
		p.clause(" LIMIT ", s.Limit)
		p.clause(" OFFSET ", s.Offset)
	}
}

func (s *Query) children(l nodes) nodes {
	for i := range s.With {
		l = append(l, &s.With[i])
	}
	l = append(l, s.Select)
	for i := range s.Sets {
		l = append(l, s.Sets[i].Select)
	}
	for i := range s.OrderBy {
		l = append(l, &s.OrderBy[i])
	}
	l = l.exprs(s.Limit, s.Offset)
	if s.Search != nil {
		l = l.exprs(s.Search.For)
	}
	return l
}

// SetOp is an operator between two SELECTs, and the SELECT after it. INTERSECT
// binds tighter than the others, which are applied from left to right.
type SetOp struct {
	Op     SetOperator
	All    bool // UNION ALL, which keeps repeated rows
	Select *Select
}

// SetOperator is UNION, EXCEPT or INTERSECT.
type SetOperator string

// The operators between SELECTs.
const (
	Union     SetOperator = "UNION"
	Except    SetOperator = "EXCEPT"
	Intersect SetOperator = "INTERSECT"
)

// String returns the operator as it is written, such as UNION ALL.
func (o *SetOp) String() string {
	if o.All {
		return string(o.Op) + " ALL"
	}
	return string(o.Op)
}

func (o *SetOp) print(p *printer) {
	p.WriteString(" " + o.String() + " ")
	o.Select.print(p)
}

// bracketed writes the query q in brackets.
func (p *printer) bracketed(q *Query) {
	p.WriteByte('(')
	q.print(p)
	p.WriteByte(')')
}

// With is one item of a WITH clause: name AS (query). Later queries of the
// clause, and the SELECT, can read the rows of Query by the name.
type With struct {
	Span
	Name  Name
	Query *Query
}

func (w *With) String() string { return text(w) }

func (w *With) print(p *printer) {
	p.name(&w.Name)
	p.WriteString(" AS ")
	p.bracketed(w.Query)
}

func (w *With) children(l nodes) nodes { return append(l, w.Query) }

// OrderItem is one sort key: expr [ASC | DESC] [NULLS FIRST | NULLS LAST].
type OrderItem struct {
	Span
	Expr       Expr
	Desc       bool
	NullsFirst bool // NULLs come before all values; otherwise they come after
}

func (o *OrderItem) String() string { return text(o) }

func (o *OrderItem) print(p *printer) {
	o.Expr.print(p)
	if o.Desc {
		p.WriteString(" DESC")
	}
	if o.NullsFirst {
		p.WriteString(" NULLS FIRST")
	}
}

func (o *OrderItem) children(l nodes) nodes { return l.exprs(o.Expr) }

// orderBy writes " ORDER BY " and the keys. If there are no keys, it writes
// nothing.
func (p *printer) orderBy(keys []OrderItem) {
	if len(keys) > 0 {
		p.WriteString(" ORDER BY ")
		p.commas(len(keys), func(i int) { keys[i].print(p) })
	}
}

// Select is one SELECT with its clauses up to HAVING. ORDER BY and LIMIT are
// parts of the Query around it.
type Select struct {
	Span
	Distinct bool
	Items    []Item
	From     *Source // nil if absent
	Joins    []Join  // in the order of the source
	Where    Expr    // nil if absent
	GroupBy  []Expr
	Having   Expr // nil if absent
}

func (s *Select) String() string { return text(s) }

func (s *Select) print(p *printer) {
	p.WriteString("SELECT ")
	if s.Distinct {
		p.WriteString("DISTINCT ")
	}
	p.commas(len(s.Items), func(i int) { s.Items[i].print(p) })
	if s.From != nil {
		p.WriteString(" FROM ")
		s.From.print(p)
	}
	for i := range s.Joins {
		p.WriteByte(' ')
		s.Joins[i].print(p)
	}
	p.clause(" WHERE ", s.Where)
	if len(s.GroupBy) > 0 {
		p.WriteString(" GROUP BY ")
		p.list(s.GroupBy)
	}
	p.clause(" HAVING ", s.Having)
}

func (s *Select) children(l nodes) nodes {
	for i := range s.Items {
		l = append(l, &s.Items[i])
	}
	if s.From != nil {
		l = append(l, s.From)
	}
	for i := range s.Joins {
		l = append(l, &s.Joins[i])
	}
	return l.exprs(s.Where).exprs(s.GroupBy...).exprs(s.Having)
}

// Item is one item after SELECT: *, or expr [AS name].
type Item struct {
	Span
	Star  bool
	Expr  Expr  // nil for a star
	Alias *Name // nil if absent
}

func (it *Item) String() string { return text(it) }

func (it *Item) print(p *printer) {
	if it.Star {
		p.WriteByte('*')
		return
	}
	it.Expr.print(p)
	p.alias(it.Alias)
}

func (it *Item) children(l nodes) nodes { return l.exprs(it.Expr) }

// Source is the part of a query after FROM or JOIN: a query in brackets, a
// FILE, or a relation with its scopes and time clause.
type Source struct {
	Span
	Query    *Query  // in brackets; nil for a FILE or a relation
	File     Expr    // the path after FILE, *String or *Param; nil if absent
	Relation *Name   // a relation, a view or a name of WITH; nil with scopes means the relation versions
	Unit     *Name   // the unit of periods(unit); nil if absent
	Question Expr    // the words of findings('words'), *String or *Param; nil if absent
	Scopes   []Scope // none means all URLs
	To       []Scope // of links: where they lead; none means anywhere
	Time     TimeClause
	Alias    *Name // nil if absent
}

func (s *Source) String() string { return text(s) }

func (s *Source) print(p *printer) {
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
		if s.Question != nil {
			p.clause("(", s.Question)
			p.WriteByte(')')
		}
		if len(s.Scopes) > 0 {
			p.WriteString(" IN ")
		}
	}
	p.scopes(s.Scopes)
	p.scopesAfter(" TO ", s.To)
	p.time(&s.Time)
	p.alias(s.Alias)
}

func (s *Source) children(l nodes) nodes {
	if s.Query != nil {
		l = append(l, s.Query)
	}
	return l.exprs(s.File, s.Question).scopes(s.Scopes).scopes(s.To).time(&s.Time)
}

// Join is one join of a SELECT: [LEFT] JOIN source (ON expr | USING (name, …)),
// or CROSS JOIN source. A comma between sources is parsed as CROSS JOIN.
type Join struct {
	Span
	Left   bool // a row on the left without a match is kept, with NULLs for the right side
	Source *Source
	On     Expr   // nil for USING and CROSS JOIN
	Using  []Name // the columns that must be equal on both sides; nil for ON and CROSS JOIN
}

// Cross reports whether j joins every row with every row.
func (j *Join) Cross() bool { return j.On == nil && j.Using == nil }

func (j *Join) String() string { return text(j) }

func (j *Join) print(p *printer) {
	switch {
	case j.Cross():
		p.WriteString("CROSS ")
	case j.Left:
		p.WriteString("LEFT ")
	}
	p.WriteString("JOIN ")
	j.Source.print(p)
	p.clause(" ON ", j.On)
	if j.Using != nil {
		p.WriteString(" USING (")
		p.commas(len(j.Using), func(i int) { p.name(&j.Using[i]) })
		p.WriteByte(')')
	}
}

func (j *Join) children(l nodes) nodes { return append(l, j.Source).exprs(j.On) }

// Scope selects URLs: by one string or parameter, such as 'lanshan.example', or
// by a range between two, 'a' .. 'b'.
type Scope struct {
	Span
	From Expr // *String or *Param
	To   Expr // the end of a range, *String or *Param; nil if the scope is no range
}

func (s *Scope) String() string { return text(s) }

func (s *Scope) print(p *printer) {
	s.From.print(p)
	p.clause(" .. ", s.To)
}

func (s *Scope) children(l nodes) nodes { return l.exprs(s.From, s.To) }
