package rank

import (
	"context"
	"fmt"

	"infomall/exec/graph"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

// pathSearch is a SHOW PATH statement whose clauses were read.
type pathSearch struct {
	s     *session.Session
	st    *ast.ShowPath
	asked linksAsked // the two ends of the path, and which links it may take
}

// Path is the statement SHOW PATH, which shows a shortest path of links from
// one page to another.
var Path = session.Declare("SHOW PATH", session.Answers, readShowPath)

// readShowPath makes a pathSearch of a SHOW PATH statement. It returns an error
// if an end of the path cannot be read, or if the statement has both a named
// graph and a time.
func readShowPath(s *session.Session, st *ast.ShowPath) (*pathSearch, error) {
	s, err := s.KnownAt(st.Known)
	if err != nil {
		return nil, err
	}
	p := &pathSearch{s, st, linksAsked{graph: st.Graph}}
	asked := &p.asked
	if st.Graph != nil && st.Time != nil {
		return nil, errOfGraph(st.Time, "a time")
	}
	if st.Graph != nil && st.During != nil {
		return nil, errOfGraph(st.During, "a time")
	}
	asked.Time.Range = st.During
	if st.Time != nil {
		asked.Time.Choice = &ast.TimeChoice{Op: ast.ChoiceAt, T: st.Time}
	}
	for _, e := range []ast.Expr{st.From, st.To} {
		end, err := asked.node(e, s.Env())
		if err != nil {
			return nil, err
		}
		asked.find = append(asked.find, end)
	}
	return p, asked.plans(s.Env())
}

// Run finds a shortest path of links. Its result has one row per page of the
// path, with step numbers from 0, or no rows and a note if there is no path. It
// is an error if the graph does not have one of the two ends.
func (p *pathSearch) Run(ctx context.Context) (*session.Result, error) {
	s, st, asked := p.s, p.st, &p.asked
	snap, release, err := s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if st.During != nil {
		return p.during(ctx, snap)
	}
	g, err := asked.read(ctx, s.Runner(snap, "path"))
	if err != nil {
		return nil, err
	}
	defer g.Close()
	if err := p.bothFound(g); err != nil {
		return nil, err
	}
	path, err := g.Path(ctx, g.Found[0], g.Found[1])
	if err != nil {
		return nil, err
	}
	t := session.NewTable(session.Whole("step"), value.Column{Name: "url", Type: value.URL})
	if path == nil {
		res := t.Result()
		res.Notes = []string{fmt.Sprintf("no links lead from %s to %s", asked.find[0], asked.find[1])}
		return res, nil
	}
	urls := make(map[int]string)
	for _, node := range path {
		urls[node] = ""
	}
	if err := g.Name(urls); err != nil {
		return nil, err
	}
	for step, node := range path {
		t.Add(value.OfInt(int64(step)), value.OfURL(urls[node]))
	}
	return t.Result(), nil
}

// bothFound returns an error if the graph does not have one of the two ends.
func (p *pathSearch) bothFound(g *graph.Named) error {
	for i, e := range []ast.Expr{p.st.From, p.st.To} {
		if g.Found[i] < 0 {
			if p.asked.graph != nil {
				return ast.Errorf(e, "%s is no node of graph %s", p.asked.find[i], p.asked.kept.Name)
			}
			return ast.Errorf(e, "%s is not a page at that time, and no page links to it", p.asked.find[i])
		}
	}
	return nil
}

// during finds the path of links that existed one after the other and that arrives
// first. Its result has one row per page of the path: when the path reaches it, and when
// the version that has the link to it was first and last seen.
func (p *pathSearch) during(ctx context.Context, snap relation.Snapshot) (*session.Result, error) {
	asked, links := &p.asked, &p.asked.links.Request
	run := p.s.Runner(snap, "path")
	g, err := run.TemporalLinks(ctx, links, asked.find)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	if err := p.bothFound(g.Named); err != nil {
		return nil, err
	}
	path, err := g.Earliest(ctx, g.Found[0], g.Found[1], int64(links.During), int64(links.Window.To-1))
	if err != nil {
		return nil, err
	}
	at := func(name string) value.Column { return value.Column{Name: name, Type: value.Time} }
	t := session.NewTable(session.Whole("step"), value.Column{Name: "url", Type: value.URL}, at("time"), at("first_seen"), at("last_seen"))
	if path == nil {
		res := t.Result()
		res.Notes = []string{fmt.Sprintf("no links that existed one after the other lead from %s to %s", asked.find[0], asked.find[1])}
		return res, nil
	}
	urls := make(map[int]string)
	for _, s := range path {
		urls[s.Node] = ""
	}
	if err := g.Name(urls); err != nil {
		return nil, err
	}
	for i, s := range path {
		row := []value.Value{value.OfInt(int64(i)), value.OfURL(urls[s.Node]), value.OfTime(record.Time(s.Time))}
		if i > 0 {
			row = append(row, value.OfTime(record.Time(s.Edge.From)), value.OfTime(record.Time(s.Edge.To)))
		}
		t.Add(row...)
	}
	return t.Result(), nil
}

// Would returns the lines for EXPLAIN: the two ends of the path, then what the
// archive would read.
func (p *pathSearch) Would(ctx context.Context) ([]string, error) {
	asked := &p.asked
	snap, release, err := p.s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	would, err := asked.wouldRead(ctx, snap, p.s.ReadLines)
	way := "a shortest way"
	if p.st.During != nil {
		way = "the way of links that existed one after the other, which arrives first,"
	}
	return append([]string{fmt.Sprintf("finds %s from %s to %s", way, asked.find[0], asked.find[1])}, would...), err
}
