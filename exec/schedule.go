package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"infomall/exec/expr"
	"infomall/exec/schedule"
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
)

// plannedRun is a schedule: a statement, the rule that says when the
// statement runs, and the settings with which it runs.
type plannedRun struct {
	task.Definition
	s        *session.Session
	st       *ast.Schedule // with each parameter replaced by its value
	rule     schedule.Rule
	settings session.Settings
	budget   *visitBudget // of ADAPTIVE BUDGET; nil if absent
}

// visitBudget is how many visits ADAPTIVE BUDGET n PER d lets CRAWL DUE make.
type visitBudget struct {
	perDay float64 // visits a day
	turn   float64 // visits in one run, which need not be a whole number
}

// Limits of the durations of a schedule.
const (
	everyMin = time.Second               // least duration of EVERY
	everyMax = 10 * 366 * 24 * time.Hour // greatest duration of EVERY and PER
	// turnMin is the usual time between two runs of an adaptive schedule. That time is
	// longer if the budget allows less than one visit in turnMin, and shorter if PER is
	// shorter than turnMin.
	turnMin = time.Hour
)

// scheduleSpec declares the statement SCHEDULE, which stores a schedule in
// the archive.
var scheduleSpec = session.Declare("SCHEDULE", session.Writes|session.Anywhere, readSchedule)

// readSchedule reads the SCHEDULE statement st, and checks the statement
// that the schedule will run. The result has the current settings of the
// session.
func readSchedule(s *session.Session, st *ast.Schedule) (*plannedRun, error) {
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
	def := session.DefaultSettings()
	for _, k := range session.AllSettings() {
		if v := k.Get(s.Settings()); k.Stored && v != k.Get(&def) {
			p.Text += (&ast.Set{Name: ast.Name{Text: k.Name}, Value: &ast.String{Value: v}}).String() + ";\n"
		}
	}
	p.Text += bare.String()
	return p, nil
}

// literalDuration returns the duration e as a literal, so that it can be
// stored. The value of a parameter becomes a literal in milliseconds, such
// as 1500ms. where is the keyword that an error names, such as EVERY.
func (p *plannedRun) literalDuration(e ast.Expr, where string) (ast.Expr, error) {
	if d, ok := e.(*ast.Duration); ok {
		return d, nil
	}
	d, err := session.ConstantDuration(e, where, p.s.Env())
	return &ast.Duration{Text: fmt.Sprintf("%dms", d.Milliseconds()), Length: d}, err
}

// plan sets the rule of the schedule, and its budget of visits if it has
// one, from the statement p.st.
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

// planVisits sets the rule and the budget of an ADAPTIVE schedule. The
// schedule runs at equal intervals from anchor on, and each run may spend an
// equal part of the budget.
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

// visits returns how many visits the next run may make, if turns intervals
// of the schedule have passed before it. Each number is whole, and over many
// runs they add up to the budget: with half a visit a run they are 0, 1, 0,
// 1. For a nil b, no budget, it returns nil.
func (b *visitBudget) visits(turns int64) *session.VisitBudget {
	if b == nil {
		return nil
	}
	return &session.VisitBudget{PerDay: b.perDay, Run: int64(b.turn*float64(turns+1)) - int64(b.turn*float64(turns))}
}

// ruleText returns the rule of the schedule as the statement writes it, such
// as "EVERY 1d".
func (p *plannedRun) ruleText() string {
	text := p.st.String()
	text = strings.TrimSuffix(text, " AS "+p.st.Statement.String())
	return strings.TrimPrefix(text, "SCHEDULE "+p.st.Name.String()+" ")
}

// Run stores the schedule in the archive. It is an error if a schedule of
// that name exists.
func (p *plannedRun) Run(ctx context.Context) (*session.Result, error) {
	err := p.s.Archive().Define(ctx, func(list []task.Definition) ([]task.Definition, error) {
		if session.IndexDefinition(list, p.Kind, p.Name) >= 0 {
			err := ast.Errorf(&p.st.Name, "there is a schedule %s already", p.Name)
			err.Hint = "UNSCHEDULE " + p.st.Name.String() + " removes it"
			return nil, err
		}
		return append(list, p.Definition), nil
	})
	if err != nil {
		return nil, err
	}
	return session.Done(), nil
}

// Assume makes the schedule known to later statements that Session.Check
// reads.
func (p *plannedRun) Assume() { p.s.Assume(p.Definition) }

// Would returns lines for EXPLAIN: the schedule, the times of its next runs,
// its budget and the statement that it runs.
func (p *plannedRun) Would(context.Context) ([]string, error) {
	lines := []string{fmt.Sprintf("schedules %s in %s: %s", p.Name, p.s.Archive().Path(), p.ruleText())}
	lines = append(lines, p.nextRuns(p.Created.Std())...) // the first run of EVERY is at once
	if p.budget != nil {
		lines = append(lines, fmt.Sprintf("  with %.4g visits a run, %.4g a day", p.budget.turn, p.budget.perDay))
	}
	return append(lines, "  runs "+p.st.Statement.String()), nil
}

// nextRuns returns a heading and five lines with the times of the next runs
// of the schedule, from the time after on.
func (p *plannedRun) nextRuns(after time.Time) []string {
	const shown = 5
	lines := []string{"  next runs, if infomall --daemon is running:"}
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

// state returns the last job of the schedule in jobs, and the time of the
// next run, as the last finished job noted it. If the schedule has not run
// yet, last is zero, and next is the time of its first run.
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

// turns returns how many intervals of the rule had passed at the time t. It
// returns 0 for CRON and for an interval in months.
func (p *plannedRun) turns(t time.Time) int64 {
	if e, ok := p.rule.(schedule.Every); ok && e.Months == 0 {
		return max(0, int64(t.Sub(e.Anchor)/e.Length))
	}
	return 0
}
