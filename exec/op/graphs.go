package op

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// Properties of a graph that is kept under a name.
const (
	GraphNodes = "nodes"
	GraphEdges = "edges"
)

// A kept graph has a row an edge: the key is the keys of source and target with
// a zero byte between them, the value is the weight. A node without edges is the
// source of one without target and value.

// AppendEdgeLine appends a line from which EdgeRow makes a row: lines of one edge
// stand together when they are sorted, the one with the largest weight last.
func AppendEdgeLine(dst []byte, e Edge) []byte {
	dst = append(dst, urlkey.Key(e.From)...)
	dst = append(dst, 0)
	if e.To != "" {
		dst = append(dst, urlkey.Key(e.To)...)
	}
	dst = append(dst, 0)
	// The bits of positive numbers are in the order of the numbers.
	return binary.BigEndian.AppendUint32(dst, math.Float32bits(e.Weight))
}

// EdgeRow makes a row to keep of a line. It is valid as long as the line.
func EdgeRow(line []byte) record.ResultRow {
	r := record.ResultRow{Key: line[:len(line)-5]}
	if r.Key[len(r.Key)-1] != 0 {
		r.Value = line[len(line)-4:]
	}
	return r
}

// errEdge is what a row is that EdgeRow did not make.
var errEdge = errors.New("a row of a graph is none that a program wrote")

func parseEdge(r record.ResultRow) (e Edge, err error) {
	from, to, ok := strings.Cut(string(r.Key), "\x00")
	if !ok || from == "" || len(r.Value) != 4 && (to != "" || len(r.Value) != 0) {
		return e, errEdge
	}
	e.From = urlkey.URL(from)
	if to != "" {
		e.To = urlkey.URL(to)
		e.Weight = math.Float32frombits(binary.BigEndian.Uint32(r.Value))
		if !(e.Weight > 0) || math.IsInf(float64(e.Weight), 1) {
			return e, errEdge
		}
	}
	return e, nil
}

// KeptEdges yields the edges of a kept graph, and its lone nodes as edges without
// To, in order of source and target.
func KeptEdges(ctx context.Context, snap Snapshot, of record.Result) iter.Seq2[Edge, error] {
	return func(yield func(Edge, error) bool) {
		for row, err := range snap.ResultRows(ctx, of, nil) {
			var e Edge
			if err == nil {
				if e, err = parseEdge(row); err != nil {
					err = fmt.Errorf("%s: %w", of.File, err)
				}
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

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
			for row.Edge, err = range KeptEdges(ctx, r.Snapshot, g) {
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
