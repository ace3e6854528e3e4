package draw

import (
	"fmt"
	"io"
	"iter"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"infomall/exec/value"
	"infomall/store/record"
)

// Events is a drawing of events: a diagram of their reports (sets of nearly equal texts)
// over time, a map of their places, and a card for each event. HTML links a report to its
// URL. Part links it to the page in the archive.
type Events struct {
	Events []Event
	More   int // how many events the drawing leaves out
	// Zone is the time zone in which days begin and times are shown.
	Zone *time.Location
	// Locate returns the degrees of latitude and longitude of a place, by its name. If
	// Locate is nil or knows no place, there is no map.
	Locate func(name string) (latitude, longitude float64, ok bool)
}

// Event is one event of the drawing.
type Event struct {
	Name             string // such as "news/17"
	Title            string
	Start, Peak, End record.Time
	Dated            bool // Start comes from dates of publication that pages state
	Reports, Sources int64
	Keywords, Places string   // joined by ", "
	List             []Report // reports in order of time, or nil if they are not known
}

// EventsMax and ReportsMax are the most events and reports that a drawing has. The card of
// an event lists at most cardReportsMax reports.
const (
	EventsMax      = 200
	ReportsMax     = 10_000
	cardReportsMax = 50
)

// reportsMost is the greatest number of reports of one event. It is so small that sums over all
// events do not overflow.
const reportsMost = 1 << 40

// HasEvents reports whether rows with these columns can be drawn as events.
func HasEvents(cols []value.Column) bool {
	return newReading(cols).has("event", "title", "start", "peak", "finish", "reports")
}

// ReadEvents returns the first EventsMax events in rows, in the order of the rows. HasEvents
// must accept cols. Events that were merged into another event and events without a peak are
// left out. more is how many further events there are.
func ReadEvents(cols []value.Column, rows iter.Seq2[*value.Batch, error]) (list []Event, more int, err error) {
	r := newReading(cols)
	for b, err := range rows {
		if err != nil {
			return nil, 0, err
		}
		for i := range b.N {
			e := Event{
				Name: r.text(b, i, "event"), Title: r.text(b, i, "title"),
				Start: r.time(b, i, "start"), Peak: r.time(b, i, "peak"), End: r.time(b, i, "finish"), Dated: r.truth(b, i, "dated"),
				Reports: min(max(r.whole(b, i, "reports"), 0), reportsMost), Sources: r.whole(b, i, "sources"),
				Keywords: r.text(b, i, "keywords"), Places: r.text(b, i, "places"),
			}
			switch {
			case r.text(b, i, "merged_into") != "" || e.Peak == record.NoTime:
			case len(list) == EventsMax:
				more++
			default:
				list = append(list, e)
			}
		}
	}
	return list, more, nil
}

// reading maps the names of the columns of a result to their indexes, to read the rows by
// column name.
type reading map[string]int

func newReading(cols []value.Column) reading {
	r := reading{}
	for i, c := range cols {
		r[c.Name] = i
	}
	return r
}

// has reports whether the result has columns with all these names.
func (r reading) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { _, ok := r[name]; return !ok })
}

// column returns the column with this name in b. It returns nil if there is no such column,
// if it has none of the given types, or if its value in row i is NULL.
func (r reading) column(b *value.Batch, i int, name string, types ...value.Type) *value.Vector {
	at, ok := r[name]
	if !ok || !slices.Contains(types, b.Cols[at].Type) || b.Cols[at].IsNull(i) {
		return nil
	}
	return b.Cols[at]
}

func (r reading) text(b *value.Batch, i int, name string) string {
	if v := r.column(b, i, name, value.Text, value.URL); v != nil {
		return v.Texts[i]
	}
	return ""
}

func (r reading) whole(b *value.Batch, i int, name string) int64 {
	if v := r.column(b, i, name, value.Int); v != nil {
		return v.Ints[i]
	}
	return 0
}

func (r reading) truth(b *value.Batch, i int, name string) bool {
	v := r.column(b, i, name, value.Bool)
	return v != nil && v.Bools[i]
}

// time returns the time in row i of the column with this name, or record.NoTime for NULL.
func (r reading) time(b *value.Batch, i int, name string) record.Time {
	if v := r.column(b, i, name, value.Time); v != nil {
		return record.Time(v.Ints[i])
	}
	return record.NoTime
}

// HTML writes the drawing to w as an HTML page.
func (d *Events) HTML(w io.Writer) error {
	return drawings().ExecuteTemplate(w, "events", &eventsPage{Events: d})
}

// Part writes the drawing to w as a part of an HTML page; see Drawing.
func (d *Events) Part(w io.Writer) error {
	return drawings().ExecuteTemplate(w, "events-part", &eventsPage{Events: d, archive: true})
}

// Text writes the drawing to w for the terminal t: one line for each period, such as a day.
// The line has a bar for the number of reports and the titles of the events that have most
// of their reports in this period.
func (d *Events) Text(w io.Writer, t Terminal) error {
	s := spread(d.Events, d.Zone)
	lines := s.lines(func(p *period) string {
		var titles []string
		for _, i := range p.peaks {
			titles = append(titles, t.ink(inkEdited, d.Events[i].Name+" "+t.printable(d.Events[i].Title)))
		}
		return strings.Join(titles, "; ")
	}, &t)
	_, err := io.WriteString(w, lines+"("+value.Counted(len(d.Events), "event")+"; reports by "+s.unit+")\n")
	return err
}

// eventsPage is an Events in the form that the HTML templates take.
type eventsPage struct {
	*Events
	archive bool // links lead to the archive
}

// Bars returns the diagram of the reports: a bar for each period.
func (p *eventsPage) Bars() *bars { return spread(p.Events.Events, p.Zone).bars() }

// Map returns the map of the places, or nil if there is none.
func (p *eventsPage) Map() *worldMap { return newMap(p.Events.Events, p.Locate) }

// Cards returns the events in the form that the template takes.
func (p *eventsPage) Cards() []card {
	list := make([]card, len(p.Events.Events))
	for i := range list {
		list[i] = card{Event: &p.Events.Events[i], page: p, Colour: i % colours}
	}
	return list
}

// Count returns the number of events in words.
func (p *eventsPage) Count() string { return value.Counted(len(p.Events.Events)+p.More, "event") }

// MoreEvents returns how many events the drawing leaves out, in words, or "".
func (p *eventsPage) MoreEvents() string {
	if p.More == 0 {
		return ""
	}
	return value.Counted(p.More, "more event") + "; ask for fewer, such as with LIMIT"
}

// colours is how many different colours the style sheet has for events.
const colours = 8

// card is an event in the form that the HTML template takes.
type card struct {
	*Event
	page   *eventsPage
	Colour int
}

// ID returns the id of the card's HTML element, to which links lead.
func (c *card) ID() string { return eventID(c.Name) }

// Link returns the address of the event's page in the archive, or "" if the drawing is shown
// outside of the archive.
func (c *card) Link() string {
	if !c.page.archive {
		return ""
	}
	return "/events?" + url.Values{"event": {c.Name}}.Encode()
}

// eventID returns the id of the HTML element for the event with this name, such as
// "event-news-17".
func eventID(name string) string {
	return "event-" + strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '-'
	}, name)
}

// When returns the days on which the event happened, as text.
func (c *card) When() string {
	from, to := day(c.Start, c.page.Zone), day(c.End, c.page.Zone)
	when := from
	if to != from {
		when += " – " + to
	}
	if !c.Dated {
		when += ", as first seen"
	}
	return when
}

// Size returns how many reports and sources the event has, in words.
func (c *card) Size() string {
	return value.Counted(c.Reports, "report") + " of " + value.Counted(c.Sources, "source")
}

// Shown returns the reports that the card lists.
func (c *card) Shown() []line {
	return lines(c.List[:min(len(c.List), cardReportsMax)], c.page.Zone, c.page.archive)
}

// Left returns how many reports the card leaves out, in words, or "".
func (c *card) Left() string {
	if left := c.Reports - int64(min(len(c.List), cardReportsMax)); left > 0 && len(c.List) > 0 {
		return value.Counted(left, "more report")
	}
	return ""
}

// day returns the day of t, such as "2008-07-14", or "" for record.NoTime.
func day(t record.Time, zone *time.Location) string {
	if t == record.NoTime {
		return ""
	}
	return t.Std().In(zone).Format(time.DateOnly)
}

// stamp returns t in the form of a time in the address of an archived page: 20080714103000.
func stamp(t record.Time) string { return t.Std().UTC().Format("20060102150405") }

// address returns the address to which a link to a page leads: the URL of the page, or if
// archive is set, its copy in the archive from the time t.
func address(of string, t record.Time, archive bool) string {
	if archive {
		return fmt.Sprintf("/%s/%s", stamp(t), of)
	}
	return of
}
