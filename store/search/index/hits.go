package index

import (
	"math"
	"math/bits"
	"slices"

	"infomall/store/words/match"
)

// Hits has what a search query matched in the documents of an index. A Hits that Find
// returned never changes.
type Hits struct {
	some  []uint64 // bit n is set if the query matches something in document n; nil if it matches in no document
	below []uint32 // below[i] is how many bits are set in some[:i]
	parts *match.Parts
	last  int // the document that was added last

	// of has, for each bit that is set, the number of a Part in parts. Few queries have more Parts than
	// 16 bits can number. If a number does not fit, of is empty, and wide has all numbers.
	of   []uint16
	wide []uint32

	// one, if not nil, is the Part of all documents in which the query matches something. The slices
	// below, of and wide are then empty.
	one *match.Part
	len int // how many bits are set in some
}

// Bytes returns the memory that h takes without its Parts, in bytes.
func (h *Hits) Bytes() int64 {
	return int64(len(h.some))*12 + int64(len(h.of))*2 + int64(len(h.wide))*4
}

// add records that the query matches part n of h.parts in document doc, of as many as docs says. It
// returns false if doc does not come after the documents that were added before.
func (h *Hits) add(doc int, n uint32, docs int) bool {
	if h.some == nil {
		h.some = make([]uint64, (docs+63)/64)
	}
	if len(h.of)+len(h.wide) > 0 && doc <= h.last {
		return false
	}
	h.last = doc
	h.some[doc/64] |= 1 << (doc % 64)
	if n <= math.MaxUint16 && h.wide == nil {
		h.of = append(h.of, uint16(n))
		return true
	}
	if h.wide == nil {
		h.wide = make([]uint32, len(h.of), 2*len(h.of)+1)
		for i, n := range h.of {
			h.wide[i] = uint32(n)
		}
		h.of = nil
	}
	h.wide = append(h.wide, n)
	return true
}

// end completes h after the last call of add.
func (h *Hits) end() {
	if h.one == nil {
		h.of, h.wide = slices.Clone(h.of), slices.Clone(h.wide) // without the room for more
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
	at := int(h.below[doc/64]) + bits.OnesCount64(word)
	if h.wide != nil {
		return h.parts.At(h.wide[at])
	}
	return h.parts.At(uint32(h.of[at]))
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
