package session

import (
	"context"
	"io"
	"strings"

	"infomall/exec/draw"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/lang/ast"
	"infomall/store/record"
)

// reportsOfEvents is the query for the reports of the events that a drawing shows.
const reportsOfEvents = "SELECT event, report, url, time, published, published_precision, title, host, source, sources, copies FROM reports WHERE event IN "

// Picture sets res.Picture to a drawing if the columns of res are those of events or of
// reports. node is the plan whose rows res has, or nil.
func (s *Session) Picture(ctx context.Context, res *Result, node plan.Node) {
	switch {
	case draw.HasEvents(res.Columns):
		p := eventsPicture{s: s, ctx: ctx, res: res}
		if node != nil {
			for _, src := range plan.Sources(node) {
				p.known = max(p.known, src.Known)
			}
		}
		res.Picture = whenShown(p.show)
	case draw.HasReports(res.Columns):
		res.Picture = whenShown(reportsPicture{s, res}.show)
	}
}

// PictureEvents sets res.Picture to a drawing of the events that a statement has just stored
// under the name ranking.
func (s *Session) PictureEvents(ctx context.Context, res *Result, ranking string) {
	res.Picture = whenShown(rankingPicture{s, ctx, ranking}.show)
}

// whenShown is a draw.Drawing that is made when it is shown: the function makes the drawing
// and passes it to the function with.
type whenShown func(with func(draw.Drawing) error) error

func (show whenShown) HTML(w io.Writer) error {
	return show(func(d draw.Drawing) error { return d.HTML(w) })
}

func (show whenShown) Part(w io.Writer) error {
	return show(func(d draw.Drawing) error { return d.Part(w) })
}

func (show whenShown) Text(w io.Writer, t draw.Terminal) error {
	return show(func(d draw.Drawing) error { return d.Text(w, t) })
}

// rankingPicture is a drawing of the stored events with one name.
type rankingPicture struct {
	s       *Session
	ctx     context.Context
	ranking string
}

// show reads the events and passes a drawing of them to the function with.
func (p rankingPicture) show(with func(draw.Drawing) error) error {
	ranking := (&ast.String{Value: p.ranking}).String()
	node, err := plan.Build(Query("SELECT * FROM events WHERE ranking = "+ranking+" ORDER BY scale DESC, start, event"), p.s.Env())
	if err != nil {
		return err
	}
	res, err := p.s.Open(p.ctx, node)
	if err != nil {
		return err
	}
	defer res.Close()
	return eventsPicture{s: p.s, ctx: p.ctx, res: res}.show(with)
}

// eventsPicture is a drawing of the events that the rows of res have, with their reports.
type eventsPicture struct {
	s     *Session
	ctx   context.Context
	res   *Result
	known record.Time // the KNOWN AT of the query, or 0
}

// show reads the events and their reports and passes a drawing of them to the function with.
func (p eventsPicture) show(with func(draw.Drawing) error) error {
	list, more, err := draw.ReadEvents(p.res.Columns, p.res.Rows)
	if err != nil {
		return err
	}
	d := &draw.Events{Events: list, More: more, Zone: p.s.Env().Location()}
	if len(list) > 0 {
		if err := p.reports(list); err != nil {
			return err
		}
		if d.Locate, err = p.locate(); err != nil {
			return err
		}
	}
	return with(d)
}

// reports reads the reports of the events in list and adds them to these events.
func (p eventsPicture) reports(list []draw.Event) error {
	at := make(map[string]*draw.Event, len(list))
	var names []string
	for i := range list {
		at[list[i].Name] = &list[i]
		names = append(names, (&ast.String{Value: list[i].Name}).String())
	}
	env := p.s.Env()
	if p.known != 0 {
		env.Known = p.known
	}
	node, err := plan.Build(Query(reportsOfEvents+"("+strings.Join(names, ", ")+")"), env)
	if err != nil {
		return err
	}
	res, err := p.s.Open(p.ctx, node)
	if err != nil {
		return err
	}
	defer res.Close()
	total := 0
	for r, err := range draw.ReadReports(res.Columns, res.Rows) {
		if err != nil {
			return err
		}
		if e := at[r.Event]; e != nil {
			if total++; total > draw.ReportsMax {
				break
			}
			e.List = append(e.List, *r)
		}
	}
	for i := range list {
		draw.SortReports(list[i].List)
	}
	return nil
}

// locate returns a function that returns the position of a place with a given name, from the
// list of places in the archive.
func (p eventsPicture) locate() (func(name string) (latitude, longitude float64, ok bool), error) {
	snap, release, err := p.s.SnapshotOrEmpty(p.ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	list, err := relation.Places(p.ctx, snap)
	if err != nil {
		return nil, err
	}
	return func(name string) (latitude, longitude float64, ok bool) {
		if at := list.Named(name); at != nil {
			return at.Latitude, at.Longitude, true
		}
		return 0, 0, false
	}, nil
}

// reportsPicture is a drawing of the reports that the rows of res have.
type reportsPicture struct {
	s   *Session
	res *Result
}

// show reads the reports and passes a drawing of them to the function with.
func (p reportsPicture) show(with func(draw.Drawing) error) error {
	d := &draw.Reports{Zone: p.s.Env().Location()}
	for r, err := range draw.ReadReports(p.res.Columns, p.res.Rows) {
		if err != nil {
			return err
		}
		if len(d.List) == draw.ReportsMax {
			d.More++
			continue
		}
		d.List = append(d.List, *r)
	}
	draw.SortReports(d.List)
	return with(d)
}
