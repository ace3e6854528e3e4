package op

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"strings"

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

	keys *spool
}

// Close releases memory and files.
func (g *NamedGraph) Close() error {
	g.keys.close()
	if g.Graph == nil {
		return nil
	}
	return g.Graph.Close()
}

// Keys yields the sort keys of all nodes in order of number. One is valid until
// the next.
func (g *NamedGraph) Keys() iter.Seq2[[]byte, error] { return g.keys.all() }

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
	Weighted bool     // edges have weights of their own
	Find     []string // names whose numbers are wanted
}

// Graph makes a graph of edges that come in any order; those that come again
// count once, with the largest weight, and those from a node to itself not at
// all. What is more than the memory given to operators goes to temporary files.
func (r *Runner) Graph(ctx context.Context, edges iter.Seq2[Edge, error], o GraphOptions) (*NamedGraph, error) {
	m := &graphMaker{
		ctx: ctx, o: o, limit: r.MemoryBytes / 8, ids: make(map[string]uint32),
		names: r.newSorter(ctx, 4), pairs: pairSpool{limit: int(r.MemoryBytes / 8 / 4), dirs: r.TempDirs},
		g: &NamedGraph{keys: newSpool(r.MemoryBytes/8, r.TempDirs)},
	}
	defer m.names.close()
	defer m.pairs.close()
	err := m.read(edges)
	if err == nil {
		err = m.number()
	}
	if err == nil {
		err = m.build(graph.Options{Memory: r.MemoryBytes / 2, TempFile: r.TempFile, Weighted: o.Weighted})
	}
	if err != nil {
		return nil, errors.Join(err, m.g.Close())
	}
	return m.g, nil
}

// graphMaker gives names numbers as they come, in so far as they are remembered:
// a name may get several. When all are known they are sorted, and get the final
// ones.
type graphMaker struct {
	ctx   context.Context
	o     GraphOptions
	limit int64
	ids   map[string]uint32
	bytes int64 // of ids, about
	next  uint32
	names *sorter   // keys, each with a number
	pairs pairSpool // the edges, by these numbers
	final []uint32  // the final number of each
	nodes int
	g     *NamedGraph
}

// nodesMax bounds the numbers of nodes.
const nodesMax = math.MaxUint32

func (m *graphMaker) id(name string) (uint32, error) {
	if id, ok := m.ids[name]; ok {
		return id, nil
	}
	const overhead = 64 // of an entry of a map
	if m.bytes += int64(len(name)) + overhead; m.bytes > m.limit {
		clear(m.ids)
		m.bytes = int64(len(name)) + overhead
	}
	if m.next == nodesMax {
		return 0, fmt.Errorf("a graph of more than %d nodes", uint32(nodesMax))
	}
	id := m.next
	m.next++
	m.ids[strings.Clone(name)] = id
	return id, m.names.add([]byte(urlkey.Key(name)), binary.BigEndian.AppendUint32(nil, id))
}

func (m *graphMaker) read(edges iter.Seq2[Edge, error]) error {
	last, from := "", uint32(0)
	n := 0
	for e, err := range edges {
		if n++; n%ctxEvery == 0 && err == nil {
			err = m.ctx.Err()
		}
		if err != nil {
			return err
		}
		if e.From != last || n == 1 {
			if from, err = m.id(e.From); err != nil {
				return err
			}
			last = e.From
		}
		if e.To == "" {
			continue
		}
		to, err := m.id(e.To)
		if err == nil {
			err = m.pairs.add(from, to, e.Weight)
		}
		if err != nil {
			return err
		}
	}
	m.ids = nil
	return nil
}

// number gives the final numbers.
func (m *graphMaker) number() error {
	m.final = make([]uint32, m.next)
	wanted := make(map[string][]int)
	for i, name := range m.o.Find {
		key := urlkey.Key(name)
		wanted[key] = append(wanted[key], i)
		m.g.Found = append(m.g.Found, -1)
	}
	var last []byte
	for r, err := range m.names.sorted() {
		if err != nil {
			return err
		}
		if m.nodes == 0 || string(r.key) != string(last) {
			for _, i := range wanted[string(r.key)] {
				m.g.Found[i] = m.nodes
			}
			if err := m.g.keys.add(r.key); err != nil {
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

func (m *graphMaker) build(o graph.Options) (err error) {
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
// temporary file.
type pairSpool struct {
	limit int // of held
	dirs  []string
	held  []uint32 // from, to, weight
	file  *os.File
}

func (s *pairSpool) add(from, to uint32, weight float32) error {
	s.held = append(s.held, from, to, math.Float32bits(weight))
	if len(s.held) < s.limit {
		return nil
	}
	if s.file == nil {
		var err error
		if s.file, err = tempFile(s.dirs); err != nil {
			return err
		}
	}
	w := bufio.NewWriterSize(s.file, spillBuffer)
	err := binary.Write(w, binary.LittleEndian, s.held)
	if err == nil {
		err = w.Flush()
	}
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
	if s.file != nil {
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return graphFault("read", err)
		}
		in := bufio.NewReaderSize(s.file, spillBuffer)
		var raw [12]byte
		for {
			if _, err := io.ReadFull(in, raw[:]); err == io.EOF {
				break
			} else if err != nil {
				return graphFault("read", err)
			}
			if err := f(binary.LittleEndian.Uint32(raw[:]), binary.LittleEndian.Uint32(raw[4:]), math.Float32frombits(binary.LittleEndian.Uint32(raw[8:]))); err != nil {
				return err
			}
		}
	}
	for i := 0; i < len(s.held); i += 3 {
		if err := f(s.held[i], s.held[i+1], math.Float32frombits(s.held[i+2])); err != nil {
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
