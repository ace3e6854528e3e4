package event

import (
	"slices"
	"time"

	"infomall/exec/value"
	"infomall/store/record"
)

// periodsMax is the most periods that EVENTS looks at. If the texts have more, the earliest
// are left out: a page may say that it was published long before the others.
const periodsMax = 20_000

// calendar numbers periods of one unit from 0.
type calendar struct {
	unit   string // hour, day, week or month
	zone   *time.Location
	starts []record.Time // the start of each period, and the end of the last one
}

// start returns the start of the period that contains t.
func (c *calendar) start(t record.Time) record.Time {
	std := t.Std().In(c.zone)
	if c.unit == "hour" {
		return record.At(std.Add(-time.Duration(std.Minute())*time.Minute - time.Duration(std.Second())*time.Second - time.Duration(std.Nanosecond())))
	}
	return record.At(value.StartOf(c.unit, std))
}

// after returns the start of the period after the one that begins at t.
func (c *calendar) after(t record.Time) record.Time {
	std := t.Std().In(c.zone)
	if c.unit == "hour" {
		return record.At(std.Add(time.Hour))
	}
	return record.At(value.After(c.unit, std))
}

// longest maps each unit to its greatest length. A day with a change of the clock has 25 hours.
var longest = map[string]time.Duration{"hour": time.Hour, "day": 25 * time.Hour, "week": (7*24 + 1) * time.Hour, "month": (31*24 + 1) * time.Hour}

// span sets c.starts to the periods from the one that contains first to the one that contains last.
// If these are more than periodsMax, it leaves out the earliest.
func (c *calendar) span(first, last record.Time) {
	first = max(first, last-record.Time(periodsMax*longest[c.unit].Milliseconds()))
	c.starts = c.starts[:0]
	for t := c.start(first); ; t = c.after(t) {
		c.starts = append(c.starts, t)
		if t > last {
			break
		}
	}
	if more := len(c.starts) - 1 - periodsMax; more > 0 {
		c.starts = c.starts[more:]
	}
}

// count returns the number of periods.
func (c *calendar) count() int { return max(0, len(c.starts)-1) }

// of returns the number of the period that contains t, or -1 if t is before the first period. For a
// t after the last period it returns the number of the last.
func (c *calendar) of(t record.Time) int {
	i, exact := slices.BinarySearch(c.starts, t)
	if !exact {
		i--
	}
	return min(i, c.count()-1)
}

// cycle returns the number of periods after which rates of documents repeat: 7 for days, because
// weeks are alike, and 0 for other units, which means never.
func (c *calendar) cycle() int {
	if c.unit == "day" {
		return 7
	}
	return 0
}
