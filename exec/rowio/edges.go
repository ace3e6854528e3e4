package rowio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"infomall/exec/value"
)

// AreLinks reports whether rows with the columns cols can be written as links:
// they need a text column target, and a text column source or url.
func AreLinks(cols []value.Column) bool {
	_, _, err := linkEnds(cols)
	return err == nil
}

// errNoLinks is the error for rows that must be written as links, but lack a
// text column for one of the two ends.
var errNoLinks = errors.New("no columns for the two ends of a link")

// linkEnds returns the indexes of the columns with the two ends of a link:
// source, or url if there is no column source, and target. It returns
// errNoLinks if a column is missing.
func linkEnds(cols []value.Column) (source, target int, err error) {
	find := func(name string) int {
		return slices.IndexFunc(cols, func(c value.Column) bool { return c.Name == name && c.Type.Textual() })
	}
	if source = find("source"); source < 0 {
		source = find("url")
	}
	if target = find("target"); source < 0 || target < 0 {
		return 0, 0, errNoLinks
	}
	return source, target, nil
}

// edgeSign separates the two ends of an edge in a list of edges.
const edgeSign = " -> "

// NewEdges returns a writer of a list of edges, with one line per row: "source
// -> target", and then the weight if the rows have a numeric column weight. If
// there is no column source, the column url is the source. If the target is
// NULL or empty, the line is only the source, which means a node without edges.
// Rows without a source are left out.
func NewEdges(w io.Writer) Writer { return &edges{sink: sink{w: w}} }

// edges is the Writer that NewEdges returns. Its fields are the indexes of the
// columns for the two ends of an edge and its weight.
type edges struct {
	sink
	source, target int
	weight         int // -1 if there is none
}

// Begin takes the columns. It returns errNoLinks if the column source or target
// is missing.
func (e *edges) Begin(cols []value.Column) (err error) {
	e.source, e.target, err = linkEnds(cols)
	e.weight = slices.IndexFunc(cols, func(c value.Column) bool { return c.Name == "weight" && c.Type.Numeric() })
	return err
}

// Write writes one line for each row of the batch that has a source.
func (e *edges) Write(b *value.Batch) error {
	for i := range b.N {
		source, target := b.Cols[e.source], b.Cols[e.target]
		if source.IsNull(i) || source.Texts[i] == "" {
			continue
		}
		if err := e.name(source.Texts[i]); err != nil {
			return err
		}
		if !target.IsNull(i) && target.Texts[i] != "" {
			e.buf = append(e.buf, edgeSign...)
			if err := e.name(target.Texts[i]); err != nil {
				return err
			}
			weight := value.Value{}
			if e.weight >= 0 {
				weight = b.Cols[e.weight].At(i)
			}
			e.putWeight(target.Texts[i], weight)
		}
		e.buf = append(e.buf, '\n')
		if err := e.full(); err != nil {
			return err
		}
	}
	return e.flush()
}

// name writes the name of a node. It returns an error for a name that ReadEdges would read
// back differently.
func (e *edges) name(name string) error {
	if name != strings.TrimSpace(name) || strings.ContainsAny(name, "\r\n") || strings.Contains(" "+name+" ", edgeSign) {
		return fmt.Errorf("%q cannot be the name of a node in a list of edges: it begins or ends in a blank, or has a line break or an arrow in it", name)
	}
	e.buf = append(e.buf, name...)
	return nil
}

// putWeight writes the weight of an edge. For NULL it writes nothing. There is one
// exception: if ReadEdges would take the end of the target's name for a weight, putWeight
// writes 1.
func (e *edges) putWeight(target string, weight value.Value) {
	if !weight.IsNull() {
		e.buf = append(e.buf, ' ')
		e.buf = weight.Append(e.buf, nil)
	} else if _, _, has := cutWeight([]byte(target)); has {
		e.buf = append(e.buf, " 1"...)
	}
}

// End does nothing, because the last line is complete.
func (e *edges) End() error { return nil }

// Edge is one line of a list of edges. Target is empty for a node without
// edges.
type Edge struct {
	Source, Target []byte
	Weight         float32
	Line           int // from 1
}

// edgeLineMax is the greatest length of a line in a list of edges, in bytes.
// Two URLs have at most 16 KB each.
const edgeLineMax = 256 << 10

// ReadEdges yields the edges of a list of edges, with lines such as "http://a
// -> http://b 1.5". The weight is 1 if the line has none. A line without an
// arrow is a node without edges. A tab may replace the arrow, and the space
// before the weight. Empty lines are skipped. An error names the line. Each
// Edge is valid until the iteration moves on.
func ReadEdges(r io.Reader) iter.Seq2[*Edge, error] {
	return func(yield func(*Edge, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, edgeLineMax)
		var e Edge
		for lines.Scan() {
			e.Line++
			line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
			if len(line) == 0 {
				continue
			}
			if err := e.parse(line); err != nil {
				yield(nil, fmt.Errorf("line %d: %w", e.Line, err))
				return
			}
			if !yield(&e, nil) {
				return
			}
		}
		err := lines.Err()
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("line %d has more than %d bytes: this is no list of edges", e.Line+1, edgeLineMax)
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// errOneSided is the error for a line such as "-> http://b".
var errOneSided = errors.New("an edge has no name on one side of its arrow")

// parse sets e to the edge in line, which has no spaces at its ends. It leaves e.Line
// unchanged.
func (e *Edge) parse(line []byte) error {
	e.Source, e.Target, e.Weight = line, nil, 1
	at, n := bytes.IndexByte(line, ' '), len(edgeSign)
	if at >= 0 && !bytes.HasPrefix(line[at:], []byte(edgeSign)) {
		at = bytes.Index(line, []byte(edgeSign)) // the first name has a space in it
	}
	switch {
	case bytes.HasPrefix(line, []byte(edgeSign[1:])), bytes.HasSuffix(line, []byte(edgeSign[:len(edgeSign)-1])), string(line) == "->":
		return errOneSided
	case at < 0:
		at, n = bytes.IndexByte(line, '\t'), 1
	}
	if at < 0 {
		return nil
	}
	e.Source = bytes.TrimSpace(line[:at])
	name, weight, has := cutWeight(bytes.TrimSpace(line[at+n:]))
	if e.Target = name; has {
		w, err := strconv.ParseFloat(string(weight), 32)
		if e.Weight = float32(w); err != nil || !(e.Weight > 0) || math.IsInf(w, 1) {
			return fmt.Errorf("the weight %s is not a number above 0 that fits in 32 bits", weight)
		}
	}
	if len(e.Source) == 0 || len(e.Target) == 0 {
		return errOneSided
	}
	return nil
}

// cutWeight splits the target of an edge into the name of the node and the
// weight that follows it. The weight is the last word if that is a number; has
// reports whether there is one.
func cutWeight(target []byte) (name, weight []byte, has bool) {
	i := len(target) - 1
	for i >= 0 && target[i] != ' ' && target[i] != '\t' {
		i--
	}
	if i < 0 {
		return target, nil, false
	}
	if _, err := strconv.ParseFloat(string(target[i+1:]), 64); err != nil && !errors.Is(err, strconv.ErrRange) {
		return target, nil, false
	}
	return bytes.TrimSpace(target[:i]), target[i+1:], true
}
