package expr

import (
	"infomall/exec/value"
	"infomall/lang/ast"
)

// ConstantText returns the text that e, a string or a parameter, stands for.
// Any other expression is an error.
func ConstantText(e ast.Expr, env *Env) (string, error) {
	switch e := e.(type) {
	case *ast.String:
		return e.Value, nil
	case *ast.Param:
		return env.Param(e)
	}
	err := ast.Errorf(e, "%s is no text", e)
	err.Hint = "write it in single quotes"
	return "", err
}

// ScopeTexts returns the texts of the scope s. to is "" unless s is a range, as in 'a' .. 'b'.
func ScopeTexts(s *ast.Scope, env *Env) (from, to string, err error) {
	if from, err = ConstantText(s.From, env); err == nil && s.To != nil {
		to, err = ConstantText(s.To, env)
	}
	return from, to, err
}

// ConstantCount returns the value of e, which must be a constant whole number
// from 0 on. The parameter where is the word before e in the statement, such as
// "LIMIT", for the error.
func ConstantCount(e ast.Expr, where string, env *Env) (int64, error) {
	x, err := (&Binder{Where: where, Env: env}).BindAs(e, value.Int)
	if err != nil {
		return 0, err
	}
	c, ok := x.(*Const)
	if !ok || c.V.Type != value.Int || c.V.Int < 0 {
		return 0, ast.Errorf(e, "%s takes a whole number from 0, not %s", where, e)
	}
	return c.V.Int, nil
}

// ConstantNumber returns the value of e, which must be a constant number. The
// parameter where is the word before e in the statement, for the error.
func ConstantNumber(e ast.Expr, where string, env *Env) (float64, error) {
	x, err := (&Binder{Where: where, Env: env}).BindAs(e, value.Float)
	if err != nil {
		return 0, err
	}
	c, ok := x.(*Const)
	if !ok || c.V.Type != value.Float {
		return 0, ast.Errorf(e, "%s takes a number, not %s", where, e)
	}
	return c.V.Float, nil
}
