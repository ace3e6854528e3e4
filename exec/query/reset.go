package query

import (
	"infomall/exec/session"
	"infomall/lang/ast"
)

// Reset is the statement RESET, which sets a setting of the session to its
// default.
var Reset = session.Declare("RESET", session.Anywhere, readReset)

// readReset makes an assignment that sets the setting in a RESET statement to
// its default. An unknown setting is an error.
func readReset(s *session.Session, st *ast.Reset) (*assignment, error) {
	k, err := session.FindSetting(&st.Name)
	if err != nil {
		return nil, err
	}
	a, def := &assignment{s: s, kind: k, after: *s.Settings()}, session.DefaultSettings()
	if err := k.Set(&a.after, k.Get(&def)); err != nil {
		panic("query: the default of " + k.Name + " is refused: " + err.Error())
	}
	return a, nil
}
