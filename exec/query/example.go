package query

import (
	"infomall/exec/expr"
	"infomall/exec/session"
)

// Example returns the example of the function f as a statement, and its result as
// text if that needs no archive, else "".
func Example(f *expr.Function, env *expr.Env) (statement, result string) {
	statement = "SELECT " + f.Example + ";"
	q := session.Query("SELECT " + f.Example)
	if q.Select.From != nil {
		return statement, ""
	}
	x, err := (&expr.Binder{Where: "SELECT", Env: env}).Bind(q.Select.Items[0].Expr)
	c, ok := x.(*expr.Const)
	switch {
	case err != nil || !ok:
		return statement, ""
	case c.V.IsNull():
		return statement, "NULL"
	}
	return statement, string(c.V.Append(nil, env.Location()))
}
