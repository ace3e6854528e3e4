package about

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strings"
	"unicode/utf8"
)

// frequencies counts how often each word occurs in a text. Words that differ only in case count
// as the same word. If the caller asks for it, so do words that differ only in their endings.
type frequencies struct {
	entries []frequency // one entry for each word, in the order of first occurrence
	keys    []byte      // the keys of the entries, one after the other
	slots   []int32     // hash table of the keys: 1 + the index of an entry; 0 if free
	best    []int32     // memory for the results of mostFrequent and inOrder, which are indexes of entries
}

type frequency struct {
	word     string // the word as its first occurrence is written
	first    int    // index of the first occurrence among all words of the text
	count    int
	key, end int32 // the word's key is keys[key:end]
	hash     uint64
}

// slotsLeast is the least number of slots. The number of slots is always a power
// of two.
const slotsLeast = 128

// keySeed is the seed of the hashes of keys. It is random, so that authors of
// pages cannot choose words that share a slot.
var keySeed = maphash.MakeSeed()

// count counts the words of a text. The counts of earlier texts are lost. If
// stems is true, words that differ only in their endings count as the same word.
func (f *frequencies) count(words []string, stems bool) {
	size := slotsLeast
	for size < 2*len(words) {
		size *= 2
	}
	f.slots = slices.Grow(f.slots[:0], size)[:size]
	clear(f.slots)
	f.entries, f.keys = f.entries[:0], f.keys[:0]
	mask := uint64(size - 1)
	for i, w := range words {
		from := len(f.keys)
		f.keys = appendLower(f.keys, w)
		if stems {
			f.keys = f.keys[:from+len(stem(f.keys[from:]))]
		}
		key := f.keys[from:]
		h := maphash.Bytes(keySeed, key)
		at := h & mask
		for f.slots[at] != 0 && !f.is(&f.entries[f.slots[at]-1], key, h) {
			at = (at + 1) & mask
		}
		if n := f.slots[at]; n != 0 {
			f.entries[n-1].count++
			f.keys = f.keys[:from]
			continue
		}
		f.entries = append(f.entries, frequency{w, i, 1, int32(from), int32(len(f.keys)), h})
		f.slots[at] = int32(len(f.entries))
	}
}

func (f *frequencies) is(e *frequency, key []byte, h uint64) bool {
	return e.hash == h && bytes.Equal(f.keys[e.key:e.end], key)
}

// mostFrequent returns at most n of the counted words, as indexes of entries, the
// most frequent first. It leaves out words whose count is not greater than the
// argument least. Equally frequent words are in the order of their first occurrence.
// The result is valid until mostFrequent or inOrder is called again.
func (f *frequencies) mostFrequent(n, least int) []int32 {
	best := f.best[:0]
	for i := range f.entries {
		count := f.entries[i].count
		if count <= least || len(best) == n && count <= f.entries[best[n-1]].count {
			continue
		}
		if len(best) == n {
			best = best[:n-1]
		}
		best = append(best, int32(i))
		for k := len(best) - 1; k > 0 && f.entries[best[k-1]].count < count; k-- {
			best[k-1], best[k] = best[k], best[k-1]
		}
	}
	f.best = best
	return best
}

// inOrder returns each counted word once, as indexes of entries, in the order of the
// first occurrences. The result is valid until mostFrequent or inOrder is called again.
func (f *frequencies) inOrder() []int32 {
	f.best = f.best[:0]
	for i := range f.entries {
		f.best = append(f.best, int32(i))
	}
	return f.best
}

// appendLower appends the word w in lower case to dst.
func appendLower(dst []byte, w string) []byte {
	from := len(dst)
	for i := range len(w) {
		c := w[i]
		if c >= utf8.RuneSelf {
			return append(dst[:from], strings.ToLower(w)...)
		}
		if c-'A' < 26 {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// endings are the endings of English plurals and verbs, and their replacements.
var endings = [...]struct{ suffix, to string }{{"ies", "y"}, {"sses", "ss"}, {"ing", ""}, {"ed", ""}, {"es", "e"}, {"s", ""}}

// stem removes the ending of a plural or a verb from w, an English word in lower
// case. It works in place. The result is usually the same for all forms of a
// word, such as "pag" for "page" and "pages"; it need not be a word.
func stem(w []byte) []byte {
	if len(w) == 0 {
		return w
	}
	switch w[len(w)-1] {
	case 's', 'g', 'd':
		for _, rule := range endings {
			base, ok := bytes.CutSuffix(w, []byte(rule.suffix))
			if !ok || len(base) < 3 || rule.suffix == "s" && base[len(base)-1] == 's' {
				continue
			}
			w = append(base, rule.to...)
			break
		}
	}
	return bytes.TrimSuffix(w, []byte("e"))
}
