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

	"infomall/exec/spill"
)

// Options configure how newBuilder and NewSorted build a Graph. The zero value
// works.
type Options struct {
	// Memory bounds the memory for building a graph, in bytes, on top of some
	// twenty bytes per node. If the edges of the graph need more than half of
	// Memory, they stay in a file. 0 means 256 MiB.
	Memory int64
	// TempFile creates a file for edges that do not fit in memory. The file's
	// space must become free when it is closed. If TempFile is nil, the file is
	// an unlinked one in the system's directory for temporary files.
	TempFile func() (*os.File, error)
	// Weighted keeps the weights of edges. Otherwise each edge has weight 1.
	Weighted bool
	// Repeats counts an edge as often as it is added. Otherwise an edge counts
	// once, with the largest of its weights.
	Repeats bool
	// SelfLoops keeps edges from a node to itself. Otherwise they are dropped.
	SelfLoops bool
}

// memoryDefault is the memory in bytes for building a graph if Options.Memory
// is 0.
const memoryDefault = 256 << 20

// builder builds a Graph from edges that are added in any order. It sorts the
// edges in memory. When memory is full, it writes a run (a sorted list of
// edges) to a file. In the end it merges the runs.
type builder struct {
	o      Options
	keys   []uint64 // the edges added: to in the upper half, from in the lower
	weight []float32
	spare  sorter
	runs   []run
	file   *os.File // holds the runs; nil until the first is written
	offset int64    // the end of the last run in file
	err    error    // the first error of Add
}

// run is the place in a builder's file of one sorted list of edges: its offset
// and length in bytes, and how many edges it has.
type run struct{ offset, bytes, edges int64 }

// newBuilder returns a builder without edges, with the defaults for zero values
// in o. The caller ends the builder with its method Graph or Close.
func newBuilder(o Options) *builder {
	if o.Memory <= 0 {
		o.Memory = memoryDefault
	}
	if o.TempFile == nil {
		o.TempFile = new(spill.Memory).TempFile
	}
	return &builder{o: o}
}

// bufferEdges returns how many edges the builder collects in memory before it
// sorts them and writes them to its file: as many as fit, with the scratch
// memory of sorting, in a quarter of the builder's memory, but at least 1024.
func (b *builder) bufferEdges() int {
	each := int64(2 * 8)
	if b.o.Weighted {
		each = 2 * 12
	}
	return int(max(b.o.Memory/4/each, 1<<10))
}

// Add adds an edge to the graph. A builder of a weighted graph requires a
// finite, positive weight; other builders ignore the weight. After an error,
// all further calls return the same error.
func (b *builder) Add(from, to uint32, weight float32) error {
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

// Close discards the edges that were added, and closes the builder's temporary file if there is
// one. A second call does nothing.
func (b *builder) Close() error {
	if b.file == nil {
		return nil
	}
	f := b.file
	b.file = nil
	return f.Close()
}

// spill sorts the edges in memory, writes them to the end of the builder's file
// as a run (a sorted list of edges), and removes them from memory. It creates
// the file if necessary.
func (b *builder) spill() error {
	if len(b.keys) == 0 {
		return nil
	}
	if b.file == nil {
		f, err := b.o.TempFile()
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
		// from is stored as the distance to the last from, if to is the same.
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

// sorted sorts the edges in memory by (to, from) and calls f for each of them.
// An edge that was added several times is passed to f once, with the largest of
// its weights. If Options.Repeats is set, it is passed as often as it was
// added, in the order of its weights. An error of f ends the loop and is
// returned.
func (b *builder) sorted(f func(to, from uint32, weight float32) error) error {
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

// weightAt returns the weight of the edge b.keys[i], which is 1 in a graph
// without weights.
func (b *builder) weightAt(i int) float32 {
	if b.o.Weighted {
		return b.weight[i]
	}
	return 1
}

// Graph returns a Graph of all edges that were added, and ends the builder,
// also after an error. The graph has the nodes 0 to nodes-1; an edge from or to
// another node is an error. The caller closes the graph.
func (b *builder) Graph(nodes int) (*Graph, error) {
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

// graph builds the Graph as the method Graph does, but leaves the builder open.
func (b *builder) graph(nodes int) (*Graph, error) {
	if b.err != nil {
		return nil, b.err
	}
	each := b.sorted
	edges := int64(len(b.keys))
	if len(b.runs) > 0 {
		if err := b.spill(); err != nil {
			return nil, err
		}
		b.keys, b.weight, b.spare = nil, nil, sorter{}
		each, edges = b.merge, 0
		for _, r := range b.runs {
			edges += r.edges
		}
	}
	s, err := newSorted(nodes, edges, b.o, len(b.runs) == 0)
	if err != nil {
		return nil, err
	}
	err = each(func(to, from uint32, weight float32) error { return s.Add(from, to, weight) })
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s.Graph()
}

// Sorted builds a Graph from edges that arrive sorted by (to, from): by target
// node, then by source node. It needs no memory for sorting.
type Sorted struct {
	o      Options
	a      *assembly
	out    *bufio.Writer // writes to the graph's file; nil if the edges stay in memory
	begun  bool          // an edge was added
	key    uint64        // the last edge, in the form of builder.keys
	from   [1]uint32     // scratch memory of Add, like weight
	weight [1]float32
}

// NewSorted returns a Sorted for a graph that has the nodes 0 to nodes-1 and at
// most the given number of edges. The caller ends it with its method Graph or
// Close.
func NewSorted(nodes int, edges int64, o Options) (*Sorted, error) {
	if o.Memory <= 0 {
		o.Memory = memoryDefault
	}
	if o.TempFile == nil {
		o.TempFile = new(spill.Memory).TempFile
	}
	return newSorted(nodes, edges, o, false)
}

// newSorted does the work of NewSorted. o must have a Memory above 0 and a
// TempFile. If inMemory is set, the edges stay in memory, however many they
// are.
func newSorted(nodes int, edges int64, o Options, inMemory bool) (*Sorted, error) {
	g := &Graph{
		nodes: nodes, wide: o.Weighted,
		first: make([]uint32, nodes), degree: make([]uint32, nodes), out: make([]float64, nodes), order: make([]uint16, nodes),
	}
	s := &Sorted{o: o, a: &assembly{g: g}}
	if inMemory || edges*int64(g.edgeBytes()) <= o.Memory/2 {
		g.from = make([]uint32, 0, edges)
		if g.wide {
			g.weight = make([]float32, 0, edges)
		}
		return s, nil
	}
	f, err := o.TempFile()
	if err != nil {
		return nil, fmt.Errorf("make a file for the edges of a graph: %w", err)
	}
	g.file = f
	s.out = bufio.NewWriterSize(f, 1<<18)
	s.a.into = s.out
	return s, nil
}

// Add adds the edge from node from to node to. A graph without weights ignores
// weight. Add returns an error if the edge sorts before the last edge that was
// added.
func (s *Sorted) Add(from, to uint32, weight float32) error {
	s.from[0], s.weight[0] = from, weight
	return s.AddAll(to, s.from[:], s.weight[:])
}

// AddAll adds edges that come in at node to. from lists the nodes they come
// from, sorted. In a weighted graph, weight has the weight of each edge. AddAll
// returns an error if the first edge sorts before the last edge that was added,
// or if a node is not in the graph.
func (s *Sorted) AddAll(to uint32, from []uint32, weight []float32) error {
	if len(from) == 0 {
		return nil
	}
	nodes := uint32(min(int64(s.a.g.nodes), math.MaxUint32))
	key, behind := uint64(to)<<32|uint64(from[0]), from[0]
	if s.begun && key < s.key {
		return fmt.Errorf("the edge from %d to %d comes after one from %d to %d", from[0], to, uint32(s.key), s.key>>32)
	}
	for _, u := range from {
		if u >= nodes || u < behind || to >= nodes {
			return fmt.Errorf("an edge from %d to %d, after one from %d; the number of nodes is %d", u, to, behind, nodes)
		}
		behind = u
	}
	s.begun, s.key = true, uint64(to)<<32|uint64(behind)
	if s.o.SelfLoops || from[0] > to || behind < to {
		return s.add(to, row{from, weight})
	}
	i, _ := slices.BinarySearch(from, to)
	j := i
	for j < len(from) && from[j] == to {
		j++
	}
	before, after := row{from: from[:i]}, row{from: from[j:]}
	if len(weight) > 0 {
		before.weight, after.weight = weight[:i], weight[j:]
	}
	if err := s.add(to, before); err != nil {
		return err
	}
	return s.add(to, after)
}

// add appends edges that come in at node to. The caller has checked them and
// removed the self-loops that Options drops.
func (s *Sorted) add(to uint32, in row) error {
	if err := s.a.add(to, in); err != nil {
		return fmt.Errorf("write the edges of a graph: %w", err)
	}
	return nil
}

// Close discards the edges that were added, and closes the file of the graph.
func (s *Sorted) Close() error { return s.a.g.Close() }

// Graph returns the Graph of all edges that were added. The caller closes it.
func (s *Sorted) Graph() (*Graph, error) {
	err := s.a.finish()
	if err == nil && s.out != nil {
		err = s.out.Flush()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("write the edges of a graph: %w", err), s.Close())
	}
	return s.a.g, nil
}

// merge calls f for the edges of all runs (the sorted lists in the builder's
// file), sorted by (to, from). An edge that was added several times is passed
// to f once, with the largest of its weights. If Options.Repeats is set, it is
// passed as often as it was added. An error of f ends the loop and is returned.
func (b *builder) merge(f func(to, from uint32, weight float32) error) error {
	var heap []*runReader // a binary heap with the least edge first
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

// sink restores the order of a binary heap, with the least edge first, after
// the reader heap[i] has gone on to a later edge. If i is not in the heap, sink
// does nothing.
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

// runReader reads the edges of a run (a sorted list of edges in the builder's
// file). Its fields key and weight are the current edge.
type runReader struct {
	r        *bufio.Reader
	left     int64 // edges after the current one
	weighted bool
	key      uint64
	weight   float32
}

// before reports whether the current edge of x sorts before the current edge of
// y: by target node, then source node, then weight.
func (x *runReader) before(y *runReader) bool {
	return x.key < y.key || x.key == y.key && x.weight < y.weight
}

// next reads the next edge of the run into x.key and x.weight. The caller calls
// it only if x.left is more than 0.
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

// unexpected wraps an error of reading edges from the builder's file. It turns
// io.EOF into io.ErrUnexpectedEOF, because the file never ends inside a run.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read back the edges of a graph: %w", err)
}

// sorter sorts keys, with or without weights, by a radix sort of 11 bits at a
// time. It keeps its scratch memory for the next sort.
type sorter struct {
	keys   []uint64
	weight []float32
}

const (
	radixBits = 11
	radixSize = 1 << radixBits
)

// sort sorts keys in place, in ascending order. Each weight moves along with
// the key of the same index. weight is empty if there are no weights.
func (s *sorter) sort(keys []uint64, weight []float32) {
	var all uint64 // the bits that are set in some key
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
