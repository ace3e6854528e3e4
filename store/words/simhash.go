package words

import "math/bits"

// Simhash computes a 64-bit fingerprint of a text. Texts that share most of
// their features have fingerprints that differ in few bits. A feature is three
// words in a row, or a pair of letters in scripts without spaces. The zero
// value is ready.
type Simhash struct {
	sum [64]int64
	any bool
	// Features of one weight are counted bit by bit in planes, which is some
	// ten times as fast as 64 sums: plane k holds bit k of all 64 counts. They
	// come in eight at a time.
	planes [16]uint64
	held   [8]uint64
	count  int64 // features in planes and held
	weight int64 // of each of them
}

// Distance returns the number of bits in which two fingerprints differ.
func Distance(a, b uint64) int { return bits.OnesCount64(a ^ b) }

// Add adds a text; each of its features counts weight times. If a text is added
// in pieces, features that cross from one piece to the next are missing.
func (s *Simhash) Add(text string, weight int) {
	var run [3]uint64 // hashes of the last words
	length := 0       // of the run of words of the same sort, at most 3
	fed := false      // the run has given a feature
	letters := false  // the sort
	end := 0
	finish := func() {
		if length > 0 && !fed {
			s.feature(combine(run[3-length:]), weight)
		}
		length, fed = 0, false
	}
	w := scanner{text: text}
	for w.next() {
		if w.letter != letters || w.letter && w.from > end {
			finish()
			letters = w.letter
		}
		run[0], run[1], run[2] = run[1], run[2], Hash(text[w.from:w.at])
		length = min(length+1, 3)
		switch {
		case letters:
			if length >= 2 {
				s.feature(combineTwo(run[1], run[2]), weight)
				fed = true
			}
			if at, last := s.addChinese(text, w.at, run[2], weight); at > w.at {
				w.at, run[2], length, fed = at, last, 2, true
			}
		case length == 3:
			s.feature(combine(run[:]), weight)
			fed = true
		}
		end = w.at
	}
	finish()
}

// addChinese adds Chinese letters that follow each other in text, from offset
// at on, each paired with the letter before. last is the hash of the letter
// before the first. It returns the offset after the letters, and the hash of
// the last one.
func (s *Simhash) addChinese(text string, at int, last uint64, weight int) (int, uint64) {
	for {
		r, ok := chineseLetter(text[at:])
		if !ok {
			return at, last
		}
		hash := (fnvBasis ^ uint64(r)) * fnvPrime
		s.feature(combineTwo(last, hash), weight)
		last = hash
		at += 3
	}
}

func (s *Simhash) feature(hash uint64, weight int) {
	if int64(weight) != s.weight || s.count == 1<<len(s.planes)-8 {
		s.settle()
		s.weight = int64(weight)
	}
	s.held[s.count%8] = hash
	if s.count++; s.count%8 == 0 {
		s.countEight()
	}
}

// countEight adds the eight held features to the planes. Full adders reduce
// them to one carry per bit, which goes into the higher planes (Harley and
// Seal's method, in Warren, "Hacker's Delight", 2013).
func (s *Simhash) countEight() {
	h, p := &s.held, &s.planes
	ones, a := fullAdd(p[0], h[0], h[1])
	ones, b := fullAdd(ones, h[2], h[3])
	ones, c := fullAdd(ones, h[4], h[5])
	ones, d := fullAdd(ones, h[6], h[7])
	twos, e := fullAdd(p[1], a, b)
	twos, f := fullAdd(twos, c, d)
	fours, eights := fullAdd(p[2], e, f)
	p[0], p[1], p[2] = ones, twos, fours
	s.carry(3, eights)
}

// fullAdd adds three bits at each of 64 positions.
func fullAdd(a, b, c uint64) (sum, carry uint64) {
	u := a ^ b
	return u ^ c, a&b | u&c
}

// carry adds bits to plane k.
func (s *Simhash) carry(k int, bits uint64) {
	for ; bits != 0; k++ {
		s.planes[k], bits = s.planes[k]^bits, s.planes[k]&bits
	}
}

// countRest adds the held features, fewer than eight, to the planes.
func (s *Simhash) countRest() {
	for _, hash := range s.held[:s.count%8] {
		s.carry(0, hash)
	}
}

// settle adds the counts in the planes to the sums: weight for each feature
// that has the bit, -weight for each that does not.
func (s *Simhash) settle() {
	if s.count == 0 {
		return
	}
	s.any = true
	s.countRest()
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

// majority returns, for each bit, whether more than half of the features in the
// planes have it. It compares all 64 counts at once, from their highest bits
// down.
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

// Sum returns the fingerprint, or 0 if no word was added.
func (s *Simhash) Sum() (hash uint64) {
	if !s.any && s.weight > 0 {
		all := *s // more may be added
		all.countRest()
		return all.majority()
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

// combine returns one hash of several words in order. Every bit of it depends
// on all words.
func combine(words []uint64) uint64 {
	h := uint64(len(words))
	for _, w := range words {
		h = mix(h ^ w)
	}
	return h
}

// combineTwo is combine for two words.
func combineTwo(a, b uint64) uint64 { return mix(mix(2^a) ^ b) }

func mix(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
