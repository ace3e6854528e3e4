package pool

import (
	"errors"

	"infomall/exec/expr"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// noPool returns the error for the name of a pool that does not exist. The
// error is at the position of the expression pool in the statement, and names
// the existing pools. err is the error of the archive; noPool returns an err of
// another kind unchanged.
func noPool(pool ast.Expr, err error) error {
	var none *task.NoPoolError
	if pool == nil || !errors.As(err, &none) {
		return err
	}
	return expr.UnknownName(pool, "pool", none.Name, " in the archive", none.Pools)
}
