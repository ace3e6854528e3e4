package match

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// Parts makes the Parts of texts whose words are known, for example from an index, and gives each
// Part a number, from 0. Texts with equal Parts share one. Only one goroutine may use a Parts.
type Parts struct {
	f     *search
	list  []*Part           // by number
	equal map[string]uint32 // the number of each Part, by the result of Part.content
	bytes int64             // see Bytes
	buf   []byte            // for Part.content

	// keys has the number of the Part of some texts, by the key of the text. Without it, a Part is made for
	// each text only to find the equal one: to look up three beginnings of words in 150,000 texts takes
	// 1.3 times the CPU time.
	keys    map[partKey]uint32
	lastKey partKey // the last key that was looked up in keys, if keys is not empty
	lastN   uint32  // its number
}

// Parts returns a Parts that has made no Part. InParts must report true for the query.
func (q *Query) Parts() *Parts {
	return &Parts{f: q.finder(), equal: make(map[string]uint32), keys: make(map[partKey]uint32)}
}

// partBytes is an upper estimate of the bytes of memory that a Part in Parts takes without
// its slices and its content.
const partBytes = 256

// Bytes returns an upper estimate of the memory that p and its Parts take, in bytes.
func (p *Parts) Bytes() int64 { return p.bytes }

// At returns the Part with number n.
func (p *Parts) At(n uint32) *Part { return p.list[n] }

// Of returns the number of the Part of a text with this shape and these words, which are in the order
// of their numbers. The Part equals the result of Query.Part for the text. ok is false if the text
// itself must be read, because the query asks for exact letters.
func (p *Parts) Of(s Shape, words []Word) (n uint32, ok bool) {
	t := &p.f.q.table
	for _, w := range words {
		for b := w.Bits; b != 0; b &= b - 1 {
			if t.exact[t.of[bits.TrailingZeros64(b)]] != "" {
				return 0, false
			}
		}
	}
	key := partKey{terms: int32(s.Terms), open: s.Open, parting: s.Parting}
	if p.f.nears || !key.fill(words, t.longest) {
		return p.make(s, words), true
	}
	if len(p.keys) > 0 && p.lastKey == key { // mostly; to compare two keys takes less time than to hash one
		return p.lastN, true
	}
	n, known := p.keys[key]
	if !known {
		if len(p.keys) >= keysMost {
			clear(p.keys)
		}
		n = p.make(s, words)
		p.keys[key] = n
	}
	p.lastKey, p.lastN = key, n
	return n, true
}

// Read returns the number of the Part of a text.
func (p *Parts) Read(text string) uint32 { return p.number(p.f.q.Part(text)) }

// make returns the number of the Part of a text with this shape and these words.
func (p *Parts) make(s Shape, words []Word) uint32 {
	p.f.reset()
	return p.number(p.f.part(s, words, ""))
}

// number returns the number of the Part that equals of. If there is none, that is of itself.
func (p *Parts) number(of *Part) uint32 {
	p.buf = of.content(p.buf[:0])
	n, known := p.equal[string(p.buf)]
	if !known {
		n = uint32(len(p.list))
		p.list = append(p.list, of)
		p.equal[string(p.buf)] = n
		p.bytes += partBytes + int64(len(p.buf)+4*len(of.Counts)+16*len(of.head))
	}
	return n
}

// content appends all fields of p to dst. Only equal Parts have equal contents.
func (p *Part) content(dst []byte) []byte {
	flags := byte(0)
	for i, set := range [...]bool{p.parts, p.open} {
		if set {
			flags |= 1 << i
		}
	}
	dst = append(dst, flags)
	dst = binary.AppendUvarint(dst, uint64(p.Terms))
	dst = binary.AppendUvarint(dst, p.some)
	dst = binary.AppendUvarint(dst, p.end)
	dst = binary.AppendUvarint(dst, uint64(len(p.head)))
	for _, s := range p.head {
		dst = binary.AppendUvarint(dst, s.bits)
		joined := byte(0)
		if s.joined {
			joined = 1
		}
		dst = append(dst, joined)
	}
	for _, n := range p.Counts {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	return dst
}

const (
	partWords = 4    // the largest number of words of a text whose key Parts.keys has
	keysMost  = 4096 // how many keys Parts.keys has
)

// partKey identifies a Part of a query without NEAR and exact letters: texts with equal keys
// have equal Parts. The key is small because a search hashes one for each text with a word.
//
// bits and place have an element for each Word. place does not say where the word is, but only what
// counts: its number if it is among the first terms of the text, and the flags below.
//
// If no phrase of the query has several terms, the order of the words does not count: an element stands for all
// words that match the same terms, place has their number, and the elements are sorted by bits. When an element
// stood only for words next to each other, most texts of a million pages had a Part of their own for
// w1* OR w2* OR w3*. These did not fit into the memory of a search, which then read pages: it took minutes, and
// takes ten seconds of CPU time now.
type partKey struct {
	terms         int32
	open, parting bool
	bits          [partWords]uint64
	place         [partWords]uint16
}

// The flags in partKey.place, if a phrase has several terms. The bits above them have the number.
const (
	wordJoined = 1 << iota
	wordNext   // it directly follows the word before
	wordLast   // it is the last term of the text
	placeBits  = iota
)

// fill sets bits and place to those of the words, for a query whose longest phrase has as many terms as longest
// says. k.terms must be set. fill returns false if there are too many words.
func (k *partKey) fill(words []Word, longest int) bool {
	if longest == 1 {
		return k.fillSingle(words)
	}
	if len(words) > partWords {
		return false
	}
	before := -1
	for n, w := range words {
		place := uint16(min(w.N, longest-1)) << placeBits
		if w.Joined {
			place |= wordJoined
		}
		if w.N == before+1 {
			place |= wordNext
		}
		if w.N == int(k.terms)-1 {
			place |= wordLast
		}
		k.bits[n], k.place[n], before = w.Bits, place, w.N
	}
	return true
}

// fillSingle implements fill for a query whose phrases have one term each.
func (k *partKey) fillSingle(words []Word) bool {
	n := 0 // number of elements
	for _, w := range words {
		i := 0
		for i < n && k.bits[i] < w.Bits {
			i++
		}
		if i == n || k.bits[i] != w.Bits {
			if n == partWords {
				return false
			}
			copy(k.bits[i+1:], k.bits[i:n])
			copy(k.place[i+1:], k.place[i:n])
			k.bits[i], k.place[i] = w.Bits, 0
			n++
		}
		if k.place[i] == math.MaxUint16 {
			return false
		}
		k.place[i]++
	}
	return true
}
