package draw

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"infomall/exec/value"
	"infomall/lang/cells"
	"infomall/store/record"
)

// periodsMax is the greatest number of bars in a diagram. If there would be more with one
// bar per day, a bar is a week, a month or a year. There may be more years.
const periodsMax = 130

// layouts has the units of time of a bar, the shortest first, and the layout in which the
// start of each unit is printed.
var layouts = []struct{ unit, layout string }{
	{"day", time.DateOnly}, {"week", time.DateOnly}, {"month", "2006-01"}, {"year", "2006"},
}

// spreading says how many reports of events fall into each period of time.
type spreading struct {
	unit    string // day, week, month or year
	layout  string
	events  []Event
	periods []period
	most    int64 // reports of the period that has the most
}

// period is one bar: the reports of a day, week, month or year.
type period struct {
	start   time.Time
	reports []*Report
	total   int64
	parts   []part // the reports of each event, in the order of the events
	peaks   []int  // the events that have their peak in the period, by index
}

// part is how many reports one event has in a period.
type part struct {
	event   int
	reports int64
}

// spread counts the reports of events by period. If the reports of an event are not listed,
// all are counted at its peak. zone is the time zone in which days begin.
func spread(events []Event, zone *time.Location) *spreading {
	s := &spreading{events: events, unit: layouts[0].unit, layout: layouts[0].layout}
	var from, to record.Time
	any := false
	add := func(t record.Time) {
		if t == record.NoTime {
			return
		}
		if !any || t < from {
			from = t
		}
		if !any || t > to {
			to = t
		}
		any = true
	}
	for i := range events {
		add(events[i].Peak)
		for k := range events[i].List {
			add(events[i].List[k].At())
		}
	}
	if !any {
		return s
	}
	first, last := from.Std().In(zone), to.Std().In(zone)
	for _, l := range layouts {
		s.unit, s.layout = l.unit, l.layout
		s.periods = s.periods[:0]
		for t := value.StartOf(l.unit, first); !t.After(last) && (len(s.periods) <= periodsMax || l.unit == "year"); t = value.After(l.unit, t) {
			s.periods = append(s.periods, period{start: t})
		}
		if len(s.periods) <= periodsMax {
			break
		}
	}
	for i := range events {
		e := &events[i]
		if e.Peak != record.NoTime {
			p := s.at(e.Peak.Std().In(zone))
			p.peaks = append(p.peaks, i)
			if len(e.List) == 0 {
				p.add(i, e.Reports, nil)
			}
		}
		for k := range e.List {
			s.at(e.List[k].At().Std().In(zone)).add(i, 1, &e.List[k])
		}
	}
	for i := range s.periods {
		s.most = max(s.most, s.periods[i].total)
	}
	return s
}

// at returns the period that contains t.
func (s *spreading) at(t time.Time) *period {
	i, found := slices.BinarySearchFunc(s.periods, t, func(p period, t time.Time) int { return p.start.Compare(t) })
	if !found {
		i--
	}
	return &s.periods[min(max(i, 0), len(s.periods)-1)]
}

// add adds n reports of the event with this index to the period. r is one of these reports,
// or nil if none is known.
func (p *period) add(event int, n int64, r *Report) {
	p.total += n
	if r != nil {
		p.reports = append(p.reports, r)
	}
	if k := len(p.parts) - 1; k >= 0 && p.parts[k].event == event {
		p.parts[k].reports += n
		return
	}
	p.parts = append(p.parts, part{event, n})
}

// The widths of the parts of a line on a terminal, in cells.
const (
	startCells   = 12 // the start of a period, and the line before its bar
	barCells     = 24 // the longest bar
	countCells   = 5  // the number after a bar
	barCellsMost = 48 // the most that bars take of the width of the terminal, in percent
	gapMax       = 3  // the most consecutive periods without reports that get a line each
)

// lines returns one line for each period: its start, a bar, and the text that note returns
// for the period.
func (s *spreading) lines(note func(*period) string, t *Terminal) string {
	var b strings.Builder
	room := barCells
	if t.Width > 0 {
		room = max(8, min(barCells, t.Width*barCellsMost/100))
	}
	for i := 0; i < len(s.periods); i++ {
		p := &s.periods[i]
		if p.total == 0 {
			empty := 1
			for i+empty < len(s.periods) && s.periods[i+empty].total == 0 {
				empty++
			}
			if empty > gapMax {
				b.WriteString("… " + value.Counted(empty, s.unit) + " without reports\n")
				i += empty - 1
				continue
			}
		}
		n := 0
		if p.total > 0 {
			n = max(1, int(p.total*int64(room)/s.most))
		}
		line := p.start.Format(s.layout) + " │" + strings.Repeat("█", n)
		if p.total > 0 {
			line += " " + strconv.FormatInt(p.total, 10)
		}
		if text := note(p); text != "" {
			line = cells.FillRight(line, startCells+room+countCells) + " "
			if t.Width > 0 && !t.Color {
				text, _ = cells.Clip(text, max(8, t.Width-cells.Width(line)))
			}
			line += text
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// The measures of the diagram, in pixels.
const (
	barsWidth, barsHeight = 960, 200
	barsLeft, barsBelow   = 34, 22
	barsAbove             = 16
)

// bars is the diagram of a spreading in the form that the HTML template takes.
type bars struct {
	Width, Height int
	Unit          string
	Parts         []rect
	Peaks         []peak
	Ticks         []tick
	Grid          []tick
	Base          float64 // where bars begin
	Left          int
}

// rect is the part of a bar that shows one event. It links to that event.
type rect struct {
	X, Y, W, H float64
	Says       string
	To         string // id of the HTML element to which it links, or ""
	Colour     int
}

// peak is a mark above a bar: one or more events have their peak in that period.
type peak struct {
	X, Y float64
	Says string
	To   string
}

// tick is a label on an axis of the diagram.
type tick struct {
	X, Y  float64
	Label string
	Skip  bool // a narrow screen does not show it
}

// bars returns the diagram of the reports, with one bar for each period.
func (s *spreading) bars() *bars {
	d := &bars{Width: barsWidth, Height: barsHeight, Unit: s.unit, Base: barsHeight - barsBelow, Left: barsLeft}
	if s.most == 0 {
		return d
	}
	wide := float64(barsWidth-barsLeft) / float64(len(s.periods))
	high := float64(barsHeight-barsBelow-barsAbove) / float64(s.most)
	every := max(1, (len(s.periods)+9)/10)
	for i := range s.periods {
		p := &s.periods[i]
		x, y := barsLeft+wide*float64(i), d.Base
		name := p.start.Format(s.layout)
		if i%every == 0 && x < barsWidth-60 {
			d.Ticks = append(d.Ticks, tick{x, barsHeight - 6, name, len(d.Ticks)%3 > 0})
		}
		for _, part := range p.parts {
			h := high * float64(part.reports)
			y -= h
			r := rect{X: x, Y: y, W: max(1, min(wide*.9, 40)), H: h, Colour: part.event % colours, Says: name + ": " + value.Counted(part.reports, "report")}
			if e := &s.events[part.event]; e.Name != "" {
				r.Says, r.To = r.Says+", "+e.Title, eventID(e.Name)
			}
			d.Parts = append(d.Parts, r)
		}
		if len(p.peaks) > 0 {
			e := &s.events[p.peaks[0]]
			says := "peak of " + e.Title
			if more := len(p.peaks) - 1; more > 0 {
				says += " and " + value.Counted(more, "more event")
			}
			d.Peaks = append(d.Peaks, peak{X: x + min(wide*.9, 40)/2, Y: y - 3, Says: says, To: eventID(e.Name)})
		}
	}
	step := s.most/4 + min(1, s.most%4)
	for k := range s.most / step {
		n := (k + 1) * step
		d.Grid = append(d.Grid, tick{0, d.Base - high*float64(n), fmt.Sprint(n), false})
	}
	return d
}
