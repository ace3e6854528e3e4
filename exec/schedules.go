package exec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/schedule"
	"infomall/exec/value"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
)

// plannedRun is a schedule: the statement that it runs, the rule that says when, and
// the settings that it runs with.
type plannedRun struct {
	task.Definition
	s        *Session
	st       *ast.Schedule // with each parameter replaced by its value
	rule     schedule.Rule
	settings Settings
	budget   *visitBudget // of ADAPTIVE BUDGET; nil if absent
}

// visitBudget is how many visits ADAPTIVE BUDGET n PER d lets CRAWL DUE make.
type visitBudget struct {
	perDay float64 // visits a day
	turn   float64 // visits a run, as a fraction
}

// keptSettings lists the settings that a schedule stores and runs with, if the session
// that makes the schedule has changed them. It has every setting that affects what a
// statement does.
var keptSettings = []string{
	"agent", "body_limit", "contact", "default_level", "delay", "domain_weights", "earliest_date", "import_timezone", "latest_date", "level", "netrc", "noarchive", "page_limit", "pool_limit", "profile", "publish_every", "publish_size", "revisit", "robots", "sessions", "timezone", "weights", "workers",
}

// Limits of the durations of a schedule.
const (
	everyMin = time.Second               // of EVERY
	everyMax = 10 * 366 * 24 * time.Hour // of EVERY and PER
	// turnMin is the time between two runs of an adaptive schedule. It is longer if the
	// budget allows less than one visit in that time, and shorter if PER is shorter.
	turnMin = time.Hour
)

// schedulePut is the statement SCHEDULE.
var schedulePut = Declare("SCHEDULE", Writes|Anywhere, readSchedule)

// scheduleRun is the statement RUN SCHEDULE.
var scheduleRun = Declare("RUN SCHEDULE", Writes, readRunSchedule)

// readSchedule reads the clauses of a SCHEDULE statement, and checks the statement that
// the schedule runs.
func readSchedule(s *Session, st *ast.Schedule) (*plannedRun, error) {
	if err := s.Trial().Check(st.Statement); err != nil {
		return nil, err
	}
	p := &plannedRun{s: s, settings: *s.Settings()}
	p.Kind, p.Name, p.Created = task.KindSchedule, st.Name.Text, s.Env().Now
	bare := *st // with each parameter replaced by its value
	var err error
	switch {
	case st.Every != nil:
		bare.Every, err = p.literalDuration(st.Every, "EVERY")
	case st.Cron != nil:
		var text string
		text, err = expr.ConstantText(st.Cron, s.Env())
		bare.Cron = &ast.String{Value: text}
	case st.Budget != nil:
		var n int64
		if n, err = expr.ConstantCount(st.Budget, "BUDGET", s.Env()); err == nil {
			bare.Budget = &ast.Number{Text: fmt.Sprint(n), IsInt: true, Int: n, Float: float64(n)}
			bare.Per, err = p.literalDuration(st.Per, "PER")
		}
	}
	if err != nil {
		return nil, err
	}
	p.st = &bare
	if err := p.plan(); err != nil {
		at := ast.Node(st)
		for _, part := range []ast.Expr{st.Every, st.Cron, st.Budget} {
			if part != nil {
				at = part
			}
		}
		var placed *ast.Error
		if errors.As(err, &placed) {
			return nil, err
		}
		return nil, ast.Errorf(at, "%v", err)
	}
	def := DefaultSettings()
	for _, name := range keptSettings {
		k := SettingNamed(name)
		if v := k.Get(s.Settings()); v != k.Get(&def) {
			p.Text += (&ast.Set{Name: ast.Name{Text: name}, Value: &ast.String{Value: v}}).String() + ";\n"
		}
	}
	p.Text += bare.String()
	return p, nil
}

// literalDuration returns e as a duration literal. The value of a parameter becomes a
// literal in milliseconds, such as 1500ms. where is the keyword for an error, such as
// EVERY.
func (p *plannedRun) literalDuration(e ast.Expr, where string) (ast.Expr, error) {
	if d, ok := e.(*ast.Duration); ok {
		return d, nil
	}
	d, err := ConstantDuration(e, where, p.s.Env())
	return &ast.Duration{Text: fmt.Sprintf("%dms", d.Milliseconds()), Length: d}, err
}

// plan sets the rule of the schedule, and its budget if it has one, from p.st.
func (p *plannedRun) plan() (err error) {
	anchor := p.Created.Std().In(p.settings.Timezone)
	switch {
	case p.st.Every != nil:
		d := p.st.Every.(*ast.Duration)
		if d.Months == 0 && (d.Length < everyMin || d.Length > everyMax) || d.Months > 120 {
			return fmt.Errorf("EVERY takes from 1s to 10y, not %s", d)
		}
		p.rule = schedule.Every{Anchor: anchor, Months: d.Months, Length: d.Length}
	case p.st.Cron != nil:
		if p.rule, err = schedule.ParseCron(p.st.Cron.(*ast.String).Value, p.settings.Timezone); err != nil {
			return fmt.Errorf("CRON: %w", err)
		}
	default:
		return p.planVisits(anchor)
	}
	return nil
}

// planVisits sets the rule and the budget of an ADAPTIVE schedule. It runs at equal
// intervals after anchor, and each run may spend an equal part of the budget.
func (p *plannedRun) planVisits(anchor time.Time) error {
	crawl, ok := p.st.Statement.(*ast.Crawl)
	if !ok || !crawl.Due {
		err := ast.Errorf(p.st.Statement, "ADAPTIVE goes by how often pages change, and runs CRAWL DUE only")
		err.Hint = "EVERY 1d and CRON '0 3 * * *' run any statement"
		return err
	}
	turn := turnMin
	if p.st.Budget != nil {
		n, per := p.st.Budget.(*ast.Number).Int, p.st.Per.(*ast.Duration)
		length := per.Length
		if per.Months > 0 {
			length = time.Duration(float64(per.Months) * 365.25 / 12 * 24 * float64(time.Hour))
		}
		if n < 1 || length < time.Minute || length > everyMax {
			return fmt.Errorf("BUDGET takes a number of visits from 1, PER from 1m to 10y, not %d and %s", n, per)
		}
		turn = min(max(turn, length/time.Duration(n)), length)
		p.budget = &visitBudget{perDay: float64(n) / length.Hours() * 24, turn: float64(n) * float64(turn) / float64(length)}
	}
	p.rule = schedule.Every{Anchor: anchor, Length: turn}
	return nil
}

// visits returns how many visits a run may make. turns is the number of runs before it.
// Each number is whole, and those of many runs add up to the budget: 0, 1, 0, 1 for half
// a visit a run. Without a budget it returns nil.
func (b *visitBudget) visits(turns int64) *VisitBudget {
	if b == nil {
		return nil
	}
	return &VisitBudget{PerDay: b.perDay, Run: int64(b.turn*float64(turns+1)) - int64(b.turn*float64(turns))}
}

// ruleText returns the rule as it is written in the statement, such as EVERY 1d.
func (p *plannedRun) ruleText() string {
	text := p.st.String()
	text = strings.TrimSuffix(text, " AS "+p.st.Statement.String())
	return strings.TrimPrefix(text, "SCHEDULE "+p.st.Name.String()+" ")
}

// Schedules are the schedules of a session's archive.
type Schedules struct{ Session *Session }

// read reads a schedule that the archive stores. A setting that the schedule does not
// store has its value from the session.
func (list Schedules) read(d task.Definition) (*plannedRun, error) {
	p := &plannedRun{Definition: d, s: list.Session, settings: *list.Session.Settings()}
	text, err := lang.Parse(d.Text, "schedule "+d.Name)
	for i, st := range text {
		switch st := st.(type) {
		case *ast.Set:
			k, found := FindSetting(&st.Name)
			v, ok := st.Value.(*ast.String)
			if found != nil || !ok {
				continue // a setting of another version of the program
			}
			err = errors.Join(err, k.Set(&p.settings, v.Value))
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

// Run stores the schedule in the archive. A schedule with the same name is an error.
func (p *plannedRun) Run(ctx context.Context) (*Result, error) {
	err := p.s.Archive().Define(ctx, func(list []task.Definition) ([]task.Definition, error) {
		if IndexOf(list, p.Kind, p.Name) >= 0 {
			err := ast.Errorf(&p.st.Name, "there is a schedule %s already", p.Name)
			err.Hint = "UNSCHEDULE " + p.st.Name.String() + " takes it away"
			return nil, err
		}
		return append(list, p.Definition), nil
	})
	if err != nil {
		return nil, err
	}
	return Done(), nil
}

// Assume makes the schedule known to later statements that Check reads.
func (p *plannedRun) Assume() { p.s.Assume(p.Definition) }

// Would returns lines on the schedule, its next runs, its budget and the statement that
// it runs.
func (p *plannedRun) Would(context.Context) ([]string, error) {
	lines := []string{fmt.Sprintf("schedules %s in %s: %s", p.Name, p.s.Archive().Path(), p.ruleText())}
	lines = append(lines, p.nextRuns(p.Created.Std())...) // the first run of EVERY is at once
	if p.budget != nil {
		lines = append(lines, fmt.Sprintf("  with %.4g visits a run, %.4g a day", p.budget.turn, p.budget.perDay))
	}
	return append(lines, "  runs "+p.st.Statement.String()), nil
}

// nextRuns returns a heading and one line for each of the next runs, with its time.
func (p *plannedRun) nextRuns(after time.Time) []string {
	const shown = 5
	lines := []string{"  next runs, where infomall --daemon is there to run them:"}
	at := p.first()
	for i := 0; i < shown; i++ {
		if i > 0 || at.Before(after) {
			at = schedule.After(p.rule, after)
		}
		lines = append(lines, "    "+at.In(p.settings.Timezone).Format(time.RFC3339))
		after = at
	}
	return lines
}

// first returns the time of the schedule's first run.
func (p *plannedRun) first() time.Time {
	return schedule.After(p.rule, p.Created.Std().Add(-time.Millisecond))
}

// entry is a schedule of the archive, with its last job and the time of its next run. A
// schedule that has not run has a job with ID 0.
type entry struct {
	*plannedRun
	last task.Job
	next time.Time
}

// all returns the schedules of the archive, by name.
func (list Schedules) all(ctx context.Context) ([]entry, error) {
	s := list.Session
	defs, err := s.Archive().Definitions(ctx)
	if err != nil {
		return nil, err
	}
	defs = SortedDefinitions(defs, task.KindSchedule)
	var jobs []task.Job
	if len(defs) > 0 && s.Jobs() != nil {
		if jobs, err = s.Jobs().Jobs(ctx); err != nil {
			return nil, err
		}
	}
	entries := make([]entry, len(defs))
	for i, d := range defs {
		p, err := list.read(d)
		if err != nil {
			return nil, err
		}
		last, next := p.state(jobs)
		entries[i] = entry{p, last, next}
	}
	return entries, nil
}

// state returns the last job of the schedule and the time of its next run, as the last
// job that ended noted it. If the schedule has not run, that is the time of its first
// run.
func (p *plannedRun) state(jobs []task.Job) (last task.Job, next time.Time) {
	next = p.first()
	for _, j := range jobs {
		if j.Scheduled != p.Created || j.Name != p.Name {
			continue
		}
		last = j
		if j.Next != record.NoTime {
			next = j.Next.Std()
		}
	}
	return last, next
}

// rows returns the rows of the relation schedules.
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
			Next: record.At(at), Due: !at.After(list.Session.Now()), Last: p.last,
		}
	}
	return rows, nil
}

// Entries returns the schedules for a schedule.Loop.
func (list Schedules) Entries(ctx context.Context) ([]schedule.Entry, error) {
	all, err := list.all(ctx)
	if err != nil {
		return nil, err
	}
	entries := make([]schedule.Entry, len(all))
	for i, p := range all {
		entries[i] = schedule.Entry{Name: p.Name, Rule: p.rule, Next: p.next}
	}
	return entries, nil
}

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

// Run runs the named schedule now, and notes the time of its next run in the job that
// it returns. If the statement fails, the job has its error and Run returns nil. Run
// returns an error if the statement could not run, if the end of the job could not be
// noted, or if ctx ended; then no next run is noted. If the schedule is running already,
// the error is a *task.JobRunningError.
func (list Schedules) Run(ctx context.Context, name string) (task.Job, error) {
	s := list.Session
	if s.Jobs() == nil {
		return task.Job{}, errors.New("this archive runs no schedules")
	}
	all, err := list.all(ctx)
	if err != nil {
		return task.Job{}, err
	}
	i := slices.IndexFunc(all, func(p entry) bool { return strings.EqualFold(p.Name, name) })
	if i < 0 {
		return task.Job{}, fmt.Errorf("schedule %s is no more", name)
	}
	p, begun := all[i], s.Now()
	j := task.Job{Name: p.Name, Statement: p.st.Statement.String(), Started: record.At(begun), Scheduled: p.Created, Next: record.NoTime}
	id, end, err := s.Jobs().BeginJob(ctx, j)
	if err != nil {
		return j, err
	}
	j.ID = id
	var did Count
	run := statementRun{s: s.Unattended(p.settings, p.budget.visits(p.turns(begun))), did: &did}
	err = run.perform(ctx, p.st.Statement)
	j = s.Ended(ctx, j, did, err)
	if ctx.Err() == nil {
		next := schedule.Due(p.rule, p.next, begun)
		if !next.After(begun) {
			next = schedule.After(p.rule, begun)
		}
		j.Next = record.At(next)
	}
	if err := end(j); err != nil {
		return j, fmt.Errorf("schedule %s ran, and that could not be noted: %w", p.Name, err)
	}
	return j, context.Cause(ctx)
}

// turns returns how many intervals of the rule had passed at t. It returns 0 for a rule
// in months and for CRON.
func (p *plannedRun) turns(t time.Time) int64 {
	if e, ok := p.rule.(schedule.Every); ok && e.Months == 0 {
		return max(0, int64(t.Sub(e.Anchor)/e.Length))
	}
	return 0
}

// statementRun is one run of a schedule's statement.
type statementRun struct {
	s   *Session
	did *Count // the work of the statements that ran
}

// perform runs a statement, or all statements of the query or script that a RUN names.
// It discards their rows, and adds their work to r.did.
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

// drain runs a statement to its end, discards its rows, and adds its work to r.did.
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
