package query

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"infomall/exec/cost"
	"infomall/exec/plan"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

// Select is the statement SELECT, which queries the archive.
var Select = session.Declare("SELECT, SEARCH", session.Answers|session.Anywhere, readSelect)

// selection is a SELECT statement whose clauses were read.
type selection struct {
	s     *session.Session
	node  plan.Node
	asked session.Asked
	added []string // synonyms that were added to the words that the query searches for
}

// readSelect makes a selection of a SELECT statement: it checks the query and
// plans it.
func readSelect(s *session.Session, q *ast.Query) (*selection, error) {
	sel := &selection{s: s}
	env := s.Env()
	sel.asked = session.Asked{Query: q, Now: env.Now}
	env.Also = func(words []string) {
		for _, w := range words {
			if !slices.Contains(sel.added, w) {
				sel.added = append(sel.added, w)
			}
		}
	}
	var err error
	sel.node, err = plan.Build(q, env)
	return sel, err
}

// Run opens the query. Its rows are computed while the caller ranges over them.
// If a db-file (a file of the archive) is damaged, the result has the rows that
// can be computed without it, and the error comes after the last row.
func (q *selection) Run(ctx context.Context) (*session.Result, error) {
	res, err := q.s.OpenAsked(ctx, q.node, &q.asked)
	if err == nil {
		q.s.Picture(ctx, res, q.node)
	}
	if err == nil && q.added != nil {
		res.Notes = append(res.Notes, "also asked for the synonyms "+strings.Join(q.added, ", "))
	}
	return res, err
}

// Would returns the lines for EXPLAIN: the plan of the query, and how it is divided among
// workers.
func (q *selection) Would(ctx context.Context) ([]string, error) {
	lines, err := q.s.PlanLines(ctx, q.node)
	if err != nil {
		return nil, err
	}
	more, err := q.s.WorkerLines(ctx, q.node)
	return append(lines, more...), err
}

// estimate returns what the query is estimated to cost. Its reads do not count as those of
// the query, and leave nothing in the cache for it.
func (q *selection) estimate(ctx context.Context) (*cost.Estimate, error) {
	snap, release, err := q.s.SnapshotFor(ctx, q.node)
	if err != nil {
		return nil, err
	}
	defer release()
	if snap != nil {
		snap.SetCache(0)
	}
	return q.s.Estimate(ctx, snap, q.node)
}

// Analyze runs the query to its end, and returns a table with one row per node
// of its plan: how many rows the node was estimated to yield, how many it yielded, and
// how long it took. Further rows show what was read from the archive, and what the query
// was estimated to cost and has cost.
func (q *selection) Analyze(ctx context.Context) (*session.Result, error) {
	snap, release, err := q.s.SnapshotFor(ctx, q.node)
	if err != nil {
		return nil, err
	}
	defer release()
	e, err := q.estimate(ctx)
	if err != nil {
		return nil, err
	}
	runner := q.s.Runner(snap, "explain analyze")
	start := time.Now()
	rows, err := runner.Rows(ctx, q.node)
	if err != nil {
		return nil, err
	}
	for _, err := range rows {
		if err != nil {
			return nil, err
		}
	}
	took := time.Since(start)
	t := session.NewTable(session.Text("plan"), session.Whole("estimated"), session.Whole("rows"), value.Column{Name: "ms", Type: value.Float})
	at := 0
	plan.Walk(q.node, func(n plan.Node, depth int) {
		m := runner.Meter.Of(n)
		t.Add(value.OfText(session.Indented(depth, n.String())), value.OfInt(int64(math.Round(e.Parts[at].Rows))), value.OfInt(m.Rows), value.OfFloat(float64(m.Time.Microseconds())/1000))
		at++
	})
	if snap != nil {
		st := snap.Stats()
		addStats(t, st)
		t.Add(value.OfText("cost estimated: about " + session.EstimateText(e)))
		t.Add(value.OfText("cost: " + session.CostText(runner.Meter.Of(q.node).Rows, st.IndexBytes+st.Bytes, took)))
	}
	return t.Result(), nil
}

// addStats adds rows to t that show what a query read from the archive, such as
// "runs decompressed: 12".
func addStats(t *session.Table, st record.ReadStats) {
	pools := fmt.Sprintf("pools opened: %d", len(st.Pools))
	if len(st.Pools) > 0 {
		pools += " (" + session.PoolNames(st.Pools) + ")"
	}
	for _, line := range []string{
		pools,
		fmt.Sprintf("segments opened: %d", st.Segments),
		fmt.Sprintf("index chunks decoded: %d", st.Chunks),
		fmt.Sprintf("bytes read from indexes: %d", st.IndexBytes),
		fmt.Sprintf("runs decompressed: %d", st.Runs),
		fmt.Sprintf("bytes read from db-files: %d", st.Bytes),
		fmt.Sprintf("bytes decompressed: %d", st.Decoded),
		fmt.Sprintf("cache: hits %d, misses %d", st.CacheHits, st.CacheMisses),
	} {
		t.Add(value.OfText(line))
	}
}
