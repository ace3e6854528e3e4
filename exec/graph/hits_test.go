package graph

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestHITSExamples compares with the values of the examples in the papers.
func TestHITSExamples(t *testing.T) {
	example := []WeightedEdge{{0, 1, 1}, {0, 2, 1}, {1, 2, 1}, {2, 0, 1}}
	// Hubs 0..2 point to authority 4, hub 3 to 4 and three more.
	threshold := []WeightedEdge{{0, 4, 1}, {1, 4, 1}, {2, 4, 1}, {3, 4, 1}, {3, 5, 1}, {3, 6, 1}, {3, 7, 1}}
	for _, c := range []struct {
		name           string
		nodes          int
		edges          []WeightedEdge
		o              HITSOptions
		hub, authority []float64 // nil: unknown
	}{
		{"sums of 1", 3, example, HITSOptions{Norm: SumOne}, []float64{.618034, .381966, 0}, []float64{0, .381966, .618034}},
		{"squares of 1", 3, example, HITSOptions{}, nil, []float64{0, .525731, .850651}},
		{"Kleinberg", 8, threshold, HITSOptions{Norm: SumOne, Rounds: 60}, []float64{.18858, .18858, .18858, .434259, 0, 0, 0, 0}, nil},
		{"hub averaging", 8, threshold, HITSOptions{Variant: HubAveraging, Norm: SumOne, Rounds: 60}, []float64{.300944, .300944, .300944, .097168, 0, 0, 0, 0}, nil},
		{"authority threshold", 8, threshold, HITSOptions{Variant: AuthorityThreshold, Keep: 1, Norm: SumOne}, []float64{.25, .25, .25, .25, 0, 0, 0, 0}, []float64{0, 0, 0, 0, .5714, .1429, .1429, .1429}},
	} {
		got, err := ComputeHITS(context.Background(), c.nodes, c.edges, c.o)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []struct {
			what      string
			got, want []float64
		}{{"hub", got.Hub, c.hub}, {"authority", got.Authority, c.authority}} {
			if x.want != nil && !near(x.got, x.want, 2e-4) {
				t.Errorf("%s: %s %v, want %v", c.name, x.what, x.got, x.want)
			}
		}
	}
}

// TestHITSRandom shows that the order of edges does not change a bit, and that
// no value is NaN or infinite.
func TestHITSRandom(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		nodes := rapid.IntRange(1, 20).Draw(rt, "nodes")
		node := rapid.Uint32Range(0, uint32(nodes-1))
		edges := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) WeightedEdge {
			return WeightedEdge{node.Draw(rt, "from"), node.Draw(rt, "to"), rapid.Float64Range(.5, 9).Draw(rt, "weight")}
		}), 0, 60).Draw(rt, "edges")
		o := HITSOptions{Variant: Variant(rapid.IntRange(0, int(Symmetric)).Draw(rt, "variant")), Keep: 2}
		one, err := ComputeHITS(context.Background(), nodes, edges, o)
		if err != nil {
			rt.Fatal(err)
		}
		mixed := rapid.Permutation(edges).Draw(rt, "mixed")
		two, err := ComputeHITS(context.Background(), nodes, mixed, o)
		if err != nil {
			rt.Fatal(err)
		}
		if !slices.Equal(one.Hub, two.Hub) || !slices.Equal(one.Authority, two.Authority) {
			rt.Fatalf("%v and %v differ", one, two)
		}
		explained := node.Draw(rt, "explained")
		three, authority, hub, err := ExplainHITS(context.Background(), nodes, mixed, o, explained)
		if err != nil {
			rt.Fatal(err)
		}
		if !slices.Equal(one.Hub, three.Hub) || !slices.Equal(one.Authority, three.Authority) {
			rt.Fatalf("%v and, explained, %v differ", one, three)
		}
		for _, x := range []struct {
			value float64
			of    []Gift
		}{{one.Authority[explained], authority}, {one.Hub[explained], hub}} {
			all := 0.0
			for _, gift := range x.of {
				all += gift.Value
			}
			if !near([]float64{all}, []float64{x.value}, 1e-9) {
				rt.Fatalf("node %d has %v, made of %v", explained, x.value, x.of)
			}
		}
		for i := range nodes {
			if !(one.Hub[i] >= 0 && one.Hub[i] <= 1 && one.Authority[i] >= 0 && one.Authority[i] <= 1) {
				rt.Fatalf("node %d has %v and %v", i, one.Hub[i], one.Authority[i])
			}
		}
	})
}

// TestExplainHITS explains the values of the example in the papers.
func TestExplainHITS(t *testing.T) {
	edges := []WeightedEdge{{0, 4, 1}, {1, 4, 1}, {2, 4, 1}, {3, 4, 2}, {3, 5, 1}, {3, 6, 1}, {3, 7, 1}}
	for _, c := range []struct {
		o              HITSOptions
		node           uint32
		authority, hub []Gift
	}{
		{HITSOptions{Rounds: 1, Norm: SumOne}, 4, []Gift{{0, 1, .125}, {1, 1, .125}, {2, 1, .125}, {3, 2, .25}}, nil},
		{HITSOptions{Rounds: 1, Norm: SumOne}, 3, nil, []Gift{{4, 2, 10. / 28}, {5, 1, 1. / 28}, {6, 1, 1. / 28}, {7, 1, 1. / 28}}},
		// Among equal authorities the first is kept.
		{HITSOptions{Rounds: 1, Norm: SumOne, Variant: AuthorityThreshold, Keep: 2}, 3, nil, []Gift{{4, 2, 10. / 26}, {5, 1, 1. / 26}, {6, 1, 0}, {7, 1, 0}}},
		{HITSOptions{Rounds: 1, Norm: SumOne, Variant: HubAveraging}, 3, nil, []Gift{{4, 2, 2.5 / 18.25}, {5, 1, .25 / 18.25}, {6, 1, .25 / 18.25}, {7, 1, .25 / 18.25}}},
		// In the second round hub 0 is below the mean of the hubs that point to 4.
		{HITSOptions{Rounds: 2, Norm: SumOne, Variant: HubThreshold}, 4, []Gift{{0, 1, 0}, {1, 1, 0}, {2, 1, 0}, {3, 2, .4}}, nil},
		{HITSOptions{Rounds: 1, Norm: SumOne, Variant: Symmetric}, 5, []Gift{{3, 1, 1. / 16}}, []Gift{{3, 1, 5. / 56}}},
	} {
		values, authority, hub, err := ExplainHITS(context.Background(), 8, edges, c.o, c.node)
		if err != nil {
			t.Fatal(err)
		}
		if !nearGifts(authority, c.authority) || !nearGifts(hub, c.hub) {
			t.Errorf("%+v of node %d: authority of %v, hub of %v; want %v and %v; values %v", c.o, c.node, authority, hub, c.authority, c.hub, values)
		}
	}
	if _, _, _, err := ExplainHITS(context.Background(), 8, edges, HITSOptions{}, 8); err == nil {
		t.Error("no error of a node that is not there")
	}
}

func nearGifts(got, want []Gift) bool {
	return slices.EqualFunc(got, want, func(a, b Gift) bool {
		return a.Node == b.Node && a.Weight == b.Weight && near([]float64{a.Value}, []float64{b.Value}, 1e-9)
	})
}

// TestPath compares with a search through all paths.
func TestPath(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		nodes := rapid.IntRange(1, 9).Draw(rt, "nodes")
		node := rapid.Uint32Range(0, uint32(nodes-1))
		var edges [][2]uint32
		for range rapid.IntRange(0, 14).Draw(rt, "edges") {
			edges = append(edges, [2]uint32{node.Draw(rt, "from"), node.Draw(rt, "to")})
		}
		from, to := int(node.Draw(rt, "start")), int(node.Draw(rt, "goal"))
		// want is the first path that ends at to, among all paths from the
		// shortest on, sorted by node numbers.
		var want []int
		for layer := [][]int{{from}}; len(layer) > 0 && len(layer[0]) <= nodes && want == nil; {
			var next [][]int
			for _, p := range layer {
				last := p[len(p)-1]
				if last == to {
					want = p
					break
				}
				for v := range nodes {
					if slices.Contains(edges, [2]uint32{uint32(last), uint32(v)}) && !slices.Contains(p, v) {
						next = append(next, append(slices.Clone(p), v))
					}
				}
			}
			layer = next
		}
		got, err := build(t, nodes, edges, Options{}).Path(context.Background(), from, to)
		if err != nil {
			rt.Fatal(err)
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("edges %v, from %d to %d: path %v, want %v", edges, from, to, got, want)
		}
	})
}
