package pool

import (
	"errors"

	"infomall/exec/expr"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// noPool returns the error for a pool that does not exist, at the expression
// pool in the statement, with the names of the existing pools. err is the error
// of the archive; noPool returns any other error unchanged.
func noPool(pool ast.Expr, err error) error {
	var none *task.NoPoolError
	if pool == nil || !errors.As(err, &none) {
		return err
	}
	return expr.UnknownName(pool, "pool", none.Name, " in the archive", none.Pools)
}
