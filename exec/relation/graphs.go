package relation

import (
	"context"
	"iter"

	"infomall/exec/graph"
	"infomall/store/record"
	"infomall/store/record/task"
)

// KeptGraphs returns the graphs that the archive stores.
func KeptGraphs(ctx context.Context, snap Snapshot) ([]task.Result, error) {
	return snap.Results(ctx, task.ResultGraphs)
}

// Graphs is the relation graphs.
var Graphs = list(Relation{
	Name: "graphs", Doc: "one graph that IMPORT FORMAT graph has brought", Shown: true,
	Columns: []Column{
		textOf("name", "its name", func(g *task.Result) string { return g.Name }),
		intOf("nodes", "nodes in it", func(g *task.Result) int64 { return graph.Property(g, graph.PropertyNodes) }),
		intOf("edges", "edges in it", func(g *task.Result) int64 { return graph.Property(g, graph.PropertyEdges) }),
		timeOf("imported", "when it came in", func(g *task.Result) record.Time { return g.Computed }),
		textOf("statement", "what brought it", func(g *task.Result) string { return g.Statement }),
		intOf("bytes", "size of its file", func(g *task.Result) int64 { return g.Bytes }),
	},
}, (*Reader).graphs)

func (r *Reader) graphs(ctx context.Context, _ *Request) iter.Seq2[[]task.Result, error] {
	return listed(ctx, func(ctx context.Context) ([]task.Result, error) { return KeptGraphs(ctx, r.Snapshot) })
}
