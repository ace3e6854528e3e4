package op

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

	"infomall/exec/graph"
	"infomall/store/urlkey"
)

// Edge is an edge between two nodes, which are URLs or other names. To is "" for
// a node alone.
type Edge struct {
	From, To string
	Weight   float32
}

// NamedGraph is a graph whose nodes have names. They are numbered in SURT order,
// so that those of one host stand together. The caller closes it.
type NamedGraph struct {
	*graph.Graph
	// Found are the numbers of the names that were to be found, -1 where there is
	// no such node.
	Found []int

	keys  func() iter.Seq2[[]byte, error]
	spool *spool // where keys come from, if it is that
}

// Close releases memory and files.
func (g *NamedGraph) Close() error {
	if g.spool != nil {
		g.spool.close()
	}
	if g.Graph == nil {
		return nil
	}
	return g.Graph.Close()
}

// Keys yields the sort keys of all nodes in order of number. One is valid until
// the next.
func (g *NamedGraph) Keys() iter.Seq2[[]byte, error] { return g.keys() }

// Name fills in the URLs or names of the nodes that are keys of names.
func (g *NamedGraph) Name(names map[int]string) error {
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

// GraphOptions say what a graph is made of.
type GraphOptions struct {
	Weighted  bool     // edges have weights of their own
	SelfLoops bool     // edges from a node to itself count
	Find      []string // names whose numbers are wanted
}

// Graph makes a graph of the edges that fill adds, in any order; those that come
// again count once, with the largest weight. What is more than the memory given to
// operators goes to temporary files.
func (r *Runner) Graph(ctx context.Context, o GraphOptions, fill func(*GraphMaker) error) (*NamedGraph, error) {
	m := &GraphMaker{
		ctx: ctx, o: o, limit: r.MemoryBytes / 8,
		names: r.newSorter(ctx, 4), pairs: pairSpool{limit: int(r.MemoryBytes / 32), dirs: r.TempDirs},
		g: &NamedGraph{spool: newSpool(r.MemoryBytes/8, r.TempDirs)},
	}
	m.g.keys = m.g.spool.all
	defer m.names.close()
	defer m.pairs.close()
	err := fill(m)
	m.table = nameTable{}
	if err == nil {
		err = m.number()
	}
	if err == nil {
		// Weights that are all 1 need not be kept.
		err = m.build(graph.Options{Memory: r.MemoryBytes / 2, TempFile: r.TempFile, Weighted: o.Weighted && m.pairs.weighted, SelfLoops: o.SelfLoops})
	}
	if err != nil {
		return nil, errors.Join(err, m.g.Close())
	}
	return m.g, nil
}

// GraphMaker takes the nodes and edges of a graph. It gives names numbers as they
// come, in so far as they are remembered: a name may get several. When all are
// known they are sorted, and get the final ones. It is for one goroutine.
type GraphMaker struct {
	ctx   context.Context
	n     int // calls
	o     GraphOptions
	limit int64
	table nameTable // of the names remembered
	base  uint32    // the number of the first of them
	next  uint32    // the number after those given
	names *sorter   // keys, each with a number
	pairs pairSpool // the edges, by these numbers
	final []uint32  // the final number of each
	nodes int
	g     *NamedGraph
}

// nodesMax bounds the numbers of nodes.
const nodesMax = math.MaxUint32

// Node gives a number for the node of a name, for Edge. A node of which no edge
// comes is one as well.
func (m *GraphMaker) Node(name []byte) (uint32, error) {
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
	return id, m.names.add([]byte(urlkey.Key(string(name))), binary.BigEndian.AppendUint32(nil, id))
}

// Edge adds an edge between two nodes, of a weight that is finite and above 0.
func (m *GraphMaker) Edge(from, to uint32, weight float32) error {
	return m.pairs.add(from, to, weight)
}

// Link adds an edge by the names of its ends, or a node alone where the second is
// empty.
func (m *GraphMaker) Link(from, to []byte, weight float32) error {
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

// number gives the final numbers.
func (m *GraphMaker) number() error {
	m.final = make([]uint32, m.next)
	find := m.g.finder(m.o.Find)
	var last []byte
	for r, err := range m.names.sorted() {
		if err != nil {
			return err
		}
		if m.nodes == 0 || string(r.key) != string(last) {
			find(r.key, m.nodes)
			if err := m.g.spool.add(r.key); err != nil {
				return err
			}
			last = append(last[:0], r.key...)
			m.nodes++
		}
		m.final[binary.BigEndian.Uint32(r.val)] = uint32(m.nodes - 1)
	}
	m.names.close()
	return nil
}

// finder gives a function that is told of the keys of all nodes, and fills in
// Found.
func (g *NamedGraph) finder(names []string) (tell func(key []byte, node int)) {
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

func (m *GraphMaker) build(o graph.Options) (err error) {
	b := graph.NewBuilder(o)
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

// pairSpool holds edges by number in memory up to a limit, and behind it in a
// temporary file: from and to, and behind some first edges, which all have weight
// 1, the weight.
type pairSpool struct {
	limit    int // of held
	dirs     []string
	held     []byte
	file     *os.File
	plain    int64 // edges without weight
	weighted bool  // some weight is not 1
}

// Bytes of edges.
const (
	pairBytes     = 8
	weightedBytes = 12
)

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
		if s.file, err = tempFile(s.dirs); err != nil {
			return err
		}
	}
	_, err := s.file.Write(s.held)
	s.held = s.held[:0]
	return graphFault("write", err)
}

func graphFault(deed string, err error) error {
	if err != nil {
		return fmt.Errorf("%s a temporary file of edges: %w", deed, err)
	}
	return nil
}

// each calls f for all edges, once.
func (s *pairSpool) each(f func(from, to uint32, weight float32) error) error {
	var in io.Reader = bytes.NewReader(s.held)
	if s.file != nil {
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return graphFault("read", err)
		}
		in = io.MultiReader(s.file, in)
	}
	buffered := bufio.NewReaderSize(in, spillBuffer)
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

func (s *pairSpool) close() {
	if s.file != nil {
		s.file.Close() // an unlinked file: closing frees its space
	}
	*s = pairSpool{}
}
