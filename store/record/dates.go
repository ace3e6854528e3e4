package record

import (
	"fmt"
	"time"
)

// Dates is the range of times, both ends included, that an imported capture may
// have. The times come from foreign files and may be wrong. A capture outside the
// range counts as damage, so that one wrong date does not create a pool (the
// captures of one month) in the year 0.
type Dates struct {
	Earliest, Latest Time
}

// EarliestDefault is the earliest time that an imported capture may have by
// default. The web began after it.
var EarliestDefault = At(time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC))

// latestMargin is how long after the present the time of an imported capture may be
// by default. It allows for wrong clocks, and for local times that were written as
// UTC.
const latestMargin = 24 * time.Hour

// AllDates is the range of all times in the years 1 to 9999. The month of such a
// time can be the name of a pool.
var AllDates = Dates{MinTime, MaxTime}

// DatesAt returns the range of times for an import that runs at the time now. A nil
// earliest means EarliestDefault, and a nil latest means one day after now.
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

// Refuse returns the reason, as a sentence for the user, why an imported capture
// may not have the time t. It returns "" if the capture may have it.
func (d Dates) Refuse(t Time) string {
	switch {
	case t < d.Earliest:
		return fmt.Sprintf("its date %s is before %s, the earliest that is accepted: if it is right, SET earliest_date and import again", dateText(t), dateText(d.Earliest))
	case t > d.Latest:
		return fmt.Sprintf("its date %s is after %s, the latest that is accepted: if it is right, SET latest_date and import again", dateText(t), dateText(d.Latest))
	}
	return ""
}

func dateText(t Time) string { return t.Std().Format("2006-01-02T15:04:05Z") }
