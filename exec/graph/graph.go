// Package graph ranks the nodes of directed graphs: PageRank (Page, Brin,
// Motwani and Winograd 1999) and HITS (Kleinberg 1999) with the variants of
// Borodin, Roberts, Rosenthal and Tsaparas 2001, and shortest paths. It works on
// arrays alone: what a node is, its caller knows.
//
// A graph is kept as the list of those who point to each node, since that is
// what a rank is computed from. It takes four bytes an edge, eight if edges have
// weights, and some fifty a node while it is ranked; larger than memory, its
// edges stay in a file and are read once a round.
package graph

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
)

// Graph is a directed graph of nodes numbered from 0 on. It does not change, and
// may be used from several goroutines.
type Graph struct {
	nodes  int
	edges  int64
	blocks []block
	first  []uint32  // of each node, its first edge within its block
	degree []uint32  // of each node, how many edges come in
	out    []float64 // of each node, the weight of the edges that go out
	// order has the nodes of each block in the order in which their edges stand,
	// by their distance to its first node: those with few edges first. A processor
	// then guesses where the edges of a node end, as there are as many as of the
	// one before.
	order []uint16

	// In memory, or in the file: edges block by block, those of a node by from.
	from   []uint32
	weight []float32 // nil: each is 1
	file   *os.File
	wide   bool // the file has weights
}

// block is a stretch of nodes and the edges that come in there. Blocks are what
// workers share and what is read from the file at a time.
type block struct {
	node, end   int   // nodes node up to end
	edge, edges int64 // its first edge, and how many
}

// The bounds of a block; a node with more edges than that is a block by itself.
// A small graph has smaller ones, so that there are some to share.
const (
	blockNodes  = 1 << 13 // at most 1<<16, for order
	blockEdges  = 1 << 14
	blocksLeast = 64
)

// Nodes is how many nodes there are, Edges how many edges.
func (g *Graph) Nodes() int { return g.nodes }

// Edges is how many edges there are.
func (g *Graph) Edges() int64 { return g.edges }

// Close gives up the file of a graph that has one.
func (g *Graph) Close() error {
	if g.file == nil {
		return nil
	}
	return g.file.Close()
}

// row is what points to a node, in order of number, with weights or nil.
type row struct {
	from   []uint32
	weight []float32
}

// buffer holds the edges of a block that were read from the file.
type buffer struct {
	raw    []byte
	from   []uint32
	weight []float32
	sums   *[tileNodes]float64 // of a unit in tiles
}

// load gives the edges of a block. They are valid until the buffer is used
// again.
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

func (g *Graph) edgeBytes() int {
	if g.wide {
		return 8
	}
	return 4
}

func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		s = make([]T, n)
	}
	return s[:n]
}

// node gives the part of a block's edges that comes in at a node of it.
func (g *Graph) node(r row, node int) row {
	from := int64(g.first[node])
	to := from + int64(g.degree[node])
	out := row{from: r.from[from:to]}
	if r.weight != nil {
		out.weight = r.weight[from:to]
	}
	return out
}

// blockOf is the number of the block in which a node is.
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

// In calls f for each edge that comes in at a node, in order of where from.
func (g *Graph) In(node int, f func(from int, weight float64)) error {
	if node < 0 || node >= g.nodes {
		return fmt.Errorf("node %d of a graph with %d nodes", node, g.nodes)
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

// OutWeight is the weight of the edges that leave a node: where none has a
// weight, their number.
func (g *Graph) OutWeight(node int) float64 { return g.out[node] }

// InDegree is how many edges come in at a node.
func (g *Graph) InDegree(node int) int64 { return int64(g.degree[node]) }

// Weighted reports whether edges have weights of their own.
func (g *Graph) Weighted() bool { return g.wide }

// Each calls f for each node in order of number, with what points to it in order
// of number, and the weights of these edges, nil where each is 1. Both are valid
// until it returns.
func (g *Graph) Each(f func(node int, from []uint32, weight []float32) error) error {
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

// assembly puts a graph together from edges in order of (to, from).
type assembly struct {
	g     *Graph
	into  io.Writer // the file's, if there is one
	begun int       // nodes that are in a block

	// The edges of the block at hand, and what its making takes.
	held  row
	start []uint32
	raw   []byte
}

// add adds edges that come in at a node, behind those before.
func (a *assembly) add(to uint32, in row) error {
	if err := a.upTo(int(to)); err != nil {
		return err
	}
	g := a.g
	if int64(len(a.held.from))+int64(len(in.from)) > math.MaxUint32 {
		return fmt.Errorf("more than %d edges point to node %d", int64(math.MaxUint32), to)
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

// upTo begins the nodes up to and with node.
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

// degreesApart is how many degrees are told apart in the order of nodes: those
// above are rare, and take long whatever their order.
const degreesApart = 256

// endBlock puts the edges of the last block where they belong: by the order of
// their nodes.
func (a *assembly) endBlock() error {
	g := a.g
	if len(g.blocks) == 0 {
		return nil
	}
	b := &g.blocks[len(g.blocks)-1]
	b.end, b.edges = a.begun, int64(len(a.held.from))
	g.edges += b.edges
	a.start = a.start[:0]
	var at [degreesApart + 1]int // of each degree, the place of its next node
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

// put puts edges behind those that are in memory, or are to be in the file.
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

func (a *assembly) finish() error {
	if err := a.upTo(a.g.nodes - 1); err != nil {
		return err
	}
	return a.endBlock()
}
