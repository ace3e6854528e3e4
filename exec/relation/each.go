package relation

import (
	"context"
	"time"

	"infomall/exec/value"
	"infomall/store/record"
)

// eachPeriod is the state of EACH in a spanner: which period the current URL
// has reached.
type eachPeriod struct {
	unit string
	zone *time.Location
	to   record.Time // periods that begin here or later are left out
	end  record.Time // of the current period
}

// periods returns the state for a source with EACH, or nil if n has another
// choice. If the window has no end, the periods end with the last capture of
// the archive.
func (r *Reader) periods(ctx context.Context, n *Request) (*eachPeriod, error) {
	if n.Choice.Kind != ChooseEach {
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

// begin sets the current period to the one that contains t, the first capture
// of a URL.
func (e *eachPeriod) begin(t record.Time) { e.end = value.PeriodAt(e.unit, t, e.zone).To }

// advance goes to the next period.
func (e *eachPeriod) advance() { e.end = value.PeriodAt(e.unit, e.end, e.zone).To }

// before reports whether the current period has ended by t.
func (e *eachPeriod) before(t record.Time) bool { return e.end <= t }

// rest reports whether the current period begins before the end of the window.
func (e *eachPeriod) rest() bool { return value.PeriodAt(e.unit, e.end-1, e.zone).From < e.to }

// freeze ends a period of EACH. It completes the open row as the state at the
// end of the period, and opens a copy of the row for the next period.
func (s *spanner) freeze() {
	s.out.put(s.n, &s.out.Batch, s.cur)
	s.out.move(s.n, s.cur)
	s.out.AsOf[s.cur] = s.each.end - 1
	s.cur = s.n
	s.n++
	s.each.advance()
}

// finish ends a URL. With EACH it adds one row for each period after the last
// capture of the URL, and drops the open row. Without EACH it does nothing.
func (s *spanner) finish() {
	if s.each == nil || s.cur < 0 {
		return
	}
	for s.each.rest() {
		s.freeze()
	}
	s.n, s.cur = s.cur, -1
}
