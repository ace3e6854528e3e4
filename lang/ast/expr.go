package ast

import "time"

// Expr is an expression: one of *String, *Number, *Size, *Duration, *Period,
// *Bool, *Null, *Param, *Now, *Today, *Column, *Unary, *Binary, *Between, *In,
// *Like, *Is, *Within, *Case, *Cast, *Call, *Subquery and *Exists.
type Expr interface {
	Node
	expr()
}

// String is a text constant, quotes taken off.
type String struct {
	Span
	Value string
}

// Number is a number as written; IsInt tells whether Int holds it exactly.
type Number struct {
	Span
	Text  string
	IsInt bool
	Int   int64
	Float float64
}

// Size is a number of bytes, such as 64KB.
type Size struct {
	Span
	Text  string
	Bytes int64
}

// Duration is a length of time, such as 7d or 2mo. Only one of Months and
// Length is not zero.
type Duration struct {
	Span
	Text   string
	Months int
	Length time.Duration
}

// Unit is the last part that a period names.
type Unit uint8

// The units of a period.
const (
	UnitYear Unit = iota
	UnitMonth
	UnitDay
	UnitHour
	UnitMinute
	UnitSecond
	UnitMilli
)

// Period is a time literal as written, such as 2008-06. Fields below Unit are
// their least value. HasZone tells whether Offset (seconds east of UTC) was
// written; else the setting timezone decides.
type Period struct {
	Span
	Text                                   string
	Unit                                   Unit
	Year, Month, Day, Hour, Minute, Second int
	Milli                                  int
	HasZone                                bool
	Offset                                 int
}

// Bool is TRUE or FALSE.
type Bool struct {
	Span
	Value bool
}

// Null is NULL.
type Null struct{ Span }

// Param is $name or :name.
type Param struct {
	Span
	Name string
}

// Now is NOW, Today is TODAY.
type (
	Now   struct{ Span }
	Today struct{ Span }
)

// Column is a column, or an alias where one may stand. Qualifier is nil if
// absent.
type Column struct {
	Span
	Qualifier *Name
	Name      Name
}

// Unary is NOT x, -x or +x. Op is upper case.
type Unary struct {
	Span
	Op string
	X  Expr
}

// Binary is x Op y, Op one of OR AND = <> < <= > >= || + - * / // % ~ !~
// CONTAINS. Not is set for NOT CONTAINS only; != is read as <>.
type Binary struct {
	Span
	Op   string
	OpAt Span // where the operator stands
	Not  bool
	X, Y Expr
}

// Between is x [NOT] BETWEEN a AND b.
type Between struct {
	Span
	Not     bool
	X, A, B Expr
}

// In is x [NOT] IN (a, b, …), or IN (query).
type In struct {
	Span
	Not   bool
	X     Expr
	List  []Expr
	Query *Query // nil where there is a list
}

// Like is x [NOT] LIKE y [ESCAPE 'c'], or ILIKE if Fold.
type Like struct {
	Span
	Not, Fold bool
	X, Y      Expr
	Escape    Expr // nil if absent
}

// Is is x IS [NOT] NULL, TRUE or FALSE. What is *Null or *Bool.
type Is struct {
	Span
	Not  bool
	X    Expr
	What Expr
}

// Within is x [NOT] WITHIN scope, or WITHIN (scope, …).
type Within struct {
	Span
	Not    bool
	X      Expr
	Scopes []Scope
}

// Case is CASE [x] WHEN a THEN b … [ELSE c] END.
type Case struct {
	Span
	X     Expr // nil if absent
	Whens []When
	Else  Expr // nil if absent
}

// When is one branch of a Case.
type When struct {
	Span
	Cond, Then Expr
}

// Cast is CAST(x AS type).
type Cast struct {
	Span
	X    Expr
	Type Name
}

// Call is a function or an aggregate: f(a, b), f(DISTINCT a), f(a ORDER BY b) or
// count(*), and behind an aggregate FILTER (WHERE expr).
type Call struct {
	Span
	Name     Name
	Distinct bool
	Star     bool
	Args     []Expr
	OrderBy  []OrderItem // within the brackets, of an aggregate
	Filter   Expr        // nil if absent
}

// Subquery is a query in brackets that stands for its one value.
type Subquery struct {
	Span
	Query *Query
}

// Exists is EXISTS (query).
type Exists struct {
	Span
	Query *Query
}

func (*String) expr()   {}
func (*Number) expr()   {}
func (*Size) expr()     {}
func (*Duration) expr() {}
func (*Period) expr()   {}
func (*Bool) expr()     {}
func (*Null) expr()     {}
func (*Param) expr()    {}
func (*Now) expr()      {}
func (*Today) expr()    {}
func (*Column) expr()   {}
func (*Unary) expr()    {}
func (*Binary) expr()   {}
func (*Between) expr()  {}
func (*In) expr()       {}
func (*Like) expr()     {}
func (*Is) expr()       {}
func (*Within) expr()   {}
func (*Case) expr()     {}
func (*Cast) expr()     {}
func (*Call) expr()     {}
func (*Subquery) expr() {}
func (*Exists) expr()   {}
