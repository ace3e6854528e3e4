package rowio

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"iter"
	"time"

	"infomall/exec/value"
)

// Names collects names and yields them sorted by bytes, with repetitions.
// spill.Lines implements Names with bounded memory, because it also uses disk.
type Names interface {
	Add(name []byte) error
	Sorted() iter.Seq2[[]byte, error]
}

// NewGraphML returns a writer of GraphML. Each row is an edge from the node that the column
// source names (or url if there is no column source) to the node that the column target
// names. The other columns become data of the edge. The nodes come after the edges in the
// file, each once, with its name as data. The writer collects their names in names. The id
// of a node is a hash of its name, so the writer needs no table of ids in memory. Times are
// written in the time zone zone.
func NewGraphML(w io.Writer, names Names, zone *time.Location) Writer {
	return &graphML{sink: sink{w: w}, names: names, zone: zone}
}

// graphML is the Writer that NewGraphML returns. source and target are the
// indexes of the columns with the ends of an edge.
type graphML struct {
	sink
	names          Names
	zone           *time.Location
	source, target int
}

// graphMLHead is the start of a GraphML file.
const graphMLHead = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
<key id="name" for="node" attr.name="name" attr.type="string"/>
`

// Begin writes the start of the file, which declares the columns. It returns
// errNoLinks if the column source or target is missing.
func (g *graphML) Begin(cols []value.Column) (err error) {
	if g.source, g.target, err = linkEnds(cols); err != nil {
		return err
	}
	g.buf = append(g.buf, graphMLHead...)
	for i, c := range cols {
		if i == g.source || i == g.target {
			continue
		}
		kind := "string"
		switch c.Type {
		case value.Bool:
			kind = "boolean"
		case value.Int:
			kind = "long"
		case value.Float, value.Duration:
			kind = "double"
		}
		g.buf = fmt.Appendf(g.buf, `<key id="e%d" for="edge" attr.name="`, i)
		g.text(c.Name)
		g.buf = fmt.Appendf(g.buf, "\" attr.type=\"%s\"/>\n", kind)
	}
	g.buf = append(g.buf, "<graph edgedefault=\"directed\">\n"...)
	return g.flush()
}

// Write writes one edge for each row of the batch that has both ends.
func (g *graphML) Write(b *value.Batch) error {
	for i := range b.N {
		source, target := b.Cols[g.source], b.Cols[g.target]
		if source.IsNull(i) || target.IsNull(i) {
			continue
		}
		for _, name := range []string{source.Texts[i], target.Texts[i]} {
			if err := g.names.Add([]byte(name)); err != nil {
				return err
			}
		}
		g.buf = fmt.Appendf(g.buf, `<edge source="%s" target="%s">`, nodeID(source.Texts[i]), nodeID(target.Texts[i]))
		for k, v := range b.Cols {
			if k == g.source || k == g.target || v.IsNull(i) {
				continue
			}
			g.buf = fmt.Appendf(g.buf, `<data key="e%d">`, k)
			if v.Type == value.Duration {
				g.buf = value.AppendSeconds(g.buf, v.Ints[i])
			} else {
				g.text(string(v.AppendText(nil, i, g.zone)))
			}
			g.buf = append(g.buf, "</data>"...)
		}
		g.buf = append(g.buf, "</edge>\n"...)
		if err := g.full(); err != nil {
			return err
		}
	}
	return g.flush()
}

// nodeID returns the id of the node with this name: "n" and a hash of the name,
// in hexadecimal. Names themselves may contain characters that are not allowed
// in an id.
func nodeID(name string) string {
	sum := sha256.Sum256([]byte(name))
	return "n" + hex.EncodeToString(sum[:10])
}

// text appends s, escaped for XML. Characters that XML cannot hold become
// U+FFFD.
func (g *graphML) text(s string) {
	xml.EscapeText(bufferOf{&g.buf}, []byte(s)) // appending does not fail
}

// bufferOf is an io.Writer that appends to the slice *b.
type bufferOf struct{ b *[]byte }

// Write appends p to the slice. It does not fail.
func (b bufferOf) Write(p []byte) (int, error) {
	*b.b = append(*b.b, p...)
	return len(p), nil
}

// End writes the nodes and the end of the file.
func (g *graphML) End() error {
	last, any := "", false
	for name, err := range g.names.Sorted() {
		if err != nil {
			return err
		}
		if any && string(name) == last {
			continue
		}
		last, any = string(name), true
		g.buf = fmt.Appendf(g.buf, `<node id="%s"><data key="name">`, nodeID(last))
		g.text(last)
		g.buf = append(g.buf, "</data></node>\n"...)
		if err := g.full(); err != nil {
			return err
		}
	}
	g.buf = append(g.buf, "</graph>\n</graphml>\n"...)
	return g.flush()
}
