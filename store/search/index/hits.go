package index

import (
	"math/bits"

	"infomall/store/words/match"
)

// Hits has what a search query matched in the documents of an index. A Hits that Find
// returned never changes.
type Hits struct {
	some  []uint64 // bit n is set if the query matches something in document n; nil if it matches in no document
	below []uint32 // below[i] is how many bits are set in some[:i]
	of    []uint32 // for each bit that is set: an index in parts
	parts []*match.Part
	last  int // the document that was added last
	// number has the index of each element of parts, until end is called. Similar texts share a Part, see
	// match.Query.PartOf.
	number map[*match.Part]uint32

	// one, if not nil, is the Part of all documents in which the query matches something. The slices
	// below, of and parts are then empty.
	one *match.Part
	len int // how many bits are set in some
}

// hitBytes is an estimate of the bytes of memory that a Part takes.
const hitBytes = 158

// Bytes returns an upper estimate of the memory that h takes, in bytes.
func (h *Hits) Bytes() int64 {
	return int64(len(h.some))*12 + int64(len(h.of))*4 + int64(len(h.parts))*hitBytes
}

// add records that the query matches p in document doc, of as many as docs says. It returns false
// if doc does not come after the documents that were added before.
func (h *Hits) add(doc int, p *match.Part, docs int) bool {
	if h.some == nil {
		h.some = make([]uint64, (docs+63)/64)
	}
	if len(h.of) > 0 && doc <= h.last {
		return false
	}
	h.last = doc
	h.some[doc/64] |= 1 << (doc % 64)
	n, known := h.number[p]
	if !known {
		if h.number == nil {
			h.number = make(map[*match.Part]uint32)
		}
		n = uint32(len(h.parts))
		h.parts, h.number[p] = append(h.parts, p), n
	}
	h.of = append(h.of, n)
	return true
}

// end completes h after the last call of add.
func (h *Hits) end() {
	h.number = nil
	if h.one == nil {
		h.below = make([]uint32, len(h.some))
	}
	for i, word := range h.some {
		if h.one == nil {
			h.below[i] = uint32(h.len)
		}
		h.len += bits.OnesCount64(word)
	}
}

// Len returns the number of documents in which the query matches something.
func (h *Hits) Len() int { return h.len }

// Next returns the first document, from number doc on, in which the query matches something. It
// returns -1 if there is none.
func (h *Hits) Next(doc int) int {
	for i, skip := doc/64, doc%64; i < len(h.some); i, skip = i+1, 0 {
		if word := h.some[i] >> skip; word != 0 {
			return i*64 + skip + bits.TrailingZeros64(word)
		}
	}
	return -1
}

// Has reports whether the query matches something in document doc.
func (h *Hits) Has(doc int) bool { return h.some != nil && h.some[doc/64]>>(doc%64)&1 != 0 }

// Part returns what the query matches in document doc, or nil if that is nothing.
func (h *Hits) Part(doc int) *match.Part {
	if !h.Has(doc) {
		return nil
	}
	if h.one != nil {
		return h.one
	}
	word := h.some[doc/64] & (1<<(doc%64) - 1)
	return h.parts[h.of[int(h.below[doc/64])+bits.OnesCount64(word)]]
}

// Few returns which of the documents doc to doc+63 the query matches something in: bit i is set for
// document doc+i.
func (h *Hits) Few(doc int) (bits uint64) {
	if i := doc / 64; i < len(h.some) {
		bits = h.some[i] >> (doc % 64)
		if doc%64 > 0 && i+1 < len(h.some) {
			bits |= h.some[i+1] << (64 - doc%64)
		}
	}
	return bits
}
