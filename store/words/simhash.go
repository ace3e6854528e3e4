package words

import "math/bits"

// Simhash computes a 64-bit fingerprint of a text. Texts that share most of their
// features have fingerprints that differ in few bits. A feature is three words in
// a row, or a pair of letters in scripts without spaces. The zero value is ready
// to use.
type Simhash struct {
	sum [64]int64
	any bool
	// The planes hold counts: for each of the 64 bits of a hash, how many
	// features have the bit. Plane k holds bit k of all 64 counts. Adding to
	// the planes is some ten times as fast as adding to 64 sums. All features
	// in the planes have the same weight. Features are added to the planes
	// eight at a time; held has those that were not added yet.
	planes [16]uint64
	held   [8]uint64
	count  int64 // number of features in planes and held
	weight int64 // the weight of each of these features
}

// Distance returns the number of bits in which two fingerprints differ.
func Distance(a, b uint64) int { return bits.OnesCount64(a ^ b) }

// Add adds a text to the fingerprint. Each of its features counts as often as
// weight says. If a text is added in pieces, features that cross from one piece
// to the next are missing.
func (s *Simhash) Add(text string, weight int) {
	var run [3]uint64 // hashes of the last words of the same sort
	length := 0       // number of these words, at most 3
	fed := false      // a feature with these words was added
	letters := false  // the sort: whether the words are single letters
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

// addChinese adds the Chinese letters that follow each other in text from offset
// at on, each paired with the letter before it. last is the hash of the letter
// before offset at. addChinese returns the offset after the letters, and the hash
// of the last letter.
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

// countEight adds the eight features in s.held to the planes. Full adders reduce
// them to one carry per bit, which goes into the higher planes (Harley and Seal's
// method, in Warren, "Hacker's Delight", 2013).
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

// fullAdd adds three bits at each of 64 positions: the bits of a, b and c. At
// each position, sum has the lower and carry the higher bit of the result.
func fullAdd(a, b, c uint64) (sum, carry uint64) {
	u := a ^ b
	return u ^ c, a&b | u&c
}

// carry adds 1<<k to the count of each bit of a hash that is set in the
// argument bits.
func (s *Simhash) carry(k int, bits uint64) {
	for ; bits != 0; k++ {
		s.planes[k], bits = s.planes[k]^bits, s.planes[k]&bits
	}
}

// countRest adds the features in s.held, fewer than eight, to the planes.
func (s *Simhash) countRest() {
	for _, hash := range s.held[:s.count%8] {
		s.carry(0, hash)
	}
}

// settle moves the counts from the planes to the sums. For each feature, it adds
// the weight to the sum of each bit that the feature has, and subtracts the
// weight from the sum of each other bit.
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

// majority returns a number with a bit set if more than half of the features in
// the planes have that bit. It compares all 64 counts with the half at once, from
// their highest bits down.
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

// Sum returns the fingerprint of all texts added so far, or 0 if they had no
// word.
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

// combine returns one hash for several words in order, from the hashes of the
// words. Every bit of the result depends on all words.
func combine(words []uint64) uint64 {
	h := uint64(len(words))
	for _, w := range words {
		h = mix(h ^ w)
	}
	return h
}

// combineTwo returns the same as combine for two words, but faster.
func combineTwo(a, b uint64) uint64 { return mix(mix(2^a) ^ b) }

func mix(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
