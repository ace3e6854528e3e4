package urlkey

import "math/bits"

// Level returns a number from 0 to 64 that depends only on key, the key of a URL. Half of
// all keys have level 0, a quarter have level 1, an eighth have level 2 and so on. The keys
// whose level is at least n are therefore a random sample of one in 2^n keys. Indexes store
// such samples (see FORMAT.md, section 10), so the levels of keys must not change.
func Level(key string) int {
	// FNV-1a, and the last step of MurmurHash3: without it the highest bits of neighbouring
	// keys depend on each other.
	h := uint64(14695981039346656037)
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return bits.LeadingZeros64(h ^ h>>33)
}
