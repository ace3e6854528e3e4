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

// RankOptions configure PageRank. The zero value means the defaults.
type RankOptions struct {
	// Damping is the probability that the random surfer follows an edge instead
	// of jumping. It is between 0 and 1; 0 means .85.
	Damping float64
	// Tolerance ends the computation: PageRank stops after a round that changes
	// the ranks, whose sum is 1, by no more than Tolerance in total. 0 means
	// 1e-8.
	Tolerance float64
	// Rounds is the most rounds to compute; 0 means 1000.
	Rounds int
	// Seeds are the nodes to which the random surfer jumps. Nil means all
	// nodes, with equal probability.
	Seeds []uint32
	// Start has a rank for each node, from which the first round starts: for
	// example the ranks of a similar graph. No rank may be negative. Nil means
	// to start from Seeds.
	Start []float64
	// Workers is how many goroutines compute; 0 means one per processor. The
	// result has the same bits for any number of workers. The last bits may
	// differ between a graph in memory and the same graph in a file, because
	// the additions are done in another order.
	Workers int
	// Progress, if not nil, is called after each round, with the number of
	// rounds so far and by how much this round changed the ranks in total.
	Progress func(round int, change float64)
}

// Expected returns an estimate of the number of rounds that PageRank needs. The power method makes
// the change smaller by the factor Damping in each round, and the method used here needs half as
// many rounds.
func (o RankOptions) Expected() int {
	o.setDefaults()
	return min(o.Rounds, int(math.Ceil(math.Log(o.Tolerance)/math.Log(o.Damping)/2)))
}

// Ranks is the result of PageRank: the ranks, and when the computation stopped.
type Ranks struct {
	Rank   []float64 // the rank of each node; the sum is 1
	Rounds int       // how many rounds were computed
	Change float64   // by how much the last round changed the ranks in total
}

// stages is the number of parts into which a round is cut. They are computed one
// after the other. A stage uses the ranks that earlier stages of the same round
// computed, and the last round's ranks of the other nodes (the method of Gauss
// and Seidel, by blocks). This takes about half as many rounds as using only
// the last round's ranks. Neither the bounds of stages nor the result depend on
// the number of workers.
const stages = 16

// sharedEdges is the least number of edges that makes several workers share a stage. One worker
// finishes a smaller stage before other goroutines have started.
const sharedEdges = 1 << 14

// PageRank computes the rank of each node: how often a random surfer visits it.
// At each step the surfer follows an edge, chosen by weight, with probability
// o.Damping, and otherwise jumps to a node of o.Seeds. From a node without
// edges the surfer always jumps.
//
// PageRank solves x = (1-d)·v + d·Σ x(u)·w(u,·)/out(u), up to a factor, where d
// is the damping and v is the distribution of the seeds, and scales x to the
// sum 1. The scaling spreads the rank of nodes without edges like v. PageRank
// checks ctx between stages and returns its error.
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

// plainRounds is the number of first rounds in which the random surfer of
// PageRank jumps with the plain probability 1-d of the textbooks, where d is
// the damping. After these rounds, as much rank jumps as the round before lost
// by jumps and at nodes without edges. The sum of ranks then stays the same, as
// in the power method. With the plain probability and few nodes without edges,
// most rounds would only bring the sum closer to the sum of the solution.
const plainRounds = 5

// ranking is the state of one call of PageRank: the options, the current ranks,
// and how a round is divided.
type ranking struct {
	g *Graph
	o RankOptions

	x      []float64 // the rank of each node, before scaling to the sum 1
	along  []float64 // d/out: the share of its rank that a node gives along an edge of weight 1
	give   []float64 // x·along: what a node gives along an edge of weight 1
	fresh  []float64 // the new give of the nodes of the current stage, for the stages after it
	spring []float64 // (1-d)·v, the rank that jumps to each node; nil means even for each
	even   float64   // (1-d)/nodes, the rank that jumps to each node if all nodes are seeds
	flow   float64   // the factor of spring and even in this round; see plainRounds

	stage   []int    // for each stage, the index of its first block; and the number of blocks
	tiles   *tiles   // nil unless edges are in tiles
	tally   []tally  // the sums for each block in this round
	buffers []buffer // one per worker
}

// tally has sums over some nodes in one round: by how much their ranks changed
// (change), their ranks (sum), and how much rank leaves them along edges
// (goes).
type tally struct{ change, sum, goes float64 }

// add sets *rank, the rank of a node, to x, and adds the node to t. It returns
// x·along, the rank that the node gives along an edge of weight 1. The
// parameter out is the total weight of the node's outgoing edges.
func (t *tally) add(x float64, rank *float64, along, out float64) (give float64) {
	give = x * along
	t.change += math.Abs(x - *rank)
	t.sum += x
	t.goes += give * out
	*rank = x
	return give
}

// setDefaults replaces zero values by the defaults.
func (o *RankOptions) setDefaults() {
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
}

// newRanking checks the options, sets the defaults for zero values, and returns
// the state of PageRank before the first round.
func (g *Graph) newRanking(o RankOptions) (*ranking, error) {
	o.setDefaults()
	switch {
	case !(o.Damping > 0 && o.Damping < 1):
		return nil, fmt.Errorf("damping %v: it must be between 0 and 1", o.Damping)
	case !(o.Tolerance > 0):
		return nil, fmt.Errorf("tolerance %v: it must be more than 0", o.Tolerance)
	case o.Rounds < 0:
		return nil, fmt.Errorf("the number of rounds is %d: there must be some", o.Rounds)
	case o.Start != nil && len(o.Start) != g.nodes:
		return nil, fmt.Errorf("the number of ranks to start from is %d, of nodes %d", len(o.Start), g.nodes)
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

// seed sets the ranks before the first round, and r.spring (the rank that jumps
// to each node in a round), from RankOptions.Seeds. An empty list of seeds and
// a seed that is not a node are errors.
func (r *ranking) seed() error {
	r.spring = make([]float64, r.g.nodes)
	clear(r.x)
	n := float64(len(r.o.Seeds))
	if n == 0 {
		return errors.New("no seeds: rank needs pages to flow from")
	}
	for _, s := range r.o.Seeds {
		if int(s) >= r.g.nodes {
			return fmt.Errorf("seed %d of a graph of size %d", s, r.g.nodes)
		}
		r.spring[s] += (1 - r.o.Damping) / n
		r.x[s] += 1 / n
	}
	return nil
}

// start sets the ranks before the first round from RankOptions.Start, scaled to
// the sum 1, and r.flow to fit them. If all ranks in Start are 0, it changes
// nothing. A negative or infinite rank is an error.
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

// cut divides the blocks of the graph (ranges of consecutive nodes) into
// stages, which a round computes one after the other. The stages have about
// equally many edges and nodes. They do not depend on the number of workers.
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

// run computes rounds until a round changes the ranks by no more than the
// tolerance, or until o.Rounds rounds are computed. It returns the ranks,
// scaled to the sum 1.
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
		// Adding up in the order of blocks gives the same bits for any workers.
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

// part computes the new ranks of the nodes of one stage (a part of a round).
// Workers share the stage's blocks, or its units if the edges are copied into
// tiles. Blocks and units of the same stage do not use each other's new ranks.
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
	// From here on the later stages use the new ranks.
	copy(r.give[first.node:last.end], r.fresh)
	return nil
}

// block computes the new ranks of the nodes of block n (a range of consecutive
// nodes). stage is the number of the first node of the current stage. buf is
// the memory of the worker that calls block.
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

// gather returns the rank that a node receives from the nodes in from: the sum
// of r.give over these nodes. It adds up four sums at a time, because each
// addition has to wait for the addition before it.
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

// gatherWeighted returns the rank that a node receives along edges from the
// nodes in from: the sum of r.give over these nodes, each multiplied by the
// weight of its edge.
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

// Share is the rank that a node receives along the edge from the node From.
type Share struct {
	From  int
	Share float64 // the rank received; the sum of the ranks of all nodes is 1
}

// Explain returns the nodes from which a node receives its rank, the largest
// share first, but not more than n of them. The result all is the sum of all
// shares, also of those not returned. rank has the ranks that PageRank computed
// with the same damping.
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
