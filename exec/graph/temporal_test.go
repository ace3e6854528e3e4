package graph

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"infomall/exec/spill"
)

// timedEdge is an edge of a temporal graph as the model knows it.
type timedEdge struct {
	from, to int
	Interval
}

func temporalName(n int) string { return fmt.Sprintf("http://n%d.example/", n) }

// temporal makes a Temporal of edges. Found has the number of each node of the model.
func temporal(t testing.TB, nodes int, edges []timedEdge, memory int64) *Temporal {
	t.Helper()
	var find []string
	for n := range nodes {
		find = append(find, temporalName(n))
	}
	g, err := BuildTemporal(context.Background(), &spill.Memory{Bytes: memory}, find, func(m *TemporalMaker) error {
		for n := range nodes {
			if _, err := m.Node([]byte(temporalName(n))); err != nil {
				return err
			}
		}
		for _, e := range edges {
			if err := m.Interval(e.Interval); err != nil {
				return err
			}
			u, err := m.Node([]byte(temporalName(e.from)))
			if err != nil {
				return err
			}
			v, err := m.Node([]byte(temporalName(e.to)))
			if err != nil {
				return err
			}
			if err := m.Edge(u, v); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// arrival is the plain model of the first arrival: at each moment, all nodes are reached
// to which edges of this moment lead from a node that is reached. It returns -1 if the
// node to is never reached.
func arrival(nodes int, edges []timedEdge, from, to int, begin, end int64) int64 {
	reached := make([]bool, nodes)
	reached[from] = true
	for at := begin; at <= end; at++ {
		for range nodes {
			for _, e := range edges {
				if reached[e.from] && e.From <= at && at <= e.To {
					reached[e.to] = true
				}
			}
		}
		if reached[to] {
			return at
		}
	}
	return -1
}

// fewest is the least number of edges of a path that arrives by the time end. It tries
// all paths without a node twice.
func fewest(edges []timedEdge, from, to int, at, end int64, seen map[int]bool) int {
	if from == to {
		return 0
	}
	seen[from] = true
	defer delete(seen, from)
	least := 1 << 30
	for _, e := range edges {
		if next := max(at, e.From); e.from == from && !seen[e.to] && next <= min(e.To, end) {
			least = min(least, 1+fewest(edges, e.to, to, next, end, seen))
		}
	}
	return least
}

// TestEarliestModel shows that paths in random temporal graphs arrive when the plain
// model does, with the fewest edges, and that each is a path: its edges are of the graph
// and are used in their intervals, one after the other.
func TestEarliestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		nodes := rapid.IntRange(2, 6).Draw(rt, "nodes")
		var edges []timedEdge
		for range rapid.IntRange(0, 14).Draw(rt, "edges") {
			e := timedEdge{from: rapid.IntRange(0, nodes-1).Draw(rt, "from"), to: rapid.IntRange(0, nodes-1).Draw(rt, "to")}
			e.From = int64(rapid.IntRange(0, 20).Draw(rt, "begins"))
			e.To = e.From + int64(rapid.IntRange(0, 6).Draw(rt, "lasts"))
			edges = append(edges, e)
		}
		g := temporal(t, nodes, edges, 1<<20)
		defer g.Close()
		from, to := rapid.IntRange(0, nodes-1).Draw(rt, "a"), rapid.IntRange(0, nodes-1).Draw(rt, "b")
		begin := int64(rapid.IntRange(0, 20).Draw(rt, "during"))
		end := begin + int64(rapid.IntRange(0, 15).Draw(rt, "and"))
		path, err := g.Earliest(context.Background(), g.Found[from], g.Found[to], begin, end)
		if err != nil {
			rt.Fatal(err)
		}
		want := arrival(nodes, edges, from, to, begin, end)
		if want < 0 {
			if path != nil {
				rt.Fatalf("path %v, want none", path)
			}
			return
		}
		if len(path) == 0 || path[len(path)-1].Time != want || path[0] != (Step{Node: g.Found[from], Time: begin}) || path[len(path)-1].Node != g.Found[to] {
			rt.Fatalf("path %v from %d to %d of %v, want the arrival %d", path, g.Found[from], g.Found[to], edges, want)
		}
		if least := fewest(edges, from, to, begin, want, map[int]bool{}); len(path)-1 != least {
			rt.Fatalf("path %v has %d edges, want %d", path, len(path)-1, least)
		}
		for i := 1; i < len(path); i++ {
			s, before := path[i], path[i-1]
			of := false
			for _, e := range edges {
				of = of || g.Found[e.from] == before.Node && g.Found[e.to] == s.Node && e.Interval == s.Edge
			}
			if !of || s.Time < before.Time || s.Time < s.Edge.From || s.Time > min(s.Edge.To, end) {
				rt.Fatalf("step %d of %v is no edge, or is used when it is not there", i, path)
			}
		}
	})
}

// TestEarliestEnds shows that the search ends with the error of its context.
func TestEarliestEnds(t *testing.T) {
	g := temporal(t, 2, []timedEdge{{0, 1, Interval{0, 1}}}, 1<<20)
	defer g.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := g.Earliest(ctx, g.Found[0], g.Found[1], 0, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if _, err := g.Earliest(context.Background(), 0, 2, 0, 1); err == nil {
		t.Error("no error for a node that is not in the graph")
	}
}

// TestIntervalsAreBounded shows that more intervals than memory allows are an error that
// says what to do.
func TestIntervalsAreBounded(t *testing.T) {
	_, err := BuildTemporal(context.Background(), &spill.Memory{Bytes: 1 << 20}, nil, func(m *TemporalMaker) error {
		for {
			if err := m.Interval(Interval{}); err != nil {
				return err
			}
		}
	})
	want := fmt.Sprintf("the links are of more than %d versions of pages, which need more memory; SET memory to more", 1<<20/8/intervalBytes)
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
