// Package schedule decides when scheduled statements run, and runs them on
// time. The caller provides the statements, runs each one and stores when it
// runs next.
//
// # Rules, moments and entries
//
// A Rule plans moments: points in time at which something runs, such as 03:00
// every day. An Entry is a named thing to run, with its rule and its next
// moment as the caller stored it. A Loop starts each entry when its stored
// moment has passed. Each entry runs at most once at a time, and moments that
// passed while it could not run, such as while no program was up, lead to one
// run in all.
package schedule

import "time"

// Rule plans the moments (points in time) at which something runs.
type Rule interface {
	// Next returns the first planned moment after t. ok is false if there is
	// none.
	Next(t time.Time) (next time.Time, ok bool)
}

// Every is a Rule that plans a moment every Months months or, if Months is 0,
// every Length. Anchor is one of the moments. Months are those of the calendar
// in Anchor's zone. If a month lacks the day of Anchor, its moment is on the
// month's last day.
type Every struct {
	Anchor time.Time
	Months int
	Length time.Duration // more than 0 if Months is 0
}

// Next returns the first moment of the rule after t, and true. It implements
// Rule. It also plans moments before Anchor, so that after a clock was set back
// nothing waits until Anchor.
func (e Every) Next(t time.Time) (time.Time, bool) {
	if e.Months == 0 {
		past := t.Sub(e.Anchor) % e.Length
		if past < 0 {
			past += e.Length
		}
		return t.Add(e.Length - past), true
	}
	t = t.In(e.Anchor.Location())
	k := ((t.Year()-e.Anchor.Year())*12+int(t.Month()-e.Anchor.Month()))/e.Months - 2
	for ; ; k++ {
		if m := addMonths(e.Anchor, k*e.Months); m.After(t) {
			return m, true
		}
	}
}

// addMonths returns t moved by a number of calendar months, back if months is
// negative. If the resulting month lacks the day of t, the result is on the
// month's last day.
func addMonths(t time.Time, months int) time.Time {
	year, month, day := t.Date()
	last := time.Date(year, month+time.Month(months)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	hour, minute, second := t.Clock()
	return time.Date(year, month+time.Month(months), min(day, last), hour, minute, second, t.Nanosecond(), t.Location())
}

// AfterImport is a Rule that plans no moments by the clock: something runs after captures
// were added to an archive. The caller sets the moment of each Entry.
type AfterImport struct{}

// Next returns false: no moment is planned. It implements Rule.
func (AfterImport) Next(time.Time) (time.Time, bool) { return time.Time{}, false }

// Due returns the moment when an entry with rule r runs next. stored is the
// moment that After returned when the entry last ran; now is the time of the
// clock.
//
// Usually Due returns stored. If stored has passed, the entry is due, and then
// runs once, however many moments have passed. But if stored is later than the
// next two moments of the rule, it was computed while a clock was ahead. Due
// then returns the next moment, so that a wrong clock makes nothing wait for
// years.
func Due(r Rule, stored, now time.Time) time.Time {
	next, ok := r.Next(now)
	if !ok {
		return stored
	}
	if second, ok := r.Next(next); ok && stored.After(second) {
		return next
	}
	return stored
}
