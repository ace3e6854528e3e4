package define

import (
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// DropView is the statement DROP VIEW.
var DropView = session.Declare("DROP VIEW", session.Writes, readDropView)

// readDropView reads the clauses of a DROP VIEW statement.
func readDropView(s *session.Session, st *ast.DropView) (*removal, error) {
	return &removal{s, task.KindView, &st.Name}, s.CheckDefined(task.KindView, &st.Name)
}
