package result

import (
	"context"
	"iter"
	"strconv"

	"infomall/exec/graph"
	"infomall/exec/relation"
)

// edgeRow is one row of the relation edges: an edge, and the name of the stored
// graph that has it.
type edgeRow struct {
	graph.Edge
	graph string
}

// Edges declares the relation edges, which has one row per edge of each graph
// that the archive stores.
var Edges = relation.List(relation.Relation{
	Name: "edges", Doc: "one edge of a graph imported by IMPORT FORMAT graph, or one node without edges",
	Columns: []relation.Column{
		relation.TextOf("graph", "name of the graph", func(e *edgeRow) string { return e.graph }),
		relation.TextOf("source", "name of the node where the edge begins, such as a URL", func(e *edgeRow) string { return e.From }),
		relation.TextOf("target", "name of the node where the edge ends; NULL if the source has no edges", func(e *edgeRow) string { return e.To }),
		relation.FloatOrNull("weight", "weight of the edge, 1 if the file gives none", func(e *edgeRow) (float64, bool) { return shortest(e.Weight), e.To != "" }),
	},
}, edges)

// edges yields the rows of the relation edges in batches: one row per edge of
// each stored graph, and one row, without a target, per node that has no edges.
func edges(r *relation.Reader, ctx context.Context, _ *relation.Request) iter.Seq2[[]edgeRow, error] {
	return relation.Paged(edgeRows(r, ctx))
}

// edgeRows yields the rows of the relation edges one at a time. A row is valid
// until the iteration moves on.
func edgeRows(r *relation.Reader, ctx context.Context) iter.Seq2[*edgeRow, error] {
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

// shortest returns the float64 with the fewest decimal digits that is still w
// when rounded to 32 bits: 0.1 instead of 0.10000000149.
func shortest(w float32) float64 {
	x, err := strconv.ParseFloat(strconv.FormatFloat(float64(w), 'g', -1, 32), 64)
	if err != nil {
		return float64(w) // Unreachable: it was written as a number.
	}
	return x
}
