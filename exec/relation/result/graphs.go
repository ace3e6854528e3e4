package result

import (
	"context"
	"iter"

	"infomall/exec/graph"
	"infomall/exec/relation"
	"infomall/store/record"
	"infomall/store/record/task"
)

// KeptGraphs returns the graphs that were imported into the archive, sorted by
// name and time. Their nodes and edges are read separately.
func KeptGraphs(ctx context.Context, snap relation.Snapshot) ([]task.Result, error) {
	return snap.Results(ctx, task.ResultGraphs)
}

// Graphs declares the relation graphs, which has one row per graph that was
// imported into the archive.
var Graphs = relation.List(relation.Relation{
	Name: "graphs", Doc: "one graph, imported by IMPORT FORMAT graph", Shown: true,
	Columns: []relation.Column{
		relation.TextOf("name", "name of the graph", func(g *task.Result) string { return g.Name }),
		relation.IntOf("nodes", "number of nodes", func(g *task.Result) int64 { return graph.Property(g, graph.PropertyNodes) }),
		relation.IntOf("edges", "number of edges", func(g *task.Result) int64 { return graph.Property(g, graph.PropertyEdges) }),
		relation.TimeOf("imported", "when the graph was imported", func(g *task.Result) record.Time { return g.Computed }),
		relation.TextOf("statement", "IMPORT statement", func(g *task.Result) string { return g.Statement }),
		relation.IntOf("bytes", "size of the graph's file", func(g *task.Result) int64 { return g.Bytes }),
	},
}, graphs)

func graphs(r *relation.Reader, ctx context.Context, _ *relation.Request) iter.Seq2[[]task.Result, error] {
	return relation.Listed(ctx, func(ctx context.Context) ([]task.Result, error) { return KeptGraphs(ctx, r.Snapshot) })
}
