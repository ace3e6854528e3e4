package export

import (
	"io"

	"infomall/exec/rowio"
)

// The formats edges and GraphML, for graphs. The rows are links, and each link is an edge.
var (
	edges = &format{name: "edges", mediaType: "text/plain", suffixes: []string{".edges"}, links: true, rows: func(w io.Writer, _ rowTarget) (rowio.Writer, error) {
		return rowio.NewEdges(w), nil
	}}
	graphML = &format{name: "graphml", mediaType: "application/graphml+xml", suffixes: []string{".graphml"}, links: true, rows: func(w io.Writer, to rowTarget) (rowio.Writer, error) {
		return rowio.NewGraphML(w, to.names, to.zone), nil
	}}
)
