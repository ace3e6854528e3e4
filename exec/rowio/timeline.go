package rowio

import (
	"fmt"
	"math"
	"strings"
	"time"

	"infomall/exec/value"
	"infomall/lang/cells"
)

// timeline is the axis of a plot whose rows have one time each, in ascending
// order. Times have their true distances on it.
type timeline struct {
	zone     *time.Location
	unit     string // the unit of which all times are starts, such as month; "" if there is none
	from, to int64  // its ends, in milliseconds since 1970
}

// timeline returns the axis of the plot, or nil if its rows are not labelled by one
// time each, in ascending order.
func (p *plot) timeline() *timeline {
	if len(p.others) != 1 || p.cols[p.others[0]].Type != value.Time || len(p.rows) < 2 {
		return nil
	}
	last := int64(math.MinInt64)
	for _, r := range p.rows {
		if r.times[0] <= last {
			return nil // a NULL has the least time
		}
		last = r.times[0]
	}
	l := &timeline{zone: p.o.Zone, unit: p.cols[p.others[0]].Unit, from: p.rows[0].times[0]}
	if l.unit == "" || l.unit == "hour" || l.unit == "minute" || l.unit == "second" {
		l.unit = map[string]string{"2006": "year", "2006-01": "month", "2006-01-02": "day"}[p.layout(0)]
	}
	l.to = l.next(last)
	if l.unit == "" {
		l.to = last
	}
	return l
}

// next returns the start of the period after the one that begins at t. Without a
// unit it returns t.
func (l *timeline) next(t int64) int64 {
	if l.unit == "" {
		return t
	}
	return value.After(l.unit, time.UnixMilli(t).In(l.zone)).UnixMilli()
}

// gapMax is the most periods of a gap that a chart shows as a line each. A longer
// gap is one line.
const gapMax = 12

// gap returns the labels of the lines for the periods between the rows at the
// times a and b, in which there are no rows. It returns nil if there are none.
func (l *timeline) gap(a, b int64, layout string) (labels []string) {
	if l.unit == "" || layout == "" {
		return nil
	}
	n := 0
	for t := l.next(a); t < b; t = l.next(t) {
		if n++; n <= gapMax {
			labels = append(labels, time.UnixMilli(t).In(l.zone).Format(layout))
		}
	}
	if n > gapMax {
		return []string{fmt.Sprintf("… %s", value.Counted(n, l.unit))}
	}
	return labels
}

// gaps returns, for each row of the plot, the labels of the lines for the periods
// before it in which there are no rows.
func (p *plot) gaps() [][]string {
	gaps := make([][]string, len(p.rows))
	line := p.timeline()
	if line == nil {
		return gaps
	}
	layout := p.layout(0)
	for i := 1; i < len(p.rows); i++ {
		gaps[i] = line.gap(p.rows[i-1].times[0], p.rows[i].times[0], layout)
	}
	return gaps
}

// brokenLines returns s in lines of at most width cells, broken at blanks. A longer
// word has a line of its own.
func brokenLines(s string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Split(s, " ") {
		if line != "" && cells.Width(line)+1+cells.Width(word) > width {
			lines = append(lines, line)
			line = word
			continue
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// place returns where t is on the line, from 0 to 1.
func (l *timeline) place(t int64) float64 {
	return float64(t-l.from) / float64(max(l.to-l.from, 1))
}

// tick is a mark below the line: a time and its label.
type tick struct {
	at    int64
	label string
}

// tickSteps are the distances that the ticks of a timeline may have, the least
// first.
var tickSteps = []struct {
	years, months, days int
	layout              string
}{
	{0, 0, 1, "2006-01-02"}, {0, 0, 2, "2006-01-02"}, {0, 0, 7, "2006-01-02"}, {0, 0, 14, "2006-01-02"},
	{0, 1, 0, "2006-01"}, {0, 3, 0, "2006-01"}, {0, 6, 0, "2006-01"},
	{1, 0, 0, "2006"}, {2, 0, 0, "2006"}, {5, 0, 0, "2006"}, {10, 0, 0, "2006"}, {50, 0, 0, "2006"}, {100, 0, 0, "2006"}, {1000, 0, 0, "2006"},
}

// ticks returns at most most marks of equal distance in the calendar, the labels
// of which are as short as this distance allows.
func (l *timeline) ticks(most int) (list []tick) {
	for _, s := range tickSteps {
		list = list[:0]
		at := time.UnixMilli(l.from).In(l.zone)
		switch {
		case s.years > 0:
			at = time.Date(at.Year()/s.years*s.years, 1, 1, 0, 0, 0, 0, l.zone)
		case s.months > 0:
			at = time.Date(at.Year(), time.Month((int(at.Month())-1)/s.months*s.months+1), 1, 0, 0, 0, 0, l.zone)
		default:
			at = time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, l.zone)
		}
		for ; at.UnixMilli() <= l.to && len(list) <= most; at = at.AddDate(s.years, s.months, s.days) {
			if at.UnixMilli() >= l.from {
				list = append(list, tick{at.UnixMilli(), at.Format(s.layout)})
			}
		}
		if len(list) <= most {
			return list
		}
	}
	return nil
}

// scales returns the length of the longest bar of each column of numbers. All
// columns have the same scale, unless one is so much smaller that its bars would
// not show.
func (p *plot) scales() (most []float64, same bool) {
	most = make([]float64, len(p.numbers))
	for _, r := range p.rows {
		for k, x := range r.numbers {
			if a := math.Abs(x); a > most[k] && !math.IsInf(a, 0) {
				most[k] = a
			}
		}
	}
	for _, m := range most {
		if m > 0 && m*scaleMax < p.most {
			return most, false
		}
	}
	for k := range most {
		most[k] = p.most
	}
	return most, true
}

// scaleMax is how many times greater the greatest number of a column may be than
// that of another if both have the same scale.
const scaleMax = 20

// below returns the lines that say where a plot comes from: the statement and the
// archive, if they are known.
func (o *Options) below() (lines []string) {
	for _, s := range []string{o.Statement, o.Archive} {
		if s != "" {
			lines = append(lines, strings.TrimSpace(s))
		}
	}
	return lines
}
