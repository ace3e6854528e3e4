package ast

import "time"

// Expr is an expression: one of *String, *Number, *Size, *Duration, *Period,
// *Bool, *Null, *Param, *Now, *Today, *Column, *Unary, *Binary, *Between, *In,
// *Like, *Is, *Within, *Case, *Cast, *Call, *Subquery and *Exists.
type Expr interface {
	Node
	expr()
}

// String is a text constant. Value is the text without its quotes.
type String struct {
	Span
	Value string
}

// Number is a number. Int is set only if IsInt reports that the number is an
// int64.
type Number struct {
	Span
	Text  string // as it was written
	IsInt bool
	Int   int64
	Float float64
}

// Size is a number of bytes, such as 64KB.
type Size struct {
	Span
	Text  string // as it was written
	Bytes int64
}

// Duration is a length of time, such as 7d or 2mo. At most one of Months and
// Length is not zero, because months differ in length.
type Duration struct {
	Span
	Text   string // as it was written
	Months int
	Length time.Duration
}

// Unit is the length of a period, from its smallest written part: UnitMonth for
// 2008-06.
type Unit uint8

// The lengths of a period.
const (
	UnitYear Unit = iota
	UnitMonth
	UnitDay
	UnitHour
	UnitMinute
	UnitSecond
	UnitMilli
)

// Period is a time literal, such as 2008-06 for the whole month. The fields hold
// the start of the period: parts that were not written have their least value,
// here day 1 and 0:00. Without a zone the setting timezone applies.
type Period struct {
	Span
	Text                                   string // as it was written
	Unit                                   Unit
	Year, Month, Day, Hour, Minute, Second int
	Milli                                  int
	HasZone                                bool // a zone was written: Z or +08:00
	Offset                                 int  // of the zone, in seconds east of UTC
}

// Bool is TRUE or FALSE.
type Bool struct {
	Span
	Value bool
}

// Null is NULL.
type Null struct{ Span }

// Param is a parameter, $name or :name. SET or RUN gives its value.
type Param struct {
	Span
	Name string // without the $ or the colon
}

// Now and Today are the expressions for the current time and the current day.
type (
	Now   struct{ Span } // NOW
	Today struct{ Span } // TODAY
)

// Column is name or source.name. It refers to a column of a source, or to the
// alias of an item of SELECT.
type Column struct {
	Span
	Qualifier *Name // the source; nil if absent
	Name      Name
}

// Unary is NOT x, -x or +x.
type Unary struct {
	Span
	Op string // NOT, - or +
	X  Expr
}

// Binary is x Op y. Op is one of OR AND = <> < <= > >= || + - * / // % ~ !~
// CONTAINS. The parser changes != to <>.
type Binary struct {
	Span
	Op   string
	OpAt Span // the operator in the source
	Not  bool // it is x NOT CONTAINS y
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
	Query *Query // nil if List is set
}

// Like is x [NOT] (LIKE | ILIKE) y [ESCAPE 'c']. Fold is set for ILIKE, which
// ignores case.
type Like struct {
	Span
	Not, Fold bool
	X, Y      Expr
	Escape    Expr // nil if absent
}

// Is is x IS [NOT] (NULL | TRUE | FALSE).
type Is struct {
	Span
	Not  bool
	X    Expr
	What Expr // *Null or *Bool
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

// When is one WHEN cond THEN expr of a Case.
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
}

// Subquery is a query in brackets, used as a value: the one value of its one row.
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
