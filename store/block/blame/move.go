package blame

import (
	"cmp"
	"slices"
	"strings"

	"infomall/store/block/life"
)

// A moved text must be recognised: a word or two may be in two places by chance.
const (
	// seedWords is how many words in a row two texts must have in common.
	seedWords = 3
	// movedBytes is the least number of bytes that the words of a text have that moved
	// out of its order. It is the limit of "git blame -M" in letters; a Chinese letter
	// has three bytes.
	movedBytes = 20
	// placesMax is how many places of the removed text are tried for a moved text.
	placesMax = 16
)

// seed returns how many pieces in a row two texts must have in common. One line is
// enough.
func (p *Page) seed() int {
	if p.Unit == Lines {
		return 1
	}
	return seedWords
}

// loose is the pieces of runs as one text.
type loose struct {
	pieces []*Piece
	run    []int  // for each piece, the index of its run
	done   []bool // for each piece, whether its place in the other version is known
}

// looseOf returns the pieces of runs. It leaves out runs that are shorter than
// seed.
func looseOf(runs []run, seed int) *loose {
	l := new(loose)
	for r := range runs {
		if len(runs[r].pieces) < seed {
			continue
		}
		for i := range runs[r].pieces {
			l.pieces, l.run = append(l.pieces, &runs[r].pieces[i]), append(l.run, r)
		}
	}
	l.done = make([]bool, len(l.pieces))
	return l
}

// open reports whether the count pieces from the index at on are in one run, and
// none of them is done.
func (l *loose) open(at, count int) bool {
	if at+count > len(l.pieces) || l.run[at] != l.run[at+count-1] {
		return false
	}
	return !slices.Contains(l.done[at:at+count], true)
}

// key returns the words of the count pieces from the index at on.
func (l *loose) key(at, count int) string {
	if count == 1 {
		return l.pieces[at].Word
	}
	var w strings.Builder
	for _, p := range l.pieces[at : at+count] {
		w.WriteString(p.Word)
		w.WriteByte(0)
	}
	return w.String()
}

// tokens returns the tokens of the pieces.
func (l *loose) tokens() []life.Token {
	list := make([]life.Token, len(l.pieces))
	for i, p := range l.pieces {
		list[i] = p.Token
	}
	return list
}

// move gives text that moved from one block or hunk to another the origin that it
// had before. It looks in what the hunks removed for each text that the hunks
// added. First it compares both as wholes, so that text keeps its age if its
// blocks are divided in another way. Then it looks for longer texts in any order. A
// removed text moves to one place only.
func (a *addition) move() {
	seed := a.page.seed()
	slices.SortStableFunc(a.gone, func(x, y run) int { return cmp.Compare(x.leaf, y.leaf) })
	old, new := looseOf(a.gone, seed), looseOf(a.came, seed)
	if len(old.pieces) == 0 || len(new.pieces) == 0 {
		return
	}
	pair := func(o, n, count int) {
		for i := range count {
			keep(old.pieces[o+i], new.pieces[n+i])
			old.done[o+i], new.done[n+i] = true, true
		}
	}
	for _, s := range life.Align(old.tokens(), new.tokens()) {
		if s.Op == life.Same && s.Count >= seed {
			pair(s.Old, s.New, s.Count)
		}
	}
	places := make(map[string][]int)
	for i := range old.pieces {
		if old.open(i, seed) {
			if key := old.key(i, seed); len(places[key]) < placesMax {
				places[key] = append(places[key], i)
			}
		}
	}
	if len(places) == 0 {
		return
	}
	for n := 0; n < len(new.pieces); {
		best, length := 0, 0
		if new.open(n, seed) {
			for _, o := range places[new.key(n, seed)] {
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

// common returns how many pieces are equal from the index o of old and the index n
// of new on. It counts pieces of one run each, and none that is done.
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
