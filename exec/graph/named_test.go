package graph

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infomall/exec/spill"
	"infomall/store/urlkey"
)

// edgesOf returns a function that adds edges to a graph.
func edgesOf(list []Edge) func(*Maker) error {
	return func(m *Maker) error {
		for _, e := range list {
			if err := m.Link([]byte(e.From), []byte(e.To), e.Weight); err != nil {
				return err
			}
		}
		return nil
	}
}

// drawEdges draws edges between nodes of a few hosts, and nodes without edges.
func drawEdges(t *rapid.T) []Edge {
	name := rapid.Custom(func(t *rapid.T) string {
		n := rapid.IntRange(0, 30).Draw(t, "n")
		if n < 3 {
			return fmt.Sprint("node ", n)
		}
		return fmt.Sprintf("http://h%d.cn/%d", n%4, n)
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Edge {
		e := Edge{From: name.Draw(t, "from"), To: name.Draw(t, "to"), Weight: float32(rapid.IntRange(1, 3).Draw(t, "weight"))}
		if rapid.IntRange(0, 9).Draw(t, "alone") == 0 {
			e.To = ""
		}
		return e
	}), 0, 200).Draw(t, "edges")
}

// TestNamedGraph builds random graphs and compares them with a map. Some have
// so little memory that names are forgotten and everything is spilled.
func TestNamedGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawEdges(t)
		weighted := rapid.Bool().Draw(t, "weighted")
		memory := rapid.SampledFrom([]int64{1, 3000, 1 << 20}).Draw(t, "memory")

		nodes := map[string]bool{}
		edges := map[[2]string]float64{}
		for _, e := range list {
			nodes[urlkey.Key(e.From)] = true
			if e.To == "" {
				continue
			}
			nodes[urlkey.Key(e.To)] = true
			if e.From != e.To {
				w := max(edges[[2]string{urlkey.Key(e.From), urlkey.Key(e.To)}], float64(e.Weight))
				if !weighted {
					w = 1
				}
				edges[[2]string{urlkey.Key(e.From), urlkey.Key(e.To)}] = w
			}
		}
		keys := slices.Sorted(maps.Keys(nodes))

		find := []string{"node 1", "http://h1.cn/5", "http://nowhere.cn/"}
		g, err := BuildNamed(context.Background(), &spill.Memory{Bytes: memory}, NamedOptions{Weighted: weighted, Find: find}, edgesOf(list))
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		var got []string
		for key, err := range g.Keys() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(key))
		}
		if !slices.Equal(got, keys) || g.Nodes() != len(keys) {
			t.Fatalf("nodes %q, want %q", got, keys)
		}
		for i, f := range find {
			if want := slices.Index(keys, urlkey.Key(f)); g.Found[i] != want {
				t.Errorf("%s is node %d, want %d", f, g.Found[i], want)
			}
		}
		found := map[[2]string]float64{}
		for to := range keys {
			if err := g.In(to, func(from int, w float64) { found[[2]string{keys[from], keys[to]}] = w }); err != nil {
				t.Fatal(err)
			}
		}
		if !maps.Equal(found, edges) {
			t.Fatalf("edges %v, want %v", found, edges)
		}
	})
}

// TestNamedGraphEnds shows that errors of the edges and of the context are
// returned.
func TestNamedGraphEnds(t *testing.T) {
	fault := errors.New("no more")
	_, err := BuildNamed(context.Background(), &spill.Memory{Bytes: 1 << 20}, NamedOptions{}, func(*Maker) error { return fault })
	if !errors.Is(err, fault) {
		t.Errorf("error %v, want that of the edges", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	_, err = BuildNamed(ctx, &spill.Memory{Bytes: 1 << 20}, NamedOptions{}, func(m *Maker) error {
		for {
			if err := m.Link(fmt.Append(nil, n), []byte("b"), 1); err != nil {
				return err
			}
			if n++; n == 10 {
				cancel()
			}
		}
	})
	if !errors.Is(err, context.Canceled) || n > 2*ctxEvery {
		t.Errorf("error %v after %d edges, want that of the context", err, n)
	}
}
