package exec

import (
	"infomall/lang/ast"
)

// Reset is the statement RESET.
var Reset = Declare("RESET", Anywhere, readReset)

// readReset reads the clauses of a RESET statement, which sets a setting to its default.
func readReset(s *Session, st *ast.Reset) (*assignment, error) {
	k, err := FindSetting(&st.Name)
	if err != nil {
		return nil, err
	}
	a, def := &assignment{s: s, kind: k, after: *s.Settings()}, DefaultSettings()
	if err := k.Set(&a.after, k.Get(&def)); err != nil {
		panic("exec: the default of " + k.Name + " is refused: " + err.Error())
	}
	return a, nil
}
