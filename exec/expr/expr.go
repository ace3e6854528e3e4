// Package expr has bound expressions: names are resolved to columns, by index,
// and types are known. To bind a syntax tree is to make an Expr of it. The
// functions of the language are declared here, each in one place: a file of
// functions ends with the list of those whose code it has.
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
)

// Expr is a bound expression: names are resolved, types are known, and constant
// parts are computed. It does not change. String prints it as EXPLAIN shows it.
// An Expr is one of *Const, *Col, *Not, *And, *Or, *Compare, *In, *Inside, *Is,
// *Like, *Match, *Contains, *Within, *Arith, *Shift, *Case, *Cast and *Call.
type Expr interface {
	Type() value.Type
	String() string
}

// Col is the value of one column of the batch that the expression reads, by its
// index. Name is for EXPLAIN.
type Col struct {
	Index int
	Name  string
	T     value.Type
}

// Const is a constant. T is its type, also if V is NULL.
type Const struct {
	V value.Value
	T value.Type
}

// Not is NOT X.
type Not struct{ X Expr }

// And and Or hold two or more conditions. No condition of an And is an And
// itself, and likewise for Or. Conditions are evaluated in order, and one that
// may fail only for the rows that the earlier ones have not decided.
type (
	And struct{ List []Expr }
	Or  struct{ List []Expr }
)

// CompareOp is the operator of a comparison.
type CompareOp uint8

// The operators: =, <>, <, <=, > and >=.
const (
	EQ CompareOp = iota
	NE
	LT
	LE
	GT
	GE
)

// Compare compares two values of the same kind: both Int, both Float, both text
// and so on. If one is a constant, it is Y. If both types are URL, the values
// are compared by SURT key.
type Compare struct {
	Op   CompareOp
	X, Y Expr
}

// In is X IN (Set). The values of Set have X's type and are not NULL. HasNull
// reports that the list also had a NULL; then the result is NULL if X equals
// none of Set.
type In struct {
	X       Expr
	Set     []value.Value
	HasNull bool
}

// Inside reports whether the time X lies in one of the periods.
type Inside struct {
	X       Expr
	Periods []value.Period
}

// Truth is what Is tests for.
type Truth uint8

// The tests of Is: IS NULL, IS TRUE and IS FALSE.
const (
	IsNull Truth = iota
	IsTrue
	IsFalse
)

// Is reports whether X is NULL, true or false, as What says. Its result is
// never NULL.
type Is struct {
	X    Expr
	What Truth
}

// Like is X LIKE Pattern, or ILIKE if Fold is set. Escape is 0 if there is no
// ESCAPE. Compiled is the compiled pattern if it is constant, otherwise nil. At
// is where the query has the pattern, for errors.
type Like struct {
	X, Pattern Expr
	Escape     rune
	Fold       bool
	Compiled   *value.Pattern
	At         ast.Span
}

// Match is X ~ Pattern. Re is the compiled pattern if it is constant, otherwise
// nil. At is where the query has the pattern, for errors.
type Match struct {
	X, Pattern Expr
	Re         *regexp.Regexp
	At         ast.Span
}

// Contains is X CONTAINS Y.
type Contains struct{ X, Y Expr }

// Within reports whether the URL X lies in one of the scopes. Text has the
// scopes as written.
type Within struct {
	X      Expr
	Scopes []urlkey.Scope
	Text   []string
}

// Arith is X Op Y, where Op is one of + - * / // %. At is where the query has
// the operator, for the error if the result is out of range.
type Arith struct {
	Op   string
	X, Y Expr
	T    value.Type
	At   ast.Span
}

// Shift is the time X moved by calendar months in Zone.
type Shift struct {
	X      Expr
	Months int
	Zone   *time.Location
	At     ast.Span
}

// Case is the Then of the first branch whose Cond is true, or Else if there is
// none. The value of a branch is computed only for the rows that take it.
type Case struct {
	Whens []When
	Else  Expr
	T     value.Type
}

// When is a branch of a Case.
type When struct{ Cond, Then Expr }

// Cast is CAST(X AS To), or a conversion that the binder inserted. At is where
// the query has it, for the error if a value cannot be converted.
type Cast struct {
	X    Expr
	To   value.Type
	Zone *time.Location
	At   ast.Span
}

// Call is a call of a scalar function.
type Call struct {
	Func *Function
	Args []Expr
	T    value.Type
	Env  *Env
	At   ast.Span

	apply applier
}

// Env holds what stays fixed while a statement runs.
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

// Operands returns the expressions that e consists of, in the order in which
// Apply takes their values.
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

// Columns calls f for every column that e reads, once per occurrence.
func Columns(e Expr, f func(*Col)) {
	if c, ok := e.(*Col); ok {
		f(c)
	}
	for _, o := range Operands(e) {
		Columns(o, f)
	}
}

// Binder makes an Expr of each syntax tree in one clause of a query, such as
// WHERE.
type Binder struct {
	// Column resolves a column name. Its error, an *ast.Error, suggests the
	// nearest names. If Column is nil, the clause allows no columns.
	Column func(c *ast.Column, want value.Type) (Expr, error)
	// Aggregate returns the column that will hold the result of an aggregate
	// function. If Aggregate is nil, the clause allows no aggregates.
	Aggregate func(c *ast.Call) (Expr, error)
	// Replace, if not nil, is called first for every part of an expression. If
	// it returns an Expr, that replaces the part. After GROUP BY year(time),
	// for example, year(time) in the result becomes the column of the group's
	// key.
	Replace func(e ast.Expr) Expr
	// Query returns the Expr for a subquery: an *ast.Subquery, an *ast.Exists
	// or an *ast.In. If Query is nil, the clause allows no queries.
	Query func(e ast.Expr) (Expr, error)
	Where string // the clause, such as "WHERE", for error messages
	Env   *Env
}
