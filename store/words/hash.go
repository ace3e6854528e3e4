package words

import (
	"unicode"
	"unicode/utf8"
)

// Hash returns the hash of a word. Words that differ only in case have the same
// hash. It is FNV-1a over the letters in lower case.
func Hash(w string) uint64 {
	h := uint64(fnvBasis)
	for i := range len(w) {
		if w[i] >= utf8.RuneSelf {
			return hashLetters(h, w[i:])
		}
		h = (h ^ uint64(lower(w[i]))) * fnvPrime
	}
	return h
}

const (
	fnvBasis = 14695981039346656037
	fnvPrime = 1099511628211
)

func hashLetters(h uint64, w string) uint64 {
	for _, r := range w {
		if r < firstIdeograph || r > lastIdeograph { // ideographs have no lower case
			r = unicode.ToLower(r)
		}
		h = (h ^ uint64(r)) * fnvPrime
	}
	return h
}

// isLetter reports whether c is an ASCII letter.
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// lower returns the lower-case letter for an ASCII capital, and any other byte
// unchanged.
func lower(c byte) byte {
	if c-'A' < 26 {
		return c | 0x20
	}
	return c
}
