package graph

import (
	"context"
	"fmt"
	"slices"

	"infomall/exec/spill"
)

// Interval is a span of time during which edges exist, from From to To, both included.
type Interval struct{ From, To int64 }

// Temporal is a graph whose edges exist only at some times. The caller closes it.
type Temporal struct {
	*Named               // its edges are reversed: an edge of the Temporal from u to v is stored as one from v to u
	Intervals []Interval // the weight of an edge is the index of its interval, plus 1
}

// intervalsMax is the most intervals that a Temporal can have. The number of an interval is stored
// as the weight of an edge, a float32, which holds whole numbers exactly only up to intervalsMax.
const intervalsMax = 1 << 24

// intervalBytes is the memory that an Interval takes, in bytes.
const intervalBytes = 16

// TemporalMaker collects the nodes and edges of a Temporal.
type TemporalMaker struct {
	*Maker
	intervals []Interval
	most      int
}

// Interval begins a new interval. The edges that Edge adds after that exist during this interval.
func (m *TemporalMaker) Interval(i Interval) error {
	if len(m.intervals) == m.most {
		err := fmt.Errorf("the links are of more than %d versions of pages", m.most)
		if m.most < intervalsMax {
			err = fmt.Errorf("%w, which need more memory; SET memory to more", err)
		}
		return err
	}
	m.intervals = append(m.intervals, i)
	return nil
}

// Edge adds an edge from one node to another that exists during the current interval, the one of
// the last call of Interval.
func (m *TemporalMaker) Edge(from, to uint32) error {
	return m.Maker.Edge(to, from, float32(len(m.intervals)))
}

// BuildTemporal builds a Temporal of the edges that the function fill adds, in any
// order. memory says how much memory to use; names and edges that do not fit go to
// temporary files. find lists names of nodes for Named.Found.
func BuildTemporal(ctx context.Context, memory *spill.Memory, find []string, fill func(*TemporalMaker) error) (*Temporal, error) {
	m := &TemporalMaker{most: min(intervalsMax, max(1, int(memory.Bytes/8/intervalBytes)))}
	g, err := BuildNamed(ctx, memory, NamedOptions{Find: find, Weighted: true, Repeats: true}, func(names *Maker) error {
		m.Maker = names
		return fill(m)
	})
	if err != nil {
		return nil, err
	}
	return &Temporal{g, m.intervals}, nil
}

// Step is a node of a path in a Temporal, with the time at which the path reaches it and the
// interval of the edge by which it does. The first node has no edge.
type Step struct {
	Node int
	Time int64
	Edge Interval
}

// Earliest returns a path from one node to another that begins at the time begin or
// later and arrives as early as possible, but not after end. Each of its edges is used
// at a time in its interval, and never earlier than the edge before. Using an edge takes
// no time. Of the paths that arrive at the same time, it returns one with the fewest
// edges. Equal calls return the same path. It returns nil if there is no path.
//
// These are the earliest-arrival paths of Wu, Cheng, Huang, Ke, Lu and Xu, "Path Problems
// in Temporal Graphs", PVLDB 7(9), 2014. There an edge exists at one moment, and the
// algorithm goes through the edges in order of time. Here an edge exists for an interval, so
// the search goes from node to node, first over paths of one edge, then of two, and so on. It
// takes a longer path to a node only if that path arrives earlier.
func (t *Temporal) Earliest(ctx context.Context, from, to int, begin, end int64) ([]Step, error) {
	g := t.Graph
	for _, n := range []int{from, to} {
		if n < 0 || n >= g.nodes {
			return nil, fmt.Errorf("node %d of a graph of size %d", n, g.nodes)
		}
	}
	type label struct {
		node, before int // before is the label of the node before on the path, or -1
		edge         Interval
		at           int64
	}
	labels := []label{{node: from, before: -1, at: begin}}
	best := make([]int64, g.nodes) // the earliest time so far at which each node is reached
	for i := range best {
		best[i] = end + 1
	}
	best[from] = begin
	arrived := -1 // the label of to that is reached earliest
	if from == to {
		arrived = 0
	}
	var buf buffer
	var edges row
	loaded := -1 // the index of the block whose edges are loaded
	for layer := []int{0}; len(layer) > 0; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		reached := map[int]int{} // the nodes that this layer reaches, with their labels
		for n, l := range layer {
			if n%ctxEvery == ctxEvery-1 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			u := labels[l]
			if u.at >= best[to] {
				continue // it cannot arrive earlier
			}
			if b := g.blockOf(u.node); b != loaded {
				var err error
				if edges, err = g.load(g.blocks[b], &buf); err != nil {
					return nil, err
				}
				loaded = b
			}
			out := g.node(edges, u.node)
			for i, v := range out.from {
				interval := t.Intervals[0]
				if out.weight != nil {
					interval = t.Intervals[int(out.weight[i])-1]
				}
				at := max(u.at, interval.From)
				if at > min(interval.To, end) || at >= best[v] || at >= best[to] {
					continue
				}
				r, ok := reached[int(v)]
				switch {
				case !ok:
					reached[int(v)] = len(labels)
					labels = append(labels, label{int(v), l, interval, at})
				case at < labels[r].at:
					labels[r] = label{int(v), l, interval, at}
				}
			}
		}
		layer = layer[:0]
		for v, l := range reached {
			best[v] = labels[l].at
			layer = append(layer, l)
		}
		if l, ok := reached[to]; ok {
			arrived = l
		}
		slices.SortFunc(layer, func(a, b int) int { return labels[a].node - labels[b].node })
	}
	if arrived < 0 {
		return nil, nil
	}
	var path []Step
	for l := arrived; l >= 0; l = labels[l].before {
		path = append(path, Step{labels[l].node, labels[l].at, labels[l].edge})
	}
	slices.Reverse(path)
	return path, nil
}
