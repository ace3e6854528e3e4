package graph

import (
	"context"
	"slices"
)

// FocusOptions select the part of a graph that Focus returns.
type FocusOptions struct {
	// Roots are the nodes from which the part grows. Nil means that the part
	// has all nodes; then Steps and InMax are ignored.
	Roots []uint32
	// Steps is how often the part grows. Each step adds all nodes to which the
	// nodes of the part point. For each node of the part, it also adds some of
	// the nodes that point to this node. 0 means 1.
	Steps int
	// InMax is the most nodes that a step adds because they point to the same
	// node of the part. If more nodes point there, the step picks InMax of
	// them, evenly spread over their numbers. 0 means 50.
	InMax int
	// NodesMax is the most nodes that the part can have. 0 means 100,000.
	NodesMax int
	// Drop reports whether Focus must ignore an edge. Nil ignores no edge.
	Drop func(from, to uint32) bool
}

const (
	focusIn    = 50
	focusNodes = 100_000
)

// Focused is a part of a graph: its nodes, renumbered from 0, and the edges
// between them.
type Focused struct {
	Nodes []uint32       // for each node of the part, its number in the whole graph; ascending
	Edges []WeightedEdge // with the numbers of nodes in the part
	// Cut reports that the part would be larger without NodesMax.
	Cut bool
}

// Number translates the number that a node has in the whole graph to its number
// in the part f. The bool reports whether the node is in the part; if not, the
// number means nothing.
func (f *Focused) Number(node int) (int, bool) {
	if node < 0 {
		return 0, false
	}
	return slices.BinarySearch(f.Nodes, uint32(node))
}

// Focus returns the part of a graph around the nodes o.Roots: the base set of
// Kleinberg, "Authoritative Sources in a Hyperlinked Environment", 1999. It
// returns a *TooManyEdgesError if the part has more than edgesMax edges. It
// reads all edges of the graph once per step and once more at the end, and
// needs some six bytes of memory per node of the graph.
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

// add adds a node to the part. If the part already has NodesMax nodes, add sets
// f.cut instead.
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

// step adds the neighbours of all nodes that were in the part before the step:
// the nodes they point to, and at most InMax of the nodes that point to each of
// them.
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

// each calls do for each node and its incoming edges, like Graph.each. When
// f.ctx is done, it stops and returns the error of f.ctx.
func (f *focusing) each(do func(to uint32, from []uint32, weight []float32) error) error {
	return f.g.each(func(node int, from []uint32, weight []float32) error {
		if node%1024 == 0 && f.ctx.Err() != nil {
			return f.ctx.Err()
		}
		return do(uint32(node), from, weight)
	})
}

// TooManyEdgesError is the error of Focus for a part with more than Max edges.
// Max is the argument edgesMax of Focus.
type TooManyEdgesError struct{ Max int }

func (e *TooManyEdgesError) Error() string { return "the part of the graph has too many edges" }

// part returns the finished part: all edges between nodes that f.in selects,
// and as nodes the ends of these edges and the roots. It returns a
// *TooManyEdgesError if there are more than f.edgesMax edges.
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

// number sets f.Nodes to the ends of all edges in f.Edges and to the roots.
// Then it replaces the node numbers in f.Edges, which refer to the whole graph,
// by numbers in the part. nodes is how many nodes the whole graph has.
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
