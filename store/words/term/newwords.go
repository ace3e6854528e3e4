package term

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// The limits that decide which sequences of pieces are new words.
const (
	lettersMax = 6 // letters of a new word, at most
	pieceMax   = 2 // letters of each piece of it, at most
	// occursLeast is how often a new word must occur in the texts, at least.
	occursLeast = 5
	// togetherLeast is the least mutual information of the two parts into which a sequence is
	// best split, in bits: the parts stand together 2^togetherLeast times as often as by
	// chance. A very frequent sequence cannot reach that. For it, togetherShare of the most
	// that it could reach is enough.
	togetherLeast = 5
	togetherShare = .9
	// variedLeast is the least entropy of the neighbours on each side, in bits.
	variedLeast = 1.5
)

// neverFirst and neverLast are single letters with which no new word begins or ends:
// numerals, measure words, adverbs and particles, which stand beside many words but are
// no part of them, as in 日上午, 较高, 过程中 and 完成后.
var (
	neverFirst = lettersOf("〇零一二两三四五六七八九十百千万亿几半各每另第个名位次条件级号种元年月日时分秒天点岁届" +
		"不没未太更最较非很颇极够才便只刚既并均所可能会要想需应得着过了去来到使给向往当随带据之有上下")
	neverLast = lettersOf("中后前时里内外间上下起来到去得着过了地于之为们说称道问看让给向当有无是在所以如才只就会要个些多很")
)

// lettersOf returns the set of the letters of a text.
func lettersOf(text string) map[string]bool {
	set := make(map[string]bool)
	for _, letter := range text {
		set[string(letter)] = true
	}
	return set
}

// countBytes and candidateBytes estimate how many bytes of memory a sequence takes: countBytes
// while sequences are counted, and candidateBytes while the neighbours of candidates (sequences
// that may be new words) are counted.
const (
	countBytes     = 96
	candidateBytes = 1024
)

// NewWords is a set of new words. It does not change once it is made, and any number of
// goroutines may use it. A nil NewWords is empty.
type NewWords struct {
	words map[string]bool
}

// Len returns the number of words.
func (n *NewWords) Len() int {
	if n == nil {
		return 0
	}
	return len(n.words)
}

// All returns the words, sorted.
func (n *NewWords) All() []string {
	if n == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(n.words))
}

// at returns how many pieces the longest new word at the beginning of pieces has, or 0 if no new
// word begins there. The texts of pieces are parts of run.
func (n *NewWords) at(run []byte, pieces []piece) int {
	most := sequenceEnd(pieces)
	for k := most; k > 1; k-- {
		if n.words[string(run[pieces[0].from:pieces[k-1].to])] && mayBeNew(pieces[:k]) {
			return k
		}
	}
	return 0
}

// sequenceEnd returns how many of the pieces, from the first on, may be in one new word
// together: none of them is a stop word or has more than pieceMax letters, and all together have
// at most lettersMax.
func sequenceEnd(pieces []piece) int {
	letters := 0
	for k := range pieces {
		letters += pieces[k].letters
		if letters > lettersMax || pieces[k].letters > pieceMax || pieces[k].stop {
			return k
		}
	}
	return len(pieces)
}

// mayBeNew reports whether pieces have the form of a new word: there are at least two, one of
// them is a single letter, the first may begin a word, and the last may end one. The caller passes
// no more pieces than sequenceEnd allows.
func mayBeNew(pieces []piece) bool {
	return len(pieces) > 1 && !pieces[0].notFirst && !pieces[len(pieces)-1].notLast &&
		slices.ContainsFunc(pieces, func(p piece) bool { return p.letters == 1 })
}

// MayBeNew reports whether a term has the form of a new word: it has few letters, all Chinese,
// and the cutter divides it. Texts decide whether it is one.
func MayBeNew(term string) bool {
	if len(term) > lettersMax*utf8.UTFMax || !beginsNew(term) {
		return false
	}
	pieces := cutRun(nil, term)
	return sequenceEnd(pieces) == len(pieces) && mayBeNew(pieces)
}

// beginsNew reports whether a new word may begin with text: it has few letters, and all are
// Chinese.
func beginsNew(text string) bool {
	for _, letter := range text {
		if scriptOf(letter, chinese) != chinese {
			return false
		}
	}
	return utf8.RuneCountInString(text) <= lettersMax
}

// FindNew finds the new words of texts. It ranges over texts twice, and both times they must
// come in the same order. Each text has the form that Reader.AppendRuns makes. FindNew takes
// about memory bytes of memory: if there are too many sequences, it forgets rare ones. Equal
// texts in equal order give equal words. An error is one that texts yielded.
func FindNew(texts iter.Seq2[string, error], memory int64) (*NewWords, error) {
	c := counter{counts: make(map[string]uint32), most: int(max(memory/countBytes, 1000))}
	for text, err := range texts {
		if err != nil {
			return nil, err
		}
		for run := range strings.Lines(text) {
			c.count(strings.TrimSuffix(run, "\n"))
		}
	}
	found := c.candidates(int(max(memory/candidateBytes, 100)))
	c.counts = nil
	if len(found) == 0 {
		return nil, nil
	}
	for text, err := range texts {
		if err != nil {
			return nil, err
		}
		for run := range strings.Lines(text) {
			c.around(found, strings.TrimSuffix(run, "\n"))
		}
	}
	n := &NewWords{words: make(map[string]bool)}
	for w, around := range found {
		if around[0].entropy() >= variedLeast && around[1].entropy() >= variedLeast {
			n.words[w] = true
		}
	}
	return n, nil
}

// counter counts how often sequences of pieces occur.
type counter struct {
	counts map[string]uint32
	most   int    // the largest number of entries of counts
	all    uint64 // number of pieces that were counted
	pieces []piece
}

// sequences calls f for each sequence of pieces of a run that may be in a new word. pieces are
// those of the whole run; from is the index of the first piece of the sequence, and to the
// index after its last piece.
func (c *counter) sequences(run string, f func(pieces []piece, from, to int)) {
	c.pieces = cutRun(c.pieces[:0], run)
	for from := range c.pieces {
		for k := range sequenceEnd(c.pieces[from:]) {
			f(c.pieces, from, from+k+1)
		}
	}
}

// count counts the sequences of a run.
func (c *counter) count(run string) {
	c.sequences(run, func(pieces []piece, from, to int) {
		w := run[pieces[from].from:pieces[to-1].to]
		if n := c.counts[w]; n > 0 {
			c.counts[w] = n + 1
		} else {
			c.counts[strings.Clone(w)] = 1 // w shares the memory of its text
		}
	})
	c.all += uint64(len(c.pieces))
	if len(c.counts) > c.most {
		c.forget()
	}
}

// forget removes the rarest sequences, until at most half of c.most are left. The others keep
// their counts. This is the lossy counting of G. Manku and R. Motwani, "Approximate frequency
// counts over data streams" (2002), except that the limit of rarity depends on the memory.
func (c *counter) forget() {
	for border := uint32(1); len(c.counts) > c.most/2; border++ {
		for w, n := range c.counts {
			if n <= border {
				delete(c.counts, w)
			}
		}
	}
}

// candidates returns the sequences that occur often enough and whose parts belong together. If
// there are more than most, it returns the most frequent ones. Their neighbours are not counted
// yet.
func (c *counter) candidates(most int) map[string]*[2]neighbours {
	var list []string
	for w, n := range c.counts {
		if n < occursLeast {
			continue
		}
		pieces := cutRun(c.pieces[:0], w)
		// Alone, the letters may be cut in another way than in the texts.
		if mayBeNew(pieces) && sequenceEnd(pieces) == len(pieces) && c.belongTogether(w, pieces) {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(cmp.Compare(c.counts[b], c.counts[a]), cmp.Compare(a, b))
	})
	found := make(map[string]*[2]neighbours)
	for _, w := range list[:min(len(list), most)] {
		found[w] = new([2]neighbours)
	}
	return found
}

// belongTogether reports whether the pieces of the sequence w belong together: whether the
// pointwise mutual information of its two parts, in bits, is high. Among all splits into two
// parts, it takes the one with the least information.
func (c *counter) belongTogether(w string, pieces []piece) bool {
	least := math.Inf(1)
	n := float64(c.counts[w])
	for _, p := range pieces[1:] {
		// A part that was forgotten occurs at least as often as the whole.
		left, right := max(float64(c.counts[w[:p.from]]), n), max(float64(c.counts[w[p.from:]]), n)
		least = min(least, math.Log2(n*float64(c.all)/(left*right)))
	}
	most := math.Log2(float64(c.all) / n) // if the parts never stand apart
	return least >= min(togetherLeast, togetherShare*most)
}

// around finds the candidates in a run and counts their neighbours.
func (c *counter) around(found map[string]*[2]neighbours, run string) {
	c.sequences(run, func(pieces []piece, from, to int) {
		around := found[run[pieces[from].from:pieces[to-1].to]]
		if around == nil {
			return
		}
		var before, after rune // 0 is a border of the run
		if from > 0 {
			before, _ = utf8.DecodeLastRuneInString(run[:pieces[from].from])
		}
		if to < len(pieces) {
			after, _ = utf8.DecodeRuneInString(run[pieces[to].from:])
		}
		around[0].add(before)
		around[1].add(after)
	})
}

// neighboursMax is the largest number of different letters on one side of a candidate that are
// counted one by one. With more, the entropy is high enough in any case.
const neighboursMax = 24

// neighbours counts the letters that stand on one side of a candidate for a new word.
type neighbours struct {
	all     uint32
	letters []rune
	counts  []uint32 // for each element of letters, how often it was added
	single  uint32   // neighbours that count as all different: ends of runs, and letters beyond neighboursMax
}

// add counts one neighbour: a letter, or 0 where the run begins or ends. Each 0 counts as a
// different letter, because the letter beyond the run could be any.
func (n *neighbours) add(letter rune) {
	n.all++
	if letter != 0 {
		if i := slices.Index(n.letters, letter); i >= 0 {
			n.counts[i]++
			return
		}
		if len(n.letters) < neighboursMax {
			n.letters, n.counts = append(n.letters, letter), append(n.counts, 1)
			return
		}
	}
	n.single++
}

// entropy returns the entropy of the neighbours in bits: 0 if all are the same, log2(n)
// if all n are different.
func (n *neighbours) entropy() float64 {
	if n.all == 0 {
		return 0
	}
	all := float64(n.all)
	bits := float64(n.single) / all * math.Log2(all)
	for _, count := range n.counts {
		share := float64(count) / all
		bits -= share * math.Log2(share)
	}
	return bits
}
