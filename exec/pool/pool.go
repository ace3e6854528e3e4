package pool

import (
	"errors"

	"infomall/exec/expr"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// noPool adds the names of the existing pools to err, the error for a pool that
// does not exist.
func noPool(pool ast.Expr, err error) error {
	var none *task.NoPoolError
	if pool == nil || !errors.As(err, &none) {
		return err
	}
	return expr.UnknownName(pool, "pool", none.Name, " in the archive", none.Pools)
}
