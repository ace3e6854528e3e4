package graph

import (
	"context"
	"slices"
)

// FocusOptions say what part of a graph is taken.
type FocusOptions struct {
	// Roots are the nodes to begin with. Nil takes all nodes, and Steps and
	// InMax mean nothing.
	Roots []uint32
	// Steps is how often the nodes that those so far point to are added, and of
	// those that point to each of them some. 0 is 1.
	Steps int
	// InMax is how many of those that point to a node are added; they are taken
	// evenly from all of them by number. 0 is 50.
	InMax int
	// NodesMax ends the adding. 0 is 100,000.
	NodesMax int
	// Drop tells which edges do not count. Nil drops none.
	Drop func(from, to uint32) bool
}

const (
	focusIn    = 50
	focusNodes = 100_000
)

// Focused is a part of a graph: its nodes, with new numbers from 0 on, and the
// edges between them.
type Focused struct {
	Nodes []uint32 // their numbers in the graph, rising
	Edges []WeightedEdge
	// Cut tells that NodesMax ended the adding.
	Cut bool
}

// Number gives the new number of a node of the graph, and whether it has one.
func (f *Focused) Number(node int) (int, bool) {
	if node < 0 {
		return 0, false
	}
	return slices.BinarySearch(f.Nodes, uint32(node))
}

// Focus takes the part of a graph that lies around some nodes: the base set of
// Kleinberg, "Authoritative Sources in a Hyperlinked Environment", 1999. It goes
// through all edges once for each step, and once more for those that are kept,
// of which there are at most edgesMax; it needs a byte a node.
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

// focusing is the taking of a part.
type focusing struct {
	g        *Graph
	o        FocusOptions
	ctx      context.Context
	edgesMax int
	in       []bool // of each node, whether it is taken; nil: all are
	nodes    int
	cut      bool
}

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

// step adds the neighbours of what was taken before it.
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

// each calls what Each calls, and ends with the context.
func (f *focusing) each(do func(to uint32, from []uint32, weight []float32) error) error {
	return f.g.Each(func(node int, from []uint32, weight []float32) error {
		if node%1024 == 0 && f.ctx.Err() != nil {
			return f.ctx.Err()
		}
		return do(uint32(node), from, weight)
	})
}

// TooManyEdgesError is returned where a part of a graph has too many edges.
type TooManyEdgesError struct{ Max int }

func (e *TooManyEdgesError) Error() string { return "the part of the graph has too many edges" }

// part gathers the edges between the nodes taken, and the nodes that have some,
// and roots.
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

// number gives the nodes that have edges, and the roots, their new numbers.
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
