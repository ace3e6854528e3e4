package session

import (
	"strconv"
	"time"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/urlkey"
)

// Constant returns the value of e as text. e is the value in a SET statement or of a
// parameter. A literal or a single word stays as it was written. Any other expression is
// computed now. NULL is an error.
func Constant(e ast.Expr, env *expr.Env) (string, error) {
	switch e := e.(type) {
	case *ast.String:
		return e.Value, nil
	case *ast.Number:
		return e.Text, nil
	case *ast.Size:
		return e.Text, nil
	case *ast.Duration:
		return e.Text, nil
	case *ast.Period:
		return e.Text, nil
	case *ast.Bool:
		return strconv.FormatBool(e.Value), nil
	case *ast.Column:
		if e.Qualifier == nil {
			return e.Name.Text, nil
		}
	}
	x, err := (&expr.Binder{Where: "SET", Env: env}).Bind(e)
	if err != nil {
		return "", err
	}
	c, ok := x.(*expr.Const)
	if !ok || c.V.IsNull() {
		return "", ast.Errorf(e, "SET takes a value, and %s is not one", e)
	}
	return string(c.V.Append(nil, env.Location())), nil
}

// ConstantSize returns the value of e, a size such as 2MB, in bytes. A size of 0 is an
// error. The parameter where is the clause that the error names, such as RATE.
func ConstantSize(e ast.Expr, where string, env *expr.Env) (n int64, err error) {
	switch e := e.(type) {
	case *ast.Size:
		n = e.Bytes
	default:
		var text string
		if text, err = expr.ConstantText(e, env); err == nil {
			err = parseSize(&n, text)
		}
		if err != nil {
			return 0, ast.Errorf(e, "%s: %v", where, err)
		}
	}
	if n <= 0 {
		return 0, ast.Errorf(e, "%s takes a size such as 2MB, not %s", where, e)
	}
	return n, nil
}

// ConstantDuration returns the value of e, a duration such as 2s. A negative duration or one
// above 366 days is an error. The parameter where is the clause that the error names, such
// as DELAY.
func ConstantDuration(e ast.Expr, where string, env *expr.Env) (time.Duration, error) {
	x, err := (&expr.Binder{Where: where, Env: env}).BindAs(e, value.Duration)
	if err != nil {
		return 0, err
	}
	c, ok := x.(*expr.Const)
	if !ok || c.V.IsNull() || c.V.Int < 0 || c.V.Int > delayMax.Milliseconds()*366 {
		return 0, ast.Errorf(e, "%s takes a duration such as 2s, not %s", where, e)
	}
	return time.Duration(c.V.Int) * time.Millisecond, nil
}

// ConstantURL returns the value of e, the text of a URL, in canonical form.
func ConstantURL(e ast.Expr, env *expr.Env) (string, error) {
	text, err := expr.ConstantText(e, env)
	if err != nil {
		return "", err
	}
	canonical, err := urlkey.Canonical(text)
	if err != nil {
		return "", ast.Errorf(e, "%v", err)
	}
	return canonical, nil
}
