package graph

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Variant is a way to compute hubs and authorities.
type Variant uint8

// The variants. HubAveraging, HubThreshold and AuthorityThreshold are those of
// Borodin, Roberts, Rosenthal and Tsaparas, "Finding Authorities and Hubs From
// Link Structures on the World Wide Web", 2001; Symmetric takes each edge in
// both directions.
const (
	Kleinberg          Variant = iota
	HubAveraging               // a hub has the mean of the authorities it points to
	HubThreshold               // an authority counts hubs that are no worse than the mean of those that point to it
	AuthorityThreshold         // a hub counts the best Keep authorities that it points to
	FullThreshold              // both thresholds
	Symmetric
)

// Norm is what is 1: the sum of squares, or the sum.
type Norm uint8

// The norms.
const (
	SquaresOne Norm = iota
	SumOne
)

// HITSOptions say how hubs and authorities are computed. The zero value means
// the defaults.
type HITSOptions struct {
	Variant Variant
	Keep    int // of AuthorityThreshold and FullThreshold; 0 is 10
	Rounds  int // 0 is 25
	Norm    Norm
}

// HITS holds the hub and the authority value of each node.
type HITS struct{ Hub, Authority []float64 }

// WeightedEdge is an edge of a graph that is small enough to be held as a list.
type WeightedEdge struct {
	From, To uint32
	Weight   float64
}

// ComputeHITS computes hubs and authorities of a graph of nodes up to nodes, as
// a focused graph has them: some ten thousand. It begins with all hubs even;
// edges given twice count twice.
func ComputeHITS(ctx context.Context, nodes int, edges []WeightedEdge, o HITSOptions) (HITS, error) {
	if o.Keep == 0 {
		o.Keep = 10
	}
	if o.Rounds == 0 {
		o.Rounds = 25
	}
	for _, e := range edges {
		if int(e.From) >= nodes || int(e.To) >= nodes {
			return HITS{}, fmt.Errorf("an edge from %d to %d in a graph with %d nodes", e.From, e.To, nodes)
		}
	}
	if o.Variant == Symmetric {
		both := slices.Clone(edges)
		for _, e := range edges {
			both = append(both, WeightedEdge{e.To, e.From, e.Weight})
		}
		edges = both
	}
	h := &focused{
		o: o, HITS: HITS{make([]float64, nodes), make([]float64, nodes)},
		out: adjacency(nodes, edges, func(e WeightedEdge) (uint32, uint32) { return e.From, e.To }),
		in:  adjacency(nodes, edges, func(e WeightedEdge) (uint32, uint32) { return e.To, e.From }),
	}
	for i := range h.Hub {
		h.Hub[i] = 1
	}
	for range o.Rounds {
		if err := ctx.Err(); err != nil {
			return HITS{}, err
		}
		h.authorities()
		h.hubs()
	}
	return h.HITS, nil
}

// focused is a computation of HITS.
type focused struct {
	HITS
	o       HITSOptions
	out, in [][]neighbour
	best    []float64
}

type neighbour struct {
	node   uint32
	weight float64
}

// adjacency lists the neighbours of each node, in order of number, so that sums
// come out the same whatever the order of edges.
func adjacency(nodes int, edges []WeightedEdge, ends func(WeightedEdge) (at, other uint32)) [][]neighbour {
	lists := make([][]neighbour, nodes)
	for _, e := range edges {
		at, other := ends(e)
		lists[at] = append(lists[at], neighbour{other, e.Weight})
	}
	for _, l := range lists {
		slices.SortFunc(l, func(a, b neighbour) int {
			if a.node != b.node {
				return int(int64(a.node) - int64(b.node))
			}
			return cmpFloat(a.weight, b.weight)
		})
	}
	return lists
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (h *focused) authorities() {
	for v, in := range h.in {
		least := math.Inf(-1)
		if h.o.Variant == HubThreshold || h.o.Variant == FullThreshold {
			sum := 0.0
			for _, n := range in {
				sum += h.Hub[n.node]
			}
			// A hub that is the mean but for rounding counts.
			least = sum / float64(len(in)) * (1 - 1e-12)
		}
		a := 0.0
		for _, n := range in {
			if h.Hub[n.node] >= least {
				a += n.weight * h.Hub[n.node]
			}
		}
		h.Authority[v] = a
	}
	h.scale(h.Authority)
}

func (h *focused) hubs() {
	for v, out := range h.out {
		h.best = h.best[:0]
		for _, n := range out {
			h.best = append(h.best, n.weight*h.Authority[n.node])
		}
		if h.o.Variant == AuthorityThreshold || h.o.Variant == FullThreshold {
			slices.SortFunc(h.best, func(a, b float64) int { return cmpFloat(b, a) })
			h.best = h.best[:min(len(h.best), h.o.Keep)]
		}
		sum := 0.0
		for _, a := range h.best {
			sum += a
		}
		if h.o.Variant == HubAveraging && len(out) > 0 {
			sum /= float64(len(out))
		}
		h.Hub[v] = sum
	}
	h.scale(h.Hub)
}

func (h *focused) scale(x []float64) {
	sum := 0.0
	for _, v := range x {
		if h.o.Norm == SquaresOne {
			v *= v
		}
		sum += v
	}
	if h.o.Norm == SquaresOne {
		sum = math.Sqrt(sum)
	}
	if sum == 0 {
		return
	}
	for i := range x {
		x[i] /= sum
	}
}
