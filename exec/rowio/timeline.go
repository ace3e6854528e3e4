package rowio

import (
	"fmt"
	"math"
	"strings"
	"time"

	"infomall/exec/value"
	"infomall/lang/cells"
)

// timeline is the time axis of a plot. Each row of the plot has one time, and the times are
// ascending. Distances on the axis are in proportion to time.
type timeline struct {
	zone     *time.Location
	unit     string // the calendar unit, such as month, if each time is the start of one; "" if there is none
	from, to int64  // the ends of the axis, in milliseconds since 1970
}

// timeline returns the time axis of the plot. It returns nil unless the label of each row
// has exactly one time and these times ascend.
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

// next returns the start of the period (such as a month) after the period that starts at t.
// If l has no unit, it returns t.
func (l *timeline) next(t int64) int64 {
	if l.unit == "" {
		return t
	}
	return value.After(l.unit, time.UnixMilli(t).In(l.zone)).UnixMilli()
}

// gapMax is the greatest number of consecutive periods without rows that a chart shows with
// one line each. More of them share one line.
const gapMax = 12

// gap returns the labels of the lines that a chart shows between two consecutive rows with
// the times a and b: for the periods between them, which have no rows. It returns nil if
// there are no such periods.
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

// gaps returns, for each row of the plot, the labels of the lines that come before it for
// periods without rows.
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

// place returns the position of the time t on the axis, from 0 to 1.
func (l *timeline) place(t int64) float64 {
	return float64(t-l.from) / float64(max(l.to-l.from, 1))
}

// tick is a mark below the line: a time and its label.
type tick struct {
	at    int64
	label string
}

// tickSteps are the possible distances between the ticks of a timeline, the least first.
var tickSteps = []struct {
	years, months, days int
	layout              string
}{
	{0, 0, 1, "2006-01-02"}, {0, 0, 2, "2006-01-02"}, {0, 0, 7, "2006-01-02"}, {0, 0, 14, "2006-01-02"},
	{0, 1, 0, "2006-01"}, {0, 3, 0, "2006-01"}, {0, 6, 0, "2006-01"},
	{1, 0, 0, "2006"}, {2, 0, 0, "2006"}, {5, 0, 0, "2006"}, {10, 0, 0, "2006"}, {50, 0, 0, "2006"}, {100, 0, 0, "2006"}, {1000, 0, 0, "2006"},
}

// ticks returns marks for the axis, no more than most. Their distance is always the same in
// the calendar, such as one month. Labels are as short as this distance allows.
func (l *timeline) ticks(most int) (list []tick) {
	for _, s := range tickSteps {
		list = list[:0]
		y, m, d := time.UnixMilli(l.from).In(l.zone).Date()
		switch {
		case s.years > 0:
			y, m, d = y/s.years*s.years, 1, 1
		case s.months > 0:
			m, d = (m-1)/time.Month(s.months)*time.Month(s.months)+1, 1
		}
		for len(list) <= most {
			at := value.StartOf("day", time.Date(y, m, d, 12, 0, 0, 0, l.zone)) // a day may have no midnight
			if at.UnixMilli() > l.to {
				break
			}
			if at.UnixMilli() >= l.from {
				list = append(list, tick{at.UnixMilli(), at.Format(s.layout)})
			}
			y, m, d = y+s.years, m+time.Month(s.months), d+s.days
		}
		if len(list) <= most {
			return list
		}
	}
	return nil
}

// scales returns, for each column of numbers, the number whose bar has the full length. same
// reports that it is the same for all columns. It is not if one column is so much smaller
// that its bars would be too short to see.
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

// scaleMax is the greatest ratio between the greatest numbers of two columns at which their
// bars have the same scale.
const scaleMax = 20

// below returns the lines below a plot that say where it comes from: the statement and the
// archive, if they are known.
func (o *Options) below() (lines []string) {
	for _, s := range []string{o.Statement, o.Archive} {
		if s != "" {
			lines = append(lines, strings.TrimSpace(s))
		}
	}
	return lines
}
