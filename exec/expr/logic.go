package expr

import (
	"infomall/exec/value"
	"infomall/lang/ast"
)

// logic returns a chain of ANDs, or of ORs, as one Expr. The syntax tree of the
// chain nests in its left operands and may be deep, so logic loops instead of
// recursing.
func (b *Binder) logic(e *ast.Binary) (Expr, error) {
	chain := []ast.Expr{e.Y}
	first := e.X
	for {
		left, ok := first.(*ast.Binary)
		if !ok || left.Op != e.Op {
			break
		}
		chain = append(chain, left.Y)
		first = left.X
	}
	chain = append(chain, first)

	var list []Expr
	for i := len(chain) - 1; i >= 0; i-- {
		x, err := b.bind(chain[i], value.Bool)
		if err != nil {
			return nil, err
		}
		if x, err = b.condition(x, chain[i], e.Op); err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	if e.Op == "AND" {
		return conjunction(list), nil
	}
	return disjunction(list), nil
}

// conjunction returns the AND of the conditions in list, without constants that
// have no effect. For an empty list it returns TRUE.
func conjunction(list []Expr) Expr {
	kept, decided := simplify(list, false, func(e Expr) []Expr {
		if a, ok := e.(*And); ok {
			return a.List
		}
		return []Expr{e}
	})
	switch {
	case decided:
		return Constant(value.OfBool(false))
	case len(kept) == 0:
		return Constant(value.OfBool(true))
	case len(kept) == 1:
		return kept[0]
	}
	return &And{kept}
}

// disjunction returns the OR of the conditions in list, without constants that
// have no effect. For an empty list it returns FALSE.
func disjunction(list []Expr) Expr {
	kept, decided := simplify(list, true, func(e Expr) []Expr {
		if o, ok := e.(*Or); ok {
			return o.List
		}
		return []Expr{e}
	})
	switch {
	case decided:
		return Constant(value.OfBool(true))
	case len(kept) == 0:
		return Constant(value.OfBool(false))
	case len(kept) == 1:
		return kept[0]
	}
	return &Or{kept}
}

// simplify prepares the conditions in list for an AND (deciding is false) or an
// OR (deciding is true). It replaces each condition by the result of parts,
// which takes apart a nested AND or OR of the same kind. It drops constants
// that have no effect, and returns the others as kept. If a constant equals
// deciding, such as FALSE in an AND, the whole has this value: then simplify
// returns nil, true.
func simplify(list []Expr, deciding bool, parts func(Expr) []Expr) (kept []Expr, decided bool) {
	for _, e := range list {
		for _, p := range parts(e) {
			c, ok := p.(*Const)
			switch {
			case !ok || c.V.IsNull():
				kept = append(kept, p)
			case c.V.Bool == deciding:
				return nil, true
			}
		}
	}
	if len(kept) > 0 && allNull(kept) {
		return kept[:1], false
	}
	return kept, false
}

// allNull reports whether all conditions in list are constants. It is called
// after TRUE and FALSE were dropped or have decided, so these constants are
// NULL.
func allNull(list []Expr) bool {
	for _, e := range list {
		if _, ok := e.(*Const); !ok {
			return false
		}
	}
	return true
}

// negated returns NOT x if the flag not is set, otherwise x. If err is not nil,
// negated returns it and does nothing else.
func negated(x Expr, err error, not bool) (Expr, error) {
	if err != nil || !not {
		return x, err
	}
	return Negate(x)
}

// Negate returns the expression NOT x, as a constant if x is one.
func Negate(x Expr) (Expr, error) { return fold(&Not{x}) }
