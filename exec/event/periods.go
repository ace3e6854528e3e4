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
	starts []record.Time // of the periods, and the end of the last one
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

// longest has the longest length of each unit. A day with a change of the clock has 25 hours.
var longest = map[string]time.Duration{"hour": time.Hour, "day": 25 * time.Hour, "week": (7*24 + 1) * time.Hour, "month": (31*24 + 1) * time.Hour}

// span makes the periods from that of first to that of last, at most periodsMax.
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

// count returns how many periods there are.
func (c *calendar) count() int { return max(0, len(c.starts)-1) }

// of returns the number of the period that contains t. It is -1 if t is before the first.
func (c *calendar) of(t record.Time) int {
	i, exact := slices.BinarySearch(c.starts, t)
	if !exact {
		i--
	}
	return min(i, c.count()-1)
}

// cycle returns after how many periods rates repeat: days repeat by the week.
func (c *calendar) cycle() int {
	if c.unit == "day" {
		return 7
	}
	return 0
}
