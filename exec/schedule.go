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
	"infomall/store/record/task"
)

// plannedRun is a schedule: a statement, the rule that says when the
// statement runs, and the settings with which it runs.
type plannedRun struct {
	timed
	st     *ast.Schedule // with each parameter replaced by its value
	budget *visitBudget  // of ADAPTIVE BUDGET; nil if absent
}

// visitBudget is how many visits ADAPTIVE BUDGET n PER d lets CRAWL DUE make.
type visitBudget struct {
	perDay float64 // visits a day
	turn   float64 // visits in one run, which need not be a whole number
}

// turnMin is the usual time between two runs of an adaptive schedule. That time is
// longer if the budget allows less than one visit in turnMin, and shorter if PER is
// shorter than turnMin.
const turnMin = time.Hour

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
	var ofSession string // the statement, if it says nothing beyond its session
	switch st.Statement.(type) {
	case *ast.Set:
		ofSession = "SET"
	case *ast.Reset:
		ofSession = "RESET"
	}
	if ofSession != "" {
		err := ast.Errorf(st.Statement, "%s holds for one session, and a schedule runs in a session of its own", ofSession)
		err.Hint = "write " + st.Statement.String() + "; before SCHEDULE: a schedule keeps the settings of the session that made it"
		return nil, err
	}
	p := &plannedRun{timed: timed{s: s}}
	p.begin(task.KindSchedule, &st.Name)
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
	p.Text = p.settingsText() + bare.String()
	return p, nil
}

// plan sets the rule of the schedule, and its budget of visits if it has
// one, from the statement p.st.
func (p *plannedRun) plan() (err error) {
	switch {
	case p.st.Every != nil:
		return p.planEvery(p.st.Every.(*ast.Duration))
	case p.st.Cron != nil:
		if p.rule, err = schedule.ParseCron(p.st.Cron.(*ast.String).Value, p.settings.Timezone); err != nil {
			return fmt.Errorf("CRON: %w", err)
		}
	case p.st.AfterImport:
		switch p.st.Statement.(type) {
		case *ast.Import, *ast.Crawl:
			err := ast.Errorf(p.st.Statement, "AFTER IMPORT does not run a statement that adds captures itself: it would run again and again")
			err.Hint = "EVERY 1d and CRON '0 3 * * *' run any statement"
			return err
		}
		p.rule = schedule.AfterImport{}
	default:
		return p.planVisits(p.anchor())
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
	return p.define(ctx)
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

// turns returns how many intervals of the rule had passed at the time t. It
// returns 0 for CRON and for an interval in months.
func (p *plannedRun) turns(t time.Time) int64 {
	if e, ok := p.rule.(schedule.Every); ok && e.Months == 0 {
		return max(0, int64(t.Sub(e.Anchor)/e.Length))
	}
	return 0
}
