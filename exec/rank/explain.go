package rank

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"infomall/exec/expr"
	"infomall/exec/graph"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// explainSharesMax is the most links for which EXPLAIN RANK shows a row of
// their own. The other links share a row.
const explainSharesMax = 100

// rankExplanation is an EXPLAIN RANK statement whose clauses were read.
type rankExplanation struct {
	s  *session.Session
	st *ast.ExplainRank
}

// ExplainRank is the statement EXPLAIN RANK, which shows the links that the
// rank of a page comes from.
var ExplainRank = session.Declare("EXPLAIN RANK", session.Answers, readExplainRank)

// readExplainRank makes a rankExplanation of an EXPLAIN RANK statement. It
// checks only that the URL is a constant text, because its further form depends
// on the ranking.
func readExplainRank(s *session.Session, st *ast.ExplainRank) (*rankExplanation, error) {
	s, err := s.KnownAt(st.Known)
	if err == nil {
		_, err = expr.ConstantText(st.URL, s.Env())
	}
	return &rankExplanation{s, st}, err
}

// Would returns an error, because EXPLAIN cannot be applied to EXPLAIN RANK.
func (x *rankExplanation) Would(context.Context) ([]string, error) {
	return nil, session.ErrExplained(x.st)
}

// Run reads the links or the named graph of the ranking again, and returns a
// table of the parts that the rank of the page is the sum of.
func (x *rankExplanation) Run(ctx context.Context) (*session.Result, error) {
	s, st := x.s, x.st
	snap, release, err := s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	kept, err := keptRanking(ctx, snap, st)
	if err != nil {
		return nil, err
	}
	made, err := lang.ParseOne(kept.Statement, "")
	if err != nil {
		return nil, fmt.Errorf("read the statement of ranking %s: %w", kept.Name, err)
	}
	env := s.Env()
	env.Now = kept.Computed
	if zone, err := time.LoadLocation(kept.Properties[propertyZone]); err == nil {
		env.Zone = zone
	}
	e := &rankExplained{s: s, snap: snap, st: st, kept: kept, env: env}
	switch made := made.(type) {
	case *ast.PageRank:
		return e.pageRank(ctx, made)
	case *ast.HITS:
		return e.hits(ctx, made)
	}
	return nil, ast.Errorf(st, "%s was made neither by PAGERANK nor by HITS, but by %s", kept.Name, kept.Statement)
}

// rankExplained is an EXPLAIN RANK statement with the stored ranking that it explains.
type rankExplained struct {
	s    *session.Session
	snap relation.Snapshot
	st   *ast.ExplainRank
	kept *task.Result
	env  *expr.Env // the time and time zone with which the ranking was computed
}

// note returns a line that says which ranking is explained: its name, when it
// was computed, and which time it describes.
func (e *rankExplained) note() string {
	return fmt.Sprintf("ranking %s of %s, as of %s", e.kept.Name, e.s.Stamp(e.kept.Computed), e.s.Stamp(e.kept.AsOf))
}

// pageRank explains a rank that the PAGERANK statement made computed. It
// returns the table of shares. A URL that is not in the ranking is an error.
func (e *rankExplained) pageRank(ctx context.Context, made *ast.PageRank) (*session.Result, error) {
	r := &ranking{s: e.s, env: e.env, st: made}
	if err := r.read(); err != nil {
		return nil, err
	}
	url, err := r.asked.node(e.st.URL, e.s.Env())
	if err != nil {
		return nil, err
	}
	r.asked.find = []string{url}
	g, err := r.graph(ctx, e.snap)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	node := g.Found[0]
	if node < 0 {
		return nil, ast.Errorf(e.st.URL, "%s is not in the ranking %s", url, e.kept.Name)
	}
	rank, err := relation.RanksOf(ctx, e.snap, e.kept, g)
	if err != nil {
		return nil, err
	}
	return e.shares(g, node, rank, r.options.Damping)
}

// shares returns a table of the parts that the rank of a node is the sum of:
// one row per link, for the explainSharesMax largest, then a row for the other
// links, a row for jumps, and a row for the whole rank.
func (e *rankExplained) shares(g *graph.Named, node int, rank []float64, damping float64) (*session.Result, error) {
	shares, all, err := g.Explain(node, rank, damping, explainSharesMax)
	if err != nil {
		return nil, err
	}
	urls := make(map[int]string)
	for _, sh := range shares {
		urls[sh.From] = ""
	}
	if err := g.Name(urls); err != nil {
		return nil, err
	}
	float := func(name string) value.Column { return value.Column{Name: name, Type: value.Float} }
	t := session.NewTable(session.Text("part"), value.Column{Name: "url", Type: value.URL}, float("rank"), session.Whole("links"), float("gives"), float("share"))
	share := func(x float64) value.Value { return shareOf(x, rank[node]) }
	var null value.Value
	shown := 0.0
	for _, sh := range shares {
		shown += sh.Share
		t.Add(value.OfText("link"), value.OfURL(urls[sh.From]), value.OfFloat(rank[sh.From]), value.OfInt(int64(g.OutWeight(sh.From))), value.OfFloat(sh.Share), share(sh.Share))
	}
	if len(shares) == explainSharesMax && all > shown {
		t.Add(value.OfText("other links"), null, null, null, value.OfFloat(all-shown), share(all-shown))
	}
	t.Add(value.OfText("jumps"), null, null, null, value.OfFloat(rank[node]-all), share(rank[node]-all))
	t.Add(value.OfText("rank"), null, value.OfFloat(rank[node]), value.OfInt(int64(g.OutWeight(node))), value.OfFloat(rank[node]), share(rank[node]))
	res := t.Result()
	res.Notes = []string{e.note()}
	return res, nil
}

// shareOf returns the share of x in all, which is x divided by all, or NULL if
// all is 0.
func shareOf(x, all float64) value.Value {
	if all == 0 {
		return value.Value{}
	}
	return value.OfFloat(x / all)
}

// hits explains the hub and authority values that the HITS statement made
// computed. It computes them again, and returns the table of gifts. A URL that
// is not in the ranking is an error.
func (e *rankExplained) hits(ctx context.Context, made *ast.HITS) (*session.Result, error) {
	h := &hubRank{s: e.s, env: e.env, st: made}
	if err := h.read(); err != nil {
		return nil, err
	}
	url, err := h.asked.node(e.st.URL, e.s.Env())
	if err != nil {
		return nil, err
	}
	was, there, err := relation.StandingOf(ctx, e.snap, e.kept, url)
	if err != nil {
		return nil, err
	}
	if !there {
		return nil, ast.Errorf(e.st.URL, "%s is not in the ranking %s: no link that counts there leads to it or from it", url, e.kept.Name)
	}
	h.explained = url
	g, part, err := h.graph(ctx, e.snap)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	node, ok := part.Number(g.Found[len(g.Found)-1])
	if !ok {
		return nil, ast.Errorf(e.st.URL, "the links that put %s into the ranking %s are no longer in the archive", url, e.kept.Name)
	}
	values, authority, hub, err := graph.ExplainHITS(ctx, len(part.Nodes), part.Edges, h.options, uint32(node))
	if err != nil {
		return nil, err
	}
	res, err := e.gifts(g, part, values, node, authority, hub)
	if err == nil && (values.Hub[node] != was.Hub || values.Authority[node] != was.Authority) {
		res.Notes = append(res.Notes, fmt.Sprintf("the archive has changed since: its authority was %v and its hub %v", was.Authority, was.Hub))
	}
	return res, err
}

// gifts returns a table of the parts that the authority value and the hub value
// of a node are the sums of. It has one row per page that links to the node and
// a row for the authority value, then one row per page to which the node links
// and a row for the hub value. part and values are the graph and the values of
// HITS; authority and hub are the parts that graph.ExplainHITS found.
func (e *rankExplained) gifts(g *graph.Named, part *graph.Focused, values graph.HITS, node int, authority, hub []graph.Gift) (*session.Result, error) {
	urls := make(map[int]string)
	ofAuthority, ofHub := greatest(authority), greatest(hub)
	for _, gift := range slices.Concat(ofAuthority, ofHub) {
		urls[int(part.Nodes[gift.Node])] = ""
	}
	if err := g.Name(urls); err != nil {
		return nil, err
	}
	float := func(name string) value.Column { return value.Column{Name: name, Type: value.Float} }
	t := session.NewTable(session.Text("part"), value.Column{Name: "url", Type: value.URL}, float("hub"), float("authority"), float("weight"), float("gives"), float("share"))
	var null value.Value
	add := func(what string, of []graph.Gift, all int, sum float64) {
		left := sum
		for _, gift := range of {
			left -= gift.Value
			t.Add(value.OfText(what), value.OfURL(urls[int(part.Nodes[gift.Node])]), value.OfFloat(values.Hub[gift.Node]), value.OfFloat(values.Authority[gift.Node]),
				value.OfFloat(gift.Weight), value.OfFloat(gift.Value), shareOf(gift.Value, sum))
		}
		if len(of) < all {
			t.Add(value.OfText("other links"), null, null, null, null, value.OfFloat(left), shareOf(left, sum))
		}
	}
	a, h := values.Authority[node], values.Hub[node]
	add("linked from", ofAuthority, len(authority), a)
	t.Add(value.OfText("authority"), null, null, value.OfFloat(a), null, value.OfFloat(a), shareOf(a, a))
	add("links to", ofHub, len(hub), h)
	t.Add(value.OfText("hub"), null, value.OfFloat(h), null, null, value.OfFloat(h), shareOf(h, h))
	res := t.Result()
	res.Notes = []string{e.note()}
	return res, nil
}

// greatest returns the gifts that get a row of their own: the explainSharesMax
// with the greatest values, the greatest first. A gift is the part of a value
// that comes from one neighbour. list does not change.
func greatest(list []graph.Gift) []graph.Gift {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b graph.Gift) int { return cmp.Compare(b.Value, a.Value) })
	return list[:min(len(list), explainSharesMax)]
}

// keptRanking returns the latest stored ranking with the name in the statement,
// or with the name of PAGERANK's default ranking if the statement has none. If
// the archive does not have it, the error is at the name.
func keptRanking(ctx context.Context, snap relation.Snapshot, st *ast.ExplainRank) (*task.Result, error) {
	name := relation.PageRanking
	if st.Name != nil {
		name = strings.ToLower(st.Name.Text)
	}
	kept, err := lastRanking(ctx, snap, name)
	if err == nil && kept == nil {
		err = noRanking(ctx, snap, st, name)
	}
	return kept, err
}

// noRanking returns the error for a ranking that the archive does not have. The
// error is at the position of the name in the statement, and may suggest a
// similar name.
func noRanking(ctx context.Context, snap relation.Snapshot, st *ast.ExplainRank, name string) error {
	results, err := snap.Results(ctx, task.ResultRanks)
	if err != nil {
		return err
	}
	var names []string
	for _, r := range results {
		names = append(names, r.Name)
	}
	at := st.At()
	if st.Name != nil {
		at = st.Name.At()
	}
	e := expr.UnknownName(at, "ranking", name, " in the archive", names)
	if e.Hint == "" {
		e.Hint = "PAGERANK makes one"
	}
	return e
}
