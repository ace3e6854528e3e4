package op

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"

	"infomall/exec/graph"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// A kept graph has its edges by number of node, in order of (to, from), and so as
// they are ranked: rows with the letter e and the row's number as key. A row is a
// list of nodes, each with edges that come in there: the node's distance to the
// one before in the row, how many edges, and of each where from, as the distance
// to the one before (uvarints), then their weights (float32, little-endian) where
// the graph has such. The edges of a node may go on in the next row. Behind them
// the names of the nodes: rows with the letter n and the node's key, in order of
// number.
const (
	graphFormNumbered = "2"
	rowOfEdges        = 'e'
	rowOfNode         = 'n'
	// edgeRowBytes ends a row.
	edgeRowBytes = 32 << 10
)

// KeepGraph gives what is to be kept of a graph.
func KeepGraph(g *NamedGraph) (properties map[string]string, rows iter.Seq2[record.ResultRow, error]) {
	properties = map[string]string{
		graphForm: graphFormNumbered, GraphNodes: strconv.Itoa(g.Nodes()), GraphEdges: strconv.FormatInt(g.Edges(), 10),
	}
	if g.Weighted() {
		properties[graphWeights] = "yes"
	}
	return properties, func(yield func(record.ResultRow, error) bool) {
		w := &edgeRows{yield: yield}
		err := g.Each(w.add)
		if err == nil {
			err = w.flush()
		}
		key := []byte{rowOfNode}
		if err == nil {
			for name, e := range g.Keys() {
				if err = e; err != nil || !yield(record.ResultRow{Key: append(key[:1], name...)}, nil) {
					break
				}
			}
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(record.ResultRow{}, err)
		}
	}
}

// errEnough ends what goes through a graph for someone who wants no more.
var errEnough = errors.New("no more is wanted")

// edgeRows makes rows of edges.
type edgeRows struct {
	yield func(record.ResultRow, error) bool
	n     uint32
	last  int // node
	value []byte
}

func (w *edgeRows) add(to int, from []uint32, weight []float32) error {
	for len(from) > 0 {
		// What is left of the row, were each edge as long as can be; at least one.
		n := min(len(from), max((edgeRowBytes-len(w.value))/(binary.MaxVarintLen32+4), 1))
		w.value = binary.AppendUvarint(w.value, uint64(to-w.last))
		w.value = binary.AppendUvarint(w.value, uint64(n))
		w.last = to
		last := uint32(0)
		for _, u := range from[:n] {
			w.value = binary.AppendUvarint(w.value, uint64(u-last))
			last = u
		}
		from = from[n:]
		if weight != nil {
			for _, x := range weight[:n] {
				w.value = binary.LittleEndian.AppendUint32(w.value, math.Float32bits(x))
			}
			weight = weight[n:]
		}
		if len(w.value) >= edgeRowBytes-2*(binary.MaxVarintLen32+4) {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush gives the row.
func (w *edgeRows) flush() error {
	if len(w.value) == 0 {
		return nil
	}
	if !w.yield(record.ResultRow{Key: binary.BigEndian.AppendUint32([]byte{rowOfEdges}, w.n), Value: w.value}, nil) {
		return errEnough
	}
	w.n++
	w.last, w.value = 0, w.value[:0]
	return nil
}

// errGraph is what a row is that KeepGraph did not make.
var errGraph = errors.New("a row of a graph is none that a program wrote")

// inEdges are edges that come in at a node.
type inEdges struct {
	to     int
	from   []uint32
	weight []float32 // nil where each is 1
}

// readEdges calls f for what is in a row of edges. It is valid until f returns.
func readEdges(row []byte, weighted bool, in *inEdges, f func(*inEdges) error) error {
	number := func() uint64 {
		if len(row) > 0 && row[0] < 0x80 {
			n := row[0]
			row = row[1:]
			return uint64(n)
		}
		n, width := binary.Uvarint(row)
		if width <= 0 {
			n, width = math.MaxUint64, len(row)
		}
		row = row[width:]
		return n
	}
	to := uint64(0)
	for len(row) > 0 {
		d, n := number(), number()
		if d > math.MaxUint32 || n == 0 || n > uint64(len(row)) {
			return errGraph
		}
		if to += d; to > math.MaxUint32 {
			return errGraph
		}
		in.to, in.from, in.weight = int(to), in.from[:0], in.weight[:0]
		from := uint64(0)
		for range n {
			d := number()
			if d > math.MaxUint32 || from+d > math.MaxUint32 {
				return errGraph
			}
			from += d
			in.from = append(in.from, uint32(from))
		}
		if weighted {
			if n > uint64(len(row))/4 {
				return errGraph
			}
			for range n {
				w := math.Float32frombits(binary.LittleEndian.Uint32(row))
				if row = row[4:]; !(w > 0) || math.IsInf(float64(w), 1) {
					return errGraph
				}
				in.weight = append(in.weight, w)
			}
		}
		if err := f(in); err != nil {
			return err
		}
	}
	return nil
}

// keptRows yields the rows of a kept graph that begin with a letter, without it.
func (r *Runner) keptRows(ctx context.Context, of record.Result, letter byte) iter.Seq2[record.ResultRow, error] {
	return func(yield func(record.ResultRow, error) bool) {
		ranges := []urlkey.Range{{From: string(letter), To: string(letter + 1)}}
		for row, err := range r.Snapshot.ResultRows(ctx, of, ranges) {
			if err == nil {
				row.Key = row.Key[1:]
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// keptIn calls f for all edges of a kept graph, in order of (to, from).
func (r *Runner) keptIn(ctx context.Context, of record.Result, f func(*inEdges) error) error {
	var in inEdges
	weighted := of.Properties[graphWeights] != ""
	for row, err := range r.keptRows(ctx, of, rowOfEdges) {
		if err == nil {
			err = readEdges(row.Value, weighted, &in, f)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keptKeys yields the keys of a kept graph's nodes: as many as it is said to have,
// or an error.
func (r *Runner) keptKeys(ctx context.Context, of record.Result) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		left := graphProperty(&of, GraphNodes)
		for row, err := range r.keptRows(ctx, of, rowOfNode) {
			if left--; err == nil && left < 0 {
				err = damagedGraph(of, errGraph)
			}
			if !yield(row.Key, err) || err != nil {
				return
			}
		}
		if left > 0 {
			yield(nil, damagedGraph(of, errGraph))
		}
	}
}

// damagedGraph says in which file there is what no program wrote.
func damagedGraph(of record.Result, err error) error {
	if errors.Is(err, errGraph) {
		return fmt.Errorf("%s: %w; DROP GRAPH %s and bring it in again", of.File, err, of.Name)
	}
	return err
}

// KeptGraph makes a graph of one that is kept, as Graph does of its edges, which
// are in order already. Its keys are read of the snapshot, as long as that is there.
func (r *Runner) KeptGraph(ctx context.Context, of record.Result, o GraphOptions) (*NamedGraph, error) {
	if of.Properties[graphForm] == "" {
		return r.Graph(ctx, o, func(m *GraphMaker) error {
			for e, err := range r.edgesByName(ctx, of) {
				if err == nil {
					err = m.Link([]byte(e.From), []byte(e.To), e.Weight)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	nodes, edges := graphProperty(&of, GraphNodes), graphProperty(&of, GraphEdges)
	if nodes < 0 || nodes > nodesMax || edges < 0 {
		return nil, damagedGraph(of, errGraph)
	}
	weighted := of.Properties[graphWeights] != ""
	s, err := graph.NewSorted(int(nodes), edges, graph.Options{Memory: r.MemoryBytes / 2, TempFile: r.TempFile, Weighted: weighted && o.Weighted, SelfLoops: o.SelfLoops})
	if err != nil {
		return nil, err
	}
	err = r.keptIn(ctx, of, func(in *inEdges) error { return s.AddAll(uint32(in.to), in.from, in.weight) })
	if err != nil {
		return nil, errors.Join(damagedGraph(of, err), s.Close())
	}
	g := &NamedGraph{keys: func() iter.Seq2[[]byte, error] { return r.keptKeys(ctx, of) }}
	if g.Graph, err = s.Graph(); err != nil {
		return nil, err
	}
	if len(o.Find) > 0 {
		if err := g.find(o.Find); err != nil {
			return nil, errors.Join(err, g.Close())
		}
	}
	return g, nil
}

// find fills in the numbers of names.
func (g *NamedGraph) find(names []string) error {
	tell := g.finder(names)
	node := 0
	for key, err := range g.Keys() {
		if err != nil {
			return err
		}
		tell(key, node)
		node++
	}
	return nil
}

// keptEdges yields the edges of a kept graph, and its lone nodes as edges without
// To, in order of source and target.
func (r *Runner) keptEdges(ctx context.Context, of record.Result) iter.Seq2[Edge, error] {
	if of.Properties[graphForm] == "" {
		return r.edgesByName(ctx, of)
	}
	return func(yield func(Edge, error) bool) {
		s := r.newSorter(ctx, 2)
		defer s.close()
		if err := r.bySource(ctx, of, s); err != nil {
			yield(Edge{}, damagedGraph(of, err))
			return
		}
		// A node, then the edges from it. One is held until it is known to have none.
		var from Edge
		alone := false
		for x, err := range s.sorted() {
			if err != nil {
				yield(Edge{}, err)
				return
			}
			if len(x.key) > sourceBytes {
				from.To, from.Weight = urlkey.URL(string(x.val[4:])), math.Float32frombits(binary.BigEndian.Uint32(x.val))
				alone = false
				if !yield(from, nil) {
					return
				}
				continue
			}
			if alone && !yield(Edge{From: from.From}, nil) {
				return
			}
			from.From, alone = urlkey.URL(string(x.val[1:])), x.val[0] == 0
		}
		if alone {
			yield(Edge{From: from.From}, nil)
		}
	}
}

// sourceBytes is how long the number of a source is in what bySource sorts.
const sourceBytes = 4

// bySource adds to a sorter each node, with its name and a byte that is 0 where no
// edge comes in, and each edge by source and target, with its weight and the name
// of the target.
func (r *Runner) bySource(ctx context.Context, of record.Result, s *sorter) error {
	next, stop := iter.Pull2(r.keptKeys(ctx, of))
	defer stop()
	var key, val, name []byte
	node := -1 // that of name
	// goTo goes on to a node, and adds those up to before it, which have no edges.
	goTo := func(to int) error {
		for node < to {
			k, err, ok := next()
			if !ok || err != nil {
				if err == nil {
					err = errGraph
				}
				return err
			}
			node++
			name = append(name[:0], k...)
			came := byte(0)
			if node == to {
				came = 1
			}
			val = append(append(val[:0], came), name...)
			if err := s.add(binary.BigEndian.AppendUint32(key[:0], uint32(node)), val); err != nil {
				return err
			}
		}
		return nil
	}
	err := r.keptIn(ctx, of, func(in *inEdges) error {
		if err := goTo(in.to); err != nil {
			return err
		}
		if in.to != node {
			return errGraph
		}
		for i, u := range in.from {
			w := float32(1)
			if len(in.weight) > 0 {
				w = in.weight[i]
			}
			key = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(key[:0], u), uint32(in.to))
			val = append(binary.BigEndian.AppendUint32(val[:0], math.Float32bits(w)), name...)
			if err := s.add(key, val); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	// Behind the last node with edges there may be some without.
	for k, err, ok := next(); ok; k, err, ok = next() {
		if err != nil {
			return err
		}
		node++
		if err := s.add(binary.BigEndian.AppendUint32(key[:0], uint32(node)), append(append(val[:0], 0), k...)); err != nil {
			return err
		}
	}
	return nil
}

// edgesByName yields the edges of a graph that has no form, in order of source and
// target: its rows have the keys of both with a zero byte between them, and the
// weight (float32, big-endian) as value. A node without edges is the source of one
// without target and value.
func (r *Runner) edgesByName(ctx context.Context, of record.Result) iter.Seq2[Edge, error] {
	return func(yield func(Edge, error) bool) {
		for row, err := range r.Snapshot.ResultRows(ctx, of, nil) {
			var e Edge
			if err == nil {
				e, err = edgeByName(row)
			}
			if !yield(e, damagedGraph(of, err)) || err != nil {
				return
			}
		}
	}
}

func edgeByName(row record.ResultRow) (Edge, error) {
	from, to, ok := bytes.Cut(row.Key, []byte{0})
	if !ok || len(from) == 0 || len(row.Value) != 4 && (len(to) != 0 || len(row.Value) != 0) {
		return Edge{}, errGraph
	}
	e := Edge{From: urlkey.URL(string(from))}
	if len(to) != 0 {
		e.To, e.Weight = urlkey.URL(string(to)), math.Float32frombits(binary.BigEndian.Uint32(row.Value))
		if !(e.Weight > 0) || math.IsInf(float64(e.Weight), 1) {
			return Edge{}, errGraph
		}
	}
	return e, nil
}
