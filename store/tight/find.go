package tight

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// finder finds matches. For each place it knows the last place before it whose next three bytes have
// the same hash. It knows the same for four and for eight bytes. These places form chains, which it
// follows.
type finder struct {
	b                  []byte
	three, four, eight []int32 // for each place, the place before it in its chain; -1 if there is none
	heads              []int32 // working memory: for each hash, the last place with it
	found              []match // the matches in the block that were found so far
	places             []span  // for each place of the block, its matches in found
	from               int     // the first place of the block
}

// match is a copy of n bytes from offset bytes back.
type match struct{ n, offset int32 }

// span is the range found[from:to] of a finder. If to is 0, the matches were not searched yet.
type span struct{ from, to int32 }

const (
	// Hashes have about as many bits as there are places, from hashLeast to hashMost.
	hashLeast, hashMost = 10, 20
	// fourDepth and eightDepth are the largest numbers of places of a chain that are compared.
	fourDepth, eightDepth = 48, 24
	// threeMax is the greatest offset of a match of three bytes. A match that is farther back takes
	// more bits than three literals.
	threeMax = 1 << 15
	// matchLong is the length of matches that are taken at once, without looking for a better one.
	matchLong = 256
)

// open prepares f to find matches in b.
func (f *finder) open(b []byte) {
	f.b = b
	size := 1 << min(max(bits.Len(uint(len(b))), hashLeast), hashMost)
	f.heads = slices.Grow(f.heads[:0], size)[:size]
	f.three = f.chain(f.three, 3)
	f.four = f.chain(f.four, 4)
	f.eight = f.chain(f.eight, 8)
}

// chain returns, for each place, the last place before it whose next n bytes have the same hash, or
// -1. It uses the memory of links.
func (f *finder) chain(links []int32, n int) []int32 {
	b := f.b
	links = slices.Grow(links[:0], len(b))[:len(b)]
	for i := range f.heads {
		f.heads[i] = -1
	}
	i := 0
	for shift, upper := 64-8*n, 65-bits.Len(uint(len(f.heads))); i+8 <= len(b); i++ {
		h := binary.LittleEndian.Uint64(b[i:]) << shift * 0x9e3779b97f4a7c15 >> upper
		links[i], f.heads[h] = f.heads[h], int32(i)
	}
	for ; i < len(b); i++ {
		links[i] = -1
	}
	return links
}

// begin prepares f for the block b[from:to].
func (f *finder) begin(from, to int) {
	f.from, f.found = from, append(f.found[:0], match{})
	f.places = slices.Grow(f.places[:0], to-from)[:to-from]
	clear(f.places)
}

// at returns the matches that begin at place p and end at place to at the latest. It leaves out a
// match if a nearer one has at least as many bytes. The matches are sorted by length.
func (f *finder) at(p, to int) []match {
	s := &f.places[p-f.from]
	if s.to == 0 {
		s.from = int32(len(f.found))
		f.search(p, to)
		s.to = int32(len(f.found))
	}
	return f.found[s.from:s.to]
}

// search appends the matches that begin at place p and end at place to at the latest to f.found.
func (f *finder) search(p, to int) {
	b := f.b
	if p+8 > len(b) {
		return
	}
	most, best := to-p, 2
	if c := int(f.three[p]); c >= 0 && p-c < threeMax && most > best {
		if n := same(b, c, p, most); n > best {
			best = n
			f.found = append(f.found, match{int32(n), int32(p - c)})
		}
	}
	for _, chain := range [...]struct {
		links []int32
		depth int
	}{{f.four, fourDepth}, {f.eight, eightDepth}} {
		c := int(chain.links[p])
		for range chain.depth {
			if c < 0 || best >= most || best >= matchLong {
				break
			}
			if b[c+best] == b[p+best] {
				if n := same(b, c, p, most); n > best {
					best = n
					f.found = append(f.found, match{int32(n), int32(p - c)})
				}
			}
			c = int(chain.links[c])
		}
	}
}

// same returns how many bytes from place c of b on are equal to those from place p on, but at most
// most.
func same(b []byte, c, p, most int) int {
	n := 0
	for n+8 <= most {
		if x := binary.LittleEndian.Uint64(b[c+n:]) ^ binary.LittleEndian.Uint64(b[p+n:]); x != 0 {
			return n + bits.TrailingZeros64(x)>>3
		}
		n += 8
	}
	for n < most && b[c+n] == b[p+n] {
		n++
	}
	return n
}
