package clustering

import (
	"cmp"
	"slices"
)

// Counts has in how many texts each word occurs, in all texts and by cluster. The zero value
// is empty. Texts that are in no cluster have number -1.
type Counts struct {
	all     []uint32
	texts   int
	in      map[wordIn]uint32
	members map[int32]int
}

// wordIn is a word in a cluster, by their numbers.
type wordIn struct {
	cluster int32
	word    uint32
}

// Add counts a text that has these words, each once.
func (c *Counts) Add(cluster int32, words []uint32) {
	if c.in == nil {
		c.in, c.members = make(map[wordIn]uint32), make(map[int32]int)
	}
	c.texts++
	if cluster >= 0 {
		c.members[cluster]++
	}
	for _, w := range words {
		if int(w) >= len(c.all) {
			c.all = append(c.all, make([]uint32, int(w)+1-len(c.all))...)
		}
		c.all[w]++
		if cluster >= 0 {
			c.in[wordIn{cluster, w}]++
		}
	}
}

// Telling returns the words that tell each cluster from all other texts, at most n each, the
// most telling first: those that the cluster's texts have more often than the others, by χ².
// Of equal words, those that more texts of the cluster have come first, then those with a
// lower number. accept reports whether a word may be named.
func (c *Counts) Telling(n int, accept func(word uint32) bool) map[int32][]uint32 {
	type telling struct {
		word uint32
		chi2 float64
		with uint32
	}
	lists := make(map[int32][]telling)
	for at, with := range c.in {
		chi2, more := chiSquared(float64(with), float64(c.members[at.cluster]), float64(c.all[at.word]-with), float64(c.texts-c.members[at.cluster]))
		if more {
			lists[at.cluster] = append(lists[at.cluster], telling{at.word, chi2, with})
		}
	}
	out := make(map[int32][]uint32, len(lists))
	for cluster, list := range lists {
		slices.SortFunc(list, func(a, b telling) int {
			return cmp.Or(cmp.Compare(b.chi2, a.chi2), cmp.Compare(b.with, a.with), cmp.Compare(a.word, b.word))
		})
		for _, t := range list {
			if len(out[cluster]) == n {
				break
			}
			if accept(t.word) {
				out[cluster] = append(out[cluster], t.word)
			}
		}
	}
	return out
}

// chiSquared returns χ² of a word in a cluster: with of its in texts have the word, and
// without of the others. more reports whether the word is more frequent in the cluster, or
// there are no other texts.
func chiSquared(with, in, without, others float64) (chi2 float64, more bool) {
	if others == 0 {
		return 0, true
	}
	if with*others <= without*in {
		return 0, false
	}
	all := in + others
	d := with*(others-without) - without*(in-with)
	return all * d * d / ((with + without) * (all - with - without) * in * others), true
}
