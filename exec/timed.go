package exec

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"infomall/exec/schedule"
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
)

// timed is what schedules and watches have in common: a definition in the archive,
// the rule that says when it runs, and the settings with which it runs.
type timed struct {
	task.Definition
	s        *session.Session
	name     *ast.Name // the name in the statement; nil if the archive has the definition
	rule     schedule.Rule
	settings session.Settings
}

// Limits of the durations of a schedule or watch.
const (
	everyMin = time.Second               // least duration of EVERY
	everyMax = 10 * 366 * 24 * time.Hour // greatest duration of EVERY and PER
)

// begin makes t the definition of a schedule or watch, the kind, with the name that the
// statement gives. t gets the current settings of its session.
func (t *timed) begin(kind string, name *ast.Name) {
	t.Definition = task.Definition{Kind: kind, Name: name.Text, Created: t.s.Env().Now}
	t.name, t.settings = name, *t.s.Settings()
}

// settingsText returns a SET statement, with a semicolon and a line end, for each
// setting that is not as by default.
func (t *timed) settingsText() (text string) {
	set := t.s.Settings().Changed()
	for _, name := range slices.Sorted(maps.Keys(set)) {
		text += (&ast.Set{Name: ast.Name{Text: name}, Value: &ast.String{Value: set[name]}}).String() + ";\n"
	}
	return text
}

// set sets the setting that st, a statement of the definition, names. A setting that
// this version of the program does not have is ignored.
func (t *timed) set(st *ast.Set) error {
	k, found := session.FindSetting(&st.Name)
	v, ok := st.Value.(*ast.String)
	if found != nil || !ok {
		return nil
	}
	return k.Set(&t.settings, v.Value)
}

// literalDuration returns the duration e as a literal, so that it can be
// stored. The value of a parameter becomes a literal in milliseconds, such
// as 1500ms. where is the keyword that an error names, such as EVERY.
func (t *timed) literalDuration(e ast.Expr, where string) (ast.Expr, error) {
	if d, ok := e.(*ast.Duration); ok {
		return d, nil
	}
	d, err := session.ConstantDuration(e, where, t.s.Env())
	return &ast.Duration{Text: fmt.Sprintf("%dms", d.Milliseconds()), Length: d}, err
}

// anchor returns the time of the first run by EVERY.
func (t *timed) anchor() time.Time { return t.Created.Std().In(t.settings.Timezone) }

// planEvery sets the rule to EVERY d.
func (t *timed) planEvery(d *ast.Duration) error {
	if d.Months == 0 && (d.Length < everyMin || d.Length > everyMax) || d.Months > 120 {
		return fmt.Errorf("EVERY takes from 1s to 10y, not %s", d)
	}
	t.rule = schedule.Every{Anchor: t.anchor(), Months: d.Months, Length: d.Length}
	return nil
}

// define stores the definition in the archive. It is an error if a schedule or watch
// of that name exists: the log of jobs shows the runs of both by name.
func (t *timed) define(ctx context.Context) (*session.Result, error) {
	err := t.s.Archive().Define(ctx, func(list []task.Definition) ([]task.Definition, error) {
		for kind, remove := range map[string]string{task.KindSchedule: "UNSCHEDULE ", task.KindWatch: "UNWATCH "} {
			if session.IndexDefinition(list, kind, t.Name) >= 0 {
				err := ast.Errorf(t.name, "there is a %s %s already", kind, t.Name)
				err.Hint = remove + t.name.String() + " removes it"
				return nil, err
			}
		}
		return append(list, t.Definition), nil
	})
	if err != nil {
		return nil, err
	}
	return session.Done(), nil
}

// nextRuns returns a heading and five lines with the times of the next runs,
// from the time after on.
func (t *timed) nextRuns(after time.Time) []string {
	if _, ok := t.rule.(schedule.AfterImport); ok {
		return []string{"  runs after captures were added, at most once a minute, if infomall --daemon is running"}
	}
	const shown = 5
	lines := []string{"  next runs, if infomall --daemon is running:"}
	at := t.first()
	for i := 0; i < shown; i++ {
		if i > 0 || at.Before(after) {
			at = schedule.After(t.rule, after)
		}
		lines = append(lines, "    "+at.In(t.settings.Timezone).Format(time.RFC3339))
		after = at
	}
	return lines
}

// first returns the time of the first run.
func (t *timed) first() time.Time {
	return schedule.After(t.rule, t.Created.Std().Add(-time.Millisecond))
}

// state returns the last job of the schedule or watch in jobs, and the time of the
// next run, as the last finished job noted it. If it has not run yet, last is zero,
// and next is the time of its first run.
func (t *timed) state(jobs []task.Job) (last task.Job, next time.Time) {
	next = t.first()
	for _, j := range jobs {
		if j.Scheduled != t.Created || j.Name != t.Name {
			continue
		}
		last = j
		if j.Next != record.NoTime {
			next = j.Next.Std()
		}
	}
	return last, next
}

// run calls do, which runs the schedule or watch once, and logs that as a job. The
// parameter next is the time of the next run as it was noted before. statement is
// the text for the log, and do counts its work in did. The result and the error are
// those of Schedules.Run.
func (t *timed) run(ctx context.Context, next time.Time, statement string, do func(did *session.Count) error) (task.Job, error) {
	begun := t.s.Now()
	j := task.Job{Name: t.Name, Statement: statement, Started: record.At(begun), Scheduled: t.Created, Next: record.NoTime}
	seen, err := t.lastAdded(ctx)
	if err != nil {
		return j, err
	}
	id, end, err := t.s.Jobs().BeginJob(ctx, j)
	if err != nil {
		return j, err
	}
	j.ID = id
	var did session.Count
	err = do(&did)
	j = t.s.Ended(ctx, j, did, err)
	if ctx.Err() == nil {
		next := schedule.Due(t.rule, next, begun)
		if !next.After(begun) {
			next = schedule.After(t.rule, begun)
		}
		j.Next = record.At(next)
		if _, ok := t.rule.(schedule.AfterImport); ok {
			j.Next = seen
		}
	}
	if err := end(j); err != nil {
		return j, fmt.Errorf("%s %s ran, but that could not be recorded: %w", t.Kind, t.Name, err)
	}
	return j, context.Cause(ctx)
}

// definedTimes returns the definitions of one kind, schedules or watches, of an archive,
// sorted by name, and the jobs in the log, which show when each definition ran. A nil log
// has no jobs.
func definedTimes(ctx context.Context, a session.Archive, log session.Jobs, kind string) (defs []task.Definition, jobs []task.Job, err error) {
	if defs, err = a.Definitions(ctx); err != nil {
		return nil, nil, err
	}
	defs = session.SortDefinitions(defs, kind)
	if len(defs) > 0 && log != nil {
		jobs, err = log.Jobs(ctx)
	}
	return defs, jobs, err
}

// errNoRuns is returned if an archive has no log of jobs.
var errNoRuns = errors.New("this archive runs no schedules and watches")
