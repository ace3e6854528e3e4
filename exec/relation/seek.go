package relation

import (
	"context"

	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// Seek says which URLs a query needs. A Reader finds these URLs first, before it builds rows from
// captures, and may then leave out rows of other URLs.
type Seek struct {
	// Fields are the columns that Match reads, as indexes in the fields of the
	// request. Sought must be true for each.
	Fields []int
	// Words are indexes in the fields of the request, of columns that say whether a page has words.
	// The query needs only rows in which one of these columns is true.
	Words []int
	// Match returns the indexes of the rows of a batch that the query may need. A nil Match means
	// that the query may need all rows. Only the columns Fields of the batch are filled.
	Match func(*value.Batch) ([]int32, error)
	// First, if above 0, is how many rows the query needs: the first ones sorted by the column By
	// (an index in the fields of the request) and then by URL.
	First int
	By    int
	Desc  bool
}

// soughtMax is the most URLs that are worth finding first, and soughtPart the largest share of all
// URLs. With more URLs, a scan of all captures is about as fast.
const (
	soughtMax  = 10_000
	soughtPart = .25
	// soughtWords and soughtWordsPart are the same limits for captures that have words.
	soughtWords     = 50_000
	soughtWordsPart = .02
)

// sought are the columns by which the archive can find URLs, in relations whose rows have the
// values of one capture.
var sought = map[string]record.Columns{
	"status": record.ColStatus, "kind": record.ColKind, "mime": record.ColMime, "bytes": record.ColBytes, "title": record.ColTitle, "time": 0,
}

// Sought reports whether the archive can find URLs by the column c of the relation r. It can if the
// value of c in a row is always that of a capture of the URL in the time that the query selects.
func Sought(r *Relation, c *Column) bool {
	_, ok := sought[c.Name]
	switch r {
	case Captures:
		return ok
	case Versions:
		return ok && c.Name != "time" // a version is visited at other times, too
	case Pages:
		return ok && Versions.Column(c.Name) != nil && c.Name != "time"
	}
	return false
}

// Seek returns a copy of n whose ranges have only the URLs that s needs. It returns n itself if
// finding these URLs first would not save time.
func (r *Reader) Seek(ctx context.Context, n *Request, s *Seek) (*Request, error) {
	r = r.knownAt(n)
	if less, err := r.seekWords(ctx, n, s.Words); err != nil || less != n {
		return less, err
	}
	if len(s.Fields) == 0 && s.First == 0 {
		return n, nil
	}
	ask := record.Seek{Scan: n.Scan(0), First: s.First, Desc: s.Desc, KeysMax: soughtMax, PartMax: soughtPart}
	ask.Columns = 0
	cols := make([]*value.Vector, len(n.Fields))
	var fill []func(*spanBatch)
	for _, f := range s.Fields {
		field := n.Fields[f]
		ask.Columns |= sought[field.Name]
		ask.Timed = ask.Timed || field.Name == "time"
		v := new(value.Vector)
		cols[f] = v
		of := Versions.Column(field.Name).fill.(func(*value.Vector, *spanBatch))
		fill = append(fill, func(b *spanBatch) { of(v, b) })
	}
	if s.First > 0 {
		ask.By = sought[n.Fields[s.By].Name]
	}
	if s.Match != nil {
		ask.Match = func(b *record.Batch) ([]int32, error) {
			span := &spanBatch{Batch: *b}
			for _, f := range fill {
				f(span)
			}
			return s.Match(&value.Batch{N: b.N, Cols: cols})
		}
	}
	keys, ok, err := r.Snapshot.Seek(ctx, ask)
	if err != nil || !ok {
		return n, err
	}
	return n.within(keys), nil
}

// within returns a copy of n whose ranges are reduced to the URLs with the given keys, which are
// sorted.
func (n *Request) within(keys []string) *Request {
	ranges := make([]urlkey.Range, len(keys))
	for i, k := range keys {
		ranges[i] = urlkey.Range{From: k, To: k + "\x00"}
	}
	return n.Within(ranges)
}
