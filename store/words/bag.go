package words

import (
	"slices"
	"strings"
)

// Bag has the hashes of the words of a text, sorted. A word that occurs twice is
// in the Bag twice.
type Bag []uint64

// NewBag returns the Bag of a text. If the text has no word but is not blank, the
// Bag has one hash: that of the whole text.
func NewBag(text string) Bag {
	var b Bag
	for _, w := range Of(text) {
		b = append(b, Hash(w))
	}
	if len(b) == 0 && strings.TrimSpace(text) != "" {
		b = append(b, hashBytes(text))
	}
	slices.Sort(b)
	return b
}

// Distinct yields the hash of each different word of the bag once, in ascending
// order.
func (b Bag) Distinct(yield func(uint64) bool) {
	for i, w := range b {
		if (i == 0 || b[i-1] != w) && !yield(w) {
			return
		}
	}
}

// hashBytes returns the FNV-1a hash of the bytes of a text.
func hashBytes(text string) uint64 {
	h := uint64(fnvBasis)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * fnvPrime
	}
	return h
}

// Likeness returns the share of words that the texts of two bags have in
// common. It is 1 if both have the same words, and 0 if they share no word or
// if both bags are empty.
func Likeness(a, b Bag) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	common, all := 0, len(a)+len(b)
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			a, b = a[1:], b[1:]
			common++
		}
	}
	return 2 * float64(common) / float64(all)
}
