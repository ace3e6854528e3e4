package result

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"infomall/exec/event/kept"
	"infomall/exec/relation"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// noEvents is the note for a query on an archive without events.
const noEvents = "no events were looked for yet; run EVENTS"

// eventRow is one row of the relation events.
type eventRow struct {
	kept.Event
	of                       *task.Result
	title                    string
	reports, copies, sources int
	keywords, places         string
}

// The most keywords and places that a row of events shows.
const (
	keywordsShown = 10
	placesShown   = 10
)

// eventName returns the name of an event in the language, such as news/17, or "" if the
// number is 0.
func eventName(ranking string, number int) string {
	if number == 0 {
		return ""
	}
	return ranking + "/" + strconv.Itoa(number)
}

// Events declares the relation events, which has one row per event of the last EVENTS of
// each name.
var Events = relation.List(relation.Relation{
	Name: "events", Doc: "one event in a ranking made by EVENTS", OwnTime: "start",
	Results: task.ResultEvents, NoResults: noEvents,
	Columns: []relation.Column{
		relation.TextOf("ranking", "name given to EVENTS", func(e *eventRow) string { return e.of.Name }),
		relation.TextOf("event", "name of the event, such as news/17; it never changes", func(e *eventRow) string { return eventName(e.of.Name, e.Number) }),
		relation.TextOf("title", "title of the report that says best what the event is", func(e *eventRow) string { return e.title }),
		relation.TimeOf("start", "start of the first period, such as a day, of the event", func(e *eventRow) record.Time { return e.Start }),
		relation.TimeOf("peak", "start of the period with the most reports", func(e *eventRow) record.Time { return e.Peak }),
		relation.TimeOf("finish", "start of the last period", func(e *eventRow) record.Time { return e.End }),
		relation.BoolOf("dated", "whether start comes from days of publication that pages say; if not, it is when the reports were first seen", func(e *eventRow) bool { return e.Dated }),
		relation.IntOf("scale", "how big the event is: reports times sources", func(e *eventRow) int64 { return int64(e.reports) * int64(e.sources) }),
		relation.IntOf("reports", "number of reports: sets of texts that are nearly the same", func(e *eventRow) int64 { return int64(e.reports) }),
		relation.IntOf("sources", "number of different sources of the reports", func(e *eventRow) int64 { return int64(e.sources) }),
		relation.IntOf("copies", "number of further texts in the reports", func(e *eventRow) int64 { return int64(e.copies) }),
		relation.TextOf("keywords", "words that tell the event from others, the most telling first", func(e *eventRow) string { return e.keywords }),
		relation.TextOf("places", "places that the reports name, the most frequent first", func(e *eventRow) string { return e.places }),
		relation.FloatOf("recency", "how near the end is to the end of all texts, from 0 to 1", func(e *eventRow) float64 { return e.Recency }),
		relation.FloatOf("relevance", "how well the reports answer the words of ABOUT; 0 without ABOUT", func(e *eventRow) float64 { return e.Relevance }),
		relation.TextOf("merged_into", "event that has become one with this event, which has no reports any more", func(e *eventRow) string { return eventName(e.of.Name, e.MergedInto) }),
		relation.TextOf("split_from", "event of which this event was a part", func(e *eventRow) string { return eventName(e.of.Name, e.SplitFrom) }),
		relation.TimeOf("computed", "when EVENTS computed the event", func(e *eventRow) record.Time { return e.of.Computed }),
		relation.TimeOf("as_of", "time whose state of the archive was read", func(e *eventRow) record.Time { return e.of.AsOf }),
	},
}, events)

// events yields the rows of the relation events in batches, sorted by ranking and then by the
// number of the event.
func events(r *relation.Reader, ctx context.Context, n *relation.Request) iter.Seq2[[]eventRow, error] {
	return relation.Paged(func(yield func(*eventRow, error) bool) {
		ended := false
		put := func(row *eventRow, err error) bool {
			if err == nil && (row.Start < n.Window.From || row.Start >= n.Window.To) {
				return true
			}
			ended = !yield(row, err) || err != nil
			return !ended
		}
		for of, err := range newestEvents(r, ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			if eventsOf(r, ctx, of, put); ended {
				return
			}
		}
	})
}

// newestEvents yields, for each name, the last result that EVENTS stored under it.
func newestEvents(r *relation.Reader, ctx context.Context) iter.Seq2[*task.Result, error] {
	return func(yield func(*task.Result, error) bool) {
		list, err := r.Snapshot.Results(ctx, task.ResultEvents)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, of := range kept.Newest(list) {
			if !yield(&of, nil) {
				return
			}
		}
	}
}

// keptRows returns the rows of a stored result of EVENTS.
func keptRows(r *relation.Reader, ctx context.Context, of *task.Result) kept.Rows {
	return func(ranges []urlkey.Range) iter.Seq2[task.ResultRow, error] {
		return r.Snapshot.ResultRows(ctx, *of, ranges)
	}
}

// eventsOf yields those events of one stored result that have a report which is shown. It also
// yields the events that were merged into an event with such a report.
func eventsOf(r *relation.Reader, ctx context.Context, of *task.Result, yield func(*eventRow, error) bool) {
	rows := keptRows(r, ctx, of)
	events, err := kept.ReadEvents(rows)
	if err != nil {
		yield(nil, err)
		return
	}
	shown := make(map[int]*eventRow)
	var sum *eventSum
	for report, err := range kept.Reports(ctx, rows, events, nil, &r.Memory) {
		if err != nil {
			yield(nil, err)
			return
		}
		if sum == nil || sum.event != report.Event {
			sum.end(shown)
			sum = newEventSum(of, report.Event)
		}
		sum.add(report)
	}
	sum.end(shown)
	for _, number := range slices.Sorted(maps.Keys(events)) {
		row := shown[number]
		if row == nil {
			e := events[number]
			if !e.Gone || shown[e.MergedInto] == nil {
				continue
			}
			row = &eventRow{Event: *e, of: of}
		}
		if !yield(row, nil) {
			return
		}
	}
}

// eventSum adds up the reports of an event.
type eventSum struct {
	of       *task.Result
	event    *kept.Event
	row      eventRow
	named    bool // the title is that which EVENTS has chosen
	most     int  // texts of the report that gave the title
	sources  map[string]bool
	keywords map[string]float64
	places   map[string]int
}

func newEventSum(of *task.Result, e *kept.Event) *eventSum {
	return &eventSum{of: of, event: e, row: eventRow{Event: *e, of: of}, sources: map[string]bool{}, keywords: map[string]float64{}, places: map[string]int{}}
}

// add adds one report to the sums. The title of the event comes from the report that EVENTS chose
// for it. If that report is not shown, it comes from the report with the most texts.
func (s *eventSum) add(r *kept.Report) {
	s.row.reports++
	s.row.copies += r.Copies()
	s.sources[r.Source()] = true
	if named := r.Named(); named && !s.named || !s.named && len(r.Texts) > s.most {
		s.row.title, s.named, s.most = r.Texts[0].Title, named, len(r.Texts)
	}
	places := map[string]bool{}
	for i := range r.Texts {
		for _, k := range r.Texts[i].Keywords {
			s.keywords[k.Word] = k.Share
		}
		for _, p := range r.Texts[i].Places {
			places[p] = true
		}
	}
	for p := range places {
		s.places[p]++
	}
}

// end computes the row of the event and adds it to shown, which has the rows by event number. On a
// nil s it does nothing.
func (s *eventSum) end(shown map[int]*eventRow) {
	if s == nil {
		return
	}
	s.row.sources = len(s.sources)
	s.row.keywords = most(s.keywords, keywordsShown)
	s.row.places = most(s.places, placesShown)
	shown[s.event.Number] = &s.row
}

// most returns the names of the n greatest values, joined by commas, the greatest first.
func most[N cmp.Ordered](values map[string]N, n int) string {
	names := slices.SortedFunc(maps.Keys(values), func(a, b string) int {
		return cmp.Or(cmp.Compare(values[b], values[a]), strings.Compare(a, b))
	})
	return strings.Join(names[:min(n, len(names))], ", ")
}
