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
	return date(y, m, d, 0, t.Location())
}

// date returns the time after the start of a day, as on a clock of the given zone. If the clocks
// skip that time because they change at midnight, time.Date may return a time of the day before;
// date then returns the time as if it were counted on after the change: the day begins at 01:00.
func date(y int, m time.Month, d int, clock time.Duration, zone *time.Location) time.Time {
	t := time.Date(y, m, d, 0, 0, int(clock/time.Second), int(clock%time.Second), zone)
	if zone == time.UTC || t.Hour() <= int(clock/time.Hour) {
		return t
	}
	_, before := t.Zone()
	_, after := t.AddDate(0, 0, 1).Zone()
	return t.Add(time.Duration(after-before) * time.Second)
}

// clockOf returns the time since midnight on a clock of the zone of t.
func clockOf(t time.Time) time.Duration {
	h, m, s := t.Clock()
	return time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s)*time.Second + time.Duration(t.Nanosecond())
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
	y, m, d := start.Date()
	switch unit {
	case "year":
		y++
	case "quarter":
		m += 3
	case "month":
		m++
	case "week":
		d += 7
	default:
		d++
	}
	return date(y, m, d, 0, start.Location())
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
