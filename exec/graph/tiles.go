package graph

import (
	"context"
	"slices"
)

const (
	// A tile is the edges from tileNodes consecutive source nodes to the target
	// nodes of one unit, which are at most tileNodes. The values of its source
	// nodes and the sums of its target nodes fit together in a processor's
	// second-level cache.
	tileBits  = 14
	tileNodes = 1 << tileBits
	tileMask  = tileNodes - 1

	// unitsOfStage is the least number of units that a stage is cut into, so that
	// workers have some to share.
	unitsOfStage = 4

	// tiledLeast and tiledMost are the least and most nodes of graphs for which
	// tiles pay. The values of a smaller graph fit in the second-level cache
	// without tiles: 18 rounds of a graph with 131,072 nodes and 16 edges each
	// take 130 ms with tiles, including the time to make them, and 103 ms
	// without. With twice as many nodes they take 193 and 213 ms. A larger
	// graph has too many tiles for its edges.
	tiledLeast = 1 << 18
	tiledMost  = 1 << 22
)

// tiles is a copy of the edges of a graph in an order that is kind to the
// cache: edges that follow each other come from nodes near each other and go to
// nodes near each other. The edges are sorted by the unit of the target node,
// then by the tile of the source node, then by source node within the tile.
// This is propagation blocking (Beamer, Asanović and Patterson, "Reducing
// Pagerank Communication via Propagation Blocking", 2017) without lists of
// propagated values, because tiles are small on both sides.
//
//	edge   target node within its unit   source node within its tile
//	       bits 16 to 29                 bits 0 to 13
type tiles struct {
	units []unit
	first []int // for each stage, the index of its first unit; and the number of units
	edges []uint32
	start []uint32 // for each unit and each of its tiles, the index of its first edge; and the number of edges
	count int      // how many tiles a unit has
}

// unit is the range of blocks [from, to), by their indexes. These blocks have
// at most tileNodes nodes together.
type unit struct{ from, to int }

// tiled reports whether the ranking is faster with its edges copied into tiles.
// This holds for graphs of middling size in memory, without weights.
func (r *ranking) tiled() bool {
	g := r.g
	return g.from != nil && g.weight == nil && g.nodes >= tiledLeast && g.nodes <= tiledMost && g.edges < 1<<32
}

// tile copies the edges of the graph into tiles and sets r.tiles, which takes
// as long as some four rounds. It returns the error of ctx when ctx is done.
func (r *ranking) tile(ctx context.Context) error {
	g := r.g
	t := &tiles{count: (g.nodes + tileMask) >> tileBits, edges: make([]uint32, 0, g.edges)}
	for i, from := range r.stage[:len(r.stage)-1] {
		t.first = append(t.first, len(t.units))
		t.units = append(t.units, g.units(from, r.stage[i+1])...)
	}
	t.first = append(t.first, len(t.units))
	t.start = make([]uint32, 1, len(t.units)*t.count+1)
	var s sorting
	for _, u := range t.units {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.unit(g, u, t)
	}
	// give must end with a whole tile, whatever the number of nodes.
	r.give = append(r.give, make([]float64, t.count<<tileBits-len(r.give))...)
	r.tiles = t
	return nil
}

// units divides the blocks with the indexes [from, to) into units: ranges of
// blocks with at most tileNodes nodes together.
func (g *Graph) units(from, to int) (units []unit) {
	edges := int64(0)
	for _, b := range g.blocks[from:to] {
		edges += b.edges
	}
	at, held := from, int64(0)
	for i := from; i < to; i++ {
		b := g.blocks[i]
		if i > at && (b.end-g.blocks[at].node > tileNodes || held >= edges/unitsOfStage) {
			units = append(units, unit{at, i})
			at, held = i, 0
		}
		held += b.edges
	}
	return append(units, unit{at, to})
}

// sorting is the scratch memory for sorting the edges of a unit.
type sorting struct {
	edges, sorted []uint64              // source node, and in the low tileBits the target node within its unit
	low           [tileNodes + 1]uint32 // the index in sorted for the next edge, by source node within its tile
	high          []uint32              // the index in the output for the next edge, by tile of the source node
}

// unit appends the edges that point to the nodes of unit u (a range of blocks)
// to t. It sorts them by the tile of the source node, then by source node
// within the tile.
func (s *sorting) unit(g *Graph, u unit, t *tiles) {
	s.edges = s.edges[:0]
	node := g.blocks[u.from].node
	clear(s.low[:])
	s.high = grown(s.high, t.count+1)
	clear(s.high)
	for _, b := range g.blocks[u.from:u.to] {
		edges := row{from: g.from[b.edge : b.edge+b.edges]}
		for v := b.node; v < b.end; v++ {
			for _, from := range g.node(edges, v).from {
				s.edges = append(s.edges, uint64(from)<<tileBits|uint64(v-node))
				s.low[from&tileMask+1]++
				s.high[from>>tileBits+1]++
			}
		}
	}
	for i := range tileNodes {
		s.low[i+1] += s.low[i]
	}
	for i := range t.count {
		s.high[i+1] += s.high[i]
	}
	s.sorted = grown(s.sorted, len(s.edges))
	for _, e := range s.edges {
		at := &s.low[e>>tileBits&tileMask]
		s.sorted[*at] = e
		*at++
	}
	begin := uint32(len(t.edges))
	t.edges = slices.Grow(t.edges, len(s.edges))[:len(t.edges)+len(s.edges)]
	for _, n := range s.high[1:] {
		t.start = append(t.start, begin+n)
	}
	list := t.edges[begin:]
	for _, e := range s.sorted {
		at := &s.high[e>>(2*tileBits)]
		list[*at] = uint32(e&tileMask)<<16 | uint32(e>>tileBits&tileMask)
		*at++
	}
}

// unit computes the new ranks of the nodes of unit n (a range of blocks) from
// the edges in tiles. stage is the number of the first node of the current
// stage. buf is the memory of the worker that calls unit.
func (r *ranking) unit(n, stage int, buf *buffer) {
	t := r.tiles
	if buf.sums == nil {
		buf.sums = new([tileNodes]float64)
	}
	clear(buf.sums[:])
	for i := range t.count {
		k := n*t.count + i
		gather(buf.sums, (*[tileNodes]float64)(r.give[i<<tileBits:]), t.edges[t.start[k]:t.start[k+1]])
	}
	u := t.units[n]
	sums := buf.sums[:]
	for i := u.from; i < u.to; i++ {
		b := r.g.blocks[i]
		r.ranked(i, stage, sums[:b.end-b.node])
		sums = sums[b.end-b.node:]
	}
}

// gather follows the edges of one tile. For each edge, it takes the element of
// give for the edge's source node and adds it to the element of sums for the
// target node. Both arrays are indexed by the number of the node within its
// tile or unit. This number is always in range, so the loop needs no bounds
// checks, and branches only once per four edges.
func gather(sums, give *[tileNodes]float64, edges []uint32) {
	for ; len(edges) >= 4; edges = edges[4:] {
		a, b, c, d := edges[0], edges[1], edges[2], edges[3]
		x, y, z, w := give[a&tileMask], give[b&tileMask], give[c&tileMask], give[d&tileMask]
		sums[a>>16&tileMask] += x
		sums[b>>16&tileMask] += y
		sums[c>>16&tileMask] += z
		sums[d>>16&tileMask] += w
	}
	for _, e := range edges {
		sums[e>>16&tileMask] += give[e&tileMask]
	}
}

// ranked computes the new ranks of the nodes of block n. sums has, for each
// node, the rank that it receives along its edges. stage is the number of the
// first node of the current stage.
func (r *ranking) ranked(n, stage int, sums []float64) {
	b := r.g.blocks[n]
	along, out := r.along[b.node:b.end], r.g.out[b.node:b.end]
	rank, fresh := r.x[b.node:b.end], r.fresh[b.node-stage:b.end-stage]
	springs := r.even * r.flow
	var t tally
	for v, sum := range sums {
		x := springs
		if r.spring != nil {
			x = r.spring[b.node+v] * r.flow
		}
		fresh[v] = t.add(x+sum, &rank[v], along[v], out[v])
	}
	r.tally[n] = t
}
