package graph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// RankOptions say how PageRank is computed. The zero value means the defaults.
type RankOptions struct {
	// Damping is the share of rank that follows the edges; 0 is .85. It is
	// less than 1.
	Damping float64
	// Tolerance ends the rounds: the sum of changes that a round makes to ranks
	// whose sum is 1. 0 is 1e-8.
	Tolerance float64
	// Rounds is how many there are at most; 0 is 1000.
	Rounds int
	// Seeds are the nodes that rank springs from, and returns to from nodes
	// without edges; nil is all, evenly.
	Seeds []uint32
	// Start is where the first round begins, from a similar graph's ranks, say;
	// nil is Seeds. It must not be negative.
	Start []float64
	// Workers is how many goroutines compute; 0 is one for each processor. The
	// result is the same to the bit whatever it is.
	Workers int
	// Progress, if not nil, is told of each round.
	Progress func(round int, change float64)
}

// Ranks is a result of PageRank.
type Ranks struct {
	Rank   []float64 // of each node; the sum is 1
	Rounds int
	Change float64 // the sum of changes of the last round
}

// stages is in how many parts a round goes through the nodes, one after the
// other. Within a part ranks come from the stages before it in this round, and
// from the last round: that takes about half the rounds that computing all from
// the last one does (the method of Gauss and Seidel, by blocks), and parts of
// fixed bounds leave nothing to chance when several workers share one.
const stages = 16

// sharedEdges is how many edges a part must have to be shared by workers: less
// is done sooner than they are called.
const sharedEdges = 1 << 14

// PageRank computes how often a surfer is at each node who follows an edge, by
// weight, with probability Damping and else goes to a seed; from a node without
// edges always. It solves x = (1-d)·v + d·Σ x(u)·w(u,·)/out(u), and scales x to
// the sum 1: that spreads what ends at nodes without edges as v, which are the
// seeds. ctx ends it between rounds' parts.
func (g *Graph) PageRank(ctx context.Context, o RankOptions) (Ranks, error) {
	if g.nodes == 0 {
		return Ranks{}, nil
	}
	r, err := g.newRanking(o)
	if err != nil {
		return Ranks{}, err
	}
	return r.run(ctx)
}

// ranking is one computation.
type ranking struct {
	g *Graph
	o RankOptions

	x      []float64 // rank, scaled so that all at the seeds is 1
	give   []float64 // what a node gives along an edge of weight 1: d·x/out
	spring []float64 // (1-d)·v; nil: even everywhere
	even   float64

	stage   []int     // number of the first block of each stage, and of none
	change  []float64 // of each block, in this round
	sum     []float64 // of each block, of x
	buffers []buffer  // of each worker
}

func (g *Graph) newRanking(o RankOptions) (*ranking, error) {
	if o.Damping == 0 {
		o.Damping = .85
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-8
	}
	if o.Rounds == 0 {
		o.Rounds = 1000
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	switch {
	case !(o.Damping > 0 && o.Damping < 1):
		return nil, fmt.Errorf("damping %v: it must be between 0 and 1", o.Damping)
	case !(o.Tolerance > 0):
		return nil, fmt.Errorf("tolerance %v: it must be more than 0", o.Tolerance)
	case o.Rounds < 0:
		return nil, fmt.Errorf("%d rounds: there must be some", o.Rounds)
	case o.Start != nil && len(o.Start) != g.nodes:
		return nil, fmt.Errorf("%d ranks to start from, for %d nodes", len(o.Start), g.nodes)
	}
	r := &ranking{
		g: g, o: o, x: make([]float64, g.nodes), give: make([]float64, g.nodes),
		change: make([]float64, len(g.blocks)), sum: make([]float64, len(g.blocks)),
		buffers: make([]buffer, o.Workers),
	}
	r.even = (1 - o.Damping) / float64(g.nodes)
	for i := range r.x {
		r.x[i] = 1 / float64(g.nodes)
	}
	if o.Seeds != nil {
		if err := r.seed(); err != nil {
			return nil, err
		}
	}
	if o.Start != nil {
		if err := r.start(); err != nil {
			return nil, err
		}
	}
	for i, x := range r.x {
		r.give[i] = r.giving(i, x)
	}
	r.cut()
	return r, nil
}

func (r *ranking) seed() error {
	r.spring = make([]float64, r.g.nodes)
	clear(r.x)
	n := float64(len(r.o.Seeds))
	if n == 0 {
		return errors.New("no seeds: rank would spring from nowhere")
	}
	for _, s := range r.o.Seeds {
		if int(s) >= r.g.nodes {
			return fmt.Errorf("seed %d of a graph with %d nodes", s, r.g.nodes)
		}
		r.spring[s] += (1 - r.o.Damping) / n
		r.x[s] += 1 / n
	}
	return nil
}

func (r *ranking) start() error {
	sum := 0.0
	for _, x := range r.o.Start {
		if !(x >= 0) || math.IsInf(x, 1) {
			return fmt.Errorf("a rank of %v to start from", x)
		}
		sum += x
	}
	if sum == 0 {
		return nil
	}
	// The equation's own solution has a sum of less than 1, the more so the more
	// rank ends at nodes without edges.
	follows := 0.0
	for i, x := range r.o.Start {
		if r.g.out[i] > 0 {
			follows += x / sum
		}
	}
	scale := (1 - r.o.Damping) / (1 - r.o.Damping*follows) / sum
	for i, x := range r.o.Start {
		r.x[i] = x * scale
	}
	return nil
}

// cut sets the bounds of stages, so that each has as many edges and nodes as
// the next, about. They are bounds of blocks, whatever the workers.
func (r *ranking) cut() {
	total := r.g.edges + int64(r.g.nodes)
	r.stage = []int{0}
	for i, b := range r.g.blocks {
		if done := b.edge + int64(b.node); i > 0 && done >= total*int64(len(r.stage))/stages {
			r.stage = append(r.stage, i)
		}
	}
	r.stage = append(r.stage, len(r.g.blocks))
}

func (r *ranking) giving(node int, x float64) float64 {
	if r.g.out[node] == 0 {
		return 0
	}
	return r.o.Damping * x / r.g.out[node]
}

func (r *ranking) run(ctx context.Context) (Ranks, error) {
	out := Ranks{Change: math.Inf(1)}
	for out.Rounds < r.o.Rounds && out.Change > r.o.Tolerance {
		for i := range len(r.stage) - 1 {
			if err := ctx.Err(); err != nil {
				return Ranks{}, err
			}
			if err := r.part(r.stage[i], r.stage[i+1]); err != nil {
				return Ranks{}, err
			}
		}
		out.Rounds++
		// Sums in the order of blocks: the same whoever computed them.
		change, sum := 0.0, 0.0
		for i := range r.change {
			change += r.change[i]
			sum += r.sum[i]
		}
		out.Change = change / sum
		if r.o.Progress != nil {
			r.o.Progress(out.Rounds, out.Change)
		}
	}
	sum := 0.0
	for _, x := range r.x {
		sum += x
	}
	for i := range r.x {
		r.x[i] /= sum
	}
	out.Rank = r.x
	return out, nil
}

// part computes the blocks from up to to, which do not see each other's ranks
// of this round.
func (r *ranking) part(from, to int) error {
	var next atomic.Int64
	next.Store(int64(from))
	work := func(buf *buffer) error {
		for {
			i := int(next.Add(1) - 1)
			if i >= to {
				return nil
			}
			if err := r.block(i, buf); err != nil {
				return err
			}
		}
	}
	var err error
	blocks := r.g.blocks[from:to]
	size := blocks[len(blocks)-1].edge + blocks[len(blocks)-1].edges - blocks[0].edge
	if n := min(len(r.buffers), len(blocks)); n > 1 && size >= sharedEdges {
		errs := make([]error, n)
		var wg sync.WaitGroup
		for w := range n {
			wg.Go(func() { errs[w] = work(&r.buffers[w]) })
		}
		wg.Wait()
		err = errors.Join(errs...)
	} else {
		err = work(&r.buffers[0])
	}
	if err != nil {
		return err
	}
	// Now the stages behind may see them.
	for i := blocks[0].node; i < blocks[len(blocks)-1].end; i++ {
		r.give[i] = r.giving(i, r.x[i])
	}
	return nil
}

// block computes the ranks of a block's nodes.
func (r *ranking) block(n int, buf *buffer) error {
	g, b := r.g, r.g.blocks[n]
	edges, err := g.load(b, buf)
	if err != nil {
		return err
	}
	change, sum := 0.0, 0.0
	for v := b.node; v < b.end; v++ {
		in := g.node(b, edges, v)
		x := r.even
		if r.spring != nil {
			x = r.spring[v]
		}
		if in.weight == nil {
			x += r.gather(in.from)
		} else {
			for i, u := range in.from {
				x += r.give[u] * float64(in.weight[i])
			}
		}
		change += math.Abs(x - r.x[v])
		sum += x
		r.x[v] = x
	}
	r.change[n], r.sum[n] = change, sum
	return nil
}

// gather sums up what nodes give, in four sums, since each addition waits for
// the one before it.
func (r *ranking) gather(from []uint32) float64 {
	give := r.give
	var a, b, c, d float64
	for ; len(from) >= 4; from = from[4:] {
		a += give[from[0]]
		b += give[from[1]]
		c += give[from[2]]
		d += give[from[3]]
	}
	for _, u := range from {
		a += give[u]
	}
	return a + b + (c + d)
}

// Share is what one node gives another.
type Share struct {
	From  int
	Share float64 // of the sum of ranks, which is 1
}

// Explain gives the nodes from which a node's rank comes, the largest share
// first, at most n, and all that comes along edges. rank is a result of PageRank
// with this damping.
func (g *Graph) Explain(node int, rank []float64, damping float64, n int) (shares []Share, all float64, err error) {
	err = g.In(node, func(from int, weight float64) {
		s := Share{from, damping * rank[from] * weight / g.out[from]}
		shares = append(shares, s)
		all += s.Share
	})
	slices.SortStableFunc(shares, func(a, b Share) int {
		switch {
		case a.Share > b.Share:
			return -1
		case a.Share < b.Share:
			return 1
		}
		return 0
	})
	return shares[:min(n, len(shares))], all, err
}
