package graph

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"

	"infomall/exec/spill"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// A stored graph lists its edges by the numbers of their nodes, sorted by (to, from), which is the
// order that ranking needs. Its rows are:
//
//	key                    value
//	'e', number of row     a list of nodes with the edges that come in there
//	'n', key of the node   empty; one row per node, in the order of numbers
//
// An entry of the list describes one node. It has the distance of the node's number from that of
// the node before it in the row, then the number of edges, then for each edge the distance of its
// source from the source before (all these are uvarints), and then, if the graph has weights, the
// weight of each edge (float32, little-endian). The edges of a node may continue in the next row.
const (
	rowOfEdges = 'e'
	rowOfNode  = 'n'
	// edgeRowBytes is the size, about, at which a row of edges is full, in bytes.
	edgeRowBytes = 32 << 10
)

// The names of the properties of a stored graph.
const (
	PropertyNodes = "nodes"
	PropertyEdges = "edges"
	// graphWeights is "yes" if edges have weights.
	graphWeights = "weights"
)

// Results reads the rows of stored results, such as graphs. A snapshot of an
// archive implements it. ResultRows yields the rows of r whose keys are in the
// ranges, sorted by key.
type Results interface {
	ResultRows(ctx context.Context, r task.Result, ranges []urlkey.Range) iter.Seq2[task.ResultRow, error]
}

// Stored is a graph that an archive stores. It can be read while the snapshot
// in Rows is open.
type Stored struct {
	task.Result
	Rows   Results
	Memory *spill.Memory
}

// Keep returns the properties and the rows in which an archive stores the graph g. Stored.Graph
// reads them back.
func Keep(g *Named) (properties map[string]string, rows iter.Seq2[task.ResultRow, error]) {
	properties = map[string]string{
		PropertyNodes: strconv.Itoa(g.Nodes()), PropertyEdges: strconv.FormatInt(g.Edges(), 10),
	}
	if g.weighted() {
		properties[graphWeights] = "yes"
	}
	return properties, func(yield func(task.ResultRow, error) bool) {
		w := &edgeRows{yield: yield}
		err := g.each(w.add)
		if err == nil {
			err = w.flush()
		}
		key := []byte{rowOfNode}
		if err == nil {
			for name, e := range g.Keys() {
				if err = e; err != nil || !yield(task.ResultRow{Key: append(key[:1], name...)}, nil) {
					break
				}
			}
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(task.ResultRow{}, err)
		}
	}
}

// errEnough is the error that ends the loop over a graph when the consumer of its rows wants no
// more.
var errEnough = errors.New("no more is wanted")

// edgeRows encodes the edges of a graph as the rows that an archive stores.
type edgeRows struct {
	yield func(task.ResultRow, error) bool
	n     uint32 // the number of the current row
	last  int    // the last node in the current row
	value []byte
}

// add adds the edges that come in at node to. The parameter from has the nodes
// they come from, sorted, and weight has their weights, or is nil. add passes each
// full row to w.yield, and returns errEnough if that asks to stop.
func (w *edgeRows) add(to int, from []uint32, weight []float32) error {
	for len(from) > 0 {
		// As many edges as fit in the row if each has the greatest length; at least one.
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

// flush passes the current row to w.yield, unless it is empty, and starts the
// next. It returns errEnough if w.yield asks to stop.
func (w *edgeRows) flush() error {
	if len(w.value) == 0 {
		return nil
	}
	if !w.yield(task.ResultRow{Key: binary.BigEndian.AppendUint32([]byte{rowOfEdges}, w.n), Value: w.value}, nil) {
		return errEnough
	}
	w.n++
	w.last, w.value = 0, w.value[:0]
	return nil
}

// errGraph is the error for a row of a stored graph that the function Keep did
// not make.
var errGraph = errors.New("a row of a graph is damaged")

// inEdges has the edges that come in at the node to: the nodes they come from,
// sorted, and their weights.
type inEdges struct {
	to     int
	from   []uint32
	weight []float32 // nil or empty if each is 1
}

// readEdges decodes the value of one row of a stored graph that holds edges. It
// calls f for each node in the row, with the edges that point to the node. It
// decodes into the memory of the parameter in, so the argument of f is valid
// until f returns. It returns errGraph for a damaged row.
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

// rows yields the rows of a stored graph whose keys begin with the given
// letter, rowOfEdges or rowOfNode. It removes the letter from the keys.
func (g *Stored) rows(ctx context.Context, letter byte) iter.Seq2[task.ResultRow, error] {
	return func(yield func(task.ResultRow, error) bool) {
		ranges := []urlkey.Range{{From: string(letter), To: string(letter + 1)}}
		for row, err := range g.Rows.ResultRows(ctx, g.Result, ranges) {
			if err == nil {
				row.Key = row.Key[1:]
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// in calls f for each entry of the stored edges: a node with edges that come in
// there, sorted by (to, from). A node with many edges may have several entries.
// The argument of f is valid until f returns. An error of f ends the loop and
// is returned.
func (g *Stored) in(ctx context.Context, f func(*inEdges) error) error {
	var in inEdges
	weighted := g.Properties[graphWeights] != ""
	for row, err := range g.rows(ctx, rowOfEdges) {
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

// nodeKeys yields the sort keys of the nodes of a stored graph, in the order of
// node numbers. If there are more or fewer keys than the graph's properties
// say, it yields an error.
func (g *Stored) nodeKeys(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		left := Property(&g.Result, PropertyNodes)
		for row, err := range g.rows(ctx, rowOfNode) {
			if left--; err == nil && left < 0 {
				err = g.damaged(errGraph)
			}
			if !yield(row.Key, err) || err != nil {
				return
			}
		}
		if left > 0 {
			yield(nil, g.damaged(errGraph))
		}
	}
}

// damaged wraps errGraph with the name of the damaged file and with advice for
// the user. It returns other errors unchanged.
func (g *Stored) damaged(err error) error {
	if errors.Is(err, errGraph) {
		return fmt.Errorf("%s: %w; DROP GRAPH %s and import it again", g.File, err, g.Name)
	}
	return err
}

// Graph reads the stored graph and returns it as a Named, as BuildNamed would
// build it, but without sorting. The Named reads its keys from the snapshot in
// g.Rows and is valid while that snapshot is open. The caller closes the Named.
func (g *Stored) Graph(ctx context.Context, o NamedOptions) (*Named, error) {
	nodes, edges := Property(&g.Result, PropertyNodes), Property(&g.Result, PropertyEdges)
	if nodes < 0 || nodes > nodesMax || edges < 0 {
		return nil, g.damaged(errGraph)
	}
	weighted := g.Properties[graphWeights] != ""
	s, err := NewSorted(int(nodes), edges, Options{Memory: g.Memory.Bytes / 2, TempFile: g.Memory.TempFile, Weighted: weighted && o.Weighted, SelfLoops: o.SelfLoops})
	if err != nil {
		return nil, err
	}
	err = g.in(ctx, func(in *inEdges) error { return s.AddAll(uint32(in.to), in.from, in.weight) })
	if err != nil {
		return nil, errors.Join(g.damaged(err), s.Close())
	}
	named := &Named{keys: func() iter.Seq2[[]byte, error] { return g.nodeKeys(ctx) }}
	if named.Graph, err = s.Graph(); err != nil {
		return nil, err
	}
	if len(o.Find) > 0 {
		if err := named.find(o.Find); err != nil {
			return nil, errors.Join(err, named.Close())
		}
	}
	return named, nil
}

// find sets g.Found to the node number of each of names, or -1 for a name that
// is not a node. It reads the keys of all nodes.
func (g *Named) find(names []string) error {
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

// Edges yields the edges of a stored graph, sorted by source and target. A node
// without edges is an Edge whose To is "".
func (g *Stored) Edges(ctx context.Context) iter.Seq2[Edge, error] {
	return func(yield func(Edge, error) bool) {
		s := g.Memory.Sorter(ctx, 2)
		defer s.Close()
		if err := g.bySource(ctx, s); err != nil {
			yield(Edge{}, g.damaged(err))
			return
		}
		// Each node comes before the edges from it. A node is held back until it is
		// known whether it has edges.
		var from Edge
		alone := false
		for x, err := range s.Sorted() {
			if err != nil {
				yield(Edge{}, err)
				return
			}
			if len(x.Key) > sourceBytes {
				from.To, from.Weight = urlkey.URL(string(x.Val[4:])), math.Float32frombits(binary.BigEndian.Uint32(x.Val))
				alone = false
				if !yield(from, nil) {
					return
				}
				continue
			}
			if alone && !yield(Edge{From: from.From}, nil) {
				return
			}
			from.From, alone = urlkey.URL(string(x.Val[1:])), x.Val[0] == 0
		}
		if alone {
			yield(Edge{From: from.From}, nil)
		}
	}
}

// sourceBytes is the length of the source's node number at the start of the
// keys that bySource makes.
const sourceBytes = 4

// bySource adds a record to the sorter s for each node and each edge. The key
// of a node is its number. Its value is a byte, which is 0 if no edge comes in
// at the node and 1 otherwise, and then its name. The key of an edge is the
// numbers of source and target. Its value is the weight, then the name of the
// target.
func (g *Stored) bySource(ctx context.Context, s *spill.Sorter) error {
	next, stop := iter.Pull2(g.nodeKeys(ctx))
	defer stop()
	var key, val, name []byte
	node := -1 // the node whose name is in name
	// goTo reads names up to the node to, and adds a record for each node that
	// it passes.
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
			if err := s.Add(binary.BigEndian.AppendUint32(key[:0], uint32(node)), val); err != nil {
				return err
			}
		}
		return nil
	}
	err := g.in(ctx, func(in *inEdges) error {
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
			if err := s.Add(key, val); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	// Nodes without incoming edges may follow the last node with some.
	for k, err, ok := next(); ok; k, err, ok = next() {
		if err != nil {
			return err
		}
		node++
		if err := s.Add(binary.BigEndian.AppendUint32(key[:0], uint32(node)), append(append(val[:0], 0), k...)); err != nil {
			return err
		}
	}
	return nil
}

// Property returns a property of g that is a whole number, such as
// PropertyNodes. It returns 0 if the property is missing or is not a number.
func Property(g *task.Result, name string) int64 {
	n, err := strconv.ParseInt(g.Properties[name], 10, 64)
	if err != nil {
		return 0
	}
	return n
}
