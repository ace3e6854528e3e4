package define

import (
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// DropView is the statement DROP VIEW, which removes a view.
var DropView = session.Declare("DROP VIEW", session.Writes, readDropView)

// readDropView makes a removal of a DROP VIEW statement. It returns an error if
// the view is not defined.
func readDropView(s *session.Session, st *ast.DropView) (*removal, error) {
	return &removal{s, task.KindView, &st.Name}, s.CheckDefined(task.KindView, &st.Name)
}
