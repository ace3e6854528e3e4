package page

import (
	"math/bits"
	"unicode"
	"unicode/utf8"
)

// SimhashVersion names the algorithm. Hashes of different versions are not
// comparable.
const SimhashVersion = 1

// Simhash is a 64-bit fingerprint of a text under making: texts that share
// most of their word triples (pairs of letters in scripts without spaces) have
// fingerprints that differ in few bits. The zero value is ready.
type Simhash struct {
	sum [64]int64
	any bool
	// Features of one weight are counted bit by bit in planes, which is some
	// ten times as fast as 64 sums: plane k holds bit k of all 64 counts.
	planes [16]uint64
	count  int64 // features in planes
	weight int64 // of each of them
}

// Distance is in how many bits two fingerprints differ.
func Distance(a, b uint64) int { return bits.OnesCount64(a ^ b) }

// Add adds a text whose features count weight times each. Adding a text in
// pieces leaves out the features that span two of them.
func (s *Simhash) Add(text string, weight int) {
	var run [3]uint64 // hashes of the last words
	length := 0       // of the run of words of the same sort, at most 3
	fed := false      // the run has given a feature
	ideographs := false
	end := 0
	finish := func() {
		if length > 0 && !fed {
			s.feature(combine(run[3-length:]), weight)
		}
		length, fed = 0, false
	}
	for at, w := range Words(text) {
		r, _ := utf8.DecodeRuneInString(w)
		if alone := Ideograph(r); alone != ideographs || alone && at > end {
			finish()
			ideographs = alone
		}
		end = at + len(w)
		run[0], run[1], run[2] = run[1], run[2], HashWord(w)
		length = min(length+1, 3)
		switch {
		case ideographs && length >= 2:
			s.feature(combine(run[1:]), weight)
			fed = true
		case !ideographs && length == 3:
			s.feature(combine(run[:]), weight)
			fed = true
		}
	}
	finish()
}

func (s *Simhash) feature(hash uint64, weight int) {
	if int64(weight) != s.weight || s.count == 1<<len(s.planes)-1 {
		s.settle()
		s.weight = int64(weight)
	}
	s.count++
	for k := 0; hash != 0; k++ {
		s.planes[k], hash = s.planes[k]^hash, s.planes[k]&hash
	}
}

// settle adds what the planes hold to the sums: the weight for each feature
// with the bit, its negative for each without.
func (s *Simhash) settle() {
	if s.count == 0 {
		return
	}
	s.any = true
	used := bits.Len64(uint64(s.count))
	for i := range s.sum {
		with := int64(0)
		for k, p := range s.planes[:used] {
			with += int64(p>>i&1) << k
		}
		s.sum[i] += s.weight * (2*with - s.count)
	}
	s.planes, s.count = [16]uint64{}, 0
}

// majority is for each bit whether more than half of the features in planes have
// it: all 64 counts are compared at once, from their highest bits down.
func (s *Simhash) majority() (more uint64) {
	half := s.count / 2
	equal := ^uint64(0)
	for k := bits.Len64(uint64(s.count)) - 1; k >= 0; k-- {
		if half>>k&1 == 0 {
			more |= equal & s.planes[k]
			equal &^= s.planes[k]
		} else {
			equal &= s.planes[k]
		}
	}
	return more
}

// Sum is the fingerprint, 0 if no word was added.
func (s *Simhash) Sum() (hash uint64) {
	if !s.any && s.weight > 0 {
		return s.majority()
	}
	s.settle()
	if !s.any {
		return 0
	}
	for i, v := range s.sum {
		if v > 0 {
			hash |= 1 << i
		}
	}
	return hash
}

// HashWord is FNV-1a over the word in lower case.
func HashWord(w string) uint64 {
	h := uint64(14695981039346656037)
	for _, r := range w {
		if r < utf8.RuneSelf {
			r = rune(lower(byte(r)))
		} else {
			r = unicode.ToLower(r)
		}
		h = (h ^ uint64(r)) * 1099511628211
	}
	return h
}

// combine hashes words in their order, and mixes so that every bit depends on
// all of them.
func combine(words []uint64) uint64 {
	h := uint64(len(words))
	for _, w := range words {
		h ^= w
		h = (h ^ h>>33) * 0xff51afd7ed558ccd
		h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
		h ^= h >> 33
	}
	return h
}
