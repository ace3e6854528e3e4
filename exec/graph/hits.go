package graph

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
)

// Variant is a way to compute hub and authority values, such as Kleinberg.
type Variant uint8

// The variants of HITS. HubAveraging, HubThreshold and AuthorityThreshold are from
// Borodin, Roberts, Rosenthal and Tsaparas, "Finding Authorities and Hubs From
// Link Structures on the World Wide Web", 2001. Symmetric is Kleinberg with
// each edge in both directions.
const (
	// Kleinberg: the hub value of a node is the sum of the authority values of
	// the nodes it points to. The authority value is the sum of the hub values
	// of the nodes that point to it.
	Kleinberg          Variant = iota
	HubAveraging               // the hub value is the mean of these authority values, not their sum
	HubThreshold               // an authority value sums only hub values that reach the mean of those that point to the node
	AuthorityThreshold         // a hub value sums only the HITSOptions.Keep greatest authority values
	FullThreshold              // the thresholds of HubThreshold and AuthorityThreshold
	Symmetric                  // Kleinberg, with each edge in both directions
)

// Norm selects the sum that is scaled to 1 after each round, once over all hub
// values and once over all authority values.
type Norm uint8

// The norms. SquaresOne scales the square root of the sum of squares to 1, and
// SumOne scales the plain sum to 1.
const (
	SquaresOne Norm = iota
	SumOne
)

// HITSOptions configure ComputeHITS. The zero value means the defaults.
type HITSOptions struct {
	Variant Variant
	Keep    int // how many authority values a hub value sums, for AuthorityThreshold and FullThreshold; 0 means 10
	Rounds  int // how many rounds to compute; 0 means 25
	Norm    Norm
}

// HITS holds the hub value and the authority value of each node, by node
// number.
type HITS struct{ Hub, Authority []float64 }

// WeightedEdge is one edge in a list of edges, with its weight.
type WeightedEdge struct {
	From, To uint32
	Weight   float64
}

// ComputeHITS computes the hub and authority values of a graph that has the
// nodes 0 to nodes-1. It is made for parts of graphs as Focus returns them,
// with some ten thousand nodes. All hub values are equal before the first
// round. An edge that is listed twice counts twice.
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

// Gift says how much one neighbour added to a node's hub or authority value in the last round.
type Gift struct {
	Node   uint32  // the neighbour
	Weight float64 // the weight of the edge, or the sum for all edges between the two nodes
	Value  float64 // the part of the value; 0 if a threshold excluded the neighbour
}

// ExplainHITS computes the same values as ComputeHITS, and shows which
// neighbours the values of one node come from. authority lists the nodes that
// point to node, each with the part of node's authority value that comes from
// it. hub lists the nodes that node points to, each with the part of node's hub
// value. Both lists are sorted by node number.
func ExplainHITS(ctx context.Context, nodes int, edges []WeightedEdge, o HITSOptions, node uint32) (values HITS, authority, hub []Gift, err error) {
	h, err := newFocused(nodes, edges, o)
	if err != nil {
		return HITS{}, nil, nil, err
	}
	if int(node) >= nodes {
		return HITS{}, nil, nil, fmt.Errorf("node %d of a graph of size %d", node, nodes)
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

// gifts returns one Gift per neighbour in from: the part of a node's hub or
// authority value that comes from this neighbour. values[i] is the part that
// from[i] gives. A neighbour with several edges has several entries in from,
// one after the other; gifts adds them up.
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

// scaleGifts scales the values of the gifts so that their sum is value. If the
// sum was 0, it changes nothing.
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

// focused is the state of one computation of HITS: the current hub and
// authority values, and the edges.
type focused struct {
	HITS
	o       HITSOptions
	out, in [][]neighbour // for each node, the nodes to which it points (out), and the nodes that point to it (in)
	given   []float64     // scratch memory of toAuthority and toHub
	best    []float64     // scratch memory of keepBest
}

// newFocused checks the edges and returns the state before the first round,
// with all hub values 1 and the defaults for zero options. An edge whose node
// is not below nodes is an error.
func newFocused(nodes int, edges []WeightedEdge, o HITSOptions) (*focused, error) {
	if o.Keep == 0 {
		o.Keep = 10
	}
	if o.Rounds == 0 {
		o.Rounds = 25
	}
	for _, e := range edges {
		if int(e.From) >= nodes || int(e.To) >= nodes {
			return nil, fmt.Errorf("an edge from %d to %d in a graph of size %d", e.From, e.To, nodes)
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

// run computes the given number of rounds. Each round computes all authority
// values, then all hub values. It returns the error of ctx when ctx is done.
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

// neighbour is the node at the other end of an edge, with the edge's weight.
type neighbour struct {
	node   uint32
	weight float64
}

// adjacency returns, for each node, the neighbours at the other ends of its
// edges. The function ends says which end of an edge is the node (at) and which
// is the neighbour (other). The lists are sorted, so that sums over them have
// the same bits for any order of edges.
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

// toAuthority returns what each hub in the parameter in adds to the authority value
// of the node that they all point to. The result has one value per entry of the
// parameter, and is valid until the next call of toAuthority or toHub.
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

// toHub returns what each authority of the list out adds to the hub value of
// the node that points to them all. The result has one value per entry of out,
// and is valid until the next call of toAuthority or toHub.
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

// keepBest sets all values in h.given to 0 except the h.o.Keep greatest. Of
// equal values it keeps the first.
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

// authorities computes all authority values from the current hub values, and
// scales them to the norm.
func (h *focused) authorities() {
	for v, in := range h.in {
		h.Authority[v] = sum(h.toAuthority(in))
	}
	h.scale(h.Authority)
}

// hubs computes all hub values from the current authority values, and scales
// them to the norm.
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

// scale divides all values of x by their norm (h.o.Norm), so that the norm
// becomes 1. If the norm is 0, it changes nothing.
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
