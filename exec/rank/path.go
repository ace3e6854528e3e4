package rank

import (
	"context"
	"fmt"

	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
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
	g, err := asked.read(ctx, s.Runner(snap, "path"))
	if err != nil {
		return nil, err
	}
	defer g.Close()
	for i, e := range []ast.Expr{st.From, st.To} {
		if g.Found[i] < 0 {
			if asked.graph != nil {
				return nil, ast.Errorf(e, "%s is no node of graph %s", asked.find[i], asked.kept.Name)
			}
			return nil, ast.Errorf(e, "%s is not a page at that time, and no page links to it", asked.find[i])
		}
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

// Would returns the lines for EXPLAIN: the two ends of the path, then what the
// archive would read.
func (p *pathSearch) Would(ctx context.Context) ([]string, error) {
	asked := &p.asked
	snap, release, err := p.s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	would, err := asked.wouldRead(ctx, snap)
	return append([]string{fmt.Sprintf("finds a shortest way from %s to %s", asked.find[0], asked.find[1])}, would...), err
}
