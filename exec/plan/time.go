package plan

import (
	"slices"
	"strings"
	"time"

	"infomall/exec/expr"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

// setTime sets the window and the choice of n from a time clause such as AT or
// BETWEEN. The end of the window hides all later captures, which then also have
// no effect on last_seen, visits and next. The start of the window only hides
// rows. The choice is made among the versions within the window.
func (n *Source) setTime(t ast.TimeClause, env *expr.Env) error {
	if t.Range != nil {
		w, err := readRange(t.Range, env)
		if err != nil {
			return err
		}
		if t.Range.Op == ast.RangeDuring && n.Relation.OwnTime == "" {
			n.During, w.From = w.From, record.MinTime
		}
		n.Window = w
	}
	if t.Choice == nil {
		return nil
	}
	if own := n.Relation.OwnTime; own != "" {
		err := ast.Errorf(t.Choice, "%s takes only ranges of time, and they are ranges of %s", n.Relation.Name, own)
		err.Hint = "use WHERE, as in " + own + " = (SELECT max(" + own + ") FROM " + n.Relation.Name + ")"
		return err
	}
	if n.Relation.Ranged {
		err := ast.Errorf(t.Choice, "%s has what was new in a time: it takes a range of time, but no choice of versions", n.Relation.Name)
		err.Hint = "write BETWEEN t AND t, SINCE t or UNTIL t"
		return err
	}
	c := relation.Choice{AsOf: record.NoTime}
	if t.Choice.T != nil && t.Choice.Op != ast.ChoiceEach {
		p, err := value.PeriodOf(t.Choice.T, env)
		if err != nil {
			return err
		}
		c.Period = p
	}
	switch t.Choice.Op {
	case ast.ChoiceAt:
		c.Kind, c.AsOf = relation.ChooseLast, c.Period.To-1
		c.Text, c.Until = "at "+stamp(c.AsOf), n.Window.To
		n.Window.To = min(n.Window.To, c.Period.To)
		if t.Choice.Within != nil {
			var err error
			if c.Within, err = within(t.Choice.Within, env); err != nil {
				return err
			}
			c.Bounded = true
			c.Text += " within " + string(value.AppendDuration(nil, c.Within))
		}
	case ast.ChoiceNearest:
		c.Kind, c.AsOf = relation.ChooseNearest, c.Period.From
		c.Text = "nearest " + stamp(c.Period.From) + " to " + stamp(c.Period.To-1)
	case ast.ChoiceFirst:
		c.Kind, c.Text = relation.ChooseFirst, "first"
	case ast.ChoiceLatest:
		c.Kind, c.Text = relation.ChooseLast, "latest"
	case ast.ChoiceEach:
		unit, err := eachUnit(t.Choice, env)
		if err != nil {
			return err
		}
		if n.Relation.OfVisits {
			err := ast.Errorf(t.Choice, "EACH gives states, but captures are visits")
			err.Hint = "query versions, or count visits by GROUP BY date_trunc('" + unit + "', time)"
			return err
		}
		c.Kind, c.Unit, c.Zone, c.Text = relation.ChooseEach, unit, env.Location(), "each "+unit
		if err := fewPeriods(t.Choice, c.Unit, n.Window); err != nil {
			return err
		}
	}
	n.Choice = c
	return nil
}

// eachUnit returns the unit of the choice EACH, such as "month". It is written in the statement,
// or is the value of a parameter.
func eachUnit(c *ast.TimeChoice, env *expr.Env) (string, error) {
	p, ok := c.T.(*ast.Param)
	if !ok {
		return c.Unit, nil
	}
	text, err := env.Param(p)
	if err != nil {
		return "", err
	}
	unit := strings.ToLower(text)
	if !slices.Contains(ast.PeriodUnits, unit) {
		return "", expr.UnknownName(p, "unit", text, "", ast.PeriodUnits)
	}
	return unit, nil
}

// within returns the duration d of AT t WITHIN d, in milliseconds.
func within(e ast.Expr, env *expr.Env) (int64, error) {
	x, err := (&expr.Binder{Where: "WITHIN", Env: env}).BindAs(e, value.Duration)
	if err != nil {
		return 0, err
	}
	c, ok := x.(*expr.Const)
	if !ok || c.V.IsNull() || c.V.Int < 0 {
		return 0, ast.Errorf(e, "WITHIN takes a duration such as 7d, not %s", e)
	}
	return c.V.Int, nil
}

// periodsMax bounds how many calendar periods EACH or periods(unit) may make.
const periodsMax = 100_000

// webBegan is a time before every capture. If a range has no start, its periods
// are counted from this time.
var webBegan = record.At(time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC))

// unitDays maps a calendar unit to the least number of days that it has.
var unitDays = map[string]int64{"year": 365, "month": 28, "week": 7, "day": 1}

// fewPeriods returns an error if w contains more than about periodsMax periods of the unit.
// The error points at the part of the statement that the parameter at is.
func fewPeriods(at ast.Node, unit string, w relation.Window) error {
	if w.To > record.MaxTime || int64(w.To-max(w.From, webBegan))/msPerDay/unitDays[unit] <= periodsMax {
		return nil
	}
	return ast.Errorf(at, "more than %d periods of a %s", periodsMax, unit)
}

// msPerDay is the number of milliseconds in a day of 24 hours.
const msPerDay = int64(24 * time.Hour / time.Millisecond)

// setPeriods sets the unit and the window of n, a source that reads
// periods(unit), from the source s in FROM. It returns an error if the unit is
// missing or the range of times is not closed.
func (n *Source) setPeriods(s *ast.Source, env *expr.Env) error {
	units := strings.Join(ast.PeriodUnits, ", ")
	switch {
	case s.Unit == nil:
		err := ast.Errorf(s.Relation, "periods needs a unit")
		err.Hint = "write periods(month); units are " + units
		return err
	case !slices.Contains(ast.PeriodUnits, strings.ToLower(s.Unit.Text)):
		return expr.UnknownName(s.Unit, "unit", s.Unit.Text, "", ast.PeriodUnits)
	case len(s.Scopes) > 0:
		return ast.Errorf(s.Scopes[0], "periods takes no scope")
	case s.Time.Choice != nil:
		return ast.Errorf(s.Time.Choice, "periods takes a range only")
	}
	n.Unit, n.Choice.Zone = strings.ToLower(s.Unit.Text), env.Location()
	if s.Time.Range != nil {
		var err error
		if n.Window, err = readRange(s.Time.Range, env); err != nil {
			return err
		}
	}
	if n.Window.From == record.MinTime || n.Window.To > record.MaxTime {
		err := ast.Errorf(s, "periods needs a range with both ends")
		err.Hint = "such as BETWEEN 2008-06 AND 2008-12"
		return err
	}
	return fewPeriods(s, n.Unit, n.Window)
}

// Range returns the window of a time range such as BETWEEN a AND b, or of all times if r
// is nil. Each error is an *ast.Error.
func Range(r *ast.TimeRange, env *expr.Env) (relation.Window, error) {
	if r == nil {
		return relation.Always, nil
	}
	return readRange(r, env)
}

// readRange returns the window of a time range such as BETWEEN a AND b. It
// returns an error if no time lies in the window.
func readRange(r *ast.TimeRange, env *expr.Env) (relation.Window, error) {
	var a, b value.Period
	var err error
	if r.A != nil {
		if a, err = value.PeriodOf(r.A, env); err != nil {
			return relation.Window{}, err
		}
	}
	if r.B != nil {
		if b, err = value.PeriodOf(r.B, env); err != nil {
			return relation.Window{}, err
		}
	}
	w := relation.Always
	switch r.Op {
	case ast.RangeBetween, ast.RangeDuring:
		w = relation.Window{From: a.From, To: b.To}
		if w.Empty() {
			err := ast.Errorf(r, "this range ends before it begins")
			op, _, _ := strings.Cut(r.String(), " ")
			err.Hint = "write " + op + " " + r.B.String() + " AND " + r.A.String()
			return w, err
		}
	case ast.RangeFromTo:
		w = relation.Window{From: a.From, To: b.From}
		if w.Empty() {
			return w, emptyFromTo(r, a, b)
		}
	case ast.RangeSince:
		w.From = a.From
	case ast.RangeUntil:
		w.To = b.To
	}
	return w, nil
}

// emptyFromTo returns the error for the range FROM a TO b if b does not begin
// after a.
func emptyFromTo(r *ast.TimeRange, a, b value.Period) error {
	if a.From > b.From {
		err := ast.Errorf(r, "this range ends before it begins")
		err.Hint = "write BETWEEN " + r.B.String() + " AND " + r.A.String() + ", which includes both periods"
		return err
	}
	err := ast.Errorf(r, "FROM %s TO %s is empty: it ends where %s begins", r.A, r.B, r.B)
	err.Hint = "write BETWEEN " + r.A.String() + " AND " + r.B.String()
	return err
}
