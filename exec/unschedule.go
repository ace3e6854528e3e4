package exec

import (
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// Unschedule is the statement UNSCHEDULE.
var Unschedule = Declare("UNSCHEDULE", Writes, readUnschedule)

// readUnschedule reads an UNSCHEDULE. If the schedule is running, that run goes on.
func readUnschedule(s *Session, st *ast.Unschedule) (*removal, error) {
	return &removal{s, task.KindSchedule, &st.Name}, s.CheckDefined(task.KindSchedule, &st.Name)
}
