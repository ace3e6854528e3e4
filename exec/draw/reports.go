package draw

import (
	"cmp"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"infomall/exec/value"
	"infomall/lang/cells"
	"infomall/store/record"
)

// Reports is a drawing of reports in order of time. A report is a set of texts that are
// nearly the same.
type Reports struct {
	List []Report
	More int // how many reports the list leaves out
	Zone *time.Location
}

// Report is one report: a text on pages, together with its copies that are nearly the same.
type Report struct {
	Event     string // such as "news/17", or ""
	URL       string
	Title     string
	Source    string      // who wrote the text
	Hosts     string      // hosts with the text or a copy, joined by ", "
	Time      record.Time // when the text was first seen
	Published record.Time // record.NoTime if the page does not say
	Precision string      // precision of Published: year, month, day or minute
	Copies    int64       // number of further texts that are nearly the same
}

// At returns when the report was published, if its page says at least the day. Otherwise it
// returns when the text was first seen.
func (r *Report) At() record.Time {
	if r.Published != record.NoTime && (r.Precision == "" || r.Precision == "day" || r.Precision == "minute") {
		return r.Published
	}
	return r.Time
}

// HasReports reports whether rows with these columns can be drawn as reports: rows of the
// relation reports, or rows of TRACE EVENT, whose only time column is at.
func HasReports(cols []value.Column) bool {
	r := newReading(cols)
	return r.has("url", "title", "sources", "copies") && (r.has("report", "time") || r.has("at"))
}

// ReadReports yields the reports in rows whose columns HasReports accepts.
func ReadReports(cols []value.Column, rows iter.Seq2[*value.Batch, error]) iter.Seq2[*Report, error] {
	return func(yield func(*Report, error) bool) {
		r := newReading(cols)
		for b, err := range rows {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range b.N {
				x := &Report{
					Event: r.text(b, i, "event"), URL: r.text(b, i, "url"), Title: r.text(b, i, "title"),
					Source: cmp.Or(r.text(b, i, "source"), r.text(b, i, "host")), Hosts: r.text(b, i, "sources"),
					Time: r.time(b, i, "time"), Published: r.time(b, i, "published"), Precision: r.text(b, i, "published_precision"), Copies: r.whole(b, i, "copies"),
				}
				if x.Time == record.NoTime {
					x.Time = r.time(b, i, "at")
				}
				if x.At() != record.NoTime && !yield(x, nil) {
					return
				}
			}
		}
	}
}

// SortReports sorts reports by their times, then by URL.
func SortReports(list []Report) {
	slices.SortStableFunc(list, func(a, b Report) int { return cmp.Or(cmp.Compare(a.At(), b.At()), strings.Compare(a.URL, b.URL)) })
}

// event returns all reports of d as the reports of a single event, for the functions that
// draw events.
func (d *Reports) event() []Event { return []Event{{Peak: record.NoTime, List: d.List}} }

// reportsPage is a Reports in the form that the HTML templates take.
type reportsPage struct {
	*Reports
	archive bool // links lead to the archive
}

// Bars returns the diagram of the reports: a bar for each period.
func (p *reportsPage) Bars() *bars { return spread(p.event(), p.Zone).bars() }

// Shown returns the reports in the form that the HTML template takes.
func (p *reportsPage) Shown() []line { return lines(p.List, p.Zone, p.archive) }

// Count returns the number of reports in words.
func (p *reportsPage) Count() string { return value.Counted(len(p.List)+p.More, "report") }

// Left returns how many reports the drawing leaves out, in words, or "".
func (p *reportsPage) Left() string {
	if p.More == 0 {
		return ""
	}
	return value.Counted(p.More, "more report")
}

// HTML writes the drawing to w as an HTML page.
func (d *Reports) HTML(w io.Writer) error {
	return drawings().ExecuteTemplate(w, "reports", &reportsPage{Reports: d})
}

// Part writes the drawing to w as a part of an HTML page; see Drawing.
func (d *Reports) Part(w io.Writer) error {
	return drawings().ExecuteTemplate(w, "reports-part", &reportsPage{Reports: d, archive: true})
}

// titleCells is the greatest width of a report's title, in cells, on a terminal whose width
// is unknown.
const titleCells = 60

// Text writes the drawing to w for the terminal t: one line for each period, such as a day.
// The line has a bar for the number of reports and the titles of these reports.
func (d *Reports) Text(w io.Writer, t Terminal) error {
	s := spread(d.event(), d.Zone)
	text := s.lines(func(p *period) string {
		var titles []string
		for _, r := range p.reports {
			title, _ := cells.Clip(t.printable(r.Title), titleCells)
			titles = append(titles, title)
		}
		return strings.Join(titles, "; ")
	}, &t)
	count := value.Counted(len(d.List), "report")
	if d.More > 0 {
		count += ", " + value.Counted(d.More, "more report") + " not drawn"
	}
	_, err := io.WriteString(w, text+"("+count+"; by "+s.unit+")\n")
	return err
}

// line is a report in the form that the HTML template takes.
type line struct {
	When, Title, Source string
	Link                string
	Copies              string // in words, with the hosts, or ""
	New                 bool   // the report is of another day than the report before
}

// lines returns reports in the form that the HTML templates take.
func lines(reports []Report, zone *time.Location, archive bool) []line {
	list := make([]line, len(reports))
	for i := range reports {
		r := &reports[i]
		l := line{When: day(r.At(), zone), Title: cmp.Or(r.Title, r.URL), Source: r.Source, Link: address(r.URL, r.Time, archive)}
		if r.Copies > 0 {
			l.Copies = "and " + value.Counted(r.Copies, "further text")
			if r.Hosts != "" {
				l.Copies += ": " + r.Hosts
			}
		}
		l.New = i == 0 || list[i-1].When != l.When
		list[i] = l
	}
	return list
}
