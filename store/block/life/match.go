package life

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"

	"infomall/store/record"
	"infomall/store/words"
)

// Op is the change of a block from one version of a page to the next.
type Op uint8

// The operations, the values of Op.
const (
	Same    Op = iota // the same bytes, in the same order among the blocks that did not move
	Moved             // the same bytes at another place in the order
	Edited            // other bytes, but still the same block
	Added             // the version before does not have the block
	Removed           // the new version does not have the block
)

var opNames = [...]string{"same", "moved", "edited", "added", "removed"}

// String returns the operation as a query shows it, such as "moved".
func (o Op) String() string { return opNames[o] }

// piece is a block of a page with the properties by which a matcher compares it.
type piece struct {
	Digest record.Digest
	Path   string
	// Text returns the text that the block shows. If the block shows no words,
	// Text returns something else by which to recognise the block, such as its
	// bytes. It is called only for blocks whose digest the other version lacks.
	Text func() string
}

// Match is the change of one block from one version to the next. Old and New are
// indexes into the blocks of the two versions, or -1 if the block is not in that
// version.
type Match struct {
	Op         Op
	Old, New   int
	Similarity float64 // share of words in common: 1 for same and moved, 0 for added and removed
}

// The least shares of words in common with which two blocks count as the same
// block.
const (
	alike     = 0.6 // for blocks at any two places
	alikeHere = 0.2 // for blocks with the same path or between the same neighbours
)

// matches pairs the blocks of two versions of a page, m.old and m.new: first by
// digest, then by likeness, then by place. Both lists are in the order of the page.
// oldBag and newBag return the words of the block at index i. The result has a Match
// for each block of the new version in order, then for each removed block in order.
//
// Likeness comes before place because an item added at the top of a list changes
// the places of all other items. For the same reason a place is not only a path:
// two blocks are also at the same place if they are between the same unchanged
// neighbours.
func (m *matcher) matches(oldBag, newBag func(i int) words.Bag) []Match {
	m.oldBag, m.newBag = oldBag, newBag
	m.toOld, m.toNew = filled(m.toOld, len(m.new)), filled(m.toNew, len(m.old))
	m.byDigest()
	if slices.Contains(m.toNew, -1) && slices.Contains(m.toOld, -1) {
		m.byLikeness()
		m.byPlace()
	}
	return m.result()
}

// filled returns a list of n elements that are all -1. It reuses the memory of s.
func filled(s []int, n int) []int {
	s = slices.Grow(s[:0], n)[:n]
	for i := range s {
		s[i] = -1
	}
	return s
}

// matcher pairs the blocks of two versions of a page, see matches.
type matcher struct {
	old, new     []piece
	oldBag       func(i int) words.Bag
	newBag       func(i int) words.Bag
	toOld, toNew []int          // for each block the index of its partner in the other version; -1 if it has none
	inOrder      []bool         // for each new block, whether it and its partner are in the same order as other pairs
	words        [2][]words.Bag // the words of the old and of the new blocks that byDigest left without a partner
	alike        []float64

	// Memory that is used again.
	slots, nexts  []int // working memory of the methods byAnyDigest and byPlace
	tails, before []int // working memory of the method order
	index         wordIndex
	found         []candidate
	shared        []int // words in common with each old block; 0 before and after
	likely        []int
}

// matchers holds unused matchers.
var matchers = sync.Pool{New: func() any { return new(matcher) }}

// newMatcher returns a matcher without pieces.
func newMatcher() *matcher { return matchers.Get().(*matcher) }

// free gives the memory of m to later matchers. m must not be used after that.
func (m *matcher) free() {
	clear(m.old)
	clear(m.new)
	clear(m.words[0])
	clear(m.words[1])
	m.old, m.new, m.oldBag, m.newBag = m.old[:0], m.new[:0], nil, nil
	matchers.Put(m)
}

func (m *matcher) pair(o, n int) { m.toNew[o], m.toOld[n] = n, o }

// byDigest pairs blocks with equal bytes. First it pairs the equal blocks at the
// start, and those at the end, of both versions. Of the blocks between, it pairs
// the n-th old block that has a digest with the n-th new block that has it. It
// fills m.inOrder for all pairs.
func (m *matcher) byDigest() {
	o, n := len(m.old), len(m.new)
	from := 0
	for from < min(o, n) && m.old[from].Digest == m.new[from].Digest {
		m.pair(from, from)
		from++
	}
	for o > from && n > from && m.old[o-1].Digest == m.new[n-1].Digest {
		o, n = o-1, n-1
		m.pair(o, n)
	}
	m.byAnyDigest(from, o, n)
	m.order()
}

// byAnyDigest pairs blocks of m.old[from:o] with blocks of m.new[from:n] that
// have the same digest, in order.
func (m *matcher) byAnyDigest(from, o, n int) {
	if from == o || from == n {
		return
	}
	// slots is a hash table of the digests, at most half full. A slot has the first
	// old block of a digest that has no partner yet. If all have one, it has the
	// last. nexts has, for each old block, the next one with the same digest.
	m.slots = filled(m.slots, 2<<bits.Len(uint(o-from)))
	m.nexts = filled(m.nexts, o)
	slot := func(d *record.Digest) *int {
		i := binary.LittleEndian.Uint64(d[:])
		for {
			s := &m.slots[i&uint64(len(m.slots)-1)]
			if *s < 0 || m.old[*s].Digest == *d {
				return s
			}
			i++
		}
	}
	for i := o - 1; i >= from; i-- {
		s := slot(&m.old[i].Digest)
		*s, m.nexts[i] = i, *s
	}
	for i := from; i < n; i++ {
		s := slot(&m.new[i].Digest)
		if *s < 0 || m.toNew[*s] >= 0 {
			continue
		}
		m.pair(*s, i)
		if next := m.nexts[*s]; next >= 0 {
			*s = next
		}
	}
}

// order chooses as many pairs as possible whose blocks are in the same order in
// both versions, and sets inOrder for them. The blocks of the other pairs have
// moved.
func (m *matcher) order() {
	m.inOrder = slices.Grow(m.inOrder[:0], len(m.toOld))[:len(m.toOld)]
	clear(m.inOrder)
	m.before = filled(m.before, len(m.toOld))
	tails := m.tails[:0] // tails[k] is the last new block of the best sequence of k+1 pairs so far
	for n, o := range m.toOld {
		if o < 0 {
			continue
		}
		k, _ := slices.BinarySearchFunc(tails, o, func(t, o int) int { return cmp.Compare(m.toOld[t], o) })
		if k > 0 {
			m.before[n] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, n)
		} else {
			tails[k] = n
		}
	}
	if m.tails = tails; len(tails) > 0 {
		for n := tails[len(tails)-1]; n >= 0; n = m.before[n] {
			m.inOrder[n] = true
		}
	}
}

// rareMax is the largest number of blocks in which a word may occur so that byLikeness uses the
// word to find similar blocks. candidatePairs is the largest number of similar blocks with which
// byLikeness compares each block in full.
const (
	rareMax        = 16
	candidatePairs = 24
)

// fewPairs is up to how many pairs of blocks byLikeness compares all pairs, without an index of
// words: with so few, making the index would take longer.
const fewPairs = 64

type candidate struct {
	old, new int
	alike    float64
}

// byLikeness pairs blocks without a partner that have most of their words in
// common. It begins with the two blocks that are most alike.
func (m *matcher) byLikeness() {
	m.words[0], m.words[1] = appendBags(m.words[0][:0], m.oldBag, m.toNew), appendBags(m.words[1][:0], m.newBag, m.toOld)
	m.alike = slices.Grow(m.alike[:0], len(m.new))[:len(m.new)]
	old, new := unpaired(m.toNew), unpaired(m.toOld)
	if old <= min(rareMax, candidatePairs) && old*new <= fewPairs {
		m.likeAny()
	} else {
		m.likeByWords()
	}
	slices.SortFunc(m.found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.alike, a.alike), cmp.Compare(a.new, b.new), cmp.Compare(a.old, b.old))
	})
	for _, c := range m.found {
		if m.toNew[c.old] < 0 && m.toOld[c.new] < 0 {
			m.edit(c.old, c.new, c.alike)
		}
	}
}

// unpaired returns how many blocks have no partner. partners has the partner of each block, or
// -1.
func unpaired(partners []int) (n int) {
	for _, p := range partners {
		if p < 0 {
			n++
		}
	}
	return n
}

// likeAny sets m.found to the pairs of blocks without a partner that are alike. It compares all
// of them in full. If at most rareMax old blocks have no partner, the result is the same as
// that of likeByWords.
func (m *matcher) likeAny() {
	m.found = m.found[:0]
	for n, partner := range m.toOld {
		if partner >= 0 {
			continue
		}
		for o, partner := range m.toNew {
			if partner >= 0 {
				continue
			}
			if l := words.Likeness(m.words[0][o], m.words[1][n]); l >= alike {
				m.found = append(m.found, candidate{o, n, l})
			}
		}
	}
}

// likeByWords sets m.found to pairs of blocks without a partner that are alike. For
// each new block, an index of words finds the old blocks with the most rare words in
// common, and only these are compared in full.
func (m *matcher) likeByWords() {
	m.index = appendWords(m.index[:0], m.words[0])
	m.shared = slices.Grow(m.shared[:0], len(m.old))[:len(m.old)]
	clear(m.shared)
	found, shared, likely := m.found[:0], m.shared, m.likely[:0]
	for n := range m.new {
		for w := range m.words[1][n].Distinct {
			list := m.index.of(w)
			if len(list) > rareMax {
				continue
			}
			for _, p := range list {
				if shared[p.block] == 0 {
					likely = append(likely, p.block)
				}
				shared[p.block]++
			}
		}
		slices.SortFunc(likely, func(a, b int) int {
			if shared[a] != shared[b] {
				return cmp.Compare(shared[b], shared[a])
			}
			return cmp.Compare(a, b)
		})
		for _, o := range likely[:min(len(likely), candidatePairs)] {
			if l := words.Likeness(m.words[0][o], m.words[1][n]); l >= alike {
				found = append(found, candidate{o, n, l})
			}
		}
		for _, o := range likely {
			shared[o] = 0
		}
		likely = likely[:0]
	}
	m.found, m.likely = found, likely
}

// wordIndex lists, for each word, the blocks that contain it. It is sorted by
// word.
type wordIndex []wordPlace

type wordPlace struct {
	word  uint64
	block int
}

// appendWords adds the words of blocks to the index, which is the argument in. It
// sorts the index and returns it. bags[i] has the words of block i.
func appendWords(in wordIndex, bags []words.Bag) wordIndex {
	for i, b := range bags {
		for w := range b.Distinct {
			in = append(in, wordPlace{w, i})
		}
	}
	slices.SortFunc(in, func(a, b wordPlace) int {
		if a.word != b.word {
			return cmp.Compare(a.word, b.word)
		}
		return cmp.Compare(a.block, b.block)
	})
	return in
}

// of returns the entries of a word in the index, one for each block that contains it. Of a word
// that more than rareMax blocks contain, it returns rareMax+1 entries: in two versions of a log, each
// of many thousand lines may have the same words.
func (in wordIndex) of(word uint64) []wordPlace {
	from, _ := slices.BinarySearchFunc(in, word, func(p wordPlace, w uint64) int { return cmp.Compare(p.word, w) })
	to := from
	for to < len(in) && in[to].word == word && to-from <= rareMax {
		to++
	}
	return in[from:to]
}

// appendBags appends one Bag of words for each block to list. The Bag of block i
// is of(i) if the block has no partner, and nil otherwise. partner[i] is -1 if
// block i has no partner.
func appendBags(list []words.Bag, of func(i int) words.Bag, partner []int) []words.Bag {
	for i, p := range partner {
		if p < 0 {
			list = append(list, of(i))
		} else {
			list = append(list, nil)
		}
	}
	return list
}

func (m *matcher) edit(o, n int, alike float64) {
	m.pair(o, n)
	m.alike[n] = alike
}

// byPlace pairs blocks without a partner that share enough words and are at the
// same place: they have the same path, or are the only such blocks between the
// same neighbours.
func (m *matcher) byPlace() {
	at := map[string]int{}
	for o := range m.old {
		if m.toNew[o] < 0 {
			at[m.old[o].Path] = o
		}
	}
	m.nexts = filled(m.nexts, len(m.old)) // for each old block, the nearest unchanged block before it; -1 if there is none
	for o, last := 0, -1; o < len(m.old); o++ {
		m.nexts[o] = last
		if n := m.toNew[o]; n >= 0 && m.inOrder[n] {
			last = o
		}
	}
	last := -1 // the partner of the nearest unchanged block before n; -1 if there is none
	for n := range m.new {
		if o := m.toOld[n]; o >= 0 {
			if m.inOrder[n] {
				last = o
			}
			continue
		}
		// Both follow the same unchanged block, or neither follows one.
		if o, ok := at[m.new[n].Path]; ok && m.toNew[o] < 0 && m.nexts[o] == last {
			m.here(o, n)
		}
	}
	for n := range m.new {
		if m.toOld[n] >= 0 {
			continue
		}
		o := 0 // the old block that follows the partner of block n-1
		if n > 0 {
			if o = m.toOld[n-1] + 1; o == 0 {
				continue
			}
		}
		if o < len(m.old) && m.toNew[o] < 0 {
			m.here(o, n)
		}
	}
}

// here pairs old block o and new block n, which are at the same place, if they
// have at least the share alikeHere of words in common.
func (m *matcher) here(o, n int) {
	if l := words.Likeness(m.words[0][o], m.words[1][n]); l >= alikeHere {
		m.edit(o, n, l)
	}
}

func (m *matcher) result() []Match {
	out := make([]Match, 0, max(len(m.old), len(m.new)))
	for n, o := range m.toOld {
		switch {
		case o < 0:
			out = append(out, Match{Added, -1, n, 0})
		case m.old[o].Digest != m.new[n].Digest:
			out = append(out, Match{Edited, o, n, m.alike[n]})
		case m.inOrder[n]:
			out = append(out, Match{Same, o, n, 1})
		default:
			out = append(out, Match{Moved, o, n, 1})
		}
	}
	for o, n := range m.toNew {
		if n < 0 {
			out = append(out, Match{Removed, o, -1, 0})
		}
	}
	return out
}
