// Package graph ranks the nodes of directed graphs, and finds shortest paths
// and parts of graphs. It computes PageRank (Page, Brin, Motwani and Winograd
// 1999) and HITS (Kleinberg 1999) with the variants of Borodin, Roberts,
// Rosenthal and Tsaparas 2001. Nodes are numbers from 0. A Named graph also
// knows which pages or hosts they are, and a Stored graph is one that an
// archive has.
//
// # How a graph is stored
//
// A Graph lists, for each node, the edges that come in, because ranks are
// computed from these. It takes four bytes per edge, eight if edges have
// weights, and some fifty bytes per node during ranking. If the edges do not
// fit in memory, they stay in a file that each round reads once.
//
// Consecutive nodes and their incoming edges form a block. Blocks are read from
// the file, and handed to goroutines, as wholes:
//
//	node 0 ┐                         node 8192 ┐
//	node 1 ├ block 0: edges 0 …              … ├ block 1: edges 16500 …
//	…      ┘                                   ┘
//
// # How PageRank is computed
//
// A round computes the rank of each node once, from the ranks of the nodes that
// point to it. A round has 16 stages, one after the other; each covers
// consecutive blocks. For speed, the edges of graphs of middling size are
// copied into another order, in units and tiles (see tiles).
package graph

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
)

// Graph is a directed graph of nodes numbered from 0. It does not change after
// it is built, and several goroutines may use it.
type Graph struct {
	nodes  int
	edges  int64
	blocks []block
	first  []uint32  // for each node, the index of its first edge within its block
	degree []uint32  // for each node, how many edges come in
	out    []float64 // for each node, the total weight of its outgoing edges
	// order lists the nodes of each block in the order in which their edges are
	// stored. A node is written as its distance from the block's first node.
	// Nodes with few edges come first. Most nodes then have as many edges as
	// the node before, so the processor predicts well when the loop over the
	// edges of a node ends.
	order []uint16

	// The edges, block by block, are either in the slices from and weight or in
	// file. The edges of one node are sorted by from.
	from   []uint32
	weight []float32 // nil if each edge has weight 1
	file   *os.File
	wide   bool // edges have weights
}

// block is a range of consecutive nodes and the edges that come in at these
// nodes. Blocks are read from the file, and handed to goroutines, as wholes.
type block struct {
	node, end   int   // the nodes [node, end)
	edge, edges int64 // the index of the first edge in the graph, and how many edges there are
}

// blockNodes and blockEdges are the sizes at which a block ends: the number of its nodes, and the
// number of their incoming edges. A node with more edges than blockEdges can be a block by itself.
// blocksLeast is how many blocks, about, a small graph has at least, so that workers can share
// them.
const (
	blockNodes  = 1 << 13 // at most 1<<16, the range of Graph.order
	blockEdges  = 1 << 14
	blocksLeast = 64
)

// Nodes returns the number of nodes.
func (g *Graph) Nodes() int { return g.nodes }

// Edges returns the number of edges.
func (g *Graph) Edges() int64 { return g.edges }

// Close closes the graph's temporary file of edges, if there is one. The graph
// cannot be used after Close.
func (g *Graph) Close() error {
	if g.file == nil {
		return nil
	}
	return g.file.Close()
}

// row is a list of edges that come in at a node or at the nodes of a block.
// from has the nodes that the edges come from, sorted for each target node.
// weight has the weights, or is nil if each edge has weight 1.
type row struct {
	from   []uint32
	weight []float32
}

// buffer is the memory of one worker goroutine, which it uses for one block
// after the other. load fills raw, from and weight with the edges of a block if
// these are in the graph's file.
type buffer struct {
	raw    []byte
	from   []uint32
	weight []float32
	sums   *[tileNodes]float64 // the sums of one unit, for tiles
}

// load returns the edges of block b (a range of nodes and the edges that point
// to them), from memory or from the graph's file. The edges are valid until buf
// is used again.
func (g *Graph) load(b block, buf *buffer) (row, error) {
	if g.file == nil {
		r := row{from: g.from[b.edge : b.edge+b.edges]}
		if g.weight != nil {
			r.weight = g.weight[b.edge : b.edge+b.edges]
		}
		return r, nil
	}
	size := g.edgeBytes()
	buf.raw = grown(buf.raw, int(b.edges)*size)
	if _, err := g.file.ReadAt(buf.raw, b.edge*int64(size)); err != nil {
		return row{}, fmt.Errorf("read the edges of nodes %d to %d: %w", b.node, b.end, err)
	}
	buf.from = grown(buf.from, int(b.edges))
	if !g.wide {
		for i := range buf.from {
			buf.from[i] = binary.LittleEndian.Uint32(buf.raw[4*i:])
		}
		return row{from: buf.from}, nil
	}
	buf.weight = grown(buf.weight, int(b.edges))
	for i := range buf.from {
		buf.from[i] = binary.LittleEndian.Uint32(buf.raw[8*i:])
		buf.weight[i] = math.Float32frombits(binary.LittleEndian.Uint32(buf.raw[8*i+4:]))
	}
	return row{buf.from, buf.weight}, nil
}

// edgeBytes returns how many bytes an edge takes in the graph's file: 4, or 8
// with a weight.
func (g *Graph) edgeBytes() int {
	if g.wide {
		return 8
	}
	return 4
}

// grown returns a slice of length n with undefined content. It reuses the
// memory of s if s has enough capacity.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		s = make([]T, n)
	}
	return s[:n]
}

// node returns the edges that come in at one node. r has the edges of the whole
// block that contains the node, as load returns them.
func (g *Graph) node(r row, node int) row {
	from := int64(g.first[node])
	to := from + int64(g.degree[node])
	out := row{from: r.from[from:to]}
	if r.weight != nil {
		out.weight = r.weight[from:to]
	}
	return out
}

// blockOf returns the index in g.blocks of the block that contains node. A
// block is a range of consecutive nodes.
func (g *Graph) blockOf(node int) int {
	i, j := 0, len(g.blocks)
	for j-i > 1 {
		if m := (i + j) / 2; g.blocks[m].node <= node {
			i = m
		} else {
			j = m
		}
	}
	return i
}

// In calls f for each edge that comes in at node, in the order of the source
// node from. If the graph has a file, In reads the edges of one block from it.
// A node that is not in the graph is an error.
func (g *Graph) In(node int, f func(from int, weight float64)) error {
	if node < 0 || node >= g.nodes {
		return fmt.Errorf("node %d of a graph of size %d", node, g.nodes)
	}
	b := g.blocks[g.blockOf(node)]
	r, err := g.load(b, &buffer{})
	if err != nil {
		return err
	}
	r = g.node(r, node)
	for i, u := range r.from {
		w := 1.0
		if r.weight != nil {
			w = float64(r.weight[i])
		}
		f(int(u), w)
	}
	return nil
}

// OutWeight returns the total weight of the edges that leave node. In a graph
// without weights, this is the number of these edges.
func (g *Graph) OutWeight(node int) float64 { return g.out[node] }

// InDegree returns how many edges point to node.
func (g *Graph) InDegree(node int) int64 { return int64(g.degree[node]) }

// weighted reports whether edges have weights. If not, each edge counts as
// weight 1.
func (g *Graph) weighted() bool { return g.wide }

// each calls f for each node in the order of their numbers, with the edges that
// come in at the node. In a call of f, from has the nodes that these edges come
// from, sorted. weight has their weights, or is nil if each weight is 1. Both
// slices are valid until f returns. An error of f ends the iteration and is
// returned.
func (g *Graph) each(f func(node int, from []uint32, weight []float32) error) error {
	var buf buffer
	for _, b := range g.blocks {
		edges, err := g.load(b, &buf)
		if err != nil {
			return err
		}
		for v := b.node; v < b.end; v++ {
			in := g.node(edges, v)
			if err := f(v, in.from, in.weight); err != nil {
				return err
			}
		}
	}
	return nil
}

// assembly builds the Graph g from edges that arrive sorted by (to, from). It
// cuts the nodes into blocks and stores the edges of each block when the block
// ends.
type assembly struct {
	g     *Graph
	into  io.Writer // writes to the graph's file; nil if the edges stay in memory
	begun int       // how many nodes were assigned to a block

	// held has the edges of the current block. start and raw are scratch memory
	// of endBlock.
	held  row
	start []uint32
	raw   []byte
}

// add appends edges that come in at node to, and updates the degrees and
// outgoing weights of the graph. The node must not come before the node of the
// last call.
func (a *assembly) add(to uint32, in row) error {
	if err := a.upTo(int(to)); err != nil {
		return err
	}
	g := a.g
	if int64(len(a.held.from))+int64(len(in.from)) > math.MaxUint32 {
		return fmt.Errorf("more edges than %d point to node %d", int64(math.MaxUint32), to)
	}
	g.degree[to] += uint32(len(in.from))
	a.held.from = append(a.held.from, in.from...)
	if !g.wide {
		for _, u := range in.from {
			g.out[u]++
		}
		return nil
	}
	a.held.weight = append(a.held.weight, in.weight...)
	for i, u := range in.from {
		g.out[u] += float64(in.weight[i])
	}
	return nil
}

// upTo assigns the nodes up to and including node to blocks (ranges of
// consecutive nodes). It ends the current block when that is large enough, and
// begins the next.
func (a *assembly) upTo(node int) error {
	g := a.g
	nodes := min(blockNodes, g.nodes/blocksLeast+1)
	for ; a.begun <= node; a.begun++ {
		last := len(g.blocks) - 1
		if last >= 0 && a.begun-g.blocks[last].node < nodes && len(a.held.from) < blockEdges {
			continue
		}
		if err := a.endBlock(); err != nil {
			return err
		}
		g.blocks = append(g.blocks, block{node: a.begun, edge: g.edges})
	}
	return nil
}

// degreesApart is how many different degrees (numbers of incoming edges)
// endBlock sorts nodes by. Nodes with a higher degree are rare, and take long
// in any order; they all count as the highest degree.
const degreesApart = 256

// endBlock ends the last block of the graph, if there is one: it sorts the
// nodes of the block by their number of incoming edges, and stores their edges
// in that order.
func (a *assembly) endBlock() error {
	g := a.g
	if len(g.blocks) == 0 {
		return nil
	}
	b := &g.blocks[len(g.blocks)-1]
	b.end, b.edges = a.begun, int64(len(a.held.from))
	g.edges += b.edges
	a.start = a.start[:0]
	var at [degreesApart + 1]int // for each degree, the place in order of its next node
	sum := uint32(0)
	for _, d := range g.degree[b.node:b.end] {
		a.start = append(a.start, sum)
		sum += d
		at[min(d, degreesApart-1)+1]++
	}
	for i := range degreesApart {
		at[i+1] += at[i]
	}
	order := g.order[b.node:b.end]
	for i, d := range g.degree[b.node:b.end] {
		place := &at[min(d, degreesApart-1)]
		order[*place] = uint16(i)
		*place++
	}
	sum = 0
	a.raw = a.raw[:0]
	for _, i := range order {
		g.first[b.node+int(i)] = sum
		n := g.degree[b.node+int(i)]
		from := a.start[i]
		in := row{from: a.held.from[from : from+n]}
		if g.wide {
			in.weight = a.held.weight[from : from+n]
		}
		a.put(in)
		sum += n
	}
	a.held = row{a.held.from[:0], a.held.weight[:0]}
	if a.into == nil {
		return nil
	}
	_, err := a.into.Write(a.raw)
	return err
}

// put appends edges to the graph's edges in memory. If the graph keeps its
// edges in a file, put appends them to a.raw instead, which endBlock writes to
// the file.
func (a *assembly) put(in row) {
	g := a.g
	if a.into == nil {
		g.from = append(g.from, in.from...)
		g.weight = append(g.weight, in.weight...)
		return
	}
	for i, u := range in.from {
		a.raw = binary.LittleEndian.AppendUint32(a.raw, u)
		if g.wide {
			a.raw = binary.LittleEndian.AppendUint32(a.raw, math.Float32bits(in.weight[i]))
		}
	}
}

// finish assigns the nodes that are not in a block yet to blocks (ranges of
// consecutive nodes), and ends the last block.
func (a *assembly) finish() error {
	if err := a.upTo(a.g.nodes - 1); err != nil {
		return err
	}
	return a.endBlock()
}
