package define

import (
	"infomall/exec/plan"
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// Save is the statement SAVE, which stores a query under a name.
var Save = session.Declare("SAVE", session.Writes|session.Anywhere, readSave)

// readSave makes a definition of a SAVE statement. It checks the query, unless
// the query has parameters: such a query is checked only when it runs.
func readSave(s *session.Session, st *ast.Save) (_ *definition, err error) {
	if len(st.Params) == 0 {
		_, err = plan.Build(st.Query, s.Env())
	}
	return &definition{s, named(task.KindQuery, &st.Name, st, s.Env()), &st.Name, true}, err
}
