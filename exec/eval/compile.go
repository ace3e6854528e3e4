// Package eval computes bound expressions over batches of rows. Compile turns
// an expression into a Func. For common cases, a Func has a loop of its own,
// called a kernel, that computes a whole vector. In all other cases it calls
// expr.Apply for each row.
package eval

import (
	"fmt"

	"infomall/exec/expr"
	"infomall/exec/value"
)

// Func computes an expression for every row of the batch b. The vector that it
// returns is valid until the next call and must not be changed. Use a Func in
// one goroutine. Each error is an *ast.Error.
type Func func(b *value.Batch) (*value.Vector, error)

// Compile returns a Func that computes e. Its results are the same as those of
// expr.Apply, but common cases are faster.
func Compile(e expr.Expr) (Func, error) {
	switch e := e.(type) {
	case *expr.Const:
		return constEval(e), nil
	case *expr.Col:
		return func(b *value.Batch) (*value.Vector, error) { return b.Cols[e.Index], nil }, nil
	case *expr.And:
		return compileLogic(e.List, false)
	case *expr.Or:
		return compileLogic(e.List, true)
	case *expr.Case:
		return compileCase(e)
	}
	evals, err := CompileAll(expr.Operands(e))
	if err != nil {
		return nil, err
	}
	switch e := e.(type) {
	case *expr.Not:
		return oneOperand(evals[0], e, not), nil
	case *expr.Is:
		return isEval(e, evals[0]), nil
	case *expr.Compare:
		return compareEval(e, evals), nil
	case *expr.In:
		return oneOperand(evals[0], e, inKernel(e)), nil
	case *expr.Inside:
		return oneOperand(evals[0], e, insideKernel(e)), nil
	case *expr.Like:
		if k := likeKernel(e); k != nil {
			return oneOperand(evals[0], e, k), nil
		}
	case *expr.Match:
		if e.Re != nil {
			return oneOperand(evals[0], e, textKernel(e.Re.MatchString)), nil
		}
	case *expr.Contains:
		if k := containsKernel(e); k != nil {
			return oneOperand(evals[0], e, k), nil
		}
	case *expr.MatchWords:
		if e.Query != nil {
			return oneOperand(evals[0], e, textKernel(e.Query.Matches)), nil
		}
	case *expr.Within:
		return oneOperand(evals[0], e, textKernel(e.Holds)), nil
	case *expr.Arith:
		if k := arithKernel(e); k != nil {
			return twoOperands(evals, e.T, k), nil
		}
	case *expr.Cast:
		if e.X.Type() == value.Int && e.To == value.Float {
			return oneOperand(evals[0], e, intsToFloats), nil
		}
	case *expr.Shift, *expr.Call:
	default:
		panic(fmt.Sprintf("eval: unknown expression %T", e))
	}
	return rowwise(e, evals), nil
}

// constEval returns a Func that computes the constant e. It keeps one vector
// with the constant in every row, which grows to the size of the largest batch.
func constEval(e *expr.Const) Func {
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

// vectorLen returns the number of rows of v, or 0 for a vector of type Null,
// which does not count its rows.
func vectorLen(v *value.Vector) int {
	return max(len(v.Bools), len(v.Ints), len(v.Floats), len(v.Texts))
}

// kernel is a loop that computes the first n rows of out from the rows of x.
// out has the right size, and NULL in each row in which x is NULL; in those
// rows the loop may write any value.
type kernel func(out, x *value.Vector, n int)

// oneOperand returns a Func for e, an expression with one operand that is NULL
// if the operand is NULL. x computes the operand, and k the result.
func oneOperand(x Func, e expr.Expr, k kernel) Func {
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

// setAllNull makes the first n rows of out NULL.
func setAllNull(out *value.Vector, n int) {
	for i := range n {
		out.SetNull(i)
	}
}

// nullsOf returns, for each of the first n rows of v, whether it is NULL, or
// nil if no row is. The result shares v's memory and must not be changed.
func nullsOf(v *value.Vector, n int) []bool {
	if v.Nulls == nil {
		return nil
	}
	return v.Nulls[:n:n]
}

// joinNulls returns, for each of the first n rows, whether it is NULL in x or
// in y. It returns nil if neither vector has a NULL.
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

// rowwise returns a Func that computes e by calling expr.Apply for each row.
// evals compute the operands of e. A row with the same operands as the row
// before gets the same result without a call, because equal URLs and hosts
// often follow each other. Each row gets a result of its own if e is a function
// such as random.
func rowwise(e expr.Expr, evals []Func) Func {
	call, ok := e.(*expr.Call)
	drawn := ok && call.Func.Drawn
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
			same := i > 0 && !drawn
			for k, v := range vs {
				args[k] = v.At(i)
				same = same && args[k] == last[k]
			}
			if !same {
				var err error
				if result, err = expr.Apply(e, args); err != nil {
					return nil, err
				}
				args, last = last, args
			}
			out.Set(i, result)
		}
		return out, nil
	}
}

// intsToFloats is a kernel, a loop over rows, that converts the Ints of x to
// Floats.
func intsToFloats(out, x *value.Vector, n int) {
	for i, v := range x.Ints[:n] {
		out.Floats[i] = float64(v)
	}
}

// not is a kernel, a loop over rows, that computes NOT x.
func not(out, x *value.Vector, n int) {
	for i, v := range x.Bools[:n] {
		out.Bools[i] = !v
	}
}

// isEval returns a Func for e, which is IS NULL, IS TRUE or IS FALSE. x
// computes its operand. The result is never NULL.
func isEval(e *expr.Is, x Func) Func {
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
			case expr.IsNull:
				out.Bools[i] = null
			case expr.IsTrue:
				out.Bools[i] = !null && v.Bools[i]
			case expr.IsFalse:
				out.Bools[i] = !null && !v.Bools[i]
			}
		}
		return out, nil
	}
}

// CompileAll returns a Func for each expression in list.
func CompileAll(list []expr.Expr) ([]Func, error) {
	evals := make([]Func, len(list))
	for i, e := range list {
		f, err := Compile(e)
		if err != nil {
			return nil, err
		}
		evals[i] = f
	}
	return evals, nil
}
