package rowio

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infomall/exec/value"
)

// names is Names in memory.
type names []string

func (n *names) Add(name []byte) error {
	*n = append(*n, string(name))
	return nil
}

func (n *names) Sorted() iter.Seq2[[]byte, error] {
	slices.Sort(*n)
	return func(yield func([]byte, error) bool) {
		for _, name := range *n {
			if !yield([]byte(name), nil) {
				return
			}
		}
	}
}

// links returns rows of links, some of which lead nowhere.
func links() ([]value.Column, *value.Batch) {
	cols := []value.Column{{Name: "anchor", Type: value.Text}, {Name: "url", Type: value.URL}, {Name: "target", Type: value.URL}, {Name: "weight", Type: value.Float}}
	b := &value.Batch{}
	for _, c := range cols {
		b.Cols = append(b.Cols, value.NewVector(c.Type, 0))
	}
	add := func(values ...value.Value) {
		for i, v := range values {
			b.Cols[i].AppendValue(v)
		}
		b.N++
	}
	add(value.OfText("<b> & \x00"), value.OfURL("http://a.cn/?x=1&y"), value.OfURL("http://b.cn/"), value.OfFloat(1.5))
	add(value.Value{}, value.OfURL("http://b.cn/"), value.Value{}, value.Value{})
	add(value.Value{}, value.OfURL("http://b.cn/"), value.OfURL("http://a.cn/?x=1&y"), value.Value{})
	return cols, b
}

func writeAll(t *testing.T, w Writer, cols []value.Column, b *value.Batch) {
	t.Helper()
	if err := errors.Join(w.Begin(cols), w.Write(b), w.End()); err != nil {
		t.Fatal(err)
	}
}

// TestEdges writes lines of source, target and weight.
func TestEdges(t *testing.T) {
	cols, b := links()
	var out bytes.Buffer
	writeAll(t, NewEdges(&out), cols, b)
	if want := "http://a.cn/?x=1&y -> http://b.cn/ 1.5\nhttp://b.cn/\nhttp://b.cn/ -> http://a.cn/?x=1&y\n"; out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	cols[0].Name = "source" // before url
	out.Reset()
	writeAll(t, NewEdges(&out), cols, b)
	if want := "<b> & \x00 -> http://b.cn/ 1.5\n"; out.String() != want {
		t.Errorf("with a column source: got %q, want %q", out.String(), want)
	}
	if err := NewEdges(&out).Begin(cols[:1]); !errors.Is(err, errNoLinks) {
		t.Errorf("without target: %v, want errNoLinks", err)
	}
}

// edge is a copy of an Edge.
type edge struct {
	source, target string
	weight         float32
}

// readEdges returns the edges of a list up to the first error, and the error.
func readEdges(r io.Reader) (list []edge, err error) {
	for e, err := range ReadEdges(r) {
		if err != nil {
			return list, err
		}
		list = append(list, edge{string(e.Source), string(e.Target), e.Weight})
	}
	return list, nil
}

// TestReadEdges reads lines with arrows and with tabs, and shows the errors for
// lines that are wrong.
func TestReadEdges(t *testing.T) {
	for _, c := range []struct {
		text string
		want []edge
		err  string
	}{
		{"", nil, ""},
		{"http://a -> http://b 1.0\n", []edge{{"http://a", "http://b", 1}}, ""},
		{"\ufeffa -> b\r\n\n  c  \nb->c -> d 2", []edge{{"a", "b", 1}, {"c", "", 1}, {"b->c", "d", 2}}, ""},
		{"a\tb\t.5\nb\ta b\n", []edge{{"a", "b", .5}, {"b", "a b", 1}}, ""},
		{"a -> new york 3e2", []edge{{"a", "new york", 300}}, ""},
		{"a -> b\na -> b 0", []edge{{"a", "b", 1}}, "line 2: the weight 0 is not a number above 0 that fits in 32 bits"},
		{"a -> b NaN", nil, "line 1: the weight NaN is not a number above 0 that fits in 32 bits"},
		{"a -> b 1e-60", nil, "line 1: the weight 1e-60 is not a number above 0 that fits in 32 bits"},
		{"a\t", []edge{{"a", "", 1}}, ""},
		{"x\n -> b", []edge{{"x", "", 1}}, "line 2: an edge has no name on one side of its arrow"},
		{"b ->", nil, "line 1: an edge has no name on one side of its arrow"},
		{"a ->  \tb", []edge{{"a", "b", 1}}, ""},
		{strings.Repeat("a", edgeLineMax+1), nil, fmt.Sprintf("line 1 has more than %d bytes: this is no list of edges", edgeLineMax)},
	} {
		got, err := readEdges(strings.NewReader(c.text))
		text := ""
		if err != nil {
			text = err.Error()
		}
		if !slices.Equal(got, c.want) || text != c.err {
			t.Errorf("%.40q: got %v, %q, want %v, %q", c.text, got, text, c.want, c.err)
		}
	}
}

// TestEdgesReadBack writes edges with any names and weights, and reads them
// again.
func TestEdgesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cols := []value.Column{{Name: "source", Type: value.Text}, {Name: "target", Type: value.Text}, {Name: "weight", Type: value.Float}}
		b := &value.Batch{}
		for _, c := range cols {
			b.Cols = append(b.Cols, value.NewVector(c.Type, 0))
		}
		var want []edge
		name := rapid.Custom(func(t *rapid.T) string {
			return rapid.SampledFrom([]string{"http://a.cn/", "b", "new york", "x 1.5", "->", "北京"}).Draw(t, "name")
		})
		for range rapid.IntRange(0, 5).Draw(t, "edges") {
			e := edge{name.Draw(t, "source"), name.Draw(t, "target"), 1}
			weight := value.Value{}
			if rapid.Bool().Draw(t, "weighted") {
				e.weight = float32(rapid.IntRange(1, 9).Draw(t, "weight")) / 4
				weight = value.OfFloat(float64(e.weight))
			}
			b.Cols[0].AppendValue(value.OfText(e.source))
			b.Cols[1].AppendValue(value.OfText(e.target))
			b.Cols[2].AppendValue(weight)
			b.N++
			want = append(want, e)
		}
		var out bytes.Buffer
		w := NewEdges(&out)
		err := errors.Join(w.Begin(cols), w.Write(b), w.End())
		if bad := slices.ContainsFunc(want, func(e edge) bool { return e.source == "->" || e.target == "->" }); bad != (err != nil) {
			t.Fatalf("an arrow for a name: %v, error %v", bad, err)
		} else if bad {
			return
		}
		got, err := readEdges(&out)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("got %v, error %v, want %v", got, err, want)
		}
	})
}

// FuzzReadEdges reads any text: the names and weights of the edges can be
// stored, or there is an error.
func FuzzReadEdges(f *testing.F) {
	f.Add("http://a -> http://b 1.0\nlone\na\tb\t2")
	f.Fuzz(func(t *testing.T, text string) {
		list, _ := readEdges(strings.NewReader(text))
		for _, e := range list {
			if e.source == "" || !(e.weight > 0) || math.IsInf(float64(e.weight), 1) {
				t.Errorf("edge %v", e)
			}
		}
	})
}

// TestGraphML reads the output as XML.
func TestGraphML(t *testing.T) {
	cols, b := links()
	var out bytes.Buffer
	writeAll(t, NewGraphML(&out, new(names), nil), cols, b)
	type data struct {
		Key   string `xml:"key,attr"`
		Value string `xml:",chardata"`
	}
	var doc struct {
		Keys []struct {
			ID   string `xml:"id,attr"`
			Name string `xml:"attr.name,attr"`
			Type string `xml:"attr.type,attr"`
		} `xml:"key"`
		Graph struct {
			Nodes []struct {
				ID   string `xml:"id,attr"`
				Data []data `xml:"data"`
			} `xml:"node"`
			Edges []struct {
				Source string `xml:"source,attr"`
				Target string `xml:"target,attr"`
				Data   []data `xml:"data"`
			} `xml:"edge"`
		} `xml:"graph"`
	}
	if err := xml.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatalf("%v in\n%s", err, out.String())
	}
	if got, want := fmt.Sprint(doc.Keys), "[{name name string} {e0 anchor string} {e3 weight double}]"; got != want {
		t.Errorf("keys %s, want %s", got, want)
	}
	id := make(map[string]string)
	for _, n := range doc.Graph.Nodes {
		id[n.Data[0].Value] = n.ID
	}
	a, bID := id["http://a.cn/?x=1&y"], id["http://b.cn/"]
	if len(doc.Graph.Nodes) != 2 || a == "" || bID == "" || a == bID {
		t.Errorf("nodes %+v", doc.Graph.Nodes)
	}
	want := fmt.Sprintf("[{%s %s [{e0 <b> & \uFFFD} {e3 1.5}]} {%s %s []}]", a, bID, bID, a)
	if got := fmt.Sprint(doc.Graph.Edges); got != want {
		t.Errorf("edges %s, want %s", got, want)
	}
	if err := NewGraphML(&out, new(names), nil).Begin(cols[:2]); !errors.Is(err, errNoLinks) {
		t.Errorf("without target: %v, want errNoLinks", err)
	}
}
