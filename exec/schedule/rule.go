// Package schedule says when what is scheduled is to run, and has it run: at
// what moments a rule plans it, what is due after a pause or a clock that was
// set, and that each runs once at a time. What is run, and where it is noted,
// is its caller's.
package schedule

import "time"

// A Rule plans the moments at which something runs.
type Rule interface {
	// Next is the first planned moment after t; false if there is none any more.
	Next(t time.Time) (next time.Time, ok bool)
}

// Every plans a moment each so many months, or each length of time; one of them
// is Anchor. Months go by the calendar of Anchor's zone, and one that is shorter
// than the day of Anchor has it on its last day.
type Every struct {
	Anchor time.Time
	Months int           // or else
	Length time.Duration // > 0
}

// Next implements Rule. There were planned moments before Anchor too: a clock
// that was set back is no reason to wait for it.
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

// addMonths goes forward by the calendar, or back. A day that the month has not
// is its last.
func addMonths(t time.Time, months int) time.Time {
	year, month, day := t.Date()
	last := time.Date(year, month+time.Month(months)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	hour, minute, second := t.Clock()
	return time.Date(year, month+time.Month(months), min(day, last), hour, minute, second, t.Nanosecond(), t.Location())
}

// Due is when something is to run next by the clock now, where stored is when it
// was to run next when that was noted, as After gave it.
//
// That is stored, and it is due if that has passed, once however many moments
// have. But what is more than two moments ahead was noted by a clock that was
// ahead too: then it is the next one, so that no clock makes anything wait for
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
