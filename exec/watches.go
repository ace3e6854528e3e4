package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"infomall/exec/relation"
	"infomall/exec/schedule"
	"infomall/exec/session"
	"infomall/exec/watch"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
)

// Watches reads and runs the watches that the archive of a session stores.
type Watches struct{ Session *session.Session }

// read returns the watch that the archive stores as d. A setting that d does not
// contain has its value from the session.
func (list Watches) read(d task.Definition) (*watched, error) {
	w := &watched{timed: timed{Definition: d, s: list.Session, settings: *list.Session.Settings()}}
	st, err := session.ParseWatch(&d)
	if err != nil {
		return nil, err
	}
	text, err := lang.Parse(d.Text, "watch "+d.Name)
	for _, one := range text {
		if set, ok := one.(*ast.Set); ok {
			err = errors.Join(err, w.set(set))
		}
	}
	w.st = st
	if err == nil {
		err = w.planEvery(st.Every.(*ast.Duration))
	}
	if err != nil {
		return nil, fmt.Errorf("this program cannot read how the archive defines watch %s: %w", d.Name, err)
	}
	return w, nil
}

// watchEntry is a watch of the archive, with its last job and the time of its next
// run. If the watch has not run, last.ID is 0.
type watchEntry struct {
	*watched
	last task.Job
	next time.Time
}

// all returns the watches of the archive, sorted by name.
func (list Watches) all(ctx context.Context) ([]watchEntry, error) {
	defs, jobs, err := definedTimes(ctx, list.Session.Archive(), list.Session.Jobs(), task.KindWatch)
	if err != nil {
		return nil, err
	}
	entries := make([]watchEntry, len(defs))
	for i, d := range defs {
		w, err := list.read(d)
		if err != nil {
			return nil, err
		}
		last, next := w.state(jobs)
		entries[i] = watchEntry{w, last, next}
	}
	return entries, nil
}

// rows returns the rows of the relation watches, one per watch, sorted by name.
func (list Watches) rows(ctx context.Context, snap relation.Snapshot) ([]relation.Watch, error) {
	all, err := list.all(ctx)
	if err != nil {
		return nil, err
	}
	now := list.Session.Now()
	rows := make([]relation.Watch, len(all))
	for i, w := range all {
		state, err := watch.ReadState(ctx, snap, w.Name, w.Created)
		if err != nil && !errors.Is(err, watch.ErrIncomplete) {
			return nil, err
		}
		if err != nil {
			state = &watch.State{} // the rows of watched and the next run report it
		}
		at := schedule.Due(w.rule, w.next, now)
		rows[i] = relation.Watch{
			Name: w.Name, Every: w.st.Every.String(), Query: w.st.Query.String(), Key: keyText(w.st), Created: w.Created,
			Next: record.At(at), Due: !at.After(now), Last: w.last, Batches: state.Last, Done: state.Done,
		}
		if w.st.Then != nil {
			rows[i].Then = w.st.Then.String()
		}
	}
	return rows, nil
}

// Run runs the named watch now, and logs the run as a job. The result is this job at
// its end: its Rows are the new rows. The errors are those of Schedules.Run.
//
// First Run does THEN for batches of earlier runs for which it is not done, for
// example because the program was killed. Then it runs the query and stores the new
// rows as a batch, and does THEN for this batch. After an error of THEN, later runs
// try again; the query runs all the same.
func (list Watches) Run(ctx context.Context, name string) (task.Job, error) {
	s := list.Session
	if s.Jobs() == nil {
		return task.Job{}, errNoRuns
	}
	files, ok := s.Archive().(watch.Files)
	if !ok {
		return task.Job{}, errNoWatches
	}
	all, err := list.all(ctx)
	if err != nil {
		return task.Job{}, err
	}
	i := slices.IndexFunc(all, func(w watchEntry) bool { return strings.EqualFold(w.Name, name) })
	if i < 0 {
		return task.Job{}, fmt.Errorf("watch %s no longer exists", name)
	}
	w := all[i]
	return w.run(ctx, w.next, w.st.String(), func(did *session.Count) error {
		err := w.once(ctx, files, did)
		return errors.Join(err, w.ended(context.WithoutCancel(ctx)))
	})
}

// once runs the watch once, and counts the new rows in did.
func (w *watched) once(ctx context.Context, files watch.Files, did *session.Count) error {
	snap, release, err := w.s.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	run := &watch.Runner{
		Files: files, Rows: snap, Name: w.Name, Query: w.st.Query.String(), Created: w.Created,
		Memory: w.s.Runner(snap, "watch").Memory,
	}
	state, err := run.State(ctx)
	if err == nil {
		state, err = run.Tidy(ctx, state, record.At(w.s.Now()))
	}
	if err != nil {
		return err
	}
	failed := w.then(ctx, run, state)
	if ctx.Err() != nil {
		return failed
	}
	if did.Rows, err = w.take(ctx, run, state); err != nil {
		return errors.Join(failed, err)
	}
	if failed == nil && did.Rows > 0 {
		if state, err = run.State(ctx); err != nil {
			return err
		}
		failed = w.then(ctx, run, state)
	}
	return failed
}

// take runs the query and stores its new rows. It returns how many there are.
func (w *watched) take(ctx context.Context, run *watch.Runner, state *watch.State) (rows int64, err error) {
	found := watch.Found{Seen: record.At(w.s.Now()), Fill: !w.st.FromStart}
	res, err := w.s.Unattended(w.settings, nil).Run(ctx, w.st.Query)
	if err != nil {
		return 0, err
	}
	defer res.Close()
	found.Columns, found.Rows = res.Columns, res.Rows
	if found.Key, err = keyColumns(w.st, res.Columns); err != nil {
		return 0, err
	}
	return run.Take(ctx, state, &found)
}

// then runs the statement after THEN for each batch for which it is not done, and
// stores that it is done.
func (w *watched) then(ctx context.Context, run *watch.Runner, state *watch.State) error {
	if w.st.Then == nil {
		return nil
	}
	for batch := state.Done + 1; batch <= state.Last; batch++ {
		inner := w.s.Unattended(w.settings, nil)
		inner.ForBatch(&session.Batch{Watch: w.Name, Created: w.Created, Number: batch})
		do := statementRun{s: inner, did: new(session.Count)}
		if err := do.perform(ctx, w.st.Then); err != nil {
			return fmt.Errorf("THEN of batch %d: %w", batch, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := run.Mark(ctx, batch, record.At(w.s.Now())); err != nil {
			return err
		}
		state.Done = batch
	}
	return nil
}

// ended removes what the run has stored if the watch was removed meanwhile.
func (w *watched) ended(ctx context.Context) error {
	list, err := w.s.Archive().Definitions(ctx)
	if err != nil || session.IndexDefinition(list, task.KindWatch, w.Name) >= 0 {
		return err
	}
	_, err = w.s.Archive().DropResult(ctx, task.ResultWatches, w.Name)
	return err
}

// removeLeft removes the files of earlier watches with the name of w.
func (w *watched) removeLeft(ctx context.Context) error {
	files, ok := w.s.Archive().(watch.Files)
	if !ok {
		return nil
	}
	left, err := files.NamedResults(ctx, task.ResultWatches, w.Name)
	if err != nil || len(left) == 0 {
		return err
	}
	for _, r := range left {
		if r.Properties["created"] != fmt.Sprint(int64(w.Created)) {
			if err := files.RemoveResult(ctx, r); err != nil {
				return err
			}
		}
	}
	return nil
}
