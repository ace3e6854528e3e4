package query

import (
	"context"
	"fmt"
	"strings"

	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

// Select is the statement SELECT.
var Select = session.Declare("SELECT", session.Answers|session.Anywhere, readSelect)

// selection is a SELECT statement whose clauses were read.
type selection struct {
	s    *session.Session
	node plan.Node
}

// readSelect reads the clauses of a SELECT statement.
func readSelect(s *session.Session, q *ast.Query) (*selection, error) {
	node, err := plan.Build(q, s.Env())
	return &selection{s, node}, err
}

// Run opens the query. Its rows are computed while they are ranged over. If a db-file is
// damaged, the rows are those that can be answered without it, and the error comes after
// the last.
func (q *selection) Run(ctx context.Context) (*session.Result, error) { return q.s.Open(ctx, q.node) }

func (q *selection) Would(ctx context.Context) ([]string, error) { return q.s.PlanLines(ctx, q.node) }

// Analyze runs the query to its end, and returns what each node of its plan did.
func (q *selection) Analyze(ctx context.Context) (*session.Result, error) {
	snap, release, err := q.s.SnapshotFor(ctx, q.node)
	if err != nil {
		return nil, err
	}
	defer release()
	meter, runner := op.NewMeter(), q.s.Runner(snap)
	runner.Meter = meter
	rows, err := runner.Rows(ctx, q.node)
	if err != nil {
		return nil, err
	}
	for _, err := range rows {
		if err != nil {
			return nil, err
		}
	}
	t := session.NewTable(session.Text("plan"), session.Whole("rows"), value.Column{Name: "ms", Type: value.Float})
	plan.Walk(q.node, func(n plan.Node, depth int) {
		m := meter.Of(n)
		t.Add(value.OfText(session.Indented(depth, n.String())), value.OfInt(m.Rows), value.OfFloat(float64(m.Time.Microseconds())/1000))
	})
	if snap != nil {
		addStats(t, snap.Stats())
	}
	return t.Result(), nil
}

// addStats adds what was read from the archive.
func addStats(t *session.Table, st record.ReadStats) {
	for _, line := range []string{
		fmt.Sprintf("pools opened: %s", openedPools(st.Pools)),
		fmt.Sprintf("segments opened: %d", st.Segments),
		fmt.Sprintf("index chunks decoded: %d", st.Chunks),
		fmt.Sprintf("runs decompressed: %d", st.Runs),
		fmt.Sprintf("bytes read: %d", st.Bytes),
		fmt.Sprintf("cache: hits %d, misses %d", st.CacheHits, st.CacheMisses),
	} {
		t.Add(value.OfText(line))
	}
}

func openedPools(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
