package exec

import (
	"context"

	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// runScheduleSpec declares the statement RUN SCHEDULE, which runs a schedule
// now.
var runScheduleSpec = session.Declare("RUN SCHEDULE", session.Writes, readRunSchedule)

// immediateRun is a RUN SCHEDULE statement that was read and is ready to
// run.
type immediateRun struct {
	s  *session.Session
	st *ast.RunSchedule
}

// readRunSchedule reads the RUN SCHEDULE statement st. It returns an error
// if the archive has no schedule of that name.
func readRunSchedule(s *session.Session, st *ast.RunSchedule) (*immediateRun, error) {
	return &immediateRun{s, st}, s.CheckDefined(task.KindSchedule, &st.Name)
}

// Run runs the schedule's statement now. Its result has one row, which says how the
// statement ended. If the statement fails, its error comes after the row.
func (r *immediateRun) Run(ctx context.Context) (*session.Result, error) {
	begun := r.s.Now()
	j, err := Schedules{r.s}.Run(ctx, r.st.Name.Text)
	if err != nil {
		return nil, err
	}
	t := session.NewTable(session.Text("name"), session.Text("state"), session.Whole("rows"), session.Whole("bytes"), value.Column{Name: "duration", Type: value.Duration})
	t.Add(value.OfText(j.Name), value.OfText(j.State.String()), value.OfInt(j.Rows), value.OfInt(j.Bytes), value.OfDuration(r.s.Now().Sub(begun).Milliseconds()))
	if j.State == task.JobFailed {
		err = ast.Errorf(&r.st.Name, "schedule %s: %s", j.Name, j.Error)
	}
	return t.Work(session.Count{Rows: j.Rows, Bytes: j.Bytes}, err), nil
}

// Would returns lines with the statement that would run, and with the times
// of the schedule's next runs.
func (r *immediateRun) Would(ctx context.Context) ([]string, error) {
	list, err := r.s.Definitions(ctx)
	if err == nil {
		err = session.RequireDefinition(list, task.KindSchedule, &r.st.Name)
	}
	if err != nil {
		return nil, err
	}
	p, err := Schedules{r.s}.read(list[session.IndexDefinition(list, task.KindSchedule, r.st.Name.Text)])
	if err != nil {
		return nil, err
	}
	return append([]string{"runs now: " + p.st.Statement.String()}, p.nextRuns(r.s.Now())...), nil
}
