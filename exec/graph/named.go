package graph

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"

	"infomall/exec/spill"
	"infomall/store/urlkey"
)

// Edge is an edge between two nodes, which are URLs or other names. To is ""
// for a node without edges.
type Edge struct {
	From, To string
	Weight   float32
}

// Named is a graph whose nodes have names. Nodes are numbered in SURT
// order of their names, so those of one host follow each other. The caller
// closes it.
type Named struct {
	*Graph
	// Found has the numbers of the names in GraphOptions.Find, or -1 for a name
	// that is not a node.
	Found []int

	keys  func() iter.Seq2[[]byte, error]
	spool *spill.Spool // holds the keys, unless they are read from the snapshot
}

// Close releases memory and files.
func (g *Named) Close() error {
	if g.spool != nil {
		g.spool.Close()
	}
	if g.Graph == nil {
		return nil
	}
	return g.Graph.Close()
}

// Keys yields the sort keys of all nodes in the order of their numbers. Each
// key is valid until the iteration moves on.
func (g *Named) Keys() iter.Seq2[[]byte, error] { return g.keys() }

// Name sets names[n] to the URL or name of node n, for each n that is a key of
// names.
func (g *Named) Name(names map[int]string) error {
	i := 0
	for key, err := range g.Keys() {
		if err != nil {
			return err
		}
		if _, ok := names[i]; ok {
			names[i] = urlkey.URL(string(key))
		}
		i++
	}
	return nil
}

// NamedOptions say how a graph is built.
type NamedOptions struct {
	Weighted  bool     // edges have weights; otherwise each has weight 1
	SelfLoops bool     // keep edges from a node to itself
	Find      []string // names whose numbers are wanted
}

// BuildNamed builds a graph of the edges that fill adds, in any order. An edge that
// is added several times counts once, with the largest weight. What does not
// fit in the memory for operators goes to temporary files. The caller closes
// the graph.
func BuildNamed(ctx context.Context, memory *spill.Memory, o NamedOptions, fill func(*Maker) error) (*Named, error) {
	m := &Maker{
		ctx: ctx, o: o, limit: memory.Bytes / 8,
		names: memory.Sorter(ctx, 4), pairs: pairSpool{limit: int(memory.Bytes / 32), create: memory.TempFile},
		g: &Named{spool: memory.Spool(8)},
	}
	m.g.keys = m.g.spool.All
	defer m.names.Close()
	defer m.pairs.close()
	err := fill(m)
	m.table = nameTable{}
	if err == nil {
		err = m.number()
	}
	if err == nil {
		// If all weights are 1, the graph needs none.
		err = m.build(Options{Memory: memory.Bytes / 2, TempFile: memory.TempFile, Weighted: o.Weighted && m.pairs.weighted, SelfLoops: o.SelfLoops})
	}
	if err != nil {
		return nil, errors.Join(err, m.g.Close())
	}
	return m.g, nil
}

// Maker collects the nodes and edges of a graph. It gives names
// preliminary numbers as they come, and remembers as many names as memory
// allows: a name may get several numbers. In the end the names are sorted and
// get their final numbers. Use it in one goroutine.
type Maker struct {
	ctx   context.Context
	n     int // calls of Node
	o     NamedOptions
	limit int64
	table nameTable     // the names remembered
	base  uint32        // the number of the first name remembered
	next  uint32        // the next number to give
	names *spill.Sorter // keys of names, each with a preliminary number
	pairs pairSpool     // the edges, by preliminary numbers
	final []uint32      // for each preliminary number, the final one
	nodes int
	g     *Named
}

// ctxEvery is after how many names or edges a GraphMaker checks its context.
const ctxEvery = 4096

// nodesMax bounds how many numbers a GraphMaker gives.
const nodesMax = math.MaxUint32

// Node returns a number for the node with this name, to pass to Edge. The name
// becomes a node even if it gets no edge.
func (m *Maker) Node(name []byte) (uint32, error) {
	if m.n++; m.n%ctxEvery == 0 && m.ctx.Err() != nil {
		return 0, m.ctx.Err()
	}
	if m.table.bytes > m.limit {
		m.base = m.next
		m.table.clear()
	}
	i, fresh, err := m.table.add(name)
	id := m.base + i
	if err != nil || !fresh {
		return id, err
	}
	if m.next == nodesMax {
		return 0, fmt.Errorf("a graph of more than %d nodes", uint32(nodesMax))
	}
	m.next++
	return id, m.names.Add([]byte(urlkey.Key(string(name))), binary.BigEndian.AppendUint32(nil, id))
}

// Edge adds an edge between two nodes. weight is finite and more than 0.
func (m *Maker) Edge(from, to uint32, weight float32) error {
	return m.pairs.add(from, to, weight)
}

// Link adds an edge by the names of its ends. If to is empty, it adds only the
// node from.
func (m *Maker) Link(from, to []byte, weight float32) error {
	u, err := m.Node(from)
	if err != nil || len(to) == 0 {
		return err
	}
	v, err := m.Node(to)
	if err != nil {
		return err
	}
	return m.Edge(u, v, weight)
}

// number sorts the names and gives the final numbers.
func (m *Maker) number() error {
	m.final = make([]uint32, m.next)
	find := m.g.finder(m.o.Find)
	var last []byte
	for r, err := range m.names.Sorted() {
		if err != nil {
			return err
		}
		if m.nodes == 0 || string(r.Key) != string(last) {
			find(r.Key, m.nodes)
			if err := m.g.spool.Add(r.Key); err != nil {
				return err
			}
			last = append(last[:0], r.Key...)
			m.nodes++
		}
		m.final[binary.BigEndian.Uint32(r.Val)] = uint32(m.nodes - 1)
	}
	m.names.Close()
	return nil
}

// finder returns a function that must be called with the key of each node. The
// function fills in g.Found for names.
func (g *Named) finder(names []string) (tell func(key []byte, node int)) {
	wanted := make(map[string][]int)
	for i, name := range names {
		key := urlkey.Key(name)
		wanted[key] = append(wanted[key], i)
		g.Found = append(g.Found, -1)
	}
	return func(key []byte, node int) {
		for _, i := range wanted[string(key)] {
			g.Found[i] = node
		}
	}
}

// build adds the edges, by their final numbers, to m.g.
func (m *Maker) build(o Options) (err error) {
	b := newBuilder(o)
	n := 0
	err = m.pairs.each(func(from, to uint32, weight float32) error {
		if n++; n%ctxEvery == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		return b.Add(m.final[from], m.final[to], weight)
	})
	if err != nil {
		return errors.Join(err, b.Close())
	}
	m.g.Graph, err = b.Graph(m.nodes)
	return err
}

// pairSpool holds edges by number, in memory up to a limit and then in a
// temporary file. An edge is stored as from and to, followed by its weight from
// the first edge on whose weight is not 1.
type pairSpool struct {
	limit    int // bytes of held
	create   func() (*os.File, error)
	held     []byte
	file     *os.File
	plain    int64 // edges stored without a weight
	weighted bool  // an edge has a weight other than 1
}

// The bytes of an edge without and with a weight.
const (
	pairBytes     = 8
	weightedBytes = 12
	// pairBuffer is the size of the buffer with which a pairSpool reads its file.
	pairBuffer = 64 << 10
)

// add adds an edge.
func (s *pairSpool) add(from, to uint32, weight float32) error {
	s.held = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(s.held, from), to)
	if s.weighted = s.weighted || weight != 1; s.weighted {
		s.held = binary.LittleEndian.AppendUint32(s.held, math.Float32bits(weight))
	} else {
		s.plain++
	}
	if len(s.held) < s.limit {
		return nil
	}
	if s.file == nil {
		var err error
		if s.file, err = s.create(); err != nil {
			return err
		}
	}
	_, err := s.file.Write(s.held)
	s.held = s.held[:0]
	return graphFault("write", err)
}

// graphFault adds to an error what was done with the temporary file. deed is
// "read" or "write".
func graphFault(deed string, err error) error {
	if err != nil {
		return fmt.Errorf("%s a temporary file of edges: %w", deed, err)
	}
	return nil
}

// each calls f for all edges. It can be called once.
func (s *pairSpool) each(f func(from, to uint32, weight float32) error) error {
	var in io.Reader = bytes.NewReader(s.held)
	if s.file != nil {
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return graphFault("read", err)
		}
		in = io.MultiReader(s.file, in)
	}
	buffered := bufio.NewReaderSize(in, pairBuffer)
	var raw [weightedBytes]byte
	b, weight := raw[:pairBytes], float32(1)
	for {
		if s.plain--; s.plain < 0 {
			b = raw[:]
		}
		if _, err := io.ReadFull(buffered, b); err == io.EOF {
			break
		} else if err != nil {
			return graphFault("read", err)
		}
		if s.plain < 0 {
			weight = math.Float32frombits(binary.LittleEndian.Uint32(b[pairBytes:]))
		}
		if err := f(binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), weight); err != nil {
			return err
		}
	}
	s.held = nil
	return nil
}

// close releases memory and the file.
func (s *pairSpool) close() {
	if s.file != nil {
		s.file.Close() // an unlinked file: closing frees its space
	}
	*s = pairSpool{}
}
