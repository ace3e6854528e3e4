package rank

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"infomall/exec/expr"
	"infomall/exec/graph"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// ranking is a PAGERANK statement whose clauses were read.
type ranking struct {
	s       *session.Session
	env     *expr.Env // the parameters, time and time zone with which the statement is read
	st      *ast.PageRank
	text    string // the statement, as storedText returns it
	name    string // the name of the ranking, in lower case
	options graph.RankOptions
	asked   linksAsked
	normN   bool // ranks sum to the number of nodes, not to 1
}

// The names of the properties that are stored with a ranking.
const (
	propertyZone    = "timezone"
	propertyDamping = "damping"
	propertyNodes   = "nodes"
	propertyEdges   = "edges"
	propertyRounds  = "iterations"
	propertyChange  = "residual" // how much the last iteration changed the ranks
)

// PageRank is the statement PAGERANK, which computes the ranks of pages, hosts
// or the nodes of a named graph, and stores them as a ranking.
var PageRank = session.Declare("PAGERANK", session.Writes|session.Works, readPageRank).Named(func(st ast.Statement) *ast.Name { return st.(*ast.PageRank).Name })

// readPageRank makes a ranking of a PAGERANK statement, with the parameters,
// time and time zone of the session. It checks the clauses and plans the query
// for the links.
func readPageRank(s *session.Session, st *ast.PageRank) (*ranking, error) {
	r := &ranking{s: s, env: s.Env(), st: st}
	return r, r.read()
}

// read checks the clauses of the statement r.st and plans its query, with the
// parameters, time and time zone of r.env. It sets the other fields of r.
func (r *ranking) read() (err error) {
	st, env := r.st, r.env
	r.name = relation.PageRanking
	r.asked = linksAsked{graph: st.Graph, Within: session.Within{Scopes: st.Scopes, Time: st.Time}, without: st.Without, byHost: st.By == "host"}
	if r.asked.byHost {
		r.name = relation.HostRanking
	}
	if st.Name != nil {
		r.name = strings.ToLower(st.Name.Text)
	}
	r.normN = st.Norm == "N"
	if st.Graph != nil {
		if err := rankingOfGraph(st); err != nil {
			return err
		}
	}
	if err := r.readNumbers(st, env); err != nil {
		return err
	}
	for _, e := range st.Seeds {
		seed, err := r.asked.node(e, env)
		if err != nil {
			return err
		}
		r.asked.find = append(r.asked.find, seed)
	}
	if r.text, err = storedText(st, env, st.Damping, st.Tolerance, st.Iterations); err != nil {
		return err
	}
	return r.asked.plans(env)
}

// rankingOfGraph returns an error if a PAGERANK … OVER GRAPH statement has a
// clause that cannot be used with a named graph, or gives the ranking no name.
func rankingOfGraph(st *ast.PageRank) error {
	switch {
	case st.Time.Timed() || st.Time.Known != nil:
		return errOfGraph(st, "a time")
	case st.Without != nil:
		return errOfGraph(st, "WITHOUT")
	case st.By == "host":
		return errOfGraph(st, "BY host")
	case st.Name == nil:
		err := ast.Errorf(st, "a ranking of a graph needs a name: rankings without a name are about the pages of the archive")
		err.Hint = "write PAGERANK name OVER GRAPH " + st.Graph.String()
		return err
	}
	return nil
}

// readNumbers sets r.options to the numbers of the clauses DAMPING, TOLERANCE
// and ITERATIONS, if the statement has them. Without DAMPING the damping is
// 0.85. A number out of range is an error.
func (r *ranking) readNumbers(st *ast.PageRank, env *expr.Env) error {
	for _, n := range []struct {
		e     ast.Expr
		word  string
		what  string
		valid func(x float64) bool
		put   func(x float64)
	}{
		{st.Damping, "DAMPING", "a number between 0 and 1", func(x float64) bool { return x > 0 && x < 1 }, func(x float64) { r.options.Damping = x }},
		{st.Tolerance, "TOLERANCE", "a number above 0, such as 1e-8", func(x float64) bool { return x > 0 && x < 1 }, func(x float64) { r.options.Tolerance = x }},
		{st.Iterations, "ITERATIONS", "a whole number from 1 to 1000000", func(x float64) bool { return x >= 1 && x <= 1e6 && x == float64(int(x)) }, func(x float64) { r.options.Rounds = int(x) }},
	} {
		if n.e == nil {
			continue
		}
		x, err := expr.ConstantNumber(n.e, n.word, env)
		if err != nil {
			return err
		}
		if !n.valid(x) {
			return ast.Errorf(n.e, "%s takes %s, not %v", n.word, n.what, x)
		}
		n.put(x)
	}
	if r.options.Damping == 0 {
		r.options.Damping = .85
	}
	return nil
}

// Run computes the ranking and stores it in the archive. Its result has one
// row, with the size of the ranking and the time it took.
func (r *ranking) Run(ctx context.Context) (*session.Result, error) {
	begun, s, env := time.Now(), r.s, r.env
	snap, release, err := s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	g, err := r.graph(ctx, snap)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	ranks, err := r.compute(ctx, snap, g)
	if err != nil {
		return nil, err
	}
	kept := task.Result{
		Kind: task.ResultRanks, Name: r.name, Computed: env.Now, Statement: r.text,
		Properties: map[string]string{
			propertyZone:    env.Location().String(),
			propertyDamping: strconv.FormatFloat(r.options.Damping, 'g', -1, 64),
			propertyNodes:   strconv.Itoa(g.Nodes()),
			propertyEdges:   strconv.FormatInt(g.Edges(), 10),
			propertyRounds:  strconv.Itoa(ranks.Rounds),
			propertyChange:  strconv.FormatFloat(ranks.Change, 'g', -1, 64),
		},
	}
	if kept.AsOf, err = r.asked.asOf(ctx, snap); err != nil {
		return nil, err
	}
	if kept, err = s.Archive().SaveResult(ctx, kept, standingsOf(g, ranks.Rank, r.normN)); err != nil {
		return nil, err
	}
	t := session.NewTable(session.Text("ranking"), value.Column{Name: "as_of", Type: value.Time}, session.Whole("nodes"), session.Whole("edges"), session.Whole("dangling"),
		session.Whole("iterations"), value.Column{Name: "residual", Type: value.Float}, session.Whole("bytes"), session.Whole("ms"))
	t.Add(value.OfText(kept.Name), value.OfTime(kept.AsOf), value.OfInt(int64(g.Nodes())), value.OfInt(g.Edges()), value.OfInt(dangling(g.Graph)),
		value.OfInt(int64(ranks.Rounds)), value.OfFloat(ranks.Change), value.OfInt(kept.Bytes), value.OfInt(time.Since(begun).Milliseconds()))
	return t.Work(session.Count{Rows: 1, Bytes: kept.Bytes}, nil), nil
}

// graph makes the graph whose nodes the statement ranks. The caller closes it.
func (r *ranking) graph(ctx context.Context, snap relation.Snapshot) (*graph.Named, error) {
	return r.asked.read(ctx, r.s.Runner(snap, "pagerank: links"))
}

// compute computes the rank of each node of g. It is an error if g does not
// have a page of SEEDS.
func (r *ranking) compute(ctx context.Context, snap relation.Snapshot, g *graph.Named) (graph.Ranks, error) {
	o := r.options
	for i := range r.st.Seeds {
		n := g.Found[i]
		if n < 0 {
			return graph.Ranks{}, ast.Errorf(r.st.Seeds[i], "%s is neither among these pages nor linked from them", r.asked.find[i])
		}
		o.Seeds = append(o.Seeds, uint32(n))
	}
	if r.st.Warm {
		var err error
		if o.Start, err = startRanks(ctx, snap, r.name, g); err != nil {
			return graph.Ranks{}, err
		}
	}
	if report := r.s.Report("pagerank", "rounds"); report != nil {
		rounds := int64(o.Expected())
		o.Progress = func(round int, _ float64) { report(int64(round), rounds) }
	}
	return g.PageRank(ctx, o)
}

// startRanks returns the rank that each node of g had when the named ranking
// was last computed, by node number. It returns nil if the ranking was never
// computed.
func startRanks(ctx context.Context, snap relation.Snapshot, name string, g *graph.Named) ([]float64, error) {
	last, err := lastRanking(ctx, snap, name)
	if last == nil {
		return nil, err
	}
	return relation.RanksOf(ctx, snap, last, g)
}

// lastRanking returns the latest computation of the ranking with this name, or
// nil if there is none.
func lastRanking(ctx context.Context, snap relation.Snapshot, name string) (last *task.Result, err error) {
	list, err := snap.Results(ctx, task.ResultRanks)
	for i := range list {
		if list[i].Name == name && (last == nil || list[i].Computed >= last.Computed) {
			last = &list[i]
		}
	}
	return last, err
}

// standingsOf yields the rows of a ranking that the archive stores, one per
// node of g. The key is the sort key of the node's name; the value is a
// relation.Standing with the node's rank. rank has the ranks by node number. If
// normN is set, each rank is multiplied by the number of nodes.
func standingsOf(g *graph.Named, rank []float64, normN bool) iter.Seq2[task.ResultRow, error] {
	scale := 1.0
	if normN {
		scale = float64(len(rank))
	}
	return func(yield func(task.ResultRow, error) bool) {
		i := 0
		var val []byte
		for key, err := range g.Keys() {
			if err != nil {
				yield(task.ResultRow{}, err)
				return
			}
			val = relation.Standing{Rank: rank[i] * scale, Ranked: true}.Append(val[:0])
			if !yield(task.ResultRow{Key: key, Value: val}, nil) {
				return
			}
			i++
		}
	}
}

// dangling returns how many nodes of g have no outgoing edge.
func dangling(g *graph.Graph) (n int64) {
	for i := range g.Nodes() {
		if g.OutWeight(i) == 0 {
			n++
		}
	}
	return n
}

// Would returns the lines for EXPLAIN: one line on the ranking, then the plan
// for reading the graph, with the pools that would be read.
func (r *ranking) Would(ctx context.Context) ([]string, error) {
	snap, release, err := r.s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	before, err := session.TimesComputed(ctx, snap, task.ResultRanks, r.name)
	if err != nil {
		return nil, err
	}
	lines := []string{fmt.Sprintf("rank by %s, keep it as ranking %s, which has been computed %s", r.text, r.name, value.Counted(before, "time"))}
	would, err := r.asked.wouldRead(ctx, snap, r.s.ReadLines)
	return append(lines, would...), err
}
