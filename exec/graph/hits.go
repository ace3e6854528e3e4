package graph

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// Variant is a way to compute hub and authority values.
type Variant uint8

// The variants. HubAveraging, HubThreshold and AuthorityThreshold are from
// Borodin, Roberts, Rosenthal and Tsaparas, "Finding Authorities and Hubs From
// Link Structures on the World Wide Web", 2001. Symmetric is Kleinberg with
// each edge in both directions.
const (
	// Kleinberg: a hub has the sum of the authorities that it points to, and an
	// authority the sum of the hubs that point to it.
	Kleinberg          Variant = iota
	HubAveraging               // a hub has the mean of the authorities it points to
	HubThreshold               // an authority counts only hubs that are not below the mean of the hubs that point to it
	AuthorityThreshold         // a hub counts only the best Keep authorities that it points to
	FullThreshold              // both thresholds
	Symmetric
)

// Norm says which sum over all hub values, or all authority values, is scaled
// to 1 after each round.
type Norm uint8

// The norms: the square root of the sum of squares, and the sum.
const (
	SquaresOne Norm = iota
	SumOne
)

// HITSOptions say how ComputeHITS works. The zero value means the defaults.
type HITSOptions struct {
	Variant Variant
	Keep    int // for AuthorityThreshold and FullThreshold; 0 means 10
	Rounds  int // 0 means 25
	Norm    Norm
}

// HITS holds the hub value and the authority value of each node.
type HITS struct{ Hub, Authority []float64 }

// WeightedEdge is an edge of a graph that is held as a list.
type WeightedEdge struct {
	From, To uint32
	Weight   float64
}

// ComputeHITS computes the hub and authority values of a graph of nodes 0 to
// nodes-1. It is made for graphs such as Focus returns, with some ten thousand
// nodes. All hub values start equal. An edge that is listed twice counts twice.
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

// Gift is the part of a node's value that comes from one neighbour in the last
// round.
type Gift struct {
	Node   uint32  // the neighbour
	Weight float64 // of the edge, or of all edges between the two
	Value  float64 // 0 if a threshold excluded the neighbour
}

// ExplainHITS computes what ComputeHITS does, and explains the values of one
// node. authority lists the nodes that point to node, with the part of its
// authority value that comes from each. hub lists the nodes it points to, with
// the part of its hub value. Both are sorted by node.
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

// gifts returns one Gift per neighbour. values has what each entry of from
// gives; a neighbour with several edges has several entries, one after the
// other.
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

// scaleGifts scales the gifts such that their values sum to value.
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

// focused is the state of a computation of HITS.
type focused struct {
	HITS
	o       HITSOptions
	out, in [][]neighbour // for each node, the nodes it points to, and those that point to it
	given   []float64     // scratch memory of toAuthority and toHub
	best    []float64     // scratch memory of keepBest
}

// newFocused checks the edges and returns the state before the first round.
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

// run computes this many rounds.
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

// neighbour is one end of an edge, and the edge's weight.
type neighbour struct {
	node   uint32
	weight float64
}

// adjacency returns the neighbours of each node: at has a neighbour other, for
// each edge. They are sorted, so that sums have the same bits in whatever order
// edges come.
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

// toAuthority returns, for each node of the list in, what it adds to the
// authority of the node that they all point to. The result is valid until the
// next call.
func (h *focused) toAuthority(in []neighbour) []float64 {
	least := math.Inf(-1)
	if h.o.Variant == HubThreshold || h.o.Variant == FullThreshold {
		sum := 0.0
		for _, n := range in {
			sum += h.Hub[n.node]
		}
		// A hub whose value equals the mean, except for rounding, counts.
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

// toHub returns, for each node of the list out, what it adds to the hub value
// of the node that points to them. The result is valid until the next call.
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

// keepBest sets all values in h.given to 0 except the Keep greatest. Of equal
// values the first are kept.
func (h *focused) keepBest() {
	h.best = append(h.best[:0], h.given...)
	slices.SortFunc(h.best, func(a, b float64) int { return cmp.Compare(b, a) })
	least := h.best[h.o.Keep-1]
	equal := 0 // how many of the kept values equal least
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

// authorities computes all authority values from the hub values.
func (h *focused) authorities() {
	for v, in := range h.in {
		h.Authority[v] = sum(h.toAuthority(in))
	}
	h.scale(h.Authority)
}

// hubs computes all hub values from the authority values.
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

// scale scales x such that the norm is 1, unless all values are 0.
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
