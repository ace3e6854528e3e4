package eval

import (
	"strings"

	"infomall/exec/expr"
	"infomall/exec/value"
)

// textKernel returns a loop that sets each row to the result of test for its
// text. If equal texts follow each other, it calls test once.
func textKernel(test func(string) bool) kernel {
	return func(out, x *value.Vector, n int) {
		var last string
		var answer bool
		for i, s := range x.Texts[:n] {
			if i == 0 || s != last {
				last, answer = s, test(s)
			}
			out.Bools[i] = answer
		}
	}
}

// likeKernel returns a loop that computes e, a LIKE or ILIKE, or nil if the
// pattern is not constant.
func likeKernel(e *expr.Like) kernel {
	if e.Compiled == nil {
		return nil
	}
	literal, exact, prefix := e.Compiled.Literal()
	switch {
	case exact:
		return func(out, x *value.Vector, n int) { compareAll(expr.EQ, out.Bools, x.Texts[:n], literal) }
	case prefix:
		return func(out, x *value.Vector, n int) {
			for i, s := range x.Texts[:n] {
				out.Bools[i] = strings.HasPrefix(s, literal)
			}
		}
	}
	return textKernel(e.Compiled.Match)
}

// containsKernel returns a loop that computes e, a CONTAINS. It returns nil if
// the text that is sought is not constant.
func containsKernel(e *expr.Contains) kernel {
	c, ok := e.Y.(*expr.Const)
	if !ok {
		return nil
	}
	what := value.Folded(c.V.Text)
	return textKernel(func(s string) bool { return value.Contains(s, what) })
}
