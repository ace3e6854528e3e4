package op

import (
	"cmp"
	"math"
	"strings"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/store/urlkey"
)

// compareEval returns an Eval that compares with a constant, or two columns
// with each other.
func compareEval(e *plan.Compare, evals []Eval) Eval {
	if c, ok := e.Y.(*plan.Const); ok {
		if k := constKernel(e, c.V); k != nil {
			return oneOperand(evals[0], e, k)
		}
	}
	return twoOperands(evals, value.Bool, columnsKernel(e))
}

// constKernel returns a loop that compares with the constant c, or nil for NaN.
func constKernel(e *plan.Compare, c value.Value) kernel {
	switch {
	case isURLOrder(e):
		key := urlkey.Key(c.Text)
		return textKernel(func(url string) bool { return e.Op.Holds(strings.Compare(urlkey.Key(url), key)) })
	case c.Type.Textual():
		return func(out, x *value.Vector, n int) { compareAll(e.Op, out.Bools, x.Texts[:n], c.Text) }
	case c.Type == value.Bool:
		return func(out, x *value.Vector, n int) { compareBools(e.Op, out.Bools, x.Bools[:n], c.Bool) }
	case c.Type == value.Float:
		if math.IsNaN(c.Float) {
			return nil
		}
		return func(out, x *value.Vector, n int) { compareAll(e.Op, out.Bools, x.Floats[:n], c.Float) }
	}
	return func(out, x *value.Vector, n int) { compareAll(e.Op, out.Bools, x.Ints[:n], c.Int) }
}

// isURLOrder reports whether e compares by SURT key.
func isURLOrder(e *plan.Compare) bool {
	return e.X.Type() == value.URL && e.Y.Type() == value.URL && e.Op > plan.NE
}

// compareAll compares each of xs with c. GT and GE are written as negations so
// that NaN is greater than c.
func compareAll[T cmp.Ordered](op plan.CompareOp, out []bool, xs []T, c T) {
	out = out[:len(xs)]
	switch op {
	case plan.EQ:
		for i, x := range xs {
			out[i] = x == c
		}
	case plan.NE:
		for i, x := range xs {
			out[i] = x != c
		}
	case plan.LT:
		for i, x := range xs {
			out[i] = x < c
		}
	case plan.LE:
		for i, x := range xs {
			out[i] = x <= c
		}
	case plan.GT:
		for i, x := range xs {
			out[i] = !(x <= c)
		}
	case plan.GE:
		for i, x := range xs {
			out[i] = !(x < c)
		}
	}
}

// compareBools compares each of xs with c.
func compareBools(op plan.CompareOp, out, xs []bool, c bool) {
	ifFalse := op.Holds(value.Compare(value.OfBool(false), value.OfBool(c)))
	ifTrue := op.Holds(value.Compare(value.OfBool(true), value.OfBool(c)))
	for i, x := range xs {
		if x {
			out[i] = ifTrue
		} else {
			out[i] = ifFalse
		}
	}
}

// kernel2 is a kernel of two operands. It may make rows of out NULL.
type kernel2 func(out, x, y *value.Vector, n int) error

// twoOperands returns an Eval of a strict expression with two operands: the
// result is NULL where an operand is NULL.
func twoOperands(evals []Eval, t value.Type, k kernel2) Eval {
	out := new(value.Vector)
	return func(b *value.Batch) (*value.Vector, error) {
		x, err := evals[0](b)
		if err != nil {
			return nil, err
		}
		y, err := evals[1](b)
		if err != nil {
			return nil, err
		}
		out.Resize(t, b.N)
		if x.Type == value.Null || y.Type == value.Null {
			setAllNull(out, b.N)
			return out, nil
		}
		out.Nulls = joinNulls(x, y, b.N)
		return out, k(out, x, y, b.N)
	}
}

// columnsKernel returns a loop that compares two columns row by row.
func columnsKernel(e *plan.Compare) kernel2 {
	return func(out, x, y *value.Vector, n int) error {
		switch {
		case isURLOrder(e) || x.Type == value.Float || x.Type == value.Bool:
			for i := range n {
				out.Bools[i] = e.Op.Holds(x.Compare(i, y, i))
			}
		case x.Type.Textual():
			compareEach(e.Op, out.Bools, x.Texts[:n], y.Texts[:n])
		default:
			compareEach(e.Op, out.Bools, x.Ints[:n], y.Ints[:n])
		}
		return nil
	}
}

// compareEach compares each of xs with the corresponding one of ys.
func compareEach[T cmp.Ordered](op plan.CompareOp, out []bool, xs, ys []T) {
	out, ys = out[:len(xs)], ys[:len(xs)]
	switch op {
	case plan.EQ:
		for i, x := range xs {
			out[i] = x == ys[i]
		}
	case plan.NE:
		for i, x := range xs {
			out[i] = x != ys[i]
		}
	default:
		for i, x := range xs {
			out[i] = op.Holds(cmp.Compare(x, ys[i]))
		}
	}
}
