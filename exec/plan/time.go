package plan

import (
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

// Period is the moments t with From <= t < To.
type Period = value.Period

// setTime makes n's window and choice of a time clause. The upper bound hides
// all captures after it, also from last_seen, visits and next; the lower bound
// only keeps rows from coming up. The choice is made within both.
func (n *Source) setTime(t ast.TimeClause, env *Env) error {
	if t.Range != nil {
		w, err := readRange(t.Range, env)
		if err != nil {
			return err
		}
		n.Window = w
	}
	if t.Choice == nil {
		return nil
	}
	c := Choice{AsOf: record.NoTime}
	if t.Choice.T != nil {
		p, err := value.PeriodOf(t.Choice.T, env)
		if err != nil {
			return err
		}
		c.Period = p
	}
	switch t.Choice.Op {
	case ast.ChoiceAt:
		c.Kind, c.AsOf = ChooseLast, c.Period.To-1
		c.text = "at " + stamp(c.AsOf)
		n.Window.To = min(n.Window.To, c.Period.To)
	case ast.ChoiceNearest:
		c.Kind, c.AsOf = ChooseNearest, c.Period.From
		c.text = "nearest " + stamp(c.Period.From) + " to " + stamp(c.Period.To-1)
	case ast.ChoiceFirst:
		c.Kind, c.text = ChooseFirst, "first"
	case ast.ChoiceLatest:
		c.Kind, c.text = ChooseLast, "latest"
	}
	n.Choice = c
	return nil
}

// readRange reads a time range. One that no time lies in is an error.
func readRange(r *ast.TimeRange, env *Env) (Window, error) {
	var a, b Period
	var err error
	if r.A != nil {
		if a, err = value.PeriodOf(r.A, env); err != nil {
			return Window{}, err
		}
	}
	if r.B != nil {
		if b, err = value.PeriodOf(r.B, env); err != nil {
			return Window{}, err
		}
	}
	w := everything
	switch r.Op {
	case ast.RangeBetween:
		w = Window{a.From, b.To}
		if w.Empty() {
			err := ast.Errorf(r, "this range ends before it begins")
			err.Hint = "write BETWEEN " + r.B.String() + " AND " + r.A.String()
			return w, err
		}
	case ast.RangeFromTo:
		w = Window{a.From, b.From}
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

// emptyFromTo is the error of FROM a TO b where b does not begin after a.
func emptyFromTo(r *ast.TimeRange, a, b Period) error {
	if a.From > b.From {
		err := ast.Errorf(r, "this range ends before it begins")
		err.Hint = "write BETWEEN " + r.B.String() + " AND " + r.A.String() + ", which has both whole"
		return err
	}
	err := ast.Errorf(r, "FROM %s TO %s is empty: it ends where %s begins", r.A, r.B, r.B)
	err.Hint = "write BETWEEN " + r.A.String() + " AND " + r.B.String()
	return err
}

// Distance is how far the span from first to last lies from the period: 0 if
// they touch, else the time between them.
func (c Choice) Distance(first, last record.Time) int64 {
	switch {
	case last < c.Period.From:
		return int64(c.Period.From - last)
	case first >= c.Period.To:
		return int64(first - c.Period.To)
	}
	return 0
}
