package ast

import "reflect"

// ReplaceColumns returns a copy of e in which the expression f(c) replaces each
// column c. If f returns nil for a column, the column stays. If f returns nil
// for all columns, ReplaceColumns returns e itself. It calls f once for each
// column of e, but not for columns of subqueries; the copy shares the
// subqueries with e.
func ReplaceColumns(e Expr, f func(*Column) Expr) Expr {
	if e == nil {
		return nil
	}
	by := map[Expr]Expr{}
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
	return (&copier{replace: func(e Expr) Expr { return by[e] }}).expr(e)
}

// CopyAt returns a copy of e in which every node has the span at. The
// expression f(c), with its own span, replaces each column c; if f returns nil,
// the column is copied. e must not contain a subquery.
func CopyAt(e Expr, at Span, f func(*Column) Expr) Expr {
	column := func(e Expr) Expr {
		if c, ok := e.(*Column); ok {
			return f(c)
		}
		return nil
	}
	return (&copier{replace: column, at: &at}).expr(e)
}

// copier copies expressions, field by field. The copy shares queries and
// qualifiers with the original.
type copier struct {
	replace func(Expr) Expr // returns the replacement of an expression, or nil to copy it
	at      *Span           // the span of every copied node and its names; nil keeps the spans
}

// expr returns a copy of e, or the replacement of e. It returns e itself if e
// is a *Subquery or an *Exists.
func (c *copier) expr(e Expr) Expr {
	if by := c.replace(e); by != nil {
		return by
	}
	switch e.(type) {
	case *Subquery, *Exists:
		return e
	}
	x := reflect.New(reflect.TypeOf(e).Elem())
	x.Elem().Set(reflect.ValueOf(e).Elem())
	c.value(x.Elem())
	return x.Interface().(Expr)
}

// value changes v, a part of a copied node, so that it shares nothing with the original node. It
// copies the expressions and slices that the two still share, and sets the spans.
func (c *copier) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if e, ok := v.Interface().(Expr); ok {
			v.Set(reflect.ValueOf(c.expr(e)))
		}
	case reflect.Slice:
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		reflect.Copy(list, v)
		for i := range list.Len() {
			c.value(list.Index(i))
		}
		if !v.IsNil() {
			v.Set(list)
		}
	case reflect.Struct:
		if span, ok := v.Addr().Interface().(*Span); ok {
			if c.at != nil {
				*span = *c.at
			}
			return
		}
		for i := range v.NumField() {
			c.value(v.Field(i))
		}
	}
}
