package ast

import "fmt"

// ReplaceColumns returns a copy of e in which f(c) replaces each column c. A
// column for which f returns nil stays. If f returns nil for all columns,
// ReplaceColumns returns e itself. It calls f once for each column of e, but not
// for columns of subqueries, which the copy shares with e.
func ReplaceColumns(e Expr, f func(*Column) Expr) Expr {
	if e == nil {
		return nil
	}
	by := map[*Column]Expr{}
	Walk(e, func(n Node) bool {
		switch n := n.(type) {
		case *Query:
			return false
		case *Column:
			if x := f(n); x != nil {
				by[n] = x
			}
		}
		return true
	})
	if len(by) == 0 {
		return e
	}
	return (&copier{column: func(c *Column) Expr { return by[c] }}).expr(e)
}

// CopyAt returns a copy of e in which every node has the span at. e contains no
// subquery. f(c) replaces each column c, with its own span; a column for which f
// returns nil is copied.
func CopyAt(e Expr, at Span, f func(*Column) Expr) Expr {
	return (&copier{column: f, at: &at}).expr(e)
}

// copier copies expressions and replaces their columns.
type copier struct {
	column func(*Column) Expr // returns the replacement of a column, or nil to copy it
	at     *Span              // the span of every copied node; nil keeps the spans
}

// place sets spans, those of a copied node and its names, to c.at. It keeps them
// if c.at is nil.
func (c *copier) place(spans ...*Span) {
	for _, s := range spans {
		if c.at != nil {
			*s = *c.at
		}
	}
}

// expr returns a copy of e, or nil if e is nil. It returns a *Subquery or
// *Exists itself.
func (c *copier) expr(e Expr) Expr {
	if e == nil {
		return nil
	}
	switch e := e.(type) {
	case *Column:
		if by := c.column(e); by != nil {
			return by
		}
		x := *e
		c.place(&x.Span, &x.Name.Span)
		return &x
	case *Unary:
		x := *e
		c.place(&x.Span)
		x.X = c.expr(e.X)
		return &x
	case *Binary:
		x := *e
		c.place(&x.Span, &x.OpAt)
		x.X, x.Y = c.expr(e.X), c.expr(e.Y)
		return &x
	case *Between:
		x := *e
		c.place(&x.Span)
		x.X, x.A, x.B = c.expr(e.X), c.expr(e.A), c.expr(e.B)
		return &x
	case *In:
		x := *e
		c.place(&x.Span)
		x.X, x.List = c.expr(e.X), c.exprs(e.List)
		return &x
	case *Like:
		x := *e
		c.place(&x.Span)
		x.X, x.Y, x.Escape = c.expr(e.X), c.expr(e.Y), c.expr(e.Escape)
		return &x
	case *Is:
		x := *e
		c.place(&x.Span)
		x.X, x.What = c.expr(e.X), c.expr(e.What)
		return &x
	case *Within:
		x := *e
		c.place(&x.Span)
		x.X, x.Scopes = c.expr(e.X), c.scopes(e.Scopes)
		return &x
	case *Case:
		x := *e
		c.place(&x.Span)
		x.X, x.Else = c.expr(e.X), c.expr(e.Else)
		x.Whens = make([]When, len(e.Whens))
		for i, w := range e.Whens {
			c.place(&w.Span)
			x.Whens[i] = When{Span: w.Span, Cond: c.expr(w.Cond), Then: c.expr(w.Then)}
		}
		return &x
	case *Cast:
		x := *e
		c.place(&x.Span, &x.Type.Span)
		x.X = c.expr(e.X)
		return &x
	case *Call:
		x := *e
		c.place(&x.Span, &x.Name.Span)
		x.Args, x.OrderBy, x.Filter = c.exprs(e.Args), nil, c.expr(e.Filter)
		for _, o := range e.OrderBy {
			c.place(&o.Span)
			o.Expr = c.expr(o.Expr)
			x.OrderBy = append(x.OrderBy, o)
		}
		return &x
	case *Subquery, *Exists:
		return e
	}
	return c.constant(e)
}

// constant returns a copy of e, a constant or a parameter. It panics for any other
// expression.
func (c *copier) constant(e Expr) Expr {
	switch e := e.(type) {
	case *String:
		x := *e
		c.place(&x.Span)
		return &x
	case *Number:
		x := *e
		c.place(&x.Span)
		return &x
	case *Size:
		x := *e
		c.place(&x.Span)
		return &x
	case *Duration:
		x := *e
		c.place(&x.Span)
		return &x
	case *Period:
		x := *e
		c.place(&x.Span)
		return &x
	case *Bool:
		x := *e
		c.place(&x.Span)
		return &x
	case *Null:
		x := *e
		c.place(&x.Span)
		return &x
	case *Param:
		x := *e
		c.place(&x.Span)
		return &x
	case *Now:
		x := *e
		c.place(&x.Span)
		return &x
	case *Today:
		x := *e
		c.place(&x.Span)
		return &x
	}
	panic(fmt.Sprintf("ast: unknown expression %T", e))
}

func (c *copier) exprs(list []Expr) []Expr {
	var out []Expr
	for _, e := range list {
		out = append(out, c.expr(e))
	}
	return out
}

func (c *copier) scopes(list []Scope) []Scope {
	var out []Scope
	for _, s := range list {
		c.place(&s.Span)
		out = append(out, Scope{Span: s.Span, From: c.expr(s.From), To: c.expr(s.To)})
	}
	return out
}
