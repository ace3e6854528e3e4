// Package eval computes bound expressions over batches of rows. For common
// cases it has loops of its own; for others it calls expr.Apply row by row.
package op

import (
	"fmt"

	"infomall/exec/plan"
	"infomall/exec/value"
)

// Eval computes an expression for every row of a batch. The vector it returns
// must not be changed and is valid until the next call. Use an Eval in one
// goroutine. Each error is an *ast.Error.
type Eval func(b *value.Batch) (*value.Vector, error)

// Compile returns an Eval for e. It gives the same results as plan.Apply, with
// loops of its own for common cases.
func Compile(e plan.Expr) (Eval, error) {
	switch e := e.(type) {
	case *plan.Const:
		return constEval(e), nil
	case *plan.Col:
		return func(b *value.Batch) (*value.Vector, error) { return b.Cols[e.Index], nil }, nil
	case *plan.And:
		return compileLogic(e.List, false)
	case *plan.Or:
		return compileLogic(e.List, true)
	case *plan.Case:
		return compileCase(e)
	}
	operands := plan.Operands(e)
	evals := make([]Eval, len(operands))
	for i, o := range operands {
		var err error
		if evals[i], err = Compile(o); err != nil {
			return nil, err
		}
	}
	switch e := e.(type) {
	case *plan.Not:
		return oneOperand(evals[0], e, not), nil
	case *plan.Is:
		return isEval(e, evals[0]), nil
	case *plan.Compare:
		return compareEval(e, evals), nil
	case *plan.In:
		return oneOperand(evals[0], e, inKernel(e)), nil
	case *plan.Inside:
		return oneOperand(evals[0], e, insideKernel(e)), nil
	case *plan.Like:
		if k := likeKernel(e); k != nil {
			return oneOperand(evals[0], e, k), nil
		}
	case *plan.Match:
		if e.Re != nil {
			return oneOperand(evals[0], e, textKernel(e.Re.MatchString)), nil
		}
	case *plan.Contains:
		if k := containsKernel(e); k != nil {
			return oneOperand(evals[0], e, k), nil
		}
	case *plan.Within:
		return oneOperand(evals[0], e, textKernel(e.Holds)), nil
	case *plan.Arith:
		if k := arithKernel(e); k != nil {
			return twoOperands(evals, e.T, k), nil
		}
	case *plan.Cast:
		if e.X.Type() == value.Int && e.To == value.Float {
			return oneOperand(evals[0], e, intsToFloats), nil
		}
	case *plan.Shift, *plan.Call:
	default:
		panic(fmt.Sprintf("op: unknown expression %T", e))
	}
	return rowwise(e, evals), nil
}

// constEval returns an Eval of a constant. It keeps a vector of the constant
// that grows to the size of the largest batch.
func constEval(e *plan.Const) Eval {
	all := value.NewVector(e.T, 0)
	return func(b *value.Batch) (*value.Vector, error) {
		for n := vectorLen(all); e.T != value.Null && n < b.N; n++ {
			all.AppendValue(e.V)
		}
		if e.T == value.Null || vectorLen(all) == b.N {
			return all, nil
		}
		return all.Slice(0, b.N), nil
	}
}

// vectorLen returns the number of rows of v.
func vectorLen(v *value.Vector) int {
	return max(len(v.Bools), len(v.Ints), len(v.Floats), len(v.Texts))
}

// kernel computes the first n rows of out from x. out has the right size and
// the NULLs of x; for those rows the kernel may write any value.
type kernel func(out, x *value.Vector, n int)

// oneOperand returns an Eval of the strict expression e, whose only operand is
// x: the result is NULL where x is NULL.
func oneOperand(x Eval, e plan.Expr, k kernel) Eval {
	t := e.Type()
	out := new(value.Vector)
	return func(b *value.Batch) (*value.Vector, error) {
		vx, err := x(b)
		if err != nil {
			return nil, err
		}
		out.Resize(t, b.N)
		if vx.Type == value.Null {
			setAllNull(out, b.N)
			return out, nil
		}
		out.Nulls = nullsOf(vx, b.N)
		k(out, vx, b.N)
		return out, nil
	}
}

// setAllNull makes n rows of out NULL.
func setAllNull(out *value.Vector, n int) {
	for i := range n {
		out.SetNull(i)
	}
}

// nullsOf returns the NULLs of v. The result shares v's memory and must not be
// changed.
func nullsOf(v *value.Vector, n int) []bool {
	if v.Nulls == nil {
		return nil
	}
	return v.Nulls[:n:n]
}

// joinNulls returns for each row whether it is NULL in x or y, or nil if none
// is.
func joinNulls(x, y *value.Vector, n int) []bool {
	if x.Nulls == nil && y.Nulls == nil {
		return nil
	}
	nulls := make([]bool, n)
	for i := range nulls {
		nulls[i] = x.IsNull(i) || y.IsNull(i)
	}
	return nulls
}

// rowwise returns an Eval that calls plan.Apply for each row. A row with the
// same operands as the row before gets the same result without a call: URLs and
// hosts come in runs.
func rowwise(e plan.Expr, evals []Eval) Eval {
	out := new(value.Vector)
	vs := make([]*value.Vector, len(evals))
	args, last := make([]value.Value, len(evals)), make([]value.Value, len(evals))
	return func(b *value.Batch) (*value.Vector, error) {
		for i, eval := range evals {
			var err error
			if vs[i], err = eval(b); err != nil {
				return nil, err
			}
		}
		out.Resize(e.Type(), b.N)
		var result value.Value
		for i := range b.N {
			same := i > 0
			for k, v := range vs {
				args[k] = v.At(i)
				same = same && args[k] == last[k]
			}
			if !same {
				var err error
				if result, err = plan.Apply(e, args); err != nil {
					return nil, err
				}
				args, last = last, args
			}
			out.Set(i, result)
		}
		return out, nil
	}
}

// intsToFloats is a kernel.
func intsToFloats(out, x *value.Vector, n int) {
	for i, v := range x.Ints[:n] {
		out.Floats[i] = float64(v)
	}
}

// not is a kernel.
func not(out, x *value.Vector, n int) {
	for i, v := range x.Bools[:n] {
		out.Bools[i] = !v
	}
}

// isEval returns an Eval of IS, whose result is never NULL.
func isEval(e *plan.Is, x Eval) Eval {
	out := new(value.Vector)
	return func(b *value.Batch) (*value.Vector, error) {
		v, err := x(b)
		if err != nil {
			return nil, err
		}
		out.Resize(value.Bool, b.N)
		for i := range out.Bools {
			null := v.IsNull(i)
			switch e.What {
			case plan.IsNull:
				out.Bools[i] = null
			case plan.IsTrue:
				out.Bools[i] = !null && v.Bools[i]
			case plan.IsFalse:
				out.Bools[i] = !null && !v.Bools[i]
			}
		}
		return out, nil
	}
}

// CompileAll compiles a list of expressions.
func CompileAll(list []plan.Expr) ([]Eval, error) {
	evals := make([]Eval, len(list))
	for i, e := range list {
		f, err := Compile(e)
		if err != nil {
			return nil, err
		}
		evals[i] = f
	}
	return evals, nil
}
