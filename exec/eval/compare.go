package eval

import (
	"cmp"
	"math"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/store/urlkey"
)

// compareEval returns a Func that computes the comparison e for each row. evals
// compute its two sides.
func compareEval(e *expr.Compare, evals []Func) Func {
	if c, ok := e.Y.(*expr.Const); ok {
		if k := constKernel(e, c.V); k != nil {
			return oneOperand(evals[0], e, k)
		}
	}
	return twoOperands(evals, value.Bool, columnsKernel(e))
}

// constKernel returns a loop that compares each row with the constant c, which
// is the right side of e. It returns nil if c is NaN, for which the loops are
// not right.
func constKernel(e *expr.Compare, c value.Value) kernel {
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

// isURLOrder reports whether e compares the order of two URLs. URLs are ordered by their SURT keys.
// The result is false for = and <>, for which the URLs themselves are compared.
func isURLOrder(e *expr.Compare) bool {
	return e.X.Type() == value.URL && e.Y.Type() == value.URL && e.Op > expr.NE
}

// compareAll sets out[i] to the result of xs[i] op c. c is not NaN. GT and GE
// are computed as negations of LE and LT, so that NaN is greater than c.
func compareAll[T cmp.Ordered](op expr.CompareOp, out []bool, xs []T, c T) {
	out = out[:len(xs)]
	switch op {
	case expr.EQ:
		for i, x := range xs {
			out[i] = x == c
		}
	case expr.NE:
		for i, x := range xs {
			out[i] = x != c
		}
	case expr.LT:
		for i, x := range xs {
			out[i] = x < c
		}
	case expr.LE:
		for i, x := range xs {
			out[i] = x <= c
		}
	case expr.GT:
		for i, x := range xs {
			out[i] = !(x <= c)
		}
	case expr.GE:
		for i, x := range xs {
			out[i] = !(x < c)
		}
	}
}

// compareBools sets out[i] to the result of xs[i] op c. FALSE is less than
// TRUE.
func compareBools(op expr.CompareOp, out, xs []bool, c bool) {
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

// kernel2 is a loop that computes the first n rows of out from the rows of x
// and y. out has the right size, and NULL in each row in which x or y is NULL;
// in those rows the loop may write any value. It may make more rows of out
// NULL.
type kernel2 func(out, x, y *value.Vector, n int) error

// twoOperands returns a Func for an expression with two operands that is NULL
// if one of them is NULL. evals compute the operands, k computes the result,
// and t is its type.
func twoOperands(evals []Func, t value.Type, k kernel2) Func {
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

// columnsKernel returns a loop that computes the comparison e between two
// columns, row by row.
func columnsKernel(e *expr.Compare) kernel2 {
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

// compareEach sets out[i] to the result of xs[i] op ys[i].
func compareEach[T cmp.Ordered](op expr.CompareOp, out []bool, xs, ys []T) {
	out, ys = out[:len(xs)], ys[:len(xs)]
	switch op {
	case expr.EQ:
		for i, x := range xs {
			out[i] = x == ys[i]
		}
	case expr.NE:
		for i, x := range xs {
			out[i] = x != ys[i]
		}
	default:
		for i, x := range xs {
			out[i] = op.Holds(cmp.Compare(x, ys[i]))
		}
	}
}
