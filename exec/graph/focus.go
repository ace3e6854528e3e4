package graph

import (
	"context"
	"slices"
)

// FocusOptions say which part of a graph Focus returns.
type FocusOptions struct {
	// Roots are the nodes to start from. Nil means all nodes; then Steps and
	// InMax are ignored.
	Roots []uint32
	// Steps is how often the part grows. Each step adds all nodes to which
	// nodes of the part point, and for each node of the part some of the nodes
	// that point to it. 0 means 1.
	Steps int
	// InMax is how many of the nodes that point to one node a step adds at
	// most. They are chosen evenly from all of them, by number. 0 means 50.
	InMax int
	// NodesMax is how many nodes the part has at most. 0 means 100,000.
	NodesMax int
	// Drop reports which edges to ignore. Nil ignores none.
	Drop func(from, to uint32) bool
}

const (
	focusIn    = 50
	focusNodes = 100_000
)

// Focused is a part of a graph: its nodes, renumbered from 0, and the edges
// between them.
type Focused struct {
	Nodes []uint32 // their numbers in the graph, ascending
	Edges []WeightedEdge
	// Cut reports that the part would be larger without NodesMax.
	Cut bool
}

// Number returns the number in the part of a node of the graph, and reports
// whether the node is in the part.
func (f *Focused) Number(node int) (int, bool) {
	if node < 0 {
		return 0, false
	}
	return slices.BinarySearch(f.Nodes, uint32(node))
}

// Focus returns the part of a graph around some nodes: the base set of
// Kleinberg, "Authoritative Sources in a Hyperlinked Environment", 1999. It
// returns a *TooManyEdgesError if the part has more than edgesMax edges. It
// reads all edges once per step and once more at the end, and needs some six
// bytes per node of the graph.
func (g *Graph) Focus(ctx context.Context, o FocusOptions, edgesMax int) (*Focused, error) {
	if o.Steps == 0 {
		o.Steps = 1
	}
	if o.InMax == 0 {
		o.InMax = focusIn
	}
	if o.NodesMax == 0 {
		o.NodesMax = focusNodes
	}
	if o.Drop == nil {
		o.Drop = func(from, to uint32) bool { return false }
	}
	f := &focusing{g: g, o: o, ctx: ctx, edgesMax: edgesMax}
	if o.Roots != nil {
		f.in = make([]bool, g.nodes)
		for _, r := range o.Roots {
			f.add(r)
		}
		for range o.Steps {
			if err := f.step(); err != nil {
				return nil, err
			}
		}
	}
	return f.part()
}

// focusing is the state of one call of Focus.
type focusing struct {
	g        *Graph
	o        FocusOptions
	ctx      context.Context
	edgesMax int
	in       []bool // for each node, whether it is in the part; nil means that all are
	nodes    int
	cut      bool
}

// add adds a node to the part, or sets cut if the part is full.
func (f *focusing) add(node uint32) {
	if f.in[node] {
		return
	}
	if f.nodes == f.o.NodesMax {
		f.cut = true
		return
	}
	f.in[node] = true
	f.nodes++
}

// step adds the neighbours of the nodes that were in the part before the step.
func (f *focusing) step() error {
	before := slices.Clone(f.in)
	var pointing []uint32
	return f.each(func(to uint32, from []uint32, _ []float32) error {
		pointing = pointing[:0]
		for _, u := range from {
			if !before[u] && !before[to] || f.o.Drop(u, to) {
				continue
			}
			if before[u] {
				f.add(to)
			}
			if before[to] {
				pointing = append(pointing, u)
			}
		}
		n := min(len(pointing), f.o.InMax)
		for i := range n {
			f.add(pointing[i*len(pointing)/n])
		}
		return nil
	})
}

// each calls do for each node as Graph.Each does, and stops with the error of
// ctx when ctx ends.
func (f *focusing) each(do func(to uint32, from []uint32, weight []float32) error) error {
	return f.g.Each(func(node int, from []uint32, weight []float32) error {
		if node%1024 == 0 && f.ctx.Err() != nil {
			return f.ctx.Err()
		}
		return do(uint32(node), from, weight)
	})
}

// TooManyEdgesError is returned by Focus if the part has more than Max edges.
type TooManyEdgesError struct{ Max int }

func (e *TooManyEdgesError) Error() string { return "the part of the graph has too many edges" }

// part returns the edges between nodes of the part. Its nodes are those with an
// edge, and the roots.
func (f *focusing) part() (*Focused, error) {
	out := &Focused{Cut: f.cut}
	err := f.each(func(to uint32, from []uint32, weight []float32) error {
		if f.in != nil && !f.in[to] {
			return nil
		}
		for i, u := range from {
			if f.in != nil && !f.in[u] || f.o.Drop(u, to) {
				continue
			}
			if len(out.Edges) == f.edgesMax {
				return &TooManyEdgesError{f.edgesMax}
			}
			w := 1.0
			if weight != nil {
				w = float64(weight[i])
			}
			out.Edges = append(out.Edges, WeightedEdge{u, to, w})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.number(f.g.nodes, f.o.Roots)
	return out, nil
}

// number sets f.Nodes to the nodes that have edges and the roots, and renumbers
// the ends of f.Edges. nodes is how many nodes the graph has.
func (f *Focused) number(nodes int, roots []uint32) {
	number := make([]uint32, nodes)
	for _, e := range f.Edges {
		number[e.From], number[e.To] = 1, 1
	}
	for _, r := range roots {
		number[r] = 1
	}
	for node, has := range number {
		if has != 0 {
			number[node] = uint32(len(f.Nodes))
			f.Nodes = append(f.Nodes, uint32(node))
		}
	}
	for i := range f.Edges {
		e := &f.Edges[i]
		e.From, e.To = number[e.From], number[e.To]
	}
}
