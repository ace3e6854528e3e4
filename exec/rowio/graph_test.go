package rowio

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

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

// links are rows of links, some of which lead nowhere.
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
	if want := "http://a.cn/?x=1&y\thttp://b.cn/\t1.5\nhttp://b.cn/\thttp://a.cn/?x=1&y\n"; out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	cols[0].Name = "source" // before url
	out.Reset()
	writeAll(t, NewEdges(&out), cols, b)
	if want := "<b> & \x00\thttp://b.cn/\t1.5\n"; out.String() != want {
		t.Errorf("with a column source: got %q, want %q", out.String(), want)
	}
	if err := NewEdges(&out).Begin(cols[:1]); !errors.Is(err, ErrNoLinks) {
		t.Errorf("without target: %v, want ErrNoLinks", err)
	}
}

// TestGraphML reads what was written as XML.
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
	if err := NewGraphML(&out, new(names), nil).Begin(cols[:2]); !errors.Is(err, ErrNoLinks) {
		t.Errorf("without target: %v, want ErrNoLinks", err)
	}
}
