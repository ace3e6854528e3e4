package expr

import (
	"infomall/exec/value"
	"infomall/lang/ast"
)

// caseOf returns a CASE as an Expr. CASE x WHEN a THEN b means CASE WHEN x = a
// THEN b.
func (b *Binder) caseOf(e *ast.Case) (Expr, error) {
	c := &Case{}
	var x Expr
	if e.X != nil {
		var err error
		if x, err = b.bind(e.X, value.Null); err != nil {
			return nil, err
		}
	}
	var results []ast.Expr
	for _, w := range e.Whens {
		cond, err := b.when(e, x, w)
		if err != nil {
			return nil, err
		}
		c.Whens = append(c.Whens, When{Cond: cond})
		results = append(results, w.Then)
	}
	if e.Else != nil {
		results = append(results, e.Else)
	}
	bound, t, err := b.common(results, "CASE")
	if err != nil {
		return nil, err
	}
	c.T = t
	for i := range c.Whens {
		c.Whens[i].Then = bound[i]
	}
	c.Else = &Const{T: t}
	if e.Else != nil {
		c.Else = bound[len(bound)-1]
	}
	return decideCase(c)
}

// when returns the condition of the branch w of the CASE e as an Expr. If e has
// the form CASE x WHEN a, the condition is x = a. x is bound already.
func (b *Binder) when(e *ast.Case, x Expr, w ast.When) (Expr, error) {
	if e.X != nil {
		return b.compareBound(EQ, x, e.X, w.Cond)
	}
	cond, err := b.bind(w.Cond, value.Bool)
	if err != nil {
		return nil, err
	}
	return b.condition(cond, w.Cond, "WHEN")
}

// decideCase returns c without the branches whose conditions are constants that
// are not true. A branch whose condition is TRUE becomes the ELSE, and the
// branches after it are dropped. If no condition is left, the result is the
// value of ELSE.
func decideCase(c *Case) (Expr, error) {
	var open []When
	for _, w := range c.Whens {
		cond, ok := w.Cond.(*Const)
		switch {
		case !ok:
			open = append(open, w)
		case !cond.V.IsNull() && cond.V.Bool:
			if len(open) == 0 {
				return w.Then, nil
			}
			return &Case{Whens: open, Else: w.Then, T: c.T}, nil
		}
	}
	if len(open) == 0 {
		return c.Else, nil
	}
	return &Case{Whens: open, Else: c.Else, T: c.T}, nil
}

// OnlyIf returns an expression whose value is x in rows in which cond is true,
// and NULL in the others.
func OnlyIf(cond, x Expr) (Expr, error) {
	t := x.Type()
	return decideCase(&Case{Whens: []When{{Cond: cond, Then: x}}, Else: &Const{T: t}, T: t})
}
