package relation

import "infomall/exec/value"

var Graphs = &Relation{
	Name: "graphs", Doc: "one graph that IMPORT FORMAT graph has brought",
	Columns: []Column{
		{Name: "name", Type: value.Text, Doc: "its name"},
		{Name: "nodes", Type: value.Int, Doc: "nodes in it"},
		{Name: "edges", Type: value.Int, Doc: "edges in it"},
		{Name: "imported", Type: value.Time, Doc: "when it came in"},
		{Name: "statement", Type: value.Text, Doc: "what brought it"},
		{Name: "bytes", Type: value.Int, Doc: "size of its file"},
	},
}

var Edges = &Relation{
	Name: "edges", Doc: "one edge of a graph that IMPORT FORMAT graph has brought, or a node without edges",
	Columns: []Column{
		{Name: "graph", Type: value.Text, Doc: "name of the graph"},
		{Name: "source", Type: value.Text, Doc: "name of the node that it leaves, a URL for one"},
		{Name: "target", Type: value.Text, Doc: "name of the node that it leads to; NULL where the source has no edges"},
		{Name: "weight", Type: value.Float, Doc: "its weight, 1 where the file says none"},
	},
}
