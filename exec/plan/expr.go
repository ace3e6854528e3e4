// Package plan turns a query's syntax tree into what is to be done: names
// resolved, types known, times and scopes made ranges. It reads no data.
package plan

import (
	"time"

	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

// Expr is a bound expression: names are resolved and types known. It is
// immutable, and prints as EXPLAIN shows it.
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

// Type is the column's type.
func (c *Col) Type() value.Type { return c.T }

// String is the column's name.
func (c *Col) String() string { return c.Name }

// Binder resolves expressions of one place of a query.
type Binder struct {
	// Column resolves a name, or fails with an *ast.Error that names the
	// nearest ones. Nil: no columns may stand here.
	Column func(c *ast.Column) (Expr, error)
	// Aggregate gives the column that will hold an aggregate's result. Nil: no
	// aggregate may stand here, and Where says what this place is.
	Aggregate func(c *ast.Call) (Expr, error)
	Where     string // such as "WHERE", for messages
	Env       *Env
}

// Env is what is fixed for the whole of a statement.
type Env struct {
	Now    record.Time
	Zone   *time.Location // of literals without an offset, and of printing
	Params map[string]string
}
