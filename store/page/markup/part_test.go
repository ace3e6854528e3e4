package markup

import (
	"reflect"
	"testing"
)

// checkParts compares every run of a few siblings, and some that are none, as
// a part of the tree and read by itself. It returns how many were copied.
func checkParts(t *testing.T, body []byte) (copied int) {
	t.Helper()
	tree := NewTree(body)
	var got, want Tree
	compare := func(start, end int) {
		if _, _, ok := tree.standAlone(start, end); ok {
			copied++
		}
		got.ReadPart(tree, start, end)
		want.Read(body[start:end])
		if string(got.Body) != string(want.Body) || !reflect.DeepEqual(got.Nodes, want.Nodes) {
			t.Fatalf("part %q of %q\n got %s %+v\nwant %s %+v", body[start:end], body, outline(&got), got.Nodes, outline(&want), want.Nodes)
		}
	}
	for i := 1; i < len(tree.Nodes) && i < 50; i++ {
		n := tree.Nodes[i]
		compare(int(n.Start), int(n.End))
		compare(int(n.Inner), int(n.Outer))
		compare(int(n.Start)+int(n.End-n.Start)/3, int(n.End))
		for next, k := n.Next, 0; int(next) < len(tree.Nodes) && k < 3; next, k = tree.Nodes[next].Next, k+1 {
			compare(int(n.Start), int(tree.Nodes[next].End))
			compare(int(n.Inner), int(tree.Nodes[next].End))
		}
	}
	return copied
}

func TestReadPart(t *testing.T) {
	tests := []struct {
		name, in string
		copied   bool // some of it
	}{
		{"items", `<ul><li>a<li>b</ul><p>c<p>d`, true},
		{"html in a page", `<div><html lang=x><body>a</div>`, true},
		{"a second body", `<body><div><body>a</div>`, true},
		{"SVG", `<svg><x/><g><y/><z>a</z></g></svg>`, true},
		{"math", `<math><mi/><div>a</div></math>`, true},
		{"CDATA", `<?xml version="1.0"?><p><![CDATA[a]]></p><div><![CDATA[b]]></div>`, false},
		{"stray tags", `<div><b>a</div></b><p>b</p></div>`, true},
		{"a script in a script", `<script type="text/template"><script>a</script>b</script>c`, true},
		{"title without end", `<title><a href=x><style>a</div>`, true},
		{"textarea without end", `<textarea><div>a</div><textarea>b`, true},
		{"cut by an inline element", `<b>a<div>b</div>c</b>d`, true},
		{"select", `<select><option>a<option>b<input>c</select>`, true},
	}
	for _, tt := range tests {
		if got := checkParts(t, []byte(tt.in)); got > 0 != tt.copied {
			t.Errorf("%s: %d parts of %q are copied, want some: %v", tt.name, got, tt.in, tt.copied)
		}
	}
}

func FuzzReadPart(f *testing.F) {
	f.Add([]byte(`<html><body><table><tr><td>a<td>b</table></body></html>`))
	f.Add([]byte(`<h1>a<h2>b</h1><p>c<a>d<a>e</p>f<!-- g --><pre>h</pre>`))
	f.Fuzz(func(t *testing.T, body []byte) { checkParts(t, body) })
}
