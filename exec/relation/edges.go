package relation

import (
	"context"
	"iter"
	"strconv"

	"infomall/exec/graph"
)

// edgeRow is an edge of a stored graph.
type edgeRow struct {
	graph.Edge
	graph string
}

// Edges is the relation edges.
var Edges = list(Relation{
	Name: "edges", Doc: "one edge of a graph imported by IMPORT FORMAT graph, or one node without edges",
	Columns: []Column{
		textOf("graph", "name of the graph", func(e *edgeRow) string { return e.graph }),
		textOf("source", "name of the node where the edge begins, such as a URL", func(e *edgeRow) string { return e.From }),
		textOf("target", "name of the node where the edge ends; NULL if the source has no edges", func(e *edgeRow) string { return e.To }),
		floatOrNull("weight", "weight of the edge, 1 if the file gives none", func(e *edgeRow) (float64, bool) { return shortest(e.Weight), e.To != "" }),
	},
}, (*Reader).edges)

// edges yields one row per edge of each stored graph, and one per node without
// edges.
func (r *Reader) edges(ctx context.Context, _ *Request) iter.Seq2[[]edgeRow, error] {
	return paged(r.edgeRows(ctx))
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

// shortest returns the number with the fewest digits that rounds to w in 32
// bits: 0.1 instead of 0.10000000149.
func shortest(w float32) float64 {
	x, err := strconv.ParseFloat(strconv.FormatFloat(float64(w), 'g', -1, 32), 64)
	if err != nil {
		return float64(w) // Unreachable: it was written as a number.
	}
	return x
}
