package relation

import (
	"context"
	"iter"
	"strconv"

	"infomall/exec/graph"
	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/record/task"
)

// KeptGraphs returns the graphs that the archive stores.
func KeptGraphs(ctx context.Context, snap Snapshot) ([]task.Result, error) {
	return snap.Results(ctx, task.ResultGraphs)
}

// graphs yields one row per stored graph.
func (r *Reader) graphs(ctx context.Context, n *Request) value.Rows {
	return render(n, graphFills, graphShape, listed(ctx, func(ctx context.Context) ([]task.Result, error) {
		return KeptGraphs(ctx, r.Snapshot)
	}))
}

// graphShape makes one row of each graph in a batch.
var graphShape = shape[[]task.Result]{rows: func(list []task.Result) int { return len(list) }}

// graphFills has the functions that compute the columns of the relation graphs,
// by name.
var graphFills = fills[[]task.Result]{
	"name":      textOf(value.Text, func(g *task.Result) string { return g.Name }),
	"nodes":     intOf(func(g *task.Result) int64 { return graph.Property(g, graph.PropertyNodes) }),
	"edges":     intOf(func(g *task.Result) int64 { return graph.Property(g, graph.PropertyEdges) }),
	"imported":  timeOf(func(g *task.Result) record.Time { return g.Computed }),
	"statement": textOf(value.Text, func(g *task.Result) string { return g.Statement }),
	"bytes":     intOf(func(g *task.Result) int64 { return g.Bytes }),
}

// edgeRow is an edge of a stored graph.
type edgeRow struct {
	graph.Edge
	graph string
}

// edges yields one row per edge of each stored graph, and one per node without
// edges.
func (r *Reader) edges(ctx context.Context, n *Request) value.Rows {
	return render(n, edgeFills, edgeShape, paged(r.edgeRows(ctx)))
}

// edgeRows yields the rows of edges.
func (r *Reader) edgeRows(ctx context.Context) iter.Seq2[*edgeRow, error] {
	return func(yield func(*edgeRow, error) bool) {
		list, err := KeptGraphs(ctx, r.Snapshot)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, g := range list {
			row := edgeRow{graph: g.Name}
			for row.Edge, err = range (&graph.Stored{Result: g, Rows: r.Snapshot, Memory: &r.Memory}).Edges(ctx) {
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

// edgeShape makes one row of each edge in a batch.
var edgeShape = shape[[]edgeRow]{rows: func(list []edgeRow) int { return len(list) }}

// edgeFills has the functions that compute the columns of the relation edges,
// by name.
var edgeFills = fills[[]edgeRow]{
	"graph":  textOf(value.Text, func(e *edgeRow) string { return e.graph }),
	"source": textOf(value.Text, func(e *edgeRow) string { return e.From }),
	"target": textOf(value.Text, func(e *edgeRow) string { return e.To }),
	"weight": numberOf(func(e *edgeRow) (float64, bool) { return shortest(e.Weight), e.To != "" }),
}

// shortest returns the number with the fewest digits that rounds to w in 32
// bits: 0.1 instead of 0.10000000149.
func shortest(w float32) float64 {
	x, err := strconv.ParseFloat(strconv.FormatFloat(float64(w), 'g', -1, 32), 64)
	if err != nil {
		return float64(w) // Unreachable: it was written as a number.
	}
	return x
}
