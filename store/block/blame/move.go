package blame

import (
	"cmp"
	"iter"
	"slices"

	"infomall/store/block/life"
	"infomall/store/words"
)

// The limits for text that moved. A moved text must be long enough to be recognised: a word or
// two may be in two places by chance.
const (
	// seedWords is how many words in a row two texts must have in common.
	seedWords = 3
	// movedBytes is how many bytes the words of a text must have, at least, so that the text
	// counts as moved to another place in the order. "git blame -M" has the same limit for
	// letters; a Chinese letter has three bytes.
	movedBytes = 20
	// placesMax is how many places in the removed texts are compared, at most, to find
	// from where one added text moved.
	placesMax = 16
)

// seed returns how many pieces in a row two texts must have in common so that they are
// compared as moved text: seedWords if the pieces are words, and 1 if they are lines.
func (p *Page) seed() int {
	if p.Unit == Lines {
		return 1
	}
	return seedWords
}

// loose is the pieces of several runs, one run after the other. A run is the pieces that were
// removed, or added, at one place of a leaf.
type loose struct {
	pieces []*Piece
	hash   []uint64 // for each piece, the hash of its word
	run    []int    // for each piece, the index of its run
	done   []bool   // for each piece, whether its place in the other version is known
	common []bool   // for each piece, whether the other version has its text too
}

// countLoose returns how many pieces are in those runs that have at least seed pieces.
func countLoose(runs []run, seed int) (n int) {
	for i := range runs {
		if len(runs[i].pieces) >= seed {
			n += len(runs[i].pieces)
		}
	}
	return n
}

// take sets l to the pieces of those runs that have at least seed pieces. It uses the memory of
// l again.
func (l *loose) take(runs []run, seed int) {
	clear(l.pieces) // they hold the text of other versions
	l.pieces, l.hash, l.run = l.pieces[:0], l.hash[:0], l.run[:0]
	for r := range runs {
		if len(runs[r].pieces) < seed {
			continue
		}
		for i := range runs[r].pieces {
			p := &runs[r].pieces[i]
			l.pieces, l.hash, l.run = append(l.pieces, p), append(l.hash, words.Hash(p.Word)), append(l.run, r)
		}
	}
	l.done = unmarked(l.done, len(l.pieces))
}

// unmarked returns a list of n elements that are all false. It uses the memory of list.
func unmarked(list []bool, n int) []bool {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// open reports whether the count pieces from index at on are all in one run, and l.done is not
// set for any of them.
func (l *loose) open(at, count int) bool {
	if at+count > len(l.pieces) || l.run[at] != l.run[at+count-1] {
		return false
	}
	return !slices.Contains(l.done[at:at+count], true)
}

// key returns a hash of the words of the count pieces from the index at on.
func (l *loose) key(at, count int) uint64 {
	key := uint64(0)
	for _, h := range l.hash[at : at+count] {
		key = key*31 + h
	}
	return key
}

// places finds the pieces at which a sequence of words begins. first maps the key of a sequence
// (see loose.key) to the index of the piece at which it begins for the first time. next has, for
// each piece, the index of the next piece at which a sequence with the same key begins, or -1.
type places struct {
	first map[uint64]int
	next  []int
}

// places returns the places at which each sequence of seed pieces of l begins.
func (l *loose) places(seed int) places {
	p := places{make(map[uint64]int, len(l.pieces)), make([]int, len(l.pieces))}
	for i := len(l.pieces) - 1; i >= 0; i-- {
		if p.next[i] = -1; l.open(i, seed) {
			key := l.key(i, seed)
			if next, ok := p.first[key]; ok {
				p.next[i] = next
			}
			p.first[key] = i
		}
	}
	return p
}

// of yields the indexes of the pieces at which a sequence of words with this key begins, at most
// placesMax of them. Two different sequences may have the same key.
func (p places) of(key uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		at, ok := p.first[key]
		for n := 0; ok && at >= 0 && n < placesMax; n++ {
			if !yield(at) {
				return
			}
			at = p.next[at]
		}
	}
}

// tokens returns the tokens of the pieces for which common is set, and their indexes.
func (l *loose) tokens() (tokens []life.Token, at []int) {
	for i, p := range l.pieces {
		if l.common[i] {
			tokens, at = append(tokens, p.Token), append(at, i)
		}
	}
	return tokens, at
}

// mark sets all of list to true.
func mark(list []bool) {
	for i := range list {
		list[i] = true
	}
}

// inOrder compares two texts as wholes, and calls same for each part that both have, in order.
// The part has count pieces: those from index o of old on, and from index n of new on. inOrder
// looks only at pieces for which common is set, because comparing two long texts that have
// little in common takes long.
func inOrder(old, new *loose, same func(o, n, count int)) {
	oldTokens, oldAt := old.tokens()
	newTokens, newAt := new.tokens()
	for _, s := range life.Align(oldTokens, newTokens) {
		if s.Op != life.Same {
			continue
		}
		from := 0 // where the part begins that has no other pieces in between
		for i := 1; i <= s.Count; i++ {
			o, n := s.Old+i, s.New+i
			if i == s.Count || oldAt[o] != oldAt[o-1]+1 || newAt[n] != newAt[n-1]+1 {
				same(oldAt[s.Old+from], newAt[s.New+from], i-from)
				from = i
			}
		}
	}
}

// move finds text that moved from one block or hunk to another, and gives it the origin that
// it had before. It looks for each added text among the removed texts. First it compares all
// removed text with all added text, in order, so that text keeps its age if its blocks are
// divided in another way. Then it looks for longer texts in any order. A removed text moves to
// one place only.
func (a *addition) move() {
	seed := a.page.seed()
	if countLoose(a.gone, seed) == 0 || countLoose(a.came, seed) == 0 {
		return
	}
	slices.SortStableFunc(a.gone, func(x, y run) int { return cmp.Compare(x.leaf, y.leaf) })
	old, new := &a.page.gone, &a.page.came
	old.take(a.gone, seed)
	new.take(a.came, seed)
	pair := func(o, n, count int) {
		for i := range count {
			keep(old.pieces[o+i], new.pieces[n+i])
			old.done[o+i], new.done[n+i] = true, true
		}
	}
	places := old.places(seed)
	old.common, new.common = unmarked(old.common, len(old.pieces)), unmarked(new.common, len(new.pieces))
	for n := range new.pieces {
		if !new.open(n, seed) {
			continue
		}
		for o := range places.of(new.key(n, seed)) {
			mark(old.common[o : o+seed])
			mark(new.common[n : n+seed])
		}
	}
	inOrder(old, new, func(o, n, count int) {
		if count >= seed {
			pair(o, n, count)
		}
	})
	for n := 0; n < len(new.pieces); {
		best, length := 0, 0
		if new.open(n, seed) {
			for o := range places.of(new.key(n, seed)) {
				if count := common(old, o, new, n); count > length {
					best, length = o, count
				}
			}
		}
		if length < seed || wordBytes(new.pieces[n:n+length]) < movedBytes {
			n++
			continue
		}
		pair(best, n, length)
		n += length
	}
}

// common returns how many pieces from index o of old on are equal to the pieces from index n of
// new on. It stops at the end of a run, and at the first piece for which done is set.
func common(old *loose, o int, new *loose, n int) int {
	count := 0
	for ; o+count < len(old.pieces) && n+count < len(new.pieces); count++ {
		i, k := o+count, n+count
		if old.done[i] || new.done[k] || old.run[i] != old.run[o] || new.run[k] != new.run[n] || old.pieces[i].Word != new.pieces[k].Word {
			break
		}
	}
	return count
}

// wordBytes returns how many bytes the words of the pieces have.
func wordBytes(pieces []*Piece) int {
	n := 0
	for _, p := range pieces {
		n += len(p.Word)
	}
	return n
}
