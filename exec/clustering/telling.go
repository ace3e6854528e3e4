package clustering

import (
	"cmp"
	"slices"
)

// Telling finds the words that tell a cluster from the other texts. First call All for each text.
// Then, for each cluster, call In for each of its texts, and Words. The zero value has no texts.
type Telling struct {
	all     []uint32 // number of texts with each word
	texts   int
	in      []uint32 // number of texts of the current cluster with each word
	words   []uint32 // the words of the current cluster
	members int
}

// All counts a text that has these words, each once.
func (t *Telling) All(words []uint32) {
	t.texts++
	for _, w := range words {
		if int(w) >= len(t.all) {
			t.all = append(t.all, make([]uint32, int(w)+1-len(t.all))...)
		}
		t.all[w]++
	}
}

// In counts a text of the current cluster, which All has counted.
func (t *Telling) In(words []uint32) {
	if t.in == nil {
		t.in = make([]uint32, len(t.all))
	}
	t.members++
	for _, w := range words {
		if t.in[w] == 0 {
			t.words = append(t.words, w)
		}
		t.in[w]++
	}
}

// Words returns the words that tell the current cluster from all other texts, the most telling
// first, but not more than n. These are words that its texts have more often than the others,
// sorted by χ². If two words have the same χ², the one that more texts of the cluster have comes
// first, then the one that sorts first. If all texts are in the cluster, Words returns the words
// that most of them have. accept reports whether a word may be returned; name returns a word by its
// number. The next call of In begins another cluster.
func (t *Telling) Words(n int, name func(word uint32) string, accept func(word string) bool) []string {
	type telling struct {
		word uint32
		chi2 float64
		with uint32
	}
	var list []telling
	for _, w := range t.words {
		with := t.in[w]
		if chi2, more := chiSquared(float64(with), float64(t.members), float64(t.all[w]-with), float64(t.texts-t.members)); more {
			list = append(list, telling{w, chi2, with})
		}
		t.in[w] = 0
	}
	t.words, t.members = t.words[:0], 0
	slices.SortFunc(list, func(a, b telling) int {
		return cmp.Or(cmp.Compare(b.chi2, a.chi2), cmp.Compare(b.with, a.with), cmp.Compare(name(a.word), name(b.word)))
	})
	var out []string
	for _, x := range list {
		if len(out) == n {
			break
		}
		if w := name(x.word); accept(w) {
			out = append(out, w)
		}
	}
	return out
}

// chiSquared returns χ² of a word for a cluster. Of the inside texts, those of the cluster, insideHave
// have the word; of the outside texts, all others, outsideHave have it. more reports whether the word
// is more frequent in the cluster, or there are no other texts.
func chiSquared(insideHave, inside, outsideHave, outside float64) (chi2 float64, more bool) {
	if outside == 0 {
		return 0, true
	}
	if insideHave*outside <= outsideHave*inside {
		return 0, false
	}
	all, have := inside+outside, insideHave+outsideHave
	d := insideHave*(outside-outsideHave) - outsideHave*(inside-insideHave)
	return all * d * d / (have * (all - have) * inside * outside), true
}
