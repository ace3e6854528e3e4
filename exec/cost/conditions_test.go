package cost

import (
	"testing"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/store/record"
)

// TestConstantConditions shows that all rows meet TRUE, and none FALSE or NULL.
func TestConstantConditions(t *testing.T) {
	for _, c := range []struct {
		cond *expr.Const
		want float64
	}{
		{expr.Constant(value.OfBool(true)), 1},
		{expr.Constant(value.OfBool(false)), 0},
		{&expr.Const{T: value.Bool}, 0},
	} {
		if got := selectivity([]expr.Expr{c.cond}, new(record.Expected)); got != c.want {
			t.Errorf("%s: got the share %g, want %g", c.cond, got, c.want)
		}
	}
}
