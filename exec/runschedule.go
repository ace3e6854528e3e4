package exec

import (
	"context"

	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// scheduleRun is the statement RUN SCHEDULE.
var scheduleRun = Declare("RUN SCHEDULE", Writes, readRunSchedule)

// immediateRun is a RUN SCHEDULE statement whose clauses were read.
type immediateRun struct {
	s  *Session
	st *ast.RunSchedule
}

// readRunSchedule reads the clauses of a RUN SCHEDULE statement.
func readRunSchedule(s *Session, st *ast.RunSchedule) (*immediateRun, error) {
	return &immediateRun{s, st}, s.CheckDefined(task.KindSchedule, &st.Name)
}

// Run runs the schedule's statement now. Its result has one row, which says how the
// statement ended. If the statement fails, its error comes after the row.
func (r *immediateRun) Run(ctx context.Context) (*Result, error) {
	begun := r.s.Now()
	j, err := Schedules{r.s}.Run(ctx, r.st.Name.Text)
	if err != nil {
		return nil, err
	}
	t := NewTable(Text("name"), Text("state"), Whole("rows"), Whole("bytes"), value.Column{Name: "duration", Type: value.Duration})
	t.Add(value.OfText(j.Name), value.OfText(j.State.String()), value.OfInt(j.Rows), value.OfInt(j.Bytes), value.OfDuration(r.s.Now().Sub(begun).Milliseconds()))
	if j.State == task.JobFailed {
		err = ast.Errorf(&r.st.Name, "schedule %s: %s", j.Name, j.Error)
	}
	return t.Work(Count{Rows: j.Rows, Bytes: j.Bytes}, err), nil
}

// Would returns the statement that would run, and the next runs of the schedule.
func (r *immediateRun) Would(ctx context.Context) ([]string, error) {
	list, err := r.s.Definitions(ctx)
	if err == nil {
		err = Undefined(list, task.KindSchedule, &r.st.Name)
	}
	if err != nil {
		return nil, err
	}
	p, err := Schedules{r.s}.read(list[IndexOf(list, task.KindSchedule, r.st.Name.Text)])
	if err != nil {
		return nil, err
	}
	return append([]string{"runs now: " + p.st.Statement.String()}, p.nextRuns(r.s.Now())...), nil
}
