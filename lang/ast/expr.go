package ast

// Expr is an expression of the language, such as a constant, a column or an
// operator with its operands. It is one of *String, *Number, *Size, *Duration,
// *Period, *Bool, *Null, *Param, *Now, *Today, *Column, *Unary, *Binary,
// *Between, *In, *Like, *Is, *Within, *Case, *Cast, *Call, *Subquery and
// *Exists.
type Expr interface {
	Node
	expr()
}

// The precedence levels of operators, from the loosest to the tightest. An operand
// is printed in brackets if its level is lower than its place requires.
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

// level returns the precedence level of the outermost operator of e, or
// levelAtom if e has no operator.
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

// operand writes e, in brackets if its precedence level is lower than least.
func (p *printer) operand(e Expr, least int) {
	if level(e) < least {
		p.WriteByte('(')
		e.print(p)
		p.WriteByte(')')
		return
	}
	e.print(p)
}

func (p *printer) not(not bool) {
	if not {
		p.WriteString("NOT ")
	}
}

// Unary is the expression NOT x, -x or +x.
type Unary struct {
	Span
	Op string // NOT, - or +
	X  Expr
}

func (*Unary) expr() {}

func (e *Unary) String() string { return text(e) }

func (e *Unary) print(p *printer) {
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

func (e *Unary) children(l nodes) nodes { return l.exprs(e.X) }

// Binary is the expression x Op y. Op is one of OR AND = <> < <= > >= || + - *
// / // % ~ !~ CONTAINS MATCH. The parser changes != to <>.
type Binary struct {
	Span
	Op   string
	OpAt Span // the operator in the source
	Not  bool // the expression is x NOT CONTAINS y or x NOT MATCH y
	X, Y Expr
}

func (*Binary) expr() {}

func (e *Binary) String() string { return text(e) }

func (e *Binary) print(p *printer) {
	lv := opLevel(e.Op)
	left := lv
	if lv == levelCompare {
		left++
	}
	p.operand(e.X, left)
	p.WriteByte(' ')
	p.not(e.Not)
	p.words(e.Op, " ")
	p.operand(e.Y, lv+1)
}

func (e *Binary) children(l nodes) nodes { return l.exprs(e.X, e.Y) }

// Between is the expression x [NOT] BETWEEN a AND b.
type Between struct {
	Span
	Not     bool
	X, A, B Expr
}

func (*Between) expr() {}

func (e *Between) String() string { return text(e) }

func (e *Between) print(p *printer) {
	p.operand(e.X, levelConcat)
	p.WriteByte(' ')
	p.not(e.Not)
	p.WriteString("BETWEEN ")
	p.operand(e.A, levelConcat)
	p.WriteString(" AND ")
	p.operand(e.B, levelConcat)
}

func (e *Between) children(l nodes) nodes { return l.exprs(e.X, e.A, e.B) }

// In is the expression x [NOT] IN (a, b, …) or x [NOT] IN (query).
type In struct {
	Span
	Not   bool
	X     Expr
	List  []Expr
	Query *Query // nil if List is set
}

func (*In) expr() {}

func (e *In) String() string { return text(e) }

func (e *In) print(p *printer) {
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
}

func (e *In) children(l nodes) nodes {
	l = l.exprs(e.X).exprs(e.List...)
	if e.Query != nil {
		l = append(l, e.Query)
	}
	return l
}

// Like is the expression x [NOT] (LIKE | ILIKE) y [ESCAPE 'c']. Fold is set for
// ILIKE, which ignores case.
type Like struct {
	Span
	Not, Fold bool
	X, Y      Expr
	Escape    Expr // nil if absent
}

func (*Like) expr() {}

func (e *Like) String() string { return text(e) }

func (e *Like) print(p *printer) {
	p.operand(e.X, levelConcat)
	p.WriteByte(' ')
	p.not(e.Not)
	if e.Fold {
		p.WriteString("ILIKE ")
	} else {
		p.WriteString("LIKE ")
	}
	p.operand(e.Y, levelConcat)
	p.clause(" ESCAPE ", e.Escape)
}

func (e *Like) children(l nodes) nodes { return l.exprs(e.X, e.Y, e.Escape) }

// Is is the expression x IS [NOT] (NULL | TRUE | FALSE).
type Is struct {
	Span
	Not  bool
	X    Expr
	What Expr // *Null or *Bool
}

func (*Is) expr() {}

func (e *Is) String() string { return text(e) }

func (e *Is) print(p *printer) {
	p.operand(e.X, levelConcat)
	p.WriteString(" IS ")
	p.not(e.Not)
	e.What.print(p)
}

func (e *Is) children(l nodes) nodes { return l.exprs(e.X, e.What) }

// Within is the expression x [NOT] WITHIN scope or x [NOT] WITHIN (scope, …):
// whether the URL x is in one of the scopes.
type Within struct {
	Span
	Not    bool
	X      Expr
	Scopes []Scope
}

func (*Within) expr() {}

func (e *Within) String() string { return text(e) }

func (e *Within) print(p *printer) {
	p.operand(e.X, levelConcat)
	p.WriteByte(' ')
	p.not(e.Not)
	p.WriteString("WITHIN ")
	if len(e.Scopes) == 1 {
		e.Scopes[0].print(p)
		return
	}
	p.WriteByte('(')
	p.scopes(e.Scopes)
	p.WriteByte(')')
}

func (e *Within) children(l nodes) nodes { return l.exprs(e.X).scopes(e.Scopes) }

// Case is the expression CASE [x] WHEN a THEN b … [ELSE c] END.
type Case struct {
	Span
	X     Expr // nil if absent
	Whens []When
	Else  Expr // nil if absent
}

func (*Case) expr() {}

func (e *Case) String() string { return text(e) }

func (e *Case) print(p *printer) {
	p.WriteString("CASE")
	p.clause(" ", e.X)
	for i := range e.Whens {
		p.WriteByte(' ')
		e.Whens[i].print(p)
	}
	p.clause(" ELSE ", e.Else)
	p.WriteString(" END")
}

func (e *Case) children(l nodes) nodes {
	l = l.exprs(e.X)
	for i := range e.Whens {
		l = append(l, &e.Whens[i])
	}
	return l.exprs(e.Else)
}

// When is one branch of a Case: WHEN cond THEN expr.
type When struct {
	Span
	Cond, Then Expr
}

func (w *When) String() string { return text(w) }

func (w *When) print(p *printer) {
	p.clause("WHEN ", w.Cond)
	p.clause(" THEN ", w.Then)
}

func (w *When) children(l nodes) nodes { return l.exprs(w.Cond, w.Then) }

// Cast is the expression CAST(x AS type).
type Cast struct {
	Span
	X    Expr
	Type Name
}

func (*Cast) expr() {}

func (e *Cast) String() string { return text(e) }

func (e *Cast) print(p *printer) {
	p.clause("CAST(", e.X)
	p.WriteString(" AS ")
	p.name(&e.Type)
	p.WriteByte(')')
}

func (e *Cast) children(l nodes) nodes { return l.exprs(e.X) }

// Call is a call of a function or an aggregate: f(a, b), f(DISTINCT a), f(a ORDER
// BY b) or count(*). FILTER (WHERE expr) may follow the call of an aggregate.
type Call struct {
	Span
	Name     Name
	Distinct bool
	Star     bool // the argument is *
	Args     []Expr
	OrderBy  []OrderItem // inside the brackets of an aggregate
	Filter   Expr        // nil if absent
	Over     *Window     // nil unless OVER follows
}

func (*Call) expr() {}

func (e *Call) String() string { return text(e) }

func (e *Call) print(p *printer) {
	p.name(&e.Name)
	p.WriteByte('(')
	if e.Distinct {
		p.WriteString("DISTINCT ")
	}
	if e.Star {
		p.WriteByte('*')
	}
	p.list(e.Args)
	p.orderBy(e.OrderBy)
	p.WriteByte(')')
	if e.Filter != nil {
		p.clause(" FILTER (WHERE ", e.Filter)
		p.WriteByte(')')
	}
	if e.Over != nil {
		p.WriteString(" OVER ")
		e.Over.print(p)
	}
}

func (e *Call) children(l nodes) nodes {
	l = l.exprs(e.Args...)
	for i := range e.OrderBy {
		l = append(l, &e.OrderBy[i])
	}
	l = l.exprs(e.Filter)
	if e.Over != nil {
		l = append(l, e.Over)
	}
	return l
}

// Window is the part after OVER of a call: ([PARTITION BY expr, …]
// [ORDER BY key, …]). It says which rows the function of the call sees.
type Window struct {
	Span
	PartitionBy []Expr
	OrderBy     []OrderItem
}

func (w *Window) String() string { return text(w) }

func (w *Window) print(p *printer) {
	p.WriteByte('(')
	if len(w.PartitionBy) > 0 {
		p.WriteString("PARTITION BY ")
		p.list(w.PartitionBy)
	}
	if len(w.OrderBy) > 0 {
		if len(w.PartitionBy) > 0 {
			p.WriteByte(' ')
		}
		p.WriteString("ORDER BY ")
		p.commas(len(w.OrderBy), func(i int) { w.OrderBy[i].print(p) })
	}
	p.WriteByte(')')
}

func (w *Window) children(l nodes) nodes {
	l = l.exprs(w.PartitionBy...)
	for i := range w.OrderBy {
		l = append(l, &w.OrderBy[i])
	}
	return l
}

// Subquery is a query in brackets that is used as a value. Its value is the
// only value of the only row of the query.
type Subquery struct {
	Span
	Query *Query
}

func (*Subquery) expr() {}

func (e *Subquery) String() string { return text(e) }

func (e *Subquery) print(p *printer) {
	p.bracketed(e.Query)
}

func (e *Subquery) children(l nodes) nodes { return append(l, e.Query) }

// Exists is the expression EXISTS (query).
type Exists struct {
	Span
	Query *Query
}

func (*Exists) expr() {}

func (e *Exists) String() string { return text(e) }

func (e *Exists) print(p *printer) {
	p.WriteString("EXISTS ")
	p.bracketed(e.Query)
}

func (e *Exists) children(l nodes) nodes { return append(l, e.Query) }
