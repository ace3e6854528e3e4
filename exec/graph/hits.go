package graph

import (
	"cmp"
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
	h, err := newFocused(nodes, edges, o)
	if err != nil {
		return HITS{}, err
	}
	if err := h.run(ctx, h.o.Rounds); err != nil {
		return HITS{}, err
	}
	return h.HITS, nil
}

// Gift is what a node gave another in the last iteration, as part of the value
// that this then had.
type Gift struct {
	Node   uint32  // the other one
	Weight float64 // of the edge, or of all those between the two
	Value  float64 // 0 where a threshold let it not count
}

// ExplainHITS computes what ComputeHITS does, and tells what the values of a node
// are made of: its authority of what those gave it that point to it, its hub of
// what those gave that it points to, in order of number.
func ExplainHITS(ctx context.Context, nodes int, edges []WeightedEdge, o HITSOptions, node uint32) (values HITS, authority, hub []Gift, err error) {
	h, err := newFocused(nodes, edges, o)
	if err != nil {
		return HITS{}, nil, nil, err
	}
	if int(node) >= nodes {
		return HITS{}, nil, nil, fmt.Errorf("node %d of a graph with %d nodes", node, nodes)
	}
	if err := h.run(ctx, h.o.Rounds-1); err != nil {
		return HITS{}, nil, nil, err
	}
	authority = gifts(h.in[node], h.toAuthority(h.in[node]))
	h.authorities()
	hub = gifts(h.out[node], h.toHub(h.out[node]))
	h.hubs()
	scaleGifts(authority, h.Authority[node])
	scaleGifts(hub, h.Hub[node])
	return h.HITS, authority, hub, nil
}

// gifts joins what neighbours give, of which some come more than once.
func gifts(from []neighbour, values []float64) (list []Gift) {
	for i, n := range from {
		if len(list) == 0 || list[len(list)-1].Node != n.node {
			list = append(list, Gift{Node: n.node})
		}
		g := &list[len(list)-1]
		g.Weight += n.weight
		g.Value += values[i]
	}
	return list
}

// scaleGifts scales gifts so that they sum to what they became.
func scaleGifts(list []Gift, value float64) {
	all := 0.0
	for _, g := range list {
		all += g.Value
	}
	if all == 0 {
		return
	}
	for i := range list {
		list[i].Value *= value / all
	}
}

// focused is a computation of HITS.
type focused struct {
	HITS
	o       HITSOptions
	out, in [][]neighbour
	given   []float64 // by the neighbours of a node
	best    []float64
}

func newFocused(nodes int, edges []WeightedEdge, o HITSOptions) (*focused, error) {
	if o.Keep == 0 {
		o.Keep = 10
	}
	if o.Rounds == 0 {
		o.Rounds = 25
	}
	for _, e := range edges {
		if int(e.From) >= nodes || int(e.To) >= nodes {
			return nil, fmt.Errorf("an edge from %d to %d in a graph with %d nodes", e.From, e.To, nodes)
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
	return h, nil
}

// run goes through a number of iterations.
func (h *focused) run(ctx context.Context, rounds int) error {
	for range rounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		h.authorities()
		h.hubs()
	}
	return nil
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
			return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.weight, b.weight))
		})
	}
	return lists
}

// toAuthority is what each of those that point to a node gives it. The list is
// valid until the next call.
func (h *focused) toAuthority(in []neighbour) []float64 {
	least := math.Inf(-1)
	if h.o.Variant == HubThreshold || h.o.Variant == FullThreshold {
		sum := 0.0
		for _, n := range in {
			sum += h.Hub[n.node]
		}
		// A hub that is the mean but for rounding counts.
		least = sum / float64(len(in)) * (1 - 1e-12)
	}
	h.given = h.given[:0]
	for _, n := range in {
		x := 0.0
		if h.Hub[n.node] >= least {
			x = n.weight * h.Hub[n.node]
		}
		h.given = append(h.given, x)
	}
	return h.given
}

// toHub is what each of those that a node points to gives it. The list is valid
// until the next call.
func (h *focused) toHub(out []neighbour) []float64 {
	h.given = h.given[:0]
	for _, n := range out {
		x := n.weight * h.Authority[n.node]
		if h.o.Variant == HubAveraging {
			x /= float64(len(out))
		}
		h.given = append(h.given, x)
	}
	if (h.o.Variant == AuthorityThreshold || h.o.Variant == FullThreshold) && len(out) > h.o.Keep {
		h.keepBest()
	}
	return h.given
}

// keepBest makes 0 of what is given, but for the greatest, of equal ones the first.
func (h *focused) keepBest() {
	h.best = append(h.best[:0], h.given...)
	slices.SortFunc(h.best, func(a, b float64) int { return cmp.Compare(b, a) })
	least := h.best[h.o.Keep-1]
	equal := 0 // of those kept
	for _, x := range h.best[:h.o.Keep] {
		if x == least {
			equal++
		}
	}
	for i, x := range h.given {
		if x == least && equal > 0 {
			equal--
		} else if x <= least {
			h.given[i] = 0
		}
	}
}

func (h *focused) authorities() {
	for v, in := range h.in {
		h.Authority[v] = sum(h.toAuthority(in))
	}
	h.scale(h.Authority)
}

func (h *focused) hubs() {
	for v, out := range h.out {
		h.Hub[v] = sum(h.toHub(out))
	}
	h.scale(h.Hub)
}

func sum(list []float64) (sum float64) {
	for _, x := range list {
		sum += x
	}
	return sum
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
