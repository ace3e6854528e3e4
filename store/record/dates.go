package record

import (
	"fmt"
	"time"
)

// Dates is the range of times, both ends included, that a capture may have.
// The times of captures come from foreign files and may be anything; a capture
// outside is damage, so that one bad date does not make a pool of the year 0.
type Dates struct {
	Earliest, Latest Time
}

// EarliestDefault is the earliest time of a capture: the web is younger.
var EarliestDefault = At(time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC))

// latestMargin is how far after the present a capture may lie by default. It
// covers clocks that are wrong, and local times that were written as UTC.
const latestMargin = 24 * time.Hour

// AllDates is every time that a capture can have: the month of any other is no
// name of a pool.
var AllDates = Dates{MinTime, MaxTime}

// DatesAt returns the range that is taken at the time now. A nil earliest is
// EarliestDefault, a nil latest is a day after now.
func DatesAt(now time.Time, earliest, latest *Time) Dates {
	d := Dates{EarliestDefault, At(now.Add(latestMargin))}
	if earliest != nil {
		d.Earliest = *earliest
	}
	if latest != nil {
		d.Latest = *latest
	}
	return d
}

// Refuse returns why a capture may not have the time t, or "" if it may.
func (d Dates) Refuse(t Time) string {
	switch {
	case t < d.Earliest:
		return fmt.Sprintf("its date %s is before %s, the earliest that is taken: if it is right, SET earliest_date and import again", dateText(t), dateText(d.Earliest))
	case t > d.Latest:
		return fmt.Sprintf("its date %s is after %s, the latest that is taken: if it is right, SET latest_date and import again", dateText(t), dateText(d.Latest))
	}
	return ""
}

func dateText(t Time) string { return t.Std().Format("2006-01-02T15:04:05Z") }
