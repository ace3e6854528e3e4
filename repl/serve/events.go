package serve

import (
	"net/http"
	"strconv"
	"strings"

	"infomall/repl/ask"
)

// eventsRowsMax is how many events the page of a ranking shows.
const eventsRowsMax = 60

// eventOrders are the orders of the events of a ranking: the name in addresses, the name of
// the text that the page shows, and the columns. The first is the default.
var eventOrders = []struct{ name, text, by string }{
	{"scale", "order_scale", "scale DESC, start, event"},
	{"time", "order_time", "start, event"},
	{"recency", "order_recency", "recency DESC, scale DESC, event"},
}

// eventsData is what the page events shows.
type eventsData struct {
	Rankings *table // the rankings of the archive, each with its number of events
	Ranking  string // the ranking that is shown, or ""
	Event    string // the event whose reports are shown, or ""
	Orders   []eventOrder
	Table    *table // the events of the ranking or the reports of the event
}

// eventOrder is an order in which the events may be shown.
type eventOrder struct {
	Name, Link string
	Chosen     bool
}

// eventsPage answers /events with the rankings of events and the events of one of them,
// or with the reports of one event.
func (s *server) eventsPage(w http.ResponseWriter, r *http.Request) error {
	if err := onlyRead(w, r); err != nil {
		return err
	}
	v := r.URL.Query()
	d := &eventsData{Ranking: v.Get("ranking"), Event: v.Get("event")}
	p := newPage(r, "events", d)
	p.Title = p.T("events")
	var err error
	if d.Event != "" {
		p.Title, p.Statement = d.Event, "SELECT * FROM reports WHERE event = "+ask.Literal(d.Event)+" ORDER BY published"
		d.Ranking, _, _ = strings.Cut(d.Event, "/")
		if d.Table, err = s.tableOf(r, p.Statement, pageRowsMax); err != nil {
			return err
		}
		title := "SELECT title FROM events WHERE event = " + ask.Literal(d.Event)
		t, err := s.tableOf(r, title, 1)
		if err != nil {
			return err
		}
		for _, text := range t.Column("title") {
			p.Title += ": " + text
		}
		p.Statement += ";\n" + title
		return s.send(w, r, d.Table.status(), p, "")
	}
	const rankings = "SELECT ranking, count(*) AS events, min(start) AS first, max(finish) AS last, max(computed) AS computed FROM events GROUP BY ranking ORDER BY computed DESC, ranking LIMIT 100"
	if d.Rankings, err = s.tableOf(r, rankings, siteRowsMax); err != nil {
		return err
	}
	for _, row := range d.Rankings.Rows {
		if d.Ranking == "" {
			d.Ranking = row[0].Text
		}
		row[0].Link = pathQuery("/events", "ranking", row[0].Text)
	}
	p.Statement = rankings
	if d.Ranking == "" {
		return s.send(w, r, d.Rankings.status(), p, "")
	}
	order := eventOrders[0]
	for _, o := range eventOrders {
		if o.name == v.Get("order") {
			order = o
		}
	}
	for _, o := range eventOrders {
		d.Orders = append(d.Orders, eventOrder{p.T(o.text), pathQuery("/events", "ranking", d.Ranking, "order", o.name), o == order})
	}
	shown := "SELECT * FROM events WHERE ranking = " + ask.Literal(d.Ranking) + " AND merged_into IS NULL ORDER BY " + order.by + " LIMIT " + strconv.Itoa(eventsRowsMax)
	p.Title, p.Statement = p.T("events")+": "+d.Ranking, rankings+";\n"+shown
	if d.Table, err = s.tableOf(r, shown, eventsRowsMax); err != nil {
		return err
	}
	return s.send(w, r, d.Table.status(), p, "")
}
