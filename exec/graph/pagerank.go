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
	// result is the same to the bit whatever it is. A graph whose edges are in a file
	// may have other last bits than one in memory, as it is summed up in other order.
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
// edges always. It solves x = (1-d)·v + d·Σ x(u)·w(u,·)/out(u), up to scale, and
// scales x to the sum 1: that spreads what ends at nodes without edges as v, which
// are the seeds. ctx ends it between rounds' parts.
func (g *Graph) PageRank(ctx context.Context, o RankOptions) (Ranks, error) {
	if g.nodes == 0 {
		return Ranks{}, nil
	}
	r, err := g.newRanking(o)
	if err != nil {
		return Ranks{}, err
	}
	if r.tiled() {
		if err := r.tile(ctx); err != nil {
			return Ranks{}, err
		}
	}
	return r.run(ctx)
}

// plainRounds is how many rounds leave what springs up as it is: those that
// textbooks print. From then on as much springs up as got lost in the round
// before, by jumps and at nodes without edges, so that what there is of rank
// stays the same (as in the power method). Else most rounds would be spent on its
// sum alone, which is far from that of the solution where little ends at nodes
// without edges, and nearly no rounds on its shape.
const plainRounds = 5

// ranking is one computation.
type ranking struct {
	g *Graph
	o RankOptions

	x      []float64 // rank, to scale
	along  []float64 // what of its rank a node gives along an edge of weight 1: d/out
	give   []float64 // what it gives: x·along
	fresh  []float64 // give of the nodes of the stage at hand, for those behind it
	spring []float64 // (1-d)·v; nil: even everywhere
	even   float64
	flow   float64 // how often that springs up

	stage   []int    // number of the first block of each stage, and of none
	tiles   *tiles   // nil unless edges are in tiles
	tally   []tally  // of each block, in this round
	buffers []buffer // of each worker
}

// tally is what a round comes to: the changes of ranks, their sum, and how much
// of it goes along edges.
type tally struct{ change, sum, goes float64 }

// add sets the rank of a node, and gives what it gives along an edge.
func (t *tally) add(x float64, rank *float64, along, out float64) (give float64) {
	give = x * along
	t.change += math.Abs(x - *rank)
	t.sum += x
	t.goes += give * out
	*rank = x
	return give
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
		g: g, o: o, x: make([]float64, g.nodes), along: make([]float64, g.nodes), give: make([]float64, g.nodes),
		tally: make([]tally, len(g.blocks)), buffers: make([]buffer, o.Workers), flow: 1,
	}
	r.even = (1 - o.Damping) / float64(g.nodes)
	for i := range r.x {
		r.x[i] = 1 / float64(g.nodes)
		if out := g.out[i]; out > 0 {
			r.along[i] = o.Damping / out
		}
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
		r.give[i] = x * r.along[i]
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
	goes := 0.0
	for i, x := range r.o.Start {
		r.x[i] = x / sum
		if r.g.out[i] > 0 {
			goes += r.o.Damping * r.x[i]
		}
	}
	r.flow = (1 - goes) / (1 - r.o.Damping)
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
	most := 0
	for i, from := range r.stage[:len(r.stage)-1] {
		most = max(most, r.g.blocks[r.stage[i+1]-1].end-r.g.blocks[from].node)
	}
	r.fresh = make([]float64, most)
}

func (r *ranking) run(ctx context.Context) (Ranks, error) {
	out := Ranks{Change: math.Inf(1)}
	for out.Rounds < r.o.Rounds && out.Change > r.o.Tolerance {
		for i := range len(r.stage) - 1 {
			if err := ctx.Err(); err != nil {
				return Ranks{}, err
			}
			if err := r.part(i); err != nil {
				return Ranks{}, err
			}
		}
		out.Rounds++
		// Sums in the order of blocks: the same whoever computed them.
		var all tally
		for _, t := range r.tally {
			all.change += t.change
			all.sum += t.sum
			all.goes += t.goes
		}
		out.Change = all.change / all.sum
		if out.Rounds >= plainRounds || r.o.Start != nil {
			r.flow = (all.sum - all.goes) / (1 - r.o.Damping)
		}
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

// part computes a stage. Its blocks, or units of them, do not see each other's ranks
// of this round.
func (r *ranking) part(stage int) error {
	first, last := r.g.blocks[r.stage[stage]], r.g.blocks[r.stage[stage+1]-1]
	from, to := r.stage[stage], r.stage[stage+1]
	if r.tiles != nil {
		from, to = r.tiles.first[stage], r.tiles.first[stage+1]
	}
	var next atomic.Int64
	next.Store(int64(from))
	work := func(buf *buffer) error {
		for {
			i := int(next.Add(1) - 1)
			if i >= to {
				return nil
			}
			if r.tiles != nil {
				r.unit(i, first.node, buf)
			} else if err := r.block(i, first.node, buf); err != nil {
				return err
			}
		}
	}
	var err error
	if n := min(len(r.buffers), to-from); n > 1 && last.edge+last.edges-first.edge >= sharedEdges {
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
	copy(r.give[first.node:last.end], r.fresh)
	return nil
}

// block computes the ranks of a block's nodes, in a stage that begins at a node.
func (r *ranking) block(n, stage int, buf *buffer) error {
	g, b := r.g, r.g.blocks[n]
	edges, err := g.load(b, buf)
	if err != nil {
		return err
	}
	degree, along, out := g.degree[b.node:b.end], r.along[b.node:b.end], g.out[b.node:b.end]
	rank, fresh := r.x[b.node:b.end], r.fresh[b.node-stage:b.end-stage]
	springs := r.even * r.flow
	var t tally
	at := 0
	for _, v := range g.order[b.node:b.end] {
		end := at + int(degree[v])
		x := springs
		if r.spring != nil {
			x = r.spring[b.node+int(v)] * r.flow
		}
		if edges.weight == nil {
			x += r.gather(edges.from[at:end])
		} else {
			x += r.gatherWeighted(edges.from[at:end], edges.weight[at:end])
		}
		at = end
		fresh[v] = t.add(x, &rank[v], along[v], out[v])
	}
	r.tally[n] = t
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

// gatherWeighted is gather for edges that have weights.
func (r *ranking) gatherWeighted(from []uint32, weight []float32) float64 {
	give := r.give
	var a, b, c, d float64
	for ; len(from) >= 4 && len(weight) >= 4; from, weight = from[4:], weight[4:] {
		a += give[from[0]] * float64(weight[0])
		b += give[from[1]] * float64(weight[1])
		c += give[from[2]] * float64(weight[2])
		d += give[from[3]] * float64(weight[3])
	}
	for i, u := range from {
		a += give[u] * float64(weight[i])
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
