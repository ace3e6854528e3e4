package graph

import (
	"context"
	"fmt"
	"slices"
)

// Path returns the nodes of a shortest path from one node to another, including
// both, or nil if there is no path. If there are several, it returns the path
// that sorts first by node numbers. It needs four bytes of memory per node of
// the graph.
func (g *Graph) Path(ctx context.Context, from, to int) ([]int, error) {
	for _, n := range []int{from, to} {
		if n < 0 || n >= g.nodes {
			return nil, fmt.Errorf("node %d of a graph of size %d", n, g.nodes)
		}
	}
	// The graph lists incoming edges, so the search goes backwards from to, one
	// distance at a time. toward[v] is the node after v on the path, plus one.
	toward := make([]uint32, g.nodes)
	toward[to] = uint32(to) + 1
	var buf buffer
	var edges row
	loaded := -1 // the index of the block whose edges are loaded
	for layer := []int{to}; len(layer) > 0 && toward[from] == 0; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var next []int
		for _, v := range layer {
			if b := g.blockOf(v); b != loaded {
				var err error
				if edges, err = g.load(g.blocks[b], &buf); err != nil {
					return nil, err
				}
				loaded = b
			}
			for _, u := range g.node(edges, v).from {
				if toward[u] == 0 {
					toward[u] = uint32(v) + 1
					next = append(next, int(u))
				}
			}
		}
		slices.Sort(next)
		layer = next
	}
	if toward[from] == 0 {
		return nil, nil
	}
	path := []int{from}
	for v := from; v != to; {
		v = int(toward[v] - 1)
		path = append(path, v)
	}
	return path, nil
}
