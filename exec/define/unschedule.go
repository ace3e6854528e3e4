package define

import (
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// Unschedule is the statement UNSCHEDULE, which removes a schedule.
var Unschedule = session.Declare("UNSCHEDULE", session.Writes, readUnschedule)

// readUnschedule makes a removal of an UNSCHEDULE statement. It returns an
// error if the schedule is not defined. A job that the schedule has already
// started goes on.
func readUnschedule(s *session.Session, st *ast.Unschedule) (*removal, error) {
	return &removal{s, task.KindSchedule, &st.Name}, s.CheckDefined(task.KindSchedule, &st.Name)
}
