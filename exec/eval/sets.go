package eval

import (
	"math"
	"slices"

	"infomall/exec/expr"
	"infomall/exec/value"
)

// fewMembers is the largest size of a set whose members are compared with a
// value one by one. For a larger set, a map is faster.
const fewMembers = 8

// inKernel returns a loop that computes, for each row, whether the value is in
// the set of e. If the list of e has a NULL, the result for a value that is not
// in the set is NULL.
func inKernel(e *expr.In) kernel {
	test := membership(e)
	if !e.HasNull {
		return test
	}
	return func(out, x *value.Vector, n int) {
		test(out, x, n)
		nulls := make([]bool, n)
		for i := range nulls {
			nulls[i] = x.IsNull(i) || !out.Bools[i]
		}
		out.Nulls = nulls
	}
}

// membership returns a loop that computes, for each row, whether the value is
// in the set of e. It ignores a NULL in the list of e.
func membership(e *expr.In) kernel {
	switch t := e.X.Type(); {
	case t.Textual():
		test := tester(e, func(v value.Value) string { return v.Text })
		return func(out, x *value.Vector, n int) { test(out.Bools, x.Texts[:n]) }
	case t == value.Float:
		return floatMembership(e)
	case t == value.Bool:
		test := tester(e, func(v value.Value) bool { return v.Bool })
		return func(out, x *value.Vector, n int) { test(out.Bools, x.Bools[:n]) }
	}
	test := tester(e, func(v value.Value) int64 { return v.Int })
	return func(out, x *value.Vector, n int) { test(out.Bools, x.Ints[:n]) }
}

// tester returns a function that sets out[i] to whether xs[i] is in the set of
// e. The function of converts a member of the set to the type of xs.
func tester[T comparable](e *expr.In, of func(value.Value) T) func(out []bool, xs []T) {
	list := make([]T, len(e.Set))
	set := make(map[T]bool, len(e.Set))
	for i, v := range e.Set {
		list[i] = of(v)
		set[of(v)] = true
	}
	if len(list) > fewMembers {
		return func(out []bool, xs []T) {
			for i, x := range xs {
				out[i] = set[x]
			}
		}
	}
	return func(out []bool, xs []T) {
		for i, x := range xs {
			out[i] = slices.Contains(list, x)
		}
	}
}

// floatMembership returns a loop that computes, for each row, whether a Float
// is in the set of e. It ignores a NULL in the list of e. NaN equals NaN, as in
// value.Compare.
func floatMembership(e *expr.In) kernel {
	test := tester(e, func(v value.Value) float64 { return v.Float })
	hasNaN := slices.ContainsFunc(e.Set, func(v value.Value) bool { return math.IsNaN(v.Float) })
	return func(out, x *value.Vector, n int) {
		test(out.Bools, x.Floats[:n])
		if !hasNaN {
			return
		}
		for i, f := range x.Floats[:n] {
			out.Bools[i] = out.Bools[i] || math.IsNaN(f)
		}
	}
}

// insideKernel returns a loop that computes, for each row, whether the time
// lies in one of the periods of e. It has a faster loop for a single period,
// which is the common case.
func insideKernel(e *expr.Inside) kernel {
	if len(e.Periods) != 1 {
		return func(out, x *value.Vector, n int) {
			for i, t := range x.Ints[:n] {
				out.Bools[i] = e.Holds(t)
			}
		}
	}
	from, to := int64(e.Periods[0].From), int64(e.Periods[0].To)
	return func(out, x *value.Vector, n int) {
		for i, t := range x.Ints[:n] {
			out.Bools[i] = from <= t && t < to
		}
	}
}
