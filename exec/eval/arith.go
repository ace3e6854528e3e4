package eval

import (
	"infomall/exec/expr"
	"infomall/exec/value"
)

// arithKernel returns a kernel, a loop over the rows of a batch, that computes e. It returns nil if
// it has no loop for the operator and the types of e. It has loops for + - * of whole numbers (if
// the result is not a Time, also of times and durations, which are stored as whole numbers), and
// for + - * / of floats.
func arithKernel(e *expr.Arith) kernel2 {
	x, y := e.X.Type(), e.Y.Type()
	switch {
	case x == value.Float && y == value.Float && e.T == value.Float:
		return floatKernel(e)
	case x == value.Float || y == value.Float || e.T == value.Float || e.T == value.Time:
		return nil
	case e.Op == "+" || e.Op == "-" || e.Op == "*":
		return intKernel(e)
	}
	return nil
}

// intKernel returns a loop over rows that computes e, which is + - or * of two
// ints. The loop returns an error if a result is out of range.
func intKernel(e *expr.Arith) kernel2 {
	return func(out, x, y *value.Vector, n int) error {
		xs, ys, rs := x.Ints[:n], y.Ints[:n], out.Ints[:n]
		for i := range rs {
			r, ok := expr.Ints(e.Op, xs[i], ys[i])
			if !ok && !out.IsNull(i) {
				return e.Overflow()
			}
			rs[i] = r
		}
		return nil
	}
}

// floatKernel returns a loop over rows that computes e, an operation on two
// floats. It returns nil for operators other than + - * and /. A division by
// zero gives NULL.
func floatKernel(e *expr.Arith) kernel2 {
	switch e.Op {
	case "+":
		return floatsKernel(func(x, y float64) float64 { return x + y })
	case "-":
		return floatsKernel(func(x, y float64) float64 { return x - y })
	case "*":
		return floatsKernel(func(x, y float64) float64 { return x * y })
	case "/":
		return func(out, x, y *value.Vector, n int) error {
			for i := range n {
				if y.Floats[i] == 0 {
					out.SetNull(i)
					continue
				}
				out.Floats[i] = x.Floats[i] / y.Floats[i]
			}
			return nil
		}
	}
	return nil
}

// floatsKernel returns a loop that sets each row of the result to f of the two
// operands in that row.
func floatsKernel(f func(x, y float64) float64) kernel2 {
	return func(out, x, y *value.Vector, n int) error {
		for i := range n {
			out.Floats[i] = f(x.Floats[i], y.Floats[i])
		}
		return nil
	}
}
