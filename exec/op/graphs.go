package op

import (
	"context"
	"iter"
	"strconv"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/store/record"
)

// Properties of a graph that is kept under a name.
const (
	GraphNodes = "nodes"
	GraphEdges = "edges"
	// graphForm is how its rows are made; graphs that have none have a row an edge.
	graphForm = "form"
	// graphWeights is yes where edges have weights.
	graphWeights = "weights"
)

// KeptGraphs lists the graphs that are kept.
func KeptGraphs(ctx context.Context, snap Snapshot) ([]record.Result, error) {
	return snap.Results(ctx, record.ResultGraphs)
}

// graphs yields a row a graph.
func (r *Runner) graphs(ctx context.Context, n *plan.Source) Rows {
	return render(n, graphFills, graphShape, listed(ctx, func(ctx context.Context) ([]record.Result, error) {
		return KeptGraphs(ctx, r.Snapshot)
	}))
}

var graphShape = shape[[]record.Result]{rows: func(list []record.Result) int { return len(list) }}

// graphFills computes the columns of graphs.
var graphFills = fills[[]record.Result]{
	"name":      textOf(value.Text, func(g *record.Result) string { return g.Name }),
	"nodes":     intOf(func(g *record.Result) int64 { return graphProperty(g, GraphNodes) }),
	"edges":     intOf(func(g *record.Result) int64 { return graphProperty(g, GraphEdges) }),
	"imported":  timeOf(func(g *record.Result) record.Time { return g.Computed }),
	"statement": textOf(value.Text, func(g *record.Result) string { return g.Statement }),
	"bytes":     intOf(func(g *record.Result) int64 { return g.Bytes }),
}

// graphProperty is a number that a graph has, 0 if it has none.
func graphProperty(g *record.Result, name string) int64 {
	n, err := strconv.ParseInt(g.Properties[name], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// edgeRow is an edge of a graph.
type edgeRow struct {
	Edge
	graph string
}

// edges yields a row an edge of each kept graph, and one a lone node.
func (r *Runner) edges(ctx context.Context, n *plan.Source) Rows {
	return render(n, edgeFills, edgeShape, paged(r.edgeRows(ctx)))
}

func (r *Runner) edgeRows(ctx context.Context) iter.Seq2[*edgeRow, error] {
	return func(yield func(*edgeRow, error) bool) {
		list, err := KeptGraphs(ctx, r.Snapshot)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, g := range list {
			row := edgeRow{graph: g.Name}
			for row.Edge, err = range r.keptEdges(ctx, g) {
				if err != nil {
					yield(nil, err)
					return
				}
				if !yield(&row, nil) {
					return
				}
			}
		}
	}
}

var edgeShape = shape[[]edgeRow]{rows: func(list []edgeRow) int { return len(list) }}

// edgeFills computes the columns of edges.
var edgeFills = fills[[]edgeRow]{
	"graph":  textOf(value.Text, func(e *edgeRow) string { return e.graph }),
	"source": textOf(value.Text, func(e *edgeRow) string { return e.From }),
	"target": textOf(value.Text, func(e *edgeRow) string { return e.To }),
	"weight": numberOf(func(e *edgeRow) (float64, bool) { return shortest(e.Weight), e.To != "" }),
}

// shortest is the number with the fewest digits that 32 bits hold as w.
func shortest(w float32) float64 {
	x, err := strconv.ParseFloat(strconv.FormatFloat(float64(w), 'g', -1, 32), 64)
	if err != nil {
		return float64(w) // Unreachable: it was written as a number.
	}
	return x
}
