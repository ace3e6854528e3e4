package relation

import (
	"context"
	"iter"

	"infomall/exec/graph"
	"infomall/store/record"
	"infomall/store/record/task"
)

// KeptGraphs returns the graphs that were imported into the archive, sorted by
// name and time. Their nodes and edges are read separately.
func KeptGraphs(ctx context.Context, snap Snapshot) ([]task.Result, error) {
	return snap.Results(ctx, task.ResultGraphs)
}

// Graphs declares the relation graphs, which has one row per graph that was
// imported into the archive.
var Graphs = list(Relation{
	Name: "graphs", Doc: "one graph, imported by IMPORT FORMAT graph", Shown: true,
	Columns: []Column{
		textOf("name", "name of the graph", func(g *task.Result) string { return g.Name }),
		intOf("nodes", "number of nodes", func(g *task.Result) int64 { return graph.Property(g, graph.PropertyNodes) }),
		intOf("edges", "number of edges", func(g *task.Result) int64 { return graph.Property(g, graph.PropertyEdges) }),
		timeOf("imported", "when the graph was imported", func(g *task.Result) record.Time { return g.Computed }),
		textOf("statement", "IMPORT statement", func(g *task.Result) string { return g.Statement }),
		intOf("bytes", "size of the graph's file", func(g *task.Result) int64 { return g.Bytes }),
	},
}, (*Reader).graphs)

func (r *Reader) graphs(ctx context.Context, _ *Request) iter.Seq2[[]task.Result, error] {
	return listed(ctx, func(ctx context.Context) ([]task.Result, error) { return KeptGraphs(ctx, r.Snapshot) })
}
