package session

import (
	"context"
	"errors"

	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// Jobs is the log of jobs, in which statements that work on the archive are
// noted. Several goroutines and processes may use it at once.
type Jobs interface {
	relation.JobLog
	// BeginJob logs that a job has begun, and returns its ID. The job runs until end is
	// called with its final state. If j is a run of a schedule that is running already,
	// the error is a *task.JobRunningError.
	BeginJob(ctx context.Context, j task.Job) (id int64, end func(task.Job) error, err error)
}

// runJob calls run, which runs the statement st, and logs it as a job that started at the
// time begun. It returns the result of run. The job ends when the caller has read the rows
// of the result. If the job cannot be logged, for example because the disk is full, st runs
// all the same.
func (s *Session) runJob(ctx context.Context, st ast.Statement, begun record.Time, run func() (*Result, error)) (*Result, error) {
	spec, text := s.language.SpecOf(st), st.String()
	if spec.noted != nil {
		text = spec.noted(st)
	}
	j := task.Job{Statement: urlkey.WithoutUsers(text), Started: begun, Scheduled: record.NoTime, Next: record.NoTime}
	if find := spec.alias; find != nil {
		if name := find(st); name != nil {
			j.Name = name.Text
		}
	}
	_, end, err := s.o.Jobs.BeginJob(ctx, j)
	if err != nil {
		return run()
	}
	res, err := run()
	if err != nil {
		_ = end(s.Ended(ctx, j, Count{}, err))
		return nil, err
	}
	var n int64
	ended := false
	finish := func(err error) {
		if !ended {
			ended = true
			_ = end(s.Ended(ctx, j, res.Counted(n), err))
		}
	}
	rows, closeAll := res.Rows, res.Close
	if rows == nil {
		finish(nil)
		return res, nil
	}
	res.Rows = func(yield func(*value.Batch, error) bool) {
		defer finish(nil)
		for b, err := range rows {
			if err != nil {
				finish(err)
			} else {
				n += int64(b.N)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
	res.Close = func() {
		finish(nil)
		closeAll()
	}
	return res, nil
}

// Ended returns the job j with its final state, for the log. n is the work that was done;
// err is the error of the statement or nil. If ctx has ended, the state is interrupted.
func (s *Session) Ended(ctx context.Context, j task.Job, n Count, err error) task.Job {
	j.State, j.Rows, j.Bytes = task.JobDone, n.Rows, n.Bytes
	switch {
	case ctx.Err() != nil:
		j.State, j.Finished, j.Error = task.JobInterrupted, record.NoTime, context.Cause(ctx).Error()
		return j
	case err != nil:
		j.State, j.Error = task.JobFailed, err.Error()
		var placed *ast.Error
		if errors.As(err, &placed) {
			j.Error = placed.Msg // without the position, which is in a text that may no longer exist
		}
		j.Error = urlkey.WithoutUsers(j.Error)
	}
	j.Finished = record.At(s.Now())
	return j
}
