package value

import (
	"fmt"
	"time"

	"infomall/store/record"
)

// StartOf returns the start of the calendar unit that contains t, in the zone
// of t. unit is "year", "quarter", "month", "week" (which starts on Monday) or
// "day".
func StartOf(unit string, t time.Time) time.Time {
	y, m, d := t.Date()
	switch unit {
	case "year":
		m, d = 1, 1
	case "quarter":
		m, d = (m-1)/3*3+1, 1
	case "month":
		d = 1
	case "week":
		d -= (int(t.Weekday()) + 6) % 7
	}
	return time.Date(y, m, d, 0, 0, 0, 0, t.Location())
}

// PeriodAt returns the calendar period that contains t. unit is "year",
// "month", "week" (which starts on Monday) or "day". Days begin at midnight in
// the given zone.
func PeriodAt(unit string, t record.Time, zone *time.Location) Period {
	start := StartOf(unit, t.Std().In(zone))
	return Period{record.At(start), record.At(After(unit, start))}
}

// After returns the end of the period that begins at start, which is the start of the next one.
// unit is "year", "quarter", "month", "week" or "day".
func After(unit string, start time.Time) time.Time {
	switch unit {
	case "year":
		return start.AddDate(1, 0, 0)
	case "quarter":
		return start.AddDate(0, 3, 0)
	case "month":
		return start.AddDate(0, 1, 0)
	case "week":
		return start.AddDate(0, 0, 7)
	}
	return start.AddDate(0, 0, 1)
}

// PeriodName returns the name of the period p, which PeriodAt has returned for
// the same unit and zone: 2008, 2008-06 or 2008-06-15, or 2008-W24 for a week,
// as in ISO 8601.
func PeriodName(unit string, p Period, zone *time.Location) string {
	t := p.From.Std().In(zone)
	switch unit {
	case "year":
		return t.Format("2006")
	case "month":
		return t.Format("2006-01")
	case "week":
		year, week := t.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", year, week)
	}
	return t.Format("2006-01-02")
}
