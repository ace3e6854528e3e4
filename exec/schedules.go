package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"infomall/exec/relation"
	"infomall/exec/schedule"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
)

// Schedules reads and runs the schedules that the archive of a session stores.
type Schedules struct{ Session *session.Session }

// read returns the schedule that the archive stores as d. A setting that d
// does not contain has its value from the session.
func (list Schedules) read(d task.Definition) (*plannedRun, error) {
	p := &plannedRun{timed: timed{Definition: d, s: list.Session, settings: *list.Session.Settings()}}
	text, err := lang.Parse(d.Text, "schedule "+d.Name)
	for i, st := range text {
		switch st := st.(type) {
		case *ast.Set:
			err = errors.Join(err, p.set(st))
		case *ast.Schedule:
			if i == len(text)-1 {
				p.st = st
			}
		}
	}
	if err == nil && p.st == nil {
		err = errors.New("it is none")
	}
	if err == nil {
		err = p.plan()
	}
	if err != nil {
		return nil, fmt.Errorf("this program cannot read how the archive defines schedule %s: %w", d.Name, err)
	}
	return p, nil
}

// entry is a schedule of the archive, with its last job and the time of its
// next run. If the schedule has not run, last.ID is 0.
type entry struct {
	*plannedRun
	last task.Job
	next time.Time
}

// all returns the schedules of the archive, sorted by name.
func (list Schedules) all(ctx context.Context) ([]entry, error) {
	defs, jobs, err := definedTimes(ctx, list.Session.Archive(), list.Session.Jobs(), task.KindSchedule)
	if err != nil {
		return nil, err
	}
	entries := make([]entry, len(defs))
	for i, d := range defs {
		p, err := list.read(d)
		if err != nil {
			return nil, err
		}
		last, next := p.state(jobs)
		if p.st.AfterImport {
			if next, err = p.afterImport(ctx, &last, next); err != nil {
				return nil, err
			}
		}
		entries[i] = entry{p, last, next}
	}
	return entries, nil
}

// rows returns the rows of the relation schedules, one per schedule, sorted
// by name.
func (list Schedules) rows(ctx context.Context) ([]relation.Schedule, error) {
	all, err := list.all(ctx)
	if err != nil {
		return nil, err
	}
	rows := make([]relation.Schedule, len(all))
	for i, p := range all {
		at := schedule.Due(p.rule, p.next, list.Session.Now())
		rows[i] = relation.Schedule{
			Name: p.Name, Rule: p.ruleText(), Statement: p.st.Statement.String(), Created: p.Created,
			Next: nextOf(at), Due: !at.After(list.Session.Now()), Last: p.last,
		}
	}
	return rows, nil
}

// nextOf returns the time of the next run, or record.NoTime if none is planned.
func nextOf(at time.Time) record.Time {
	if !at.Before(schedule.Never) {
		return record.NoTime
	}
	return record.At(at)
}

// Run runs the named schedule now, and logs the run as a job. The result is
// this job at its end, with the time of the next run. If the statement
// fails, the job has its error, and Run itself returns nil. Run returns an
// error if the statement could not run, or if the end of the job could not be
// logged. It also returns an error if ctx ended; the job then has no next run.
// If the schedule is running already, the error is a *task.JobRunningError.
func (list Schedules) Run(ctx context.Context, name string) (task.Job, error) {
	s := list.Session
	if s.Jobs() == nil {
		return task.Job{}, errNoRuns
	}
	all, err := list.all(ctx)
	if err != nil {
		return task.Job{}, err
	}
	i := slices.IndexFunc(all, func(p entry) bool { return strings.EqualFold(p.Name, name) })
	if i < 0 {
		return task.Job{}, fmt.Errorf("schedule %s no longer exists", name)
	}
	p := all[i]
	return p.run(ctx, p.next, p.st.Statement.String(), func(did *session.Count) error {
		run := statementRun{s: s.Unattended(p.settings, p.budget.visits(p.turns(s.Now()))), did: did}
		return run.perform(ctx, p.st.Statement)
	})
}

// statementRun runs the statement of a schedule once and counts the work.
type statementRun struct {
	s   *session.Session
	did *session.Count // the work of the statements that ran
}

// perform runs the statement st; if st is a RUN, it runs all statements of
// the query or script that the RUN names. It discards their rows, and adds
// their work to r.did.
func (r *statementRun) perform(ctx context.Context, st ast.Statement) error {
	run, ok := st.(*ast.Run)
	if !ok {
		return r.drain(ctx, st)
	}
	x := script{s: r.s, st: run}
	if err := x.expand(ctx); err != nil {
		return err
	}
	inner := statementRun{x.inner, r.did}
	for _, one := range x.list {
		if err := inner.perform(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

// drain runs the statement st to its end, discards its rows, and adds its
// work to r.did.
func (r *statementRun) drain(ctx context.Context, st ast.Statement) error {
	res, err := r.s.Run(ctx, st)
	if err != nil {
		return err
	}
	defer res.Close()
	if res.Bytes != nil {
		n, err := res.Bytes.WriteTo(io.Discard)
		r.did.Bytes += n
		return err
	}
	if res.Rows == nil {
		return nil
	}
	var rows int64
	for b, e := range res.Rows {
		if err = e; err != nil {
			break
		}
		rows += int64(b.N)
	}
	n := res.Counted(rows)
	r.did.Rows, r.did.Bytes = r.did.Rows+n.Rows, r.did.Bytes+n.Bytes
	return err
}
