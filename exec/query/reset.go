package query

import (
	"infomall/exec/session"
	"infomall/lang/ast"
)

// Reset is the statement RESET.
var Reset = session.Declare("RESET", session.Anywhere, readReset)

// readReset reads the clauses of a RESET statement, which sets a setting to its default.
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
