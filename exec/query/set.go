package query

import (
	"context"
	"fmt"

	"infomall/exec/session"
	"infomall/lang/ast"
)

// Set is the statement SET, which changes a setting or a parameter of the
// session.
var Set = session.Declare("SET", session.Anywhere, readSet)

// assignment is a SET or a RESET statement whose clauses were read.
type assignment struct {
	s     *session.Session
	kind  *session.Setting // the setting; nil for a parameter
	param string           // the name of the parameter
	value string
	after session.Settings // the session's settings with the new value, unless it is a parameter
}

// readSet makes an assignment of a SET statement. It checks the value of a
// setting. The value of a parameter can be any constant.
func readSet(s *session.Session, st *ast.Set) (*assignment, error) {
	a := &assignment{s: s, param: st.Name.Text}
	var err error
	if !st.Param {
		if a.kind, err = session.FindSetting(&st.Name); err != nil {
			return nil, err
		}
	}
	if a.value, err = session.Constant(st.Value, s.Env()); err != nil || st.Param {
		return a, err
	}
	a.after = *s.Settings()
	if err := a.kind.Set(&a.after, a.value); err != nil {
		return nil, ast.Errorf(st.Value, "setting %s: %v", a.kind.Name, err)
	}
	return a, nil
}

// Assume changes the setting or the parameter in the session.
func (a *assignment) Assume() {
	if a.kind != nil {
		*a.s.Settings() = a.after
		return
	}
	a.s.Params()[a.param] = a.value
}

// Run changes the setting or the parameter in the session. Its result has no
// rows.
func (a *assignment) Run(context.Context) (*session.Result, error) {
	a.Assume()
	return session.Done(), nil
}

// Would returns one line for EXPLAIN: the name and current value of the
// setting, or the name of the parameter.
func (a *assignment) Would(context.Context) ([]string, error) {
	if a.kind == nil {
		return []string{"gives parameter $" + a.param + " a value for this session"}, nil
	}
	return []string{fmt.Sprintf("changes %s, which is %s, for this session", a.kind.Name, a.kind.Get(a.s.Settings()))}, nil
}
