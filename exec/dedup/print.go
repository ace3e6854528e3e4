package dedup

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Print is a short form of a set of shingles, for finding sets that are nearly the same
// among many: the lowest byte of each minimum of the signature of the set. The share of
// bytes in which two prints agree is about the Jaccard similarity of their sets.
type Print [signatureLength]byte

// PrintOf returns the print of a set, which must not be empty.
func PrintOf(set []uint32) (p Print) {
	var b Bands
	b.sign(set)
	for i, m := range b.minimum {
		p[i] = byte(m)
	}
	return p
}

// ExactPrint returns a print that stands for a number. The prints of two different numbers agree in
// hardly more bytes than the prints of two sets without a common member.
func ExactPrint(number uint64) (p Print) {
	for i := 0; i < len(p); i += 8 {
		number = mix(number + 0x9e3779b97f4a7c15)
		binary.LittleEndian.PutUint64(p[i:], number)
	}
	return p
}

// printAgree is the least number of bytes in which the prints of two near-copies agree. It
// corresponds to a Jaccard similarity of about .67.
const printAgree = signatureLength - PrintBands + 1

// PrintBands is how many bands (pieces of a few bytes) a print has. Two prints for which Near is
// true have an equal band, because they differ in fewer bytes than there are bands.
const PrintBands = signatureLength / printRows

// printRows is how many bytes of a print form a band.
const printRows = 3

// Band returns band n of the print, as a number of 24 bits.
func (p *Print) Band(n int) uint32 {
	b := p[printRows*n : printRows*n+printRows]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
}

// Agree returns in how many bytes two prints agree.
func (p *Print) Agree(o *Print) (n int) {
	const low = 0x7f7f7f7f7f7f7f7f
	for i := 0; i < len(p); i += 8 {
		x := binary.LittleEndian.Uint64(p[i:]) ^ binary.LittleEndian.Uint64(o[i:])
		// In (x&low)+low, the upper bit of a byte is set if one of the seven lower bits of that
		// byte of x is set. No byte carries into the next.
		n += 8 - bits.OnesCount64(((x&low)+low|x)&^low)
	}
	return n
}

// Near reports whether two texts with the prints p and o are near-copies.
func (p *Print) Near(o *Print) bool { return p.Agree(o) >= printAgree }

// PairsHash returns a hash of the set of pairs of neighbouring words. words has the hashes of all
// words of a text, in order. For a text of one word, the result is the hash of the word.
func PairsHash(words []uint64) uint64 {
	var pairs []uint64
	for i := 1; i < len(words); i++ {
		pairs = append(pairs, mix(mix(words[i-1])^words[i]))
	}
	if len(words) == 1 {
		pairs = append(pairs, words[0])
	}
	slices.Sort(pairs)
	h := uint64(0)
	for _, p := range slices.Compact(pairs) {
		h = mix(h ^ p)
	}
	return h
}
