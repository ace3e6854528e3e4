package define

import (
	"infomall/exec/plan"
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// Save is the statement SAVE.
var Save = session.Declare("SAVE", session.Writes|session.Anywhere, readSave)

// readSave reads the clauses of a SAVE statement. A query that has parameters
// is checked only when it runs.
func readSave(s *session.Session, st *ast.Save) (_ *definition, err error) {
	if len(st.Params) == 0 {
		_, err = plan.Build(st.Query, s.Env())
	}
	return &definition{s, named(task.KindQuery, &st.Name, st, s.Env()), &st.Name, true}, err
}
