package op

import (
	"context"
	"time"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/store/record"
)

// eachPeriod tells a spanner of which periods it gives the state.
type eachPeriod struct {
	unit string
	zone *time.Location
	to   record.Time // periods that begin here or later are not given
	end  record.Time // of the period at hand
}

// periods gives what spans need of EACH, nil for another choice. Without an end
// the periods go on to the archive's last capture.
func (r *Runner) periods(ctx context.Context, n *plan.Source) (*eachPeriod, error) {
	if n.Choice.Kind != plan.ChooseEach {
		return nil, nil
	}
	e := &eachPeriod{unit: n.Choice.Unit, zone: n.Choice.Zone, to: n.Window.To}
	if e.to > record.MaxTime {
		pools, err := r.Snapshot.Pools(ctx)
		if err != nil {
			return nil, err
		}
		e.to = record.MinTime
		for _, p := range pools {
			e.to = max(e.to, p.Last+1)
		}
	}
	return e, nil
}

// begin turns to a URL that is first captured at t.
func (e *eachPeriod) begin(t record.Time) { e.end = value.PeriodAt(e.unit, t, e.zone).To }

// advance goes on to the next period.
func (e *eachPeriod) advance() { e.end = value.PeriodAt(e.unit, e.end, e.zone).To }

// before reports whether the period at hand is over at t, the last one by the
// end of its start.
func (e *eachPeriod) before(t record.Time) bool { return e.end <= t }

// rest reports whether the period at hand begins before the end of all.
func (e *eachPeriod) rest() bool { return value.PeriodAt(e.unit, e.end-1, e.zone).From < e.to }

// freeze makes the open row one of its own, as it is at the end of the period at
// hand, and goes on with a copy.
func (s *spanner) freeze() {
	s.out.put(s.n, &s.out.Batch, s.cur)
	s.out.move(s.n, s.cur)
	s.out.AsOf[s.cur] = s.each.end - 1
	s.cur = s.n
	s.n++
	s.each.advance()
}

// finish gives the state of a URL in the periods after its last capture, and
// drops the row that was open.
func (s *spanner) finish() {
	if s.each == nil || s.cur < 0 {
		return
	}
	for s.each.rest() {
		s.freeze()
	}
	s.n, s.cur = s.cur, -1
}
