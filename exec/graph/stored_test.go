package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/exec/relation/relationtest"
	"infomall/exec/spill"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// keep stores a graph of edges in an archive.
func keep(t testing.TB, memory int64, fill func(*Maker) error) *Stored {
	t.Helper()
	a := relationtest.New()
	room := &spill.Memory{Bytes: memory}
	g, err := BuildNamed(context.Background(), room, NamedOptions{Weighted: true, SelfLoops: true}, fill)
	if err != nil {
		t.Fatal(err)
	}
	properties, rows := Keep(g)
	kept, err := a.SaveResult(context.Background(), task.Result{Kind: task.ResultGraphs, Name: "g", Properties: properties}, rows)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	return &Stored{Result: kept, Rows: a, Memory: room}
}

// edgesWanted returns the edges that a stored graph must have, each once with
// its largest weight, and the nodes without edges, sorted by the keys of both
// ends.
func edgesWanted(list []Edge) (edges []Edge, nodes []string) {
	weight := map[[2]string]float32{}
	linked := map[string]bool{}
	for _, e := range list {
		for _, name := range []string{e.From, e.To} {
			if name != "" {
				nodes = append(nodes, urlkey.Key(name))
				linked[name] = linked[name] || e.To != ""
			}
		}
		if e.To != "" {
			k := [2]string{e.From, e.To}
			weight[k] = max(weight[k], e.Weight)
		}
	}
	for k, w := range weight {
		edges = append(edges, Edge{k[0], k[1], w})
	}
	for name, has := range linked {
		if !has {
			edges = append(edges, Edge{From: name})
		}
	}
	key := func(name string) string {
		if name == "" {
			return ""
		}
		return urlkey.Key(name)
	}
	slices.SortFunc(edges, func(a, b Edge) int {
		return strings.Compare(key(a.From)+"\x00"+key(a.To), key(b.From)+"\x00"+key(b.To))
	})
	slices.Sort(nodes)
	return edges, slices.Compact(nodes)
}

// gathered returns the elements of a sequence.
func gathered[T any](t testing.TB, in iter.Seq2[T, error]) (list []T) {
	t.Helper()
	for x, err := range in {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, x)
	}
	return list
}

// TestKeptGraph stores random graphs and reads them back: as graphs, without
// edges from a node to itself, and as edges, sorted.
func TestKeptGraph(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list := drawEdges(rt)
		want, keys := edgesWanted(list)
		memory := rapid.SampledFrom([]int64{1, 3000, 1 << 20}).Draw(rt, "memory")
		kept := keep(t, memory, edgesOf(list))
		if got := gathered(t, kept.Edges(context.Background())); !slices.Equal(got, want) {
			rt.Fatalf("edges %v, want %v", got, want)
		}
		find := []string{"node 1", "http://h1.cn/5", "http://nowhere.cn/"}
		weighted := rapid.Bool().Draw(rt, "weighted")
		g, err := kept.Graph(context.Background(), NamedOptions{Weighted: weighted, Find: find})
		if err != nil {
			rt.Fatal(err)
		}
		var names []string
		for key, err := range g.Keys() {
			if err != nil {
				rt.Fatal(err)
			}
			names = append(names, string(key))
		}
		if !slices.Equal(names, keys) || g.Nodes() != len(keys) {
			rt.Fatalf("nodes %q, want %q", names, keys)
		}
		for i, f := range find {
			if at := slices.Index(keys, urlkey.Key(f)); g.Found[i] != at {
				rt.Errorf("%s is node %d, want %d", f, g.Found[i], at)
			}
		}
		at := 0
		slices.SortFunc(want, func(a, b Edge) int {
			return strings.Compare(urlkey.Key(a.To)+"\x00"+urlkey.Key(a.From), urlkey.Key(b.To)+"\x00"+urlkey.Key(b.From))
		})
		want = slices.DeleteFunc(want, func(e Edge) bool { return e.To == "" || e.From == e.To })
		for to := range keys {
			if err := g.In(to, func(from int, w float64) {
				e := Edge{urlkey.URL(keys[from]), urlkey.URL(keys[to]), float32(w)}
				x := want[at]
				if at++; !weighted {
					x.Weight = 1
				}
				if e != x {
					rt.Fatalf("edge %v, want %v", e, x)
				}
			}); err != nil {
				rt.Fatal(err)
			}
		}
		if at != len(want) {
			rt.Fatalf("%d edges, want %d", at, len(want))
		}
		if err := g.Close(); err != nil {
			rt.Fatal(err)
		}
	})
}

// TestKeptGraphRows stores a node with more edges than fit in a row.
func TestKeptGraphRows(t *testing.T) {
	const n = 3 * edgeRowBytes
	kept := keep(t, 64<<20, func(m *Maker) error {
		for i := range n {
			if err := m.Link(fmt.Appendf(nil, "%06d", i), []byte("middle"), 1); err != nil {
				return err
			}
		}
		return nil
	})
	rows := gathered(t, kept.rows(context.Background(), rowOfEdges))
	for _, row := range rows {
		if len(row.Value) > edgeRowBytes {
			t.Errorf("a row of %d bytes", len(row.Value))
		}
	}
	g, err := kept.Graph(context.Background(), NamedOptions{Weighted: true})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if len(rows) < 2 || g.Edges() != n || g.InDegree(n) != n {
		t.Errorf("%d rows, %d edges, %d at the middle; want several and %d", len(rows), g.Edges(), g.InDegree(n), n)
	}
}

// TestKeptGraphDamaged reads graphs with damaged rows. The error says where the
// damage is and what to do.
func TestKeptGraphDamaged(t *testing.T) {
	kept := keep(t, 1<<20, edgesOf([]Edge{{"a", "b", 2}, {"b", "c", 1}, {"d", "", 0}}))
	rows := gathered(t, kept.Rows.ResultRows(context.Background(), kept.Result, nil))
	for name, change := range map[string]func(rows []task.ResultRow) []task.ResultRow{
		"no name of a node": func(rows []task.ResultRow) []task.ResultRow { return rows[:len(rows)-1] },
		"one name too many": func(rows []task.ResultRow) []task.ResultRow {
			return append(rows, task.ResultRow{Key: []byte("nz")})
		},
		"an edge that is cut":  func(rows []task.ResultRow) []task.ResultRow { rows[0].Value = rows[0].Value[:3]; return rows },
		"an edge from nowhere": func(rows []task.ResultRow) []task.ResultRow { rows[0].Value[2] = 100; return rows },
		"an edge to nowhere":   func(rows []task.ResultRow) []task.ResultRow { rows[0].Value[0] = 100; return rows },
		"a node with no edges": func(rows []task.ResultRow) []task.ResultRow { rows[0].Value[1] = 0; return rows },
		"a weight that is no one": func(rows []task.ResultRow) []task.ResultRow {
			copy(rows[0].Value[3:], "\xff\xff\xff\xff")
			return rows
		},
	} {
		var changed []task.ResultRow
		for _, r := range rows {
			changed = append(changed, task.ResultRow{Key: bytes.Clone(r.Key), Value: bytes.Clone(r.Value)})
		}
		changed = change(changed)
		of := *kept
		of.Name = name
		if _, err := of.Rows.(*relationtest.Archive).SaveResult(context.Background(), of.Result, func(yield func(task.ResultRow, error) bool) {
			for _, r := range changed {
				if !yield(r, nil) {
					return
				}
			}
		}); err != nil {
			t.Fatal(err)
		}
		g, err := of.Graph(context.Background(), NamedOptions{Weighted: true, Find: []string{"a"}})
		if err == nil {
			t.Errorf("%s: no error", name)
			g.Close()
		}
		var last error
		for _, err := range of.Edges(context.Background()) {
			last = err
		}
		if last == nil && name != "an edge from nowhere" {
			t.Errorf("%s: no error of the edges", name)
		}
	}
}

// FuzzReadEdges reads any bytes as a row. It fails, or the edges it returns
// survive writing and reading.
func FuzzReadEdges(f *testing.F) {
	f.Add([]byte{1, 2, 0, 5, 3, 1, 7}, false)
	f.Add([]byte{0, 1, 0, 0, 0, 128, 63}, true)
	f.Add([]byte{48, 2, 253, 48}, false) // two edges, of which one is cut off
	f.Fuzz(func(t *testing.T, row []byte, weighted bool) {
		read := func(row []byte) (list []string, err error) {
			err = readEdges(row, weighted, &inEdges{}, func(in *inEdges) error {
				for i, u := range in.from {
					w := float32(1)
					if weighted {
						w = in.weight[i]
					}
					list = append(list, fmt.Sprint(in.to, u, w))
				}
				return nil
			})
			return list, err
		}
		list, err := read(row)
		if err != nil {
			if !errors.Is(err, errGraph) {
				t.Fatal(err)
			}
			return
		}
		var again []string
		w := &edgeRows{yield: func(r task.ResultRow, _ error) bool {
			more, err := read(r.Value)
			if err != nil {
				t.Fatal(err)
			}
			again = append(again, more...)
			return true
		}}
		if err := readEdges(row, weighted, &inEdges{}, func(in *inEdges) error {
			weight := in.weight
			if !weighted {
				weight = nil
			}
			return w.add(in.to, in.from, weight)
		}); err != nil {
			t.Fatal(err)
		}
		if err := w.flush(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(again, list) {
			t.Fatalf("written again: %q, want %q", again, list)
		}
	})
}

// TestEdgeRow compares the bytes of a row of edges: the node, how many edges
// come in there, and the distance of each number to the one before.
func TestEdgeRow(t *testing.T) {
	var got []byte
	w := &edgeRows{yield: func(r task.ResultRow, _ error) bool {
		got = bytes.Clone(r.Value)
		return true
	}}
	from := uint32(0)
	var list []uint32
	for _, delta := range []uint32{1, 127, 128, 300, 16384} {
		from += delta
		list = append(list, from)
	}
	if err := w.add(3, list, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.flush(); err != nil {
		t.Fatal(err)
	}
	if want := []byte{3, 5, 0x01, 0x7f, 0x80, 0x01, 0xac, 0x02, 0x80, 0x80, 0x01}; !bytes.Equal(got, want) {
		t.Errorf("row % x, want % x", got, want)
	}
}

// BenchmarkKeptGraph reads a stored graph and ranks it: RMAT with 131,072 nodes
// and up to two million edges.
func BenchmarkKeptGraph(b *testing.B) {
	const scale, degree = 17, 16
	kept := keep(b, 256<<20, func(m *Maker) error {
		r := rand.New(rand.NewPCG(1, scale))
		for range degree << scale {
			var from, to int
			for range scale {
				p := r.IntN(100)
				from, to = from<<1, to<<1
				if p >= 57 && p < 76 || p >= 95 {
					to |= 1
				}
				if p >= 76 {
					from |= 1
				}
			}
			if err := m.Link(strconv.AppendInt(nil, int64(from), 10), strconv.AppendInt(nil, int64(to), 10), 1); err != nil {
				return err
			}
		}
		return nil
	})
	var edges int64
	for b.Loop() {
		g, err := kept.Graph(b.Context(), NamedOptions{Weighted: true})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := g.PageRank(b.Context(), RankOptions{}); err != nil {
			b.Fatal(err)
		}
		edges = g.Edges()
		if err := g.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(edges), "ns/edge")
}
