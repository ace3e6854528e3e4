package define

import (
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// Unschedule is the statement UNSCHEDULE.
var Unschedule = session.Declare("UNSCHEDULE", session.Writes, readUnschedule)

// readUnschedule reads an UNSCHEDULE. If the schedule is running, that run goes on.
func readUnschedule(s *session.Session, st *ast.Unschedule) (*removal, error) {
	return &removal{s, task.KindSchedule, &st.Name}, s.CheckDefined(task.KindSchedule, &st.Name)
}
