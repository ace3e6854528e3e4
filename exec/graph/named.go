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

// Edge is an edge from the node From to the node To. Both are URLs or other
// names. To is "" for a node without edges.
type Edge struct {
	From, To string
	Weight   float32
}

// Named is a graph whose nodes have names. The nodes are numbered in SURT order
// of their names, so the nodes of one host follow each other. The caller closes
// it.
type Named struct {
	*Graph
	// Found has the node number of each name in NamedOptions.Find, in the same
	// order, or -1 for a name that is not a node.
	Found []int

	keys  func() iter.Seq2[[]byte, error]
	spool *spill.Spool // holds the keys, unless they are read from the snapshot
}

// Close releases the memory and the temporary files of the graph.
func (g *Named) Close() error {
	if g.spool != nil {
		g.spool.Close()
	}
	if g.Graph == nil {
		return nil
	}
	return g.Graph.Close()
}

// Keys yields the sort key (see urlkey.Key) of each node's name, in the order
// of node numbers. A key is valid until the iteration moves on.
func (g *Named) Keys() iter.Seq2[[]byte, error] { return g.keys() }

// Name looks up the names of nodes. The keys of the map are node numbers; Name
// sets each value to the URL or other name of that node. It reads the names of
// all nodes of the graph.
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

// NamedOptions configure BuildNamed and Stored.Graph.
type NamedOptions struct {
	Weighted  bool     // edges have weights; otherwise each has weight 1
	SelfLoops bool     // keep edges from a node to itself
	Repeats   bool     // an edge counts as often as it is added, with each of its weights
	Find      []string // names whose node numbers Named.Found shall have
}

// BuildNamed builds a graph of the edges that the function fill adds, in any
// order. An edge that is added several times counts once, with the largest
// weight, unless o.Repeats is set. memory says how much memory to use; further names and edges go to
// temporary files. The caller closes the graph.
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
		err = m.build(Options{Memory: memory.Bytes / 2, TempFile: memory.TempFile, Weighted: o.Weighted && m.pairs.weighted, SelfLoops: o.SelfLoops, Repeats: o.Repeats})
	}
	if err != nil {
		return nil, errors.Join(err, m.g.Close())
	}
	return m.g, nil
}

// Maker collects the nodes and edges of a named graph. It gives each name a
// preliminary number when the name comes first. It remembers only as many names
// as memory allows, so one name may get several numbers. In the end BuildNamed
// sorts the names and gives them their final numbers. Use a Maker in one
// goroutine only.
type Maker struct {
	ctx   context.Context
	n     int // how many times Node was called
	o     NamedOptions
	limit int64
	table nameTable     // the names remembered
	base  uint32        // the number of the first name remembered
	next  uint32        // the next number to give
	names *spill.Sorter // keys of names, each with a preliminary number
	pairs pairSpool     // the edges, by preliminary numbers
	final []uint32      // for each preliminary number, the final number
	nodes int
	g     *Named
}

// ctxEvery is how many names or edges a Maker takes before it checks its
// context again.
const ctxEvery = 4096

// nodesMax is the most numbers that a Maker gives to names.
const nodesMax = math.MaxUint32

// Node adds the node with this name, even if it gets no edge later. It returns
// a number for the node, to pass to Edge. Calls with the same name may return
// different numbers for the same node.
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

// Edge adds an edge between two nodes, by the numbers that Node returned.
// weight must be finite and more than 0.
func (m *Maker) Edge(from, to uint32, weight float32) error {
	return m.pairs.add(from, to, weight)
}

// Link adds an edge from the node named from to the node named to, and both
// nodes. If to is empty, it adds only the node from.
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

// number sorts the names, writes their sort keys to m.g.spool, and gives them
// their final node numbers. It sets m.final (the final number for each
// preliminary number), m.nodes and m.g.Found.
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

// finder sets g.Found to -1 for each of names, and returns the function tell. The caller must call
// tell with the sort key and the number of each node. tell writes the number into g.Found if the
// node has one of the names.
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

// build makes the graph of all collected edges, by the final numbers of their
// nodes, and sets m.g.Graph.
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

// pairSpool holds edges by node number, in memory up to a limit and then in a
// temporary file. It stores an edge as its from and to number (4 bytes each).
// The first edge with a weight other than 1, and each edge after it, is
// followed by its weight (4 bytes).
type pairSpool struct {
	limit    int // how many bytes held can have before they go to the file
	create   func() (*os.File, error)
	held     []byte
	file     *os.File
	plain    int64 // edges stored without a weight
	weighted bool  // an edge has a weight other than 1
}

// The size of an edge in a pairSpool, in bytes, without and with a weight.
const (
	pairBytes     = 8
	weightedBytes = 12
	// pairBuffer is the size of the buffer with which a pairSpool reads its file.
	pairBuffer = 64 << 10
)

// add adds an edge. When s.held is full, it writes s.held to the temporary
// file.
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

// graphFault wraps an error of the temporary file of edges with the deed, which
// is "read" or "write". It returns nil if err is nil.
func graphFault(deed string, err error) error {
	if err != nil {
		return fmt.Errorf("%s a temporary file of edges: %w", deed, err)
	}
	return nil
}

// each calls f for all edges in the order in which they were added. It can be
// called only once. An error of f ends the loop and is returned.
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

// close releases the memory and the temporary file of the spool.
func (s *pairSpool) close() {
	if s.file != nil {
		s.file.Close() // an unlinked file: closing frees its space
	}
	*s = pairSpool{}
}
