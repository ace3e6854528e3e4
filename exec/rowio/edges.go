package rowio

import (
	"errors"
	"io"
	"slices"

	"infomall/exec/value"
)

// AreLinks reports whether rows of these columns can be written as links.
func AreLinks(cols []value.Column) bool {
	_, _, err := linkEnds(cols)
	return err == nil
}

// ErrNoLinks is returned where rows that are to be links have no columns for
// their two ends.
var ErrNoLinks = errors.New("no columns for the two ends of a link")

// linkEnds finds the columns of a link's two ends.
func linkEnds(cols []value.Column) (source, target int, err error) {
	find := func(name string) int {
		return slices.IndexFunc(cols, func(c value.Column) bool { return c.Name == name && c.Type.Textual() })
	}
	if source = find("source"); source < 0 {
		source = find("url")
	}
	if target = find("target"); source < 0 || target < 0 {
		return 0, 0, ErrNoLinks
	}
	return source, target, nil
}

// NewEdges returns a writer of a list of edges, as programs for graphs read it:
// a line an edge, its source, a tab, its target and, where the rows have a
// column weight that is a number, a tab and that. The source is the column of
// that name, or else url. Rows without one of the two are no edges.
func NewEdges(w io.Writer) Writer { return &edges{sink: sink{w: w}} }

type edges struct {
	sink
	source, target int
	weight         int // -1 if there is none
}

// Begin returns ErrNoLinks where source or target is missing.
func (e *edges) Begin(cols []value.Column) (err error) {
	e.source, e.target, err = linkEnds(cols)
	e.weight = slices.IndexFunc(cols, func(c value.Column) bool { return c.Name == "weight" && c.Type.Numeric() })
	return err
}

func (e *edges) Write(b *value.Batch) error {
	for i := range b.N {
		source, target := b.Cols[e.source], b.Cols[e.target]
		if source.IsNull(i) || target.IsNull(i) {
			continue
		}
		e.buf = appendTSV(e.buf, source.Texts[i])
		e.buf = append(e.buf, '\t')
		e.buf = appendTSV(e.buf, target.Texts[i])
		if e.weight >= 0 && !b.Cols[e.weight].IsNull(i) {
			e.buf = append(e.buf, '\t')
			e.buf = b.Cols[e.weight].AppendText(e.buf, i, nil)
		}
		e.buf = append(e.buf, '\n')
		if err := e.full(); err != nil {
			return err
		}
	}
	return e.flush()
}

func (e *edges) End() error { return nil }
