package graph

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestFocus compares the part of a random graph with one computed from sets.
func TestFocus(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		nodes := rapid.IntRange(1, 14).Draw(rt, "nodes")
		node := rapid.Uint32Range(0, uint32(nodes-1))
		edges := map[[2]uint32]bool{}
		for range rapid.IntRange(0, 40).Draw(rt, "edges") {
			if e := [2]uint32{node.Draw(rt, "from"), node.Draw(rt, "to")}; e[0] != e[1] {
				edges[e] = true
			}
		}
		site := make([]int, nodes)
		for i := range site {
			site[i] = rapid.IntRange(0, 6).Draw(rt, "site")
		}
		drop := func(from, to uint32) bool { return site[from] == site[to] }
		steps := rapid.IntRange(1, 2).Draw(rt, "steps")
		roots := rapid.SliceOfN(node, 1, 3).Draw(rt, "roots")
		all := rapid.Bool().Draw(rt, "all")

		// With InMax above the number of nodes, a step adds all neighbours.
		in := map[uint32]bool{}
		for _, r := range roots {
			in[r] = true
		}
		for range steps {
			next := maps.Clone(in)
			for e := range edges {
				if !drop(e[0], e[1]) && (in[e[0]] || in[e[1]]) {
					next[e[0]], next[e[1]] = true, true
				}
			}
			in = next
		}
		want := map[[2]uint32]bool{}
		ends := map[uint32]bool{}
		for e := range edges {
			if !drop(e[0], e[1]) && (all || in[e[0]] && in[e[1]]) {
				want[e] = true
				ends[e[0]], ends[e[1]] = true, true
			}
		}
		o := FocusOptions{Steps: steps, InMax: nodes, Drop: drop}
		if !all {
			o.Roots = roots
			for _, r := range roots {
				ends[r] = true
			}
		}
		g := build(t, nodes, slices.Collect(maps.Keys(edges)), Options{})
		got, err := g.Focus(context.Background(), o, len(want))
		if err != nil {
			rt.Fatal(err)
		}
		found := map[[2]uint32]bool{}
		for _, e := range got.Edges {
			found[[2]uint32{got.Nodes[e.From], got.Nodes[e.To]}] = true
		}
		if !maps.Equal(found, want) || !slices.Equal(got.Nodes, slices.Sorted(maps.Keys(ends))) {
			rt.Fatalf("nodes %v, edges %v, want %v, %v", got.Nodes, found, slices.Sorted(maps.Keys(ends)), want)
		}
		var tooMany *TooManyEdgesError
		if len(want) > 0 {
			if _, err = g.Focus(context.Background(), o, len(want)-1); !errors.As(err, &tooMany) {
				rt.Fatalf("error %v, want that there are too many edges", err)
			}
		}
	})
}

// TestFocusBounds shows that a step takes some of the nodes that point to a
// node, evenly, and stops at NodesMax.
func TestFocusBounds(t *testing.T) {
	var edges [][2]uint32
	for u := range uint32(100) {
		edges = append(edges, [2]uint32{u, 100})
	}
	g := build(t, 101, edges, Options{})
	got, err := g.Focus(context.Background(), FocusOptions{Roots: []uint32{100}, InMax: 4}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if want := []uint32{0, 25, 50, 75, 100}; !slices.Equal(got.Nodes, want) || got.Cut {
		t.Errorf("nodes %v, cut %v, want %v", got.Nodes, got.Cut, want)
	}
	if got, err = g.Focus(context.Background(), FocusOptions{Roots: []uint32{100}, NodesMax: 11}, 1000); err != nil {
		t.Fatal(err)
	}
	if len(got.Nodes) != 11 || !got.Cut {
		t.Errorf("%d nodes, cut %v, want 11 and a cut", len(got.Nodes), got.Cut)
	}
}
