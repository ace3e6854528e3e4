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
	return onClock(time.Date(y, m, d, 0, 0, 0, 0, time.UTC), t.Location())
}

// onClock returns the time at which a clock in the zone shows the date and the time of day that wall
// has in UTC. If the clock is put forward over them, it returns the time that is as long after the
// jump. So a day that has no midnight, as in São Paulo when summer time begins, starts at 1 o'clock.
// If the clock shows them twice, it returns the first time.
func onClock(wall time.Time, zone *time.Location) time.Time {
	t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), zone)
	_, offset := t.Zone()
	if early := wall.Unix() - t.Unix() - int64(offset); early > 0 {
		return t.Add(time.Duration(early) * time.Second) // package time took the offset after the jump
	}
	return t
}

// onDate returns the time of day of t on another date, in the zone of t. If t is the start of a day,
// the result is the start of that date.
func onDate(t time.Time, year int, month time.Month, day int) time.Time {
	clock := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if !t.Equal(StartOf("day", t)) {
		clock = time.Date(year, month, day, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	}
	return onClock(clock, t.Location())
}

// addDays returns t moved by a number of calendar days, which may be negative, in the zone of t.
func addDays(t time.Time, days int) time.Time {
	y, m, d := t.Date()
	return onDate(t, y, m, d+days)
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
	y, m, d := start.Date() // a day may start later than at midnight, the next one may not
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
	return onClock(time.Date(y, m, d, 0, 0, 0, 0, time.UTC), start.Location())
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
