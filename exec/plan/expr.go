// Package plan turns a query's syntax tree into what is to be done: names
// resolved, types known, times and scopes made ranges. It reads no data.
package plan

import (
	"regexp"
	"time"

	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/urlkey"
)

// Expr is a bound expression: names are resolved, types known and constant
// parts computed. It is immutable, and prints as EXPLAIN shows it. It is one of
// *Const, *Col, *Not, *And, *Or, *Compare, *In, *Inside, *Is, *Like, *Match,
// *Contains, *Within, *Arith, *Shift, *Case, *Cast and *Call.
type Expr interface {
	Type() value.Type
	String() string
}

// Col reads a column of the batch that an operator is given.
type Col struct {
	Index int
	Name  string
	T     value.Type
}

// Const is a constant. T is the type of its place where V is NULL.
type Const struct {
	V value.Value
	T value.Type
}

// Not is NOT x.
type Not struct{ X Expr }

// And and Or hold two or more conditions, none of which is itself of the same
// kind. A condition that may fail is asked only for rows that those before it
// leave open.
type (
	And struct{ List []Expr }
	Or  struct{ List []Expr }
)

// CompareOp is a comparison.
type CompareOp uint8

// The comparisons.
const (
	EQ CompareOp = iota
	NE
	LT
	LE
	GT
	GE
)

// Compare compares two values of one physical type: numbers are both Int or
// both Float. A constant is on the right. URLs compare by SURT, which is told
// by both types being URL.
type Compare struct {
	Op   CompareOp
	X, Y Expr
}

// In tells whether X is one of Set, constants of X's type that are not NULL.
// Where it is none of them and the list had a NULL, the answer is NULL.
type In struct {
	X       Expr
	Set     []value.Value
	HasNull bool
}

// Inside tells whether X, a time, lies in one of some periods.
type Inside struct {
	X       Expr
	Periods []value.Period
}

// Truth is what Is asks for.
type Truth uint8

// The truths.
const (
	IsNull Truth = iota
	IsTrue
	IsFalse
)

// Is asks whether X is NULL, true or false; its answer is never NULL.
type Is struct {
	X    Expr
	What Truth
}

// Like is X LIKE Pattern, or ILIKE if Fold. Escape is 0 if there is none.
// Compiled is the pattern where it is constant, else nil. At is where the
// pattern stands.
type Like struct {
	X, Pattern Expr
	Escape     rune
	Fold       bool
	Compiled   *value.Pattern
	At         ast.Span
}

// Match is X ~ Pattern. Re is the pattern compiled where it is constant, else
// nil. At is where the pattern stands.
type Match struct {
	X, Pattern Expr
	Re         *regexp.Regexp
	At         ast.Span
}

// Contains is X CONTAINS Y.
type Contains struct{ X, Y Expr }

// Within tells whether the URL X lies in one of the scopes; Text is how they
// were written.
type Within struct {
	X      Expr
	Scopes []urlkey.Scope
	Text   []string
}

// Arith is X Op Y, Op one of + - * / // %. At is where the operator stands, for
// the error of a result that does not fit.
type Arith struct {
	Op   string
	X, Y Expr
	T    value.Type
	At   ast.Span
}

// Shift moves the time X by calendar months.
type Shift struct {
	X      Expr
	Months int
	Zone   *time.Location
	At     ast.Span
}

// Case is the Then of the first branch whose Cond is true, else Else, of the
// type T. Branches that are not taken are not computed.
type Case struct {
	Whens []When
	Else  Expr
	T     value.Type
}

// When is a branch of a Case.
type When struct{ Cond, Then Expr }

// Cast is CAST(X AS To), or a conversion that the binder put in. At is where it
// stands, for the error of a value that is not of the type.
type Cast struct {
	X    Expr
	To   value.Type
	Zone *time.Location
	At   ast.Span
}

// Call is a function of a row.
type Call struct {
	Func *Function
	Args []Expr
	T    value.Type
	Env  *Env
	At   ast.Span

	apply applier
}

// Env is what is fixed for the whole of a statement.
type Env = value.Env

// The types of the expressions.

func (c *Col) Type() value.Type    { return c.T }
func (c *Const) Type() value.Type  { return c.T }
func (*Not) Type() value.Type      { return value.Bool }
func (*And) Type() value.Type      { return value.Bool }
func (*Or) Type() value.Type       { return value.Bool }
func (*Compare) Type() value.Type  { return value.Bool }
func (*In) Type() value.Type       { return value.Bool }
func (*Inside) Type() value.Type   { return value.Bool }
func (*Is) Type() value.Type       { return value.Bool }
func (*Like) Type() value.Type     { return value.Bool }
func (*Match) Type() value.Type    { return value.Bool }
func (*Contains) Type() value.Type { return value.Bool }
func (*Within) Type() value.Type   { return value.Bool }
func (a *Arith) Type() value.Type  { return a.T }
func (*Shift) Type() value.Type    { return value.Time }
func (c *Case) Type() value.Type   { return c.T }
func (c *Cast) Type() value.Type   { return c.To }
func (c *Call) Type() value.Type   { return c.T }

// Operands are the expressions that e is made of, in the order in which Apply
// takes their values.
func Operands(e Expr) []Expr {
	switch e := e.(type) {
	case *Not:
		return []Expr{e.X}
	case *And:
		return e.List
	case *Or:
		return e.List
	case *Compare:
		return []Expr{e.X, e.Y}
	case *In:
		return []Expr{e.X}
	case *Inside:
		return []Expr{e.X}
	case *Is:
		return []Expr{e.X}
	case *Like:
		return []Expr{e.X, e.Pattern}
	case *Match:
		return []Expr{e.X, e.Pattern}
	case *Contains:
		return []Expr{e.X, e.Y}
	case *Within:
		return []Expr{e.X}
	case *Arith:
		return []Expr{e.X, e.Y}
	case *Shift:
		return []Expr{e.X}
	case *Case:
		var list []Expr
		for _, w := range e.Whens {
			list = append(list, w.Cond, w.Then)
		}
		return append(list, e.Else)
	case *Cast:
		return []Expr{e.X}
	case *Call:
		return e.Args
	}
	return nil
}

// Columns calls f for every column that e reads, as often as it reads it.
func Columns(e Expr, f func(*Col)) {
	if c, ok := e.(*Col); ok {
		f(c)
	}
	for _, o := range Operands(e) {
		Columns(o, f)
	}
}

// Binder resolves expressions of one place of a query.
type Binder struct {
	// Column resolves a name, or fails with an *ast.Error that names the
	// nearest ones. Nil: no columns may stand here.
	Column func(c *ast.Column) (Expr, error)
	// Aggregate gives the column that will hold an aggregate's result. Nil: no
	// aggregate may stand here, and Where says what this place is.
	Aggregate func(c *ast.Call) (Expr, error)
	// Replace, if not nil, is asked first about every part of an expression; an
	// Expr other than nil stands for that part. So GROUP BY year(time) gives
	// year(time) in the result its column.
	Replace func(e ast.Expr) Expr
	// Query gives what stands for a query within an expression: an *ast.Subquery,
	// an *ast.Exists or an *ast.In. Nil: none may stand here.
	Query func(e ast.Expr) (Expr, error)
	Where string // such as "WHERE", for messages
	Env   *Env
}
