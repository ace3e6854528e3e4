package life

import (
	"cmp"
	"slices"
	"sync"

	"infomall/store/block/divide"
	"infomall/store/words"
)

// compare finds the changes of the leaves since the version before and sets
// r.matches. A body that is not a page has no leaves. If neither version has
// leaves, the bodies are compared as wholes.
func (r *Revision) compare() {
	b := r.Before
	if b == nil {
		return
	}
	old, new := b.shown(), r.shown()
	if len(old) == 0 && len(new) == 0 {
		r.asWholes = true
		old, new = b.leaves, r.leaves
	}
	m := newMatcher()
	defer m.free()
	m.old, m.new = b.appendPieces(m.old, old), r.appendPieces(m.new, new)
	r.pair(m.matches(func(i int) words.Bag { return b.bag(i, old[i]) }, func(i int) words.Bag { return r.bag(i, new[i]) }), old, new)
	if len(r.matches) == 2 && b.Whole && r.Whole {
		// One block was removed and one added. Both are the whole body: it was edited.
		r.matches = []Match{{Edited, 1, 1, 0}}
	}
}

// shown returns the leaves of the version, or nil if the version is Hidden.
func (r *Revision) shown() []int {
	if r.Hidden() {
		return nil
	}
	return r.leaves
}

// appendPieces appends the given leaves to list as pieces for a matcher. Each
// piece has a digest and a path, but no Text.
func (r *Revision) appendPieces(list []piece, leaves []int) []piece {
	list = slices.Grow(list, len(leaves))
	for i, n := range leaves {
		list = append(list, piece{Digest: r.Made[i].Digest, Path: r.Tree.Blocks[n].Path})
	}
	return list
}

// bag returns the words of leaf i, which is block n. If the words take no more
// memory than the bytes of the leaf, bag stores them in the leaf, because other
// pages of the site have the same leaf and may ask for its words again.
func (r *Revision) bag(i, n int) words.Bag {
	l := r.Made[i]
	if l.Words == nil {
		bag := words.NewBag(r.words(n))
		if 8*len(bag) > r.size(n) {
			return bag
		}
		l.Words = bag
	}
	return l.Words
}

// pair sets r.matches to matches. Old and New of matches are indexes in the lists
// old and new; pair replaces them by the blocks in these lists.
func (r *Revision) pair(matches []Match, old, new []int) {
	r.matches = matches
	for i := range matches {
		m := &matches[i]
		if m.Old >= 0 {
			m.Old = old[m.Old]
		}
		if m.New >= 0 {
			m.New = new[m.New]
		}
	}
}

// Leaves returns the change of each leaf since the version before: first for the
// leaves of this version in order, then for the removed leaves. Match.Old and
// Match.New are indexes into the Tree.Blocks of the version before and of this
// version. The result is empty for the first version.
func (r *Revision) Leaves() []Match { return r.matches }

// Changes returns the change of each block of the cut at a level (see
// divide.Tree.Cut), in the form of Leaves. The change of a block follows from the
// changes of its leaves. The first of these rules that applies decides:
//
//   - The block is added or removed if all its leaves are.
//   - It is edited if a leaf was added, edited or removed.
//   - It is moved if a leaf moved into it, out of it or within it.
//   - Otherwise it is the same.
//
// Thus either all cuts have a block that was added, edited or removed, or none
// has. The result is nil for the first version.
func (r *Revision) Changes(level int) []Match {
	if r.Before == nil || len(r.matches) == 0 {
		return nil
	}
	p := r.pairs(level)
	defer p.free()
	return r.changes(p)
}

// cutPairs describes how the blocks of a cut share leaves with those of the same
// cut of the version before. Blocks are named by their indexes in the two cuts.
type cutPairs struct {
	old, new     []int // the blocks of the two cuts, as indexes of blocks
	ofOld, ofNew []int // for each match of leaves, the place in each cut of the block that contains the leaf; -1 if none
	// toOld[i] is the old block that has most of the leaves of new block i, by size, or -1.
	// toNew[i] is the new block that has most of the leaves of old block i, or -1. But a new
	// block that has most of its own leaves from old block i comes first.
	toOld, toNew []int
	shared       []sharedPair
	// Memory that is used again.
	inOld, inNew, last []int
}

// cutPairsList has the cutPairs that are not in use.
var cutPairsList = sync.Pool{New: func() any { return new(cutPairs) }}

// free gives the memory of p to later calls of pairs. p must not be used after
// that.
func (p *cutPairs) free() { cutPairsList.Put(p) }

// sharedPair is an old and a new block that have leaves in common. old and new
// are indexes in the two cuts; weight is the weight of these leaves.
type sharedPair struct{ old, new, weight int }

// pairs returns how the blocks of the cut at a level share leaves with those of
// the version before. The caller must call free on the result.
func (r *Revision) pairs(level int) *cutPairs {
	p := cutPairsList.Get().(*cutPairs)
	p.old, p.new, p.shared = p.old[:0], p.new[:0], p.shared[:0]
	if r.asWholes || !r.Before.Hidden() {
		p.old = r.Before.Tree.AppendCut(p.old, level)
	}
	if r.asWholes || !r.Hidden() {
		p.new = r.Tree.AppendCut(p.new, level)
	}
	p.ofOld, p.ofNew = filled(p.ofOld, len(r.matches)), filled(p.ofNew, len(r.matches))
	p.inOld, p.inNew = placesIn(p.inOld, r.Before.Tree, p.old), placesIn(p.inNew, r.Tree, p.new)
	// The leaves of a new block follow each other in the matches. So if the new block
	// already has a pair with an old block, that is the last pair of the old block.
	p.last = filled(p.last, len(p.old)) // for each old block, the index in p.shared of its last pair
	last := p.last
	for i, m := range r.matches {
		if m.Old >= 0 {
			p.ofOld[i] = p.inOld[m.Old]
		}
		if m.New >= 0 {
			p.ofNew[i] = p.inNew[m.New]
		}
		o, n := p.ofOld[i], p.ofNew[i]
		if o < 0 || n < 0 {
			continue
		}
		if last[o] < 0 || p.shared[last[o]].new != n {
			last[o] = len(p.shared)
			p.shared = append(p.shared, sharedPair{o, n, 0})
		}
		p.shared[last[o]].weight += r.Before.size(m.Old) + r.size(m.New)
	}
	slices.SortFunc(p.shared, heavier)
	p.toOld, p.toNew = filled(p.toOld, len(p.new)), filled(p.toNew, len(p.old))
	for _, s := range p.shared {
		if p.toOld[s.new] < 0 {
			p.toOld[s.new] = s.old
		}
	}
	for _, s := range p.shared {
		if n := p.toNew[s.old]; n < 0 || p.toOld[n] != s.old && p.toOld[s.new] == s.old {
			p.toNew[s.old] = s.new
		}
	}
	return p
}

// heavier is a comparison function that sorts pairs by weight, the heaviest
// first.
func heavier(a, b sharedPair) int {
	switch {
	case a.weight != b.weight:
		return cmp.Compare(b.weight, a.weight)
	case a.new != b.new:
		return cmp.Compare(a.new, b.new)
	}
	return cmp.Compare(a.old, b.old)
}

// size returns the weight of block n: its size in bytes plus 1.
func (r *Revision) size(n int) int { return r.Tree.Blocks[n].End - r.Tree.Blocks[n].Start + 1 }

// placesIn returns, for each block of a tree, the index in cut of the block that
// contains it, or -1 if no block of the cut does. It reuses the memory of places.
func placesIn(places []int, t *divide.Tree, cut []int) []int {
	places = filled(places, len(t.Blocks))
	for i, c := range cut {
		for n := c; n < t.Blocks[c].Next; n++ {
			places[n] = i
		}
	}
	return places
}

// changes returns the changes of the blocks of the cut that p describes, see
// Changes.
func (r *Revision) changes(p *cutPairs) []Match {
	ops := make([]Op, len(p.new)) // Same, Moved or Edited
	raise := func(n int, op Op) {
		if n >= 0 {
			ops[n] = max(ops[n], op)
		}
	}
	for i, m := range r.matches {
		o, n := p.ofOld[i], p.ofNew[i]
		switch m.Op {
		case Added:
			raise(n, Edited)
		case Removed:
			raise(p.toNew[o], Edited)
		default:
			raise(n, m.Op)
			if p.toOld[n] != o {
				raise(n, Moved)
				raise(p.toNew[o], Moved)
			}
		}
	}
	likeness := r.likenesses(p)
	var out []Match
	for i, n := range p.new {
		switch o := p.toOld[i]; {
		case o < 0:
			out = append(out, Match{Added, -1, n, 0})
		case ops[i] == Edited:
			out = append(out, Match{Edited, p.old[o], n, likeness[i]})
		default:
			out = append(out, Match{ops[i], p.old[o], n, 1})
		}
	}
	for i, o := range p.old {
		if p.toNew[i] < 0 {
			out = append(out, Match{Removed, o, -1, 0})
		}
	}
	return out
}

// Words returns the words that blocks gained and lost since the version before:
// one WordChange for each element of r.Changes(level). Words that moved from one
// leaf of the page to another are left out.
func (r *Revision) Words(level int) []WordChange {
	if r.Before == nil || len(r.matches) == 0 {
		return nil
	}
	p := r.pairs(level)
	defer p.free()
	removedRow := make([]int, len(p.old)) // place among Changes of each block that was removed
	rows := len(p.new)
	for o := range p.old {
		if p.toNew[o] < 0 {
			removedRow[o] = rows
			rows++
		}
	}
	out := make([]WordChange, rows)
	for i, w := range wordChanges(r.matches, r.Before.Text, r.Text) {
		row := p.ofNew[i]
		if row < 0 {
			if row = p.toNew[p.ofOld[i]]; row < 0 {
				row = removedRow[p.ofOld[i]]
			}
		}
		out[row].Added = joined(out[row].Added, w.Added)
		out[row].Removed = joined(out[row].Removed, w.Removed)
	}
	return out
}

// joined returns a and b with a space between them. If a or b is "", it returns
// the other.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// likenesses returns, for each block of the cut, how similar it is to the block
// of the version before with which it shares most leaves, from 0 to 1. That is
// the mean similarity of the leaves of both blocks, by size.
func (r *Revision) likenesses(p *cutPairs) []float64 {
	sum, all := make([]float64, len(p.new)), make([]float64, len(p.new))
	for i, m := range r.matches {
		o, n := p.ofOld[i], p.ofNew[i]
		if n >= 0 {
			all[n] += float64(r.size(m.New))
		}
		if n >= 0 && o >= 0 && p.toOld[n] == o {
			sum[n] += m.Similarity * float64(r.Before.size(m.Old)+r.size(m.New))
		}
	}
	oldSize := make([]float64, len(p.old))
	for i, m := range r.matches {
		if o := p.ofOld[i]; o >= 0 {
			oldSize[o] += float64(r.Before.size(m.Old))
		}
	}
	for n, o := range p.toOld {
		if o >= 0 {
			sum[n] /= all[n] + oldSize[o]
		}
	}
	return sum
}

// live sets r.Life, the life of each block.
func (r *Revision) live() {
	if r.sameShape() {
		r.Life = r.Before.Life
	} else {
		r.Life = r.trace()
	}
}

// trace returns the life of each block. A leaf that matches a leaf of the version before has the
// life of that leaf. A block that divides further is compared with the cut of the same level of the
// version before (the blocks of that level and the leaves above it). It has the life of the block
// that shares most leaves with it. A block that finds no such leaf or block begins a new life.
//
// The old block may be a leaf, so a block may have the same life as a leaf in it. No two blocks of
// one cut have the same life.
func (r *Revision) trace() []Life {
	r.Life = make([]Life, len(r.Tree.Blocks))
	named := &names{last: make(map[Life]int, len(r.matches)), before: make([]int, len(r.Tree.Blocks))}
	for _, m := range r.matches {
		if m.Old >= 0 && m.New >= 0 {
			r.follow(m.New, r.Before.Life[m.Old], named)
		}
	}
	if len(r.matches) > 0 {
		for level := r.Tree.Level() - 1; level > 0; level-- {
			r.inherit(level, named)
		}
	}
	for n := 1; n < len(r.Life); n++ {
		if r.Life[n].place == 0 {
			r.Life[n] = Life{r.Time, r.twin, int32(n)}
		}
	}
	return r.Life
}

// names lists, for each life, the blocks that have this life. The list of a life begins with
// the block in last; before[n] is the next block of the list after block n; 0 ends the list.
type names struct {
	last   map[Life]int // for each life, the last block with it
	before []int        // for each block, the previous block with the same life
}

// sameShape reports whether this version and the version before have the same
// tree of blocks, and each leaf matches the leaf at its place. All blocks then
// keep their lives. That is so for most versions.
func (r *Revision) sameShape() bool {
	if r.Before == nil || len(r.Before.Tree.Blocks) != len(r.Tree.Blocks) || len(r.matches) != len(r.leaves) || len(r.leaves) == 0 {
		return false
	}
	for n := range r.Tree.Blocks {
		if r.Tree.Blocks[n].Next != r.Before.Tree.Blocks[n].Next {
			return false
		}
	}
	for _, m := range r.matches {
		if m.Old != m.New {
			return false
		}
	}
	return true
}

// follow gives block n the life l of a block of the version before, and returns true. But if a
// block that is not inside block n already has that life, follow returns false and changes
// nothing.
func (r *Revision) follow(n int, l Life, named *names) bool {
	end := r.Tree.Blocks[n].Next
	last := named.last[l]
	for other := last; other > 0; other = named.before[other] {
		if other < n || other >= end {
			return false
		}
	}
	r.Life[n] = l
	named.last[l], named.before[n] = n, last
	return true
}

// inherit gives lives of the version before to those blocks in the cut at a level
// that divide further.
func (r *Revision) inherit(level int, named *names) {
	p := r.pairs(level)
	defer p.free()
	taken := make([]bool, len(p.old))
	for _, s := range p.shared {
		n := p.new[s.new]
		if r.Tree.Leaf(n) || taken[s.old] || r.Life[n].place != 0 {
			continue
		}
		taken[s.old] = r.follow(n, r.Before.Life[p.old[s.old]], named)
	}
}
