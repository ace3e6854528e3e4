package serve

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"infomall/exec/relation"
	"infomall/repl/ask"
	"infomall/repl/serve/lookup"
	"infomall/repl/serve/replay"
	"infomall/store/record"
)

// calendarYear is a year in the row of years above the calendar.
type calendarYear struct {
	Year     int
	Captures int64
	Height   int // in percent of the year with most captures
	Shown    bool
}

// calendarDay is a day of the calendar.
type calendarDay struct {
	Day      int // 0 for a place before the first day of the month
	Captures int64
	Kind     string // the most important change of the day: first, changed, layout, same, gone, back or error
	Stamp    string // of the capture that the day leads to
	Title    string
}

// calendarMonth is a month of the calendar, with its days.
type calendarMonth struct {
	Name  string
	Weeks [][]calendarDay
}

// calendarVersion is a version in the list below the calendar.
type calendarVersion struct {
	lookup.Capture
	Last   record.Time // the last capture of the version
	Visits int64
	Key    string // kind of change
}

// LastAt returns the time of the last capture as people read it.
func (v *calendarVersion) LastAt() string { return v.Last.Std().Format("2006-01-02") }

// calendarData is what the page calendar shows.
type calendarData struct {
	URL, Shown  string
	Own         string // the URL of the last capture; the links to /history and /diff name it
	Count       int64
	First, Last string
	Years       []calendarYear
	Year        int
	Months      []calendarMonth
	Versions    []calendarVersion
	More        bool // there are more versions than are listed
	Keys        []string
}

// changeKeys are the kinds of change that the calendar shows, the most important
// last.
var changeKeys = []string{"same", "layout", "error", "changed", "back", "gone", "first"}

// changeKey returns the kind of change of a capture for the calendar.
func changeKey(c *lookup.Capture) string {
	switch c.Change {
	case record.ChangeSame:
		return "same"
	case record.ChangeFirst:
		return "first"
	case record.ChangeGone:
		return "gone"
	case record.ChangeBack:
		return "back"
	case record.ChangeLayout:
		return "layout"
	case record.ChangeKind:
		if c.Kind == record.KindError || c.Kind == record.KindDenied {
			return "error"
		}
	}
	return "changed"
}

// calendarPage answers /*/URL with the calendar of a URL, and /*/URL* with the pages
// under an address.
func (s *server) calendarPage(w http.ResponseWriter, r *http.Request, t *replay.Target) error {
	if under, ok := strings.CutSuffix(t.URL, "*"); ok {
		return s.underPage(w, r, under)
	}
	ctx := r.Context()
	snap, release, err := s.snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	d := &calendarData{URL: t.URL, Shown: shownURL(t.URL), Keys: changeKeys}
	asked := 0
	fmt.Sscanf(t.Time, "%4d", &asked)
	days, err := d.read(ctx, snap, asked)
	if err != nil {
		return err
	}
	p := newPage(r, "calendar", d)
	p.Title, p.Other = d.Shown, ""
	p.Statement = "SELECT time, status, kind, change FROM captures IN " + ask.Literal(t.URL) + " ORDER BY time"
	if d.Count == 0 {
		if err := denied(ctx, snap, t.URL); err != nil {
			return err
		}
		return s.send(w, r, http.StatusNotFound, p, "")
	}
	for m := time.January; m <= time.December; m++ {
		d.Months = append(d.Months, monthOf(p, d.Year, m, days))
	}
	return s.send(w, r, http.StatusOK, p, "")
}

// rankedDay is a day with captures, and the rank of its most important change.
type rankedDay struct {
	calendarDay
	rank int
}

// read reads the captures of d.URL into d, all but Months. asked is the year to show; if the URL has
// no captures in that time, read chooses the last year. days has the days with captures, by their
// digits, such as 20080710.
func (d *calendarData) read(ctx context.Context, snap relation.Snapshot, asked int) (days map[string]*rankedDay, err error) {
	days = map[string]*rankedDay{}
	years := map[int]int64{}
	firstYear, lastYear := 0, 0
	for c, err := range lookup.Captures(ctx, snap, d.URL, lookup.AllColumns) {
		if err != nil {
			return nil, err
		}
		at := c.Time.Std()
		if d.Count == 0 {
			d.First, firstYear = c.At(), at.Year()
		}
		d.Last, lastYear, d.Own = c.At(), at.Year(), c.URL
		d.Count++
		years[at.Year()]++
		key := changeKey(&c)
		name := at.Format(dayDigits)
		x := days[name]
		if x == nil {
			x = &rankedDay{rank: -1}
			days[name] = x
		}
		x.Captures++
		if rank := rankOf(key); rank > x.rank {
			x.rank, x.Kind, x.Stamp = rank, key, c.Stamp()
		}
		if n := len(d.Versions); c.Change != record.ChangeSame || n == 0 {
			if n == versionsMax {
				d.Versions, d.More = d.Versions[1:], true // the latest ones are kept
			}
			d.Versions = append(d.Versions, calendarVersion{Capture: c, Last: c.Time, Visits: 1, Key: key})
		} else if v := &d.Versions[n-1]; v.URL == c.URL {
			v.Last = c.Time
			v.Visits++
		}
	}
	if d.Count == 0 {
		return days, nil
	}
	d.Year = lastYear
	if asked >= firstYear && asked <= lastYear {
		d.Year = asked
	}
	most := int64(1)
	for _, n := range years {
		most = max(most, n)
	}
	for y := firstYear; y <= lastYear; y++ {
		d.Years = append(d.Years, calendarYear{y, years[y], int((years[y]*100 + most - 1) / most), y == d.Year})
	}
	return days, nil
}

// dayDigits is the form of a day in the keys of days.
const dayDigits = "20060102"

// monthOf returns a month of the calendar on the page p, from the days with captures.
func monthOf(p *page, year int, m time.Month, days map[string]*rankedDay) calendarMonth {
	first := time.Date(year, m, 1, 0, 0, 0, 0, time.UTC)
	month := calendarMonth{Name: first.Format("2006-01")}
	week := make([]calendarDay, (int(first.Weekday())+6)%7) // weeks begin on Monday
	for at := first; at.Month() == m; at = at.AddDate(0, 0, 1) {
		cell := calendarDay{Day: at.Day()}
		if x := days[at.Format(dayDigits)]; x != nil {
			cell = x.calendarDay
			cell.Day = at.Day()
			cell.Title = fmt.Sprintf("%s: %d %s, %s", at.Format("2006-01-02"), cell.Captures, p.T("captures_of"), p.T("key_"+cell.Kind))
		}
		if week = append(week, cell); len(week) == 7 {
			month.Weeks, week = append(month.Weeks, week), nil
		}
	}
	if len(week) > 0 {
		month.Weeks = append(month.Weeks, append(week, make([]calendarDay, 7-len(week))...))
	}
	return month
}

// rankOf returns how important a kind of change is: its index in changeKeys, or -1 if it is not
// there.
func rankOf(key string) int {
	for i, k := range changeKeys {
		if k == key {
			return i
		}
	}
	return -1
}

// underPage answers with the pages whose address begins with a text.
func (s *server) underPage(w http.ResponseWriter, r *http.Request, under string) error {
	scope := under
	if _, rest, ok := strings.Cut(under, "://"); ok {
		scope = rest
	}
	statement := "SELECT url, title, first_seen, last_seen, version_count, change_count FROM pages IN " + ask.Literal(scope) + " ORDER BY url LIMIT 500"
	t, err := s.tableOf(r, statement, pageRowsMax)
	if err != nil {
		return err
	}
	p := newPage(r, "table", t)
	p.Title, p.Statement, p.Other = p.T("under")+": "+scope, statement, ""
	return s.send(w, r, t.status(), p, "")
}
