package index

import (
	"encoding/binary"

	"infomall/store/packed"
)

// Captures is a range of captures: Count captures from number From on. The captures of some
// runs are numbered together, one run after the other.
type Captures struct{ From, Count uint32 }

// lists stores lists of captures, each distinct list once. The zero value has no list.
type lists struct {
	ends  []int      // ends[i] is where the spans of list i end in spans
	spans []Captures // the ranges of all lists, one list after the other
}

// Lists returns how many lists of captures there are.
func (l *lists) Lists() int { return len(l.ends) }

// List returns the captures of list n as ranges.
func (l *lists) List(n uint32) []Captures {
	from := 0
	if n > 0 {
		from = l.ends[n-1]
	}
	return l.spans[from:l.ends[n]]
}

// The columns in which lists are stored.
const (
	listCode   = iota // each use of a list: 0 for the one used before, 1 for the next new one, else 1 + how many lists back
	listSpans         // for each list: the number of its ranges
	listFirst         // for each list: its first capture, less the first capture of the list before
	listGaps          // for each range after the first of a list: how many captures are between it and the range before
	listLength        // for each range: its number of captures, less 1
	listCols
)

// listWriter encodes a sequence of lists of captures. A list that comes again is written as a
// reference to the first time.
type listWriter struct {
	known map[string]int // the number of each list that was written, by its encoded ranges
	one   []int32        // the same for lists of one capture: 1 + the number, by capture. In many archives most lists are such.
	lists int            // number of lists that were written
	last  int            // number of the list that was used last
	start uint32         // the first capture of the list that was written last
	spans []Captures
	key   []byte
	cols  [listCols][]byte
}

func newListWriter() *listWriter { return &listWriter{known: make(map[string]int), last: -1} }

// reset removes all lists, and keeps the memory for the next ones.
func (w *listWriter) reset() {
	clear(w.known)
	clear(w.one)
	w.lists, w.last, w.start = 0, -1, 0
	for i := range w.cols {
		w.cols[i] = w.cols[i][:0]
	}
}

// put writes the list of these captures, whose numbers ascend. If the list was written before,
// put writes only a reference to it.
func (w *listWriter) put(captures []uint32) {
	put := func(col int, x uint64) { w.cols[col] = binary.AppendUvarint(w.cols[col], x) }
	w.spans, w.key = w.spans[:0], w.key[:0]
	for _, c := range captures {
		switch n := len(w.spans) - 1; {
		case n < 0 || c > w.spans[n].From+w.spans[n].Count:
			w.spans = append(w.spans, Captures{c, 1})
		case c == w.spans[n].From+w.spans[n].Count:
			w.spans[n].Count++
		}
	}
	list, known := w.number()
	switch {
	case known && list == w.last:
		put(listCode, 0)
	case known:
		put(listCode, uint64(w.lists-list)+1)
	default:
		put(listCode, 1)
		put(listSpans, uint64(len(w.spans)))
		w.cols[listFirst] = binary.AppendVarint(w.cols[listFirst], int64(w.spans[0].From)-int64(w.start))
		w.start = w.spans[0].From
		for i, s := range w.spans {
			if i > 0 {
				put(listGaps, uint64(s.From-w.spans[i-1].From-w.spans[i-1].Count))
			}
			put(listLength, uint64(s.Count-1))
		}
	}
	w.last = list
}

// number returns the number of the list w.spans. known is false if the list is new: it then gets
// the next number.
func (w *listWriter) number() (list int, known bool) {
	if len(w.spans) == 1 && w.spans[0].Count == 1 {
		n := int(w.spans[0].From)
		if n >= len(w.one) {
			w.one = append(w.one, make([]int32, n+1-len(w.one))...)
		}
		if list = int(w.one[n]); list > 0 {
			return list - 1, true
		}
		w.lists++
		w.one[n] = int32(w.lists)
		return w.lists - 1, false
	}
	for _, s := range w.spans {
		w.key = binary.AppendUvarint(binary.AppendUvarint(w.key, uint64(s.From)), uint64(s.Count))
	}
	if list, known = w.known[string(w.key)]; !known {
		list = w.lists
		w.lists++
		w.known[string(w.key)] = list
	}
	return list, known
}

// appendTo appends the columns of w to dst and returns the longer slice.
func (w *listWriter) appendTo(dst []byte) []byte {
	for _, c := range w.cols {
		dst = packed.AppendSized(dst, c)
	}
	return dst
}

// listReader decodes what a listWriter wrote.
type listReader struct {
	to       *lists
	cols     [listCols]packed.Reader
	last     int
	start    int64
	captures int64 // number of captures; a larger number in a list means damage
}

// reader returns a listReader that reads from r and adds the lists to l, which must be empty.
// captures is the number of captures that lists may refer to.
func (l *lists) reader(r *packed.Reader, captures int) *listReader {
	out := &listReader{to: l, last: -1, captures: int64(captures)}
	for i := range out.cols {
		out.cols[i].B = r.Sized()
	}
	// A number takes at least one byte.
	l.ends = make([]int, 0, len(out.cols[listSpans].B))
	l.spans = make([]Captures, 0, len(out.cols[listLength].B))
	return out
}

// next returns the number of the list that the writer put next. ok is false if the lists are
// damaged.
func (r *listReader) next() (list uint32, ok bool) {
	if len(r.cols[listCode].B) == 0 {
		return 0, false
	}
	switch x := r.cols[listCode].Number(); x {
	case 0:
	case 1:
		r.last = len(r.to.ends)
		if !r.read() {
			return 0, false
		}
	default:
		r.last = len(r.to.ends) - (x - 1)
	}
	return uint32(r.last), r.last >= 0 && r.last < len(r.to.ends)
}

// read reads the next new list and adds it to r.to. It returns false if the list is damaged.
func (r *listReader) read() bool {
	r.start += r.cols[listFirst].Varint()
	at := r.start
	for i := range r.cols[listSpans].Number() {
		if i > 0 {
			at += int64(r.cols[listGaps].Uvarint() & (1<<32 - 1))
		}
		count := int64(r.cols[listLength].Uvarint()&(1<<32-1)) + 1
		if at < 0 || at+count > r.captures || r.cols[listLength].Bad {
			return false
		}
		r.to.spans = append(r.to.spans, Captures{uint32(at), uint32(count)})
		at += count
	}
	r.to.ends = append(r.to.ends, len(r.to.spans))
	return true
}
