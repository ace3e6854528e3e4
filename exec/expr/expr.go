// Package expr has bound expressions. In a bound expression, names are resolved
// to columns, which are given by their index, and types are known. To bind a
// syntax tree is to make an Expr of it. The functions of the language are
// declared here, each in one place: a file of functions ends with the list of
// those whose code it has.
//
// The package computes constants only. Package eval computes expressions over
// batches of rows.
package expr

import (
	"regexp"
	"time"

	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/urlkey"
	"infomall/store/words/match"
)

// Expr is a bound expression: names are resolved, types are known, and constant
// parts are computed. An Expr does not change. Its String method prints it as
// EXPLAIN shows it. An Expr is one of *Const, *Col, *Not, *And, *Or, *Compare,
// *In, *Inside, *Is, *Like, *Match, *Contains, *MatchWords, *Within, *Arith, *Shift, *Case,
// *Cast and *Call.
type Expr interface {
	Type() value.Type
	String() string
}

// Col is an expression that reads one column of a batch of rows. Index is the
// index of the column in the batch, and Name is what EXPLAIN prints.
type Col struct {
	Index int
	Name  string
	T     value.Type
}

// Const is a constant expression with the value V. T is its type, also if V is
// NULL.
type Const struct {
	V value.Value
	T value.Type
}

// Not is the expression NOT X, where X is of type Bool.
type Not struct{ X Expr }

// And and Or are expressions of two or more conditions. No condition of an And
// is itself an And, and no condition of an Or is an Or. Conditions are
// evaluated in order. A condition that may fail is evaluated only for rows
// whose result the earlier conditions have not decided.
type (
	And struct{ List []Expr }
	Or  struct{ List []Expr }
)

// CompareOp is the operator of a comparison, such as <.
type CompareOp uint8

// These are the operators =, <>, <, <=, > and >=, in this order.
const (
	EQ CompareOp = iota
	NE
	LT
	LE
	GT
	GE
)

// Compare is the expression X Op Y, such as X < Y. Both sides are of the same
// type, or one is a Text and the other a URL. If one side is a constant, it is
// Y. If both are URLs, they compare by SURT key (the host with its labels in
// reverse, then the path).
type Compare struct {
	Op   CompareOp
	X, Y Expr
}

// In is the expression X IN (…) with a list of constants, Set. The values of
// Set have X's type and are not NULL. HasNull reports that the list also had a
// NULL; then the result is NULL if X equals no value of Set.
type In struct {
	X       Expr
	Set     []value.Value
	HasNull bool
}

// Inside is an expression that is true if the time X lies in one of the
// periods.
type Inside struct {
	X       Expr
	Periods []value.Period
}

// Truth says what an Is tests for: IS NULL, for example, tests for NULL.
type Truth uint8

// These are the tests of an Is: IS NULL, IS TRUE and IS FALSE.
const (
	IsNull Truth = iota
	IsTrue
	IsFalse
)

// Is is the expression X IS NULL, X IS TRUE or X IS FALSE, as What says. Its
// result is never NULL.
type Is struct {
	X    Expr
	What Truth
}

// Like is the expression X LIKE Pattern, or X ILIKE Pattern if Fold is set.
// Escape is the escape character, or 0 if there is none. Compiled is the
// compiled pattern if that is constant, otherwise nil. At is the position of
// the pattern in the query, for errors.
type Like struct {
	X, Pattern Expr
	Escape     rune
	Fold       bool
	Compiled   *value.Pattern
	At         ast.Span
}

// Match is the expression X ~ Pattern, which is true if the regular expression
// matches anywhere in the text X. Re is the compiled pattern if that is
// constant, otherwise nil. At is the position of the pattern in the query, for
// errors.
type Match struct {
	X, Pattern Expr
	Fold       bool // ignores case
	Re         *regexp.Regexp
	At         ast.Span
}

// Contains is the expression X CONTAINS Y: whether the text Y occurs in the
// text X, ignoring case, character width and extra spaces.
type Contains struct{ X, Y Expr }

// Within is an expression that is true if the URL X lies in one of the scopes.
// Text has the scopes as the query writes them, for EXPLAIN.
type Within struct {
	X      Expr
	Scopes []urlkey.Scope
	Text   []string
}

// Arith is the expression X Op Y, where Op is one of + - * / // and %. T is the
// type of the result. At is the position of the operator in the query, for the
// error if the result is out of range.
type Arith struct {
	Op   string
	X, Y Expr
	T    value.Type
	At   ast.Span
}

// Shift is an expression whose value is the time X moved by a number of
// calendar months, which may be negative. Zone is the time zone of the
// calendar. At is the position in the query, for errors.
type Shift struct {
	X      Expr
	Months int
	Zone   *time.Location
	At     ast.Span
}

// Case is an expression whose value is Then of the first branch whose Cond is
// true, or Else if there is no such branch. Each of these values is computed
// only for the rows that take it. T is their common type.
type Case struct {
	Whens []When
	Else  Expr
	T     value.Type
}

// When is one branch of a Case: its value is Then if Cond is true.
type When struct{ Cond, Then Expr }

// Cast is the expression CAST(X AS To), or a conversion that the binder has
// inserted. Zone is the time zone for times. At is the position in the query,
// for the error if a value cannot be converted.
type Cast struct {
	X    Expr
	To   value.Type
	Zone *time.Location
	At   ast.Span
}

// Call is the call of a scalar function, which computes a value from the values
// of one row. T is the type of the result.
type Call struct {
	Func *Function
	Args []Expr
	T    value.Type
	Env  *Env
	At   ast.Span

	apply applier
}

// Env holds the settings and values that stay the same while a statement runs,
// such as the time zone and the value of NOW.
type Env = value.Env

// The Type methods return the type of an expression's value.

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

// Operands returns the direct parts of e, in the order in which Apply takes
// their values: [X, Y] for X + Y. It returns nil for a column or a constant.
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
	case *MatchWords:
		return []Expr{e.X, e.Question}
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

// Columns calls f for every column that e reads, directly or in its operands,
// once per occurrence.
func Columns(e Expr, f func(*Col)) {
	if c, ok := e.(*Col); ok {
		f(c)
	}
	for _, o := range Operands(e) {
		Columns(o, f)
	}
}

// Binder makes bound expressions of the syntax trees in one clause of a query,
// such as WHERE: it resolves names and checks types.
type Binder struct {
	// Column resolves a column name. Its error, an *ast.Error, suggests the
	// nearest names. If Column is nil, the clause allows no columns.
	Column func(c *ast.Column, want value.Type) (Expr, error)
	// Aggregate returns the column that will hold the result of an aggregate
	// function. If Aggregate is nil, the clause allows no aggregates.
	Aggregate func(c *ast.Call) (Expr, error)
	// Window returns the column that will hold the result of a function with
	// OVER. If Window is nil, the clause allows no such functions.
	Window func(c *ast.Call) (Expr, error)
	// Replace, if not nil, is called first for every part of an expression. If
	// it returns an Expr, that replaces the part. After GROUP BY year(time),
	// for example, year(time) in the result becomes the column of the group's
	// key.
	Replace func(e ast.Expr) Expr
	// Query returns the Expr for a subquery: an *ast.Subquery, an *ast.Exists
	// or an *ast.In. If Query is nil, the clause allows no queries.
	Query func(e ast.Expr) (Expr, error)
	// Matching returns an Expr for x MATCH q, where x is a column, if there is one that need not
	// read the text of x for each row. Otherwise it returns nil.
	Matching func(x *ast.Column, q *match.Query) Expr
	// Asked returns the condition MATCH in the WHERE of the query, for functions that show where it
	// found words. If there are several, it returns the one that tests x. x may be nil. The result
	// is nil if there is no such condition.
	Asked func(x ast.Expr) *ast.Binary
	Where string // the clause, such as "WHERE", for error messages
	Env   *Env
}
