package segment

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"sort"

	"github.com/klauspost/compress/zstd"

	"infomall/store/disk"
	"infomall/store/packed"
	"infomall/store/segment/column"
	"infomall/store/urlkey"
)

// Names says, for a segment that was merged into other segments, where its blocks are
// now. Recipes in other segments still refer to the merged segment, because segments
// never change. A Names is immutable once it is complete.
type Names struct {
	Segment uint32 // the segment that was merged
	runs    []namesRun
}

// namesRun says where the blocks of one run of the merged segment are now: spans[i] is the place of
// the blocks starts[i] <= n < starts[i+1]. If the Segment of a span is 0, no capture needed its
// blocks, and they are gone.
type namesRun struct {
	starts []uint32
	spans  []Span
}

// NewNames returns the Names of the merged segment id, without any run. Add adds
// its runs.
func NewNames(id uint32) *Names { return &Names{Segment: id} }

// Add adds the next run of the merged segment. at[i] is the new place of block i of that run;
// at[i].Segment is 0 if the block is gone.
func (n *Names) Add(at []BlockRef) {
	var recipe Recipe
	for _, b := range at {
		if k := len(recipe.Spans); b.Segment == 0 && k > 0 && recipe.Spans[k-1].Segment == 0 {
			recipe.Spans[k-1].Count++ // blocks that are gone are one span
			continue
		}
		recipe.Add(b)
	}
	n.runs = append(n.runs, newNamesRun(slices.Clip(recipe.Spans)))
}

func newNamesRun(spans []Span) namesRun {
	r := namesRun{starts: make([]uint32, len(spans)), spans: spans}
	at := uint32(0)
	for i, s := range spans {
		r.starts[i] = at
		at += s.Count
	}
	return r
}

// Gone reports whether any block of the merged segment is gone: it was not stored
// anywhere else, because nobody needed it.
func (n *Names) Gone() bool {
	for _, r := range n.runs {
		for _, s := range r.spans {
			if s.Segment == 0 {
				return true
			}
		}
	}
	return false
}

// To returns the segments that have the blocks now, in ascending order.
func (n *Names) To() []uint32 {
	to := make(map[uint32]bool)
	for _, r := range n.runs {
		for _, s := range r.spans {
			to[s.Segment] = true
		}
	}
	delete(to, 0)
	return slices.Sorted(maps.Keys(to))
}

// Find returns the new place of the first block of s, a span of the merged segment. The
// result also covers the next blocks of s, as long as they follow it at the new place
// too. Find reports false if the first block is gone.
func (n *Names) Find(s Span) (Span, bool) {
	if uint64(s.Run) >= uint64(len(n.runs)) {
		return Span{}, false
	}
	r := &n.runs[s.Run]
	i := sort.Search(len(r.starts), func(i int) bool { return r.starts[i] > s.N }) - 1
	if i < 0 || s.N-r.starts[i] >= r.spans[i].Count || r.spans[i].Segment == 0 {
		return Span{}, false
	}
	skip := s.N - r.starts[i]
	to := r.spans[i]
	to.N += skip
	to.Count = min(to.Count-skip, s.Count)
	return to, true
}

// Bounds on a names file, which has the Names of merged segments. A file that
// claims more runs of a segment, or more spans, is damaged.
const (
	namesRunsMax  = 1 << 20
	namesSpansMax = 1 << 24
)

// kindNames is the kind of a record that holds the Names of one segment: it says
// where the segment's blocks are now.
const kindNames = "names"

// encode returns the data of the record for n, before compression.
func (n *Names) encode() []byte {
	dst := binary.AppendUvarint([]byte{disk.FormatByte}, uint64(len(n.runs)))
	counts := make([]int64, len(n.runs))
	for i, r := range n.runs {
		counts[i] = int64(len(r.spans))
	}
	dst = packed.AppendSized(dst, column.AppendInts(nil, counts))
	var col []int64
	for _, of := range []func(Span) uint32{
		func(s Span) uint32 { return s.Count },
		func(s Span) uint32 { return s.Segment },
		func(s Span) uint32 { return s.Run },
		func(s Span) uint32 { return s.N },
	} {
		col = col[:0]
		for _, r := range n.runs {
			for _, s := range r.spans {
				col = append(col, int64(of(s)))
			}
		}
		dst = packed.AppendSized(dst, column.AppendInts(nil, col))
	}
	return dst
}

func decodeNames(b []byte, id uint32) (*Names, error) {
	if len(b) == 0 {
		return nil, column.ErrDamaged
	}
	if err := disk.CheckByte(b[0], "file of names"); err != nil {
		return nil, err
	}
	r := packed.Reader{B: b[1:]}
	runs := r.Uvarint()
	if r.Bad || runs > namesRunsMax {
		return nil, column.ErrDamaged
	}
	counts, err := column.DecodeInts(nil, r.Sized(), int(runs))
	if err != nil {
		return nil, err
	}
	total := int64(0)
	for _, c := range counts {
		if c < 0 || c > entriesMax {
			return nil, column.ErrDamaged
		}
		total += c
	}
	if total > namesSpansMax {
		return nil, column.ErrDamaged
	}
	var cols [4][]int64
	for i := range cols {
		if cols[i], err = column.DecodeInts(nil, r.Sized(), int(total)); err != nil {
			return nil, err
		}
	}
	if r.Bad || len(r.B) != 0 {
		return nil, column.ErrDamaged
	}
	n := &Names{Segment: id, runs: make([]namesRun, runs)}
	at := 0
	for i, c := range counts {
		spans := make([]Span, c)
		for j := range spans {
			spans[j] = Span{BlockRef{uint32(cols[1][at]), uint32(cols[2][at]), uint32(cols[3][at])}, uint32(cols[0][at])}
			at++
		}
		n.runs[i] = newNamesRun(spans)
	}
	return n, nil
}

// AppendNames appends to dst the record with the names n of one merged segment,
// compressed with enc. into is one of the segments that have the blocks now.
func AppendNames(dst []byte, enc *zstd.Encoder, into *Info, n *Names) []byte {
	plain := n.encode()
	data := enc.EncodeAll(plain, nil)
	h := recordHead{kind: kindNames, pool: into.Pool, segment: n.Segment, metaLengths: []int{len(data)}, unzip: len(plain), length: len(data)}
	h.url, h.date = urlkey.URL(into.FirstKey), into.First
	if into.Captures == 0 {
		h.url, h.date = urlkey.URL(noCapture), 0
	}
	return append(append(h.append(dst, data), data...), '\n')
}

// ReadNames parses b, the content of a names file, and returns the Names in it.
func ReadNames(b []byte) ([]*Names, error) {
	var out []*Names
	for at := 0; at < len(b); {
		h, size, err := peekHead(b[at:])
		if err != nil {
			return nil, err
		}
		end := at + size + h.length + 1
		if h.length < 0 || end > len(b) {
			return nil, errLengths
		}
		h, data, err := parseHead(b[at:end])
		if err != nil {
			return nil, err
		}
		if h.kind != kindNames {
			return nil, errors.New("a record of kind " + h.kind + " is among names")
		}
		plain, err := decoder().DecodeAll(data, nil)
		if err != nil {
			return nil, err
		}
		n, err := decodeNames(plain, h.segment)
		if err != nil {
			return nil, err
		}
		out, at = append(out, n), end
	}
	return out, nil
}
