package relation

import (
	"context"
	"slices"

	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/record/task"
)

// JobLog gives queries access to the log of jobs, including those that run.
type JobLog interface {
	Jobs(ctx context.Context) ([]task.Job, error)
}

// Schedule is a statement that runs by a rule.
type Schedule struct {
	Name, Rule, Statement string
	Created, Next         record.Time
	Due                   bool     // Next has passed
	Last                  task.Job // the last run; its ID is 0 if there is none
}

// jobs yields the jobs that began in the window of n.
func (r *Reader) jobs(ctx context.Context, n *Request) value.Rows {
	if r.Jobs == nil {
		return func(func(*value.Batch, error) bool) {}
	}
	return render(n, jobFills, jobShape, listed(ctx, func(ctx context.Context) ([]task.Job, error) {
		list, err := r.Jobs.Jobs(ctx)
		return slices.DeleteFunc(list, func(j task.Job) bool { return j.Started < n.Window.From || j.Started >= n.Window.To }), err
	}))
}

var (
	jobShape      = shape[[]task.Job]{rows: func(list []task.Job) int { return len(list) }}
	scheduleShape = shape[[]Schedule]{rows: func(list []Schedule) int { return len(list) }}
)

// jobFills has the functions that compute the columns of the relation jobs, by
// name.
var jobFills = fills[[]task.Job]{
	"id":        intOf(func(j *task.Job) int64 { return j.ID }),
	"name":      textOf(value.Text, func(j *task.Job) string { return j.Name }),
	"scheduled": boolOf(func(j *task.Job) bool { return j.Scheduled != record.NoTime }),
	"state":     textOf(value.Text, func(j *task.Job) string { return j.State.String() }),
	"statement": textOf(value.Text, func(j *task.Job) string { return j.Statement }),
	"started":   timeOf(func(j *task.Job) record.Time { return j.Started }),
	"finished":  timeOf(func(j *task.Job) record.Time { return j.Finished }),
	"rows":      afterJob(value.Int, func(j *task.Job) int64 { return j.Rows }),
	"bytes":     afterJob(value.Int, func(j *task.Job) int64 { return j.Bytes }),
	"error":     textOf(value.Text, func(j *task.Job) string { return j.Error }),
	"process":   intOf(func(j *task.Job) int64 { return int64(j.Process) }),
}

// afterJob returns a fill of a column that is NULL until the job has finished.
func afterJob(t value.Type, f func(*task.Job) int64) func(*value.Vector, []task.Job) {
	return func(v *value.Vector, list []task.Job) {
		v.Resize(t, len(list))
		for i := range list {
			v.Ints[i] = f(&list[i])
			if list[i].Finished == record.NoTime {
				v.SetNull(i)
			}
		}
	}
}

var scheduleFills = fills[[]Schedule]{
	"name": textOf(value.Text, func(s *Schedule) string { return s.Name }),
	"state": textOf(value.Text, func(s *Schedule) string {
		switch {
		case s.Last.ID > 0 && s.Last.State == task.JobRunning:
			return "running"
		case s.Due:
			return "due"
		}
		return "waiting"
	}),
	"rule":      textOf(value.Text, func(s *Schedule) string { return s.Rule }),
	"statement": textOf(value.Text, func(s *Schedule) string { return s.Statement }),
	"created":   timeOf(func(s *Schedule) record.Time { return s.Created }),
	"next_run":  timeOf(func(s *Schedule) record.Time { return s.Next }),
	"last_run": timeOf(func(s *Schedule) record.Time {
		if s.Last.ID == 0 {
			return record.NoTime
		}
		return s.Last.Started
	}),
	"last_state": textOf(value.Text, func(s *Schedule) string {
		if s.Last.ID == 0 {
			return ""
		}
		return s.Last.State.String()
	}),
	"error": textOf(value.Text, func(s *Schedule) string { return s.Last.Error }),
}
