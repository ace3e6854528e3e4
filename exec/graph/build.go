package graph

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
)

// Options say what a graph is made of.
type Options struct {
	// Memory bounds, in bytes, what building takes beside twenty bytes a node.
	// A graph whose edges take more stays in a file. 0 is 256 MiB.
	Memory int64
	// Dir is where files are made, if need be; "" is the system's place for
	// such.
	Dir string
	// Weighted: edges have weights of their own. Else each counts as 1.
	Weighted bool
	// Repeats counts an edge as often as it is added. Else it counts once, with
	// the largest of its weights.
	Repeats bool
	// SelfLoops keeps the edges from a node to itself.
	SelfLoops bool
}

const memoryDefault = 256 << 20

// Builder takes the edges of a graph in any order.
type Builder struct {
	o      Options
	keys   []uint64 // to in the upper half, from in the lower
	weight []float32
	spare  sorter
	runs   []run
	file   *os.File // of the runs; nil until one is written
	offset int64
	err    error // the first
}

// run is edges in order, in the builder's file.
type run struct{ offset, bytes, edges int64 }

// NewBuilder begins a graph. Graph or Close ends it.
func NewBuilder(o Options) *Builder {
	if o.Memory <= 0 {
		o.Memory = memoryDefault
	}
	return &Builder{o: o}
}

// bufferEdges is how many edges are sorted at a time: with what sorting needs
// they take a quarter of the memory.
func (b *Builder) bufferEdges() int {
	each := int64(2 * 8)
	if b.o.Weighted {
		each = 2 * 12
	}
	return int(max(b.o.Memory/4/each, 1<<10))
}

// Add adds an edge. The weight is taken only by a builder of a weighted graph,
// and must then be finite and positive. An error stays.
func (b *Builder) Add(from, to uint32, weight float32) error {
	if b.err != nil {
		return b.err
	}
	if from == to && !b.o.SelfLoops {
		return nil
	}
	if len(b.keys) == b.bufferEdges() {
		if b.err = b.spill(); b.err != nil {
			return b.err
		}
	}
	b.keys = append(b.keys, uint64(to)<<32|uint64(from))
	if b.o.Weighted {
		if !(weight > 0) || math.IsInf(float64(weight), 1) {
			b.err = fmt.Errorf("the edge from %d to %d has weight %v: it must be finite and more than 0", from, to, weight)
			return b.err
		}
		b.weight = append(b.weight, weight)
	}
	return nil
}

// Close gives up a builder without making the graph.
func (b *Builder) Close() error {
	if b.file == nil {
		return nil
	}
	f := b.file
	b.file = nil
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// spill writes what was added to the file, sorted.
func (b *Builder) spill() error {
	if len(b.keys) == 0 {
		return nil
	}
	if b.file == nil {
		f, err := os.CreateTemp(b.o.Dir, "infomall-graph-")
		if err != nil {
			return fmt.Errorf("make a file for the edges of a graph: %w", err)
		}
		b.file = f
	}
	r := run{offset: b.offset}
	w := bufio.NewWriterSize(io.NewOffsetWriter(b.file, b.offset), 1<<18)
	var raw [2*binary.MaxVarintLen64 + 4]byte
	var lastTo, lastFrom uint64
	err := b.sorted(func(to, from uint32, weight float32) error {
		// Where to is that of before, from is told by its distance to the last.
		n := binary.PutUvarint(raw[:], uint64(to)-lastTo)
		if uint64(to) != lastTo {
			lastFrom = 0
		}
		n += binary.PutUvarint(raw[n:], uint64(from)-lastFrom)
		lastTo, lastFrom = uint64(to), uint64(from)
		if b.o.Weighted {
			binary.LittleEndian.PutUint32(raw[n:], math.Float32bits(weight))
			n += 4
		}
		r.bytes += int64(n)
		r.edges++
		_, err := w.Write(raw[:n])
		return err
	})
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		return fmt.Errorf("write edges to %s: %w", b.file.Name(), err)
	}
	b.offset += r.bytes
	b.runs = append(b.runs, r)
	b.keys, b.weight = b.keys[:0], b.weight[:0]
	return nil
}

// sorted calls f for the edges in memory, in order, repeats by weight or folded.
func (b *Builder) sorted(f func(to, from uint32, weight float32) error) error {
	b.spare.sort(b.keys, b.weight)
	for i, j := 0, 0; i < len(b.keys); i = j {
		for j++; j < len(b.keys) && b.keys[j] == b.keys[i]; j++ {
		}
		if b.o.Weighted {
			slices.Sort(b.weight[i:j])
		}
		if !b.o.Repeats {
			i = j - 1
		}
		for ; i < j; i++ {
			if err := f(uint32(b.keys[i]>>32), uint32(b.keys[i]), b.weightAt(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *Builder) weightAt(i int) float32 {
	if b.o.Weighted {
		return b.weight[i]
	}
	return 1
}

// Graph makes the graph, of nodes up to nodes, and ends the builder. The caller
// closes the graph.
func (b *Builder) Graph(nodes int) (*Graph, error) {
	g, err := b.graph(nodes)
	if e := b.Close(); err == nil && e != nil {
		g.Close()
		err = e
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

func (b *Builder) graph(nodes int) (*Graph, error) {
	if b.err != nil {
		return nil, b.err
	}
	g := &Graph{nodes: nodes, wide: b.o.Weighted, first: make([]uint32, nodes), out: make([]float64, nodes)}
	a := &assembly{g: g}
	add := func(to, from uint32, weight float32) error {
		if int(to) >= nodes || int(from) >= nodes {
			return fmt.Errorf("an edge from %d to %d in a graph with %d nodes", from, to, nodes)
		}
		return a.add(to, from, weight)
	}
	if len(b.runs) == 0 {
		g.from = make([]uint32, 0, len(b.keys))
		if err := b.sorted(add); err != nil {
			return nil, err
		}
		a.finish()
		return g, nil
	}
	if err := b.spill(); err != nil {
		return nil, err
	}
	edges := int64(0)
	for _, r := range b.runs {
		edges += r.edges
	}
	b.keys, b.weight, b.spare = nil, nil, sorter{}
	if edges*int64(g.edgeBytes()) <= b.o.Memory/2 {
		g.from = make([]uint32, 0, edges)
		if err := b.merge(add); err != nil {
			return nil, err
		}
		a.finish()
		return g, nil
	}
	f, err := os.CreateTemp(b.o.Dir, "infomall-graph-")
	if err != nil {
		return nil, fmt.Errorf("make a file for the edges of a graph: %w", err)
	}
	g.file = f
	w := bufio.NewWriterSize(f, 1<<18)
	a.into = w
	if err = b.merge(add); err == nil {
		err = w.Flush()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("write the edges of a graph to %s: %w", f.Name(), err), g.Close())
	}
	a.finish()
	return g, nil
}

// merge calls f for the edges of all runs in order, repeats folded.
func (b *Builder) merge(f func(to, from uint32, weight float32) error) error {
	var heap []*runReader // the one with the least edge first
	for _, r := range b.runs {
		x := &runReader{r: bufio.NewReaderSize(io.NewSectionReader(b.file, r.offset, r.bytes), 1<<17), left: r.edges, weighted: b.o.Weighted}
		if err := x.next(); err != nil {
			return err
		}
		heap = append(heap, x)
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sink(heap, i)
	}
	var key uint64
	var weight float32
	have := false
	for len(heap) > 0 {
		x := heap[0]
		if have && x.key == key && !b.o.Repeats {
			weight = max(weight, x.weight)
		} else {
			if have {
				if err := f(uint32(key>>32), uint32(key), weight); err != nil {
					return err
				}
			}
			key, weight, have = x.key, x.weight, true
		}
		if x.left == 0 {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		} else if err := x.next(); err != nil {
			return err
		}
		sink(heap, 0)
	}
	if have {
		return f(uint32(key>>32), uint32(key), weight)
	}
	return nil
}

func sink(heap []*runReader, i int) {
	for {
		c := 2*i + 1
		if c >= len(heap) {
			return
		}
		if c+1 < len(heap) && heap[c+1].before(heap[c]) {
			c++
		}
		if !heap[c].before(heap[i]) {
			return
		}
		heap[i], heap[c] = heap[c], heap[i]
		i = c
	}
}

// runReader reads the edges of a run.
type runReader struct {
	r        *bufio.Reader
	left     int64 // edges behind this one
	weighted bool
	key      uint64
	weight   float32
}

func (x *runReader) before(y *runReader) bool {
	return x.key < y.key || x.key == y.key && x.weight < y.weight
}

func (x *runReader) next() error {
	to, err := binary.ReadUvarint(x.r)
	if err != nil {
		return unexpected(err)
	}
	from, err := binary.ReadUvarint(x.r)
	if err != nil {
		return unexpected(err)
	}
	if to == 0 {
		from += x.key & math.MaxUint32
	}
	x.key = (x.key>>32+to)<<32 | from
	x.weight = 1
	x.left--
	if x.weighted {
		var raw [4]byte
		if _, err := io.ReadFull(x.r, raw[:]); err != nil {
			return unexpected(err)
		}
		x.weight = math.Float32frombits(binary.LittleEndian.Uint32(raw[:]))
	}
	return nil
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read back the edges of a graph: %w", err)
}

// sorter sorts keys, with or without weights, by radix of 11 bits. It keeps the
// space that it needs.
type sorter struct {
	keys   []uint64
	weight []float32
}

const (
	radixBits = 11
	radixSize = 1 << radixBits
)

func (s *sorter) sort(keys []uint64, weight []float32) {
	var all uint64 // the bits that any key has
	for _, k := range keys {
		all |= k
	}
	s.keys = grown(s.keys, len(keys))
	s.weight = grown(s.weight, len(weight))
	from, fromW, to, toW := keys, weight, s.keys, s.weight
	for shift := 0; shift < 64; shift += radixBits {
		if all>>shift&(radixSize-1) == 0 {
			continue
		}
		var at [radixSize]int
		for _, k := range from {
			at[k>>shift&(radixSize-1)]++
		}
		sum := 0
		for i, n := range at {
			at[i] = sum
			sum += n
		}
		for i, k := range from {
			d := k >> shift & (radixSize - 1)
			to[at[d]] = k
			if len(fromW) > 0 {
				toW[at[d]] = fromW[i]
			}
			at[d]++
		}
		from, fromW, to, toW = to, toW, from, fromW
	}
	if len(keys) > 0 && &from[0] != &keys[0] {
		copy(keys, from)
		copy(weight, fromW)
	}
}
