package life

import (
	"strings"

	"infomall/store/words"
)

// Edit is a piece of text from the comparison of two texts: both have it, or only
// one has it.
type Edit struct {
	Op   Op // Same, Added or Removed
	Text string
}

// wordsMax is the largest number of added and removed words for which Diff
// searches. If two texts differ in more words, everything between their equal
// beginning and their equal end counts as removed and added.
const wordsMax = 1000

// Diff compares two texts word by word. It returns the edits in order. The texts
// of the Same and Added edits together are the new text; the texts of the Same
// and Removed edits are the old text. There is one exception: punctuation and
// white space between equal words are always taken from the new text.
func Diff(old, new string) []Edit {
	a, b := tokens(old), tokens(new)
	from := 0
	for from < min(len(a), len(b)) && a[from].word == b[from].word {
		from++
	}
	ea, eb := len(a), len(b)
	for ea > from && eb > from && a[ea-1].word == b[eb-1].word {
		ea, eb = ea-1, eb-1
	}
	var e edits
	e.add(Same, b[:from])
	e.middle(a[from:ea], b[from:eb])
	e.add(Same, b[eb:])
	return e
}

// token is one word of a text. The field text has the word together with the
// punctuation and white space before it. The rest of a text after its last word
// is also a token.
type token struct{ word, text string }

// tokens divides a text into its words. If text follows the last word, that is
// the last token.
func tokens(text string) []token {
	var out []token
	end := 0
	for at, w := range words.Of(text) {
		out = append(out, token{w, text[end : at+len(w)]})
		end = at + len(w)
	}
	if rest := text[end:]; rest != "" {
		out = append(out, token{rest, rest})
	}
	return out
}

type edits []Edit

// add adds the tokens t as an edit with operation op. If the last edit has the
// same operation, their text is appended to it.
func (e *edits) add(op Op, t []token) {
	if len(t) == 0 {
		return
	}
	var w strings.Builder
	for _, t := range t {
		w.WriteString(t.text)
	}
	if n := len(*e); n > 0 && (*e)[n-1].Op == op {
		(*e)[n-1].Text += w.String()
		return
	}
	*e = append(*e, Edit{op, w.String()})
}

// middle adds the edits that turn a into b. It finds them by Myers' algorithm:
// trace[d] says how far each diagonal of the algorithm reaches with d edits.
func (e *edits) middle(a, b []token) {
	if len(a) == 0 || len(b) == 0 {
		e.add(Removed, a)
		e.add(Added, b)
		return
	}
	limit := min(len(a)+len(b), wordsMax)
	v := make([]int32, 2*limit+2)
	var trace [][]int32
	for d := 0; d <= limit; d++ {
		for k := -d; k <= d; k += 2 {
			x := step(v, limit, d, k)
			y := x - k
			for x < len(a) && y < len(b) && a[x].word == b[y].word {
				x, y = x+1, y+1
			}
			v[limit+k] = int32(x)
			if x >= len(a) && y >= len(b) {
				e.backtrack(a, b, trace, d, limit)
				return
			}
		}
		trace = append(trace, append([]int32(nil), v[limit-d:limit+d+1]...))
	}
	e.add(Removed, a)
	e.add(Added, b)
}

// step returns the position in the old text at which diagonal k starts with the
// d-th edit, in Myers' algorithm. v has how far the diagonals reached so far;
// diagonal 0 is v[limit].
func step(v []int32, limit, d, k int) int {
	if d == 0 {
		return 0
	}
	if k == -d || k != d && v[limit+k-1] < v[limit+k+1] {
		return int(v[limit+k+1])
	}
	return int(v[limit+k-1]) + 1
}

// backtrack finds the path of d edits from the trace of Myers' algorithm, from
// the end of both texts back to their beginning, and adds its edits in order.
func (e *edits) backtrack(a, b []token, trace [][]int32, d, limit int) {
	type move struct {
		op   Op
		x, y int // where the move ends in a and in b
		n    int // number of tokens
	}
	var moves []move
	x, y := len(a), len(b)
	for ; d > 0; d-- {
		row := trace[d-1] // of d-1 edits: diagonals -(d-1) to d-1
		at := func(k int) int { return int(row[k+d-1]) }
		k := x - y
		down := k == -d || k != d && at(k-1) < at(k+1)
		var px, py int
		if down {
			px = at(k + 1)
			py = px - (k + 1)
		} else {
			px = at(k - 1)
			py = px - (k - 1)
		}
		sx, sy := px, py+1
		op := Added
		if !down {
			sx, sy, op = px+1, py, Removed
		}
		if x > sx {
			moves = append(moves, move{Same, x, y, x - sx})
		}
		moves = append(moves, move{op, sx, sy, 1})
		x, y = px, py
	}
	if x > 0 {
		moves = append(moves, move{Same, x, y, x})
	}
	for i := len(moves) - 1; i >= 0; i-- {
		m := moves[i]
		if m.op == Removed {
			e.add(Removed, a[m.x-m.n:m.x])
		} else {
			e.add(m.op, b[m.y-m.n:m.y])
		}
	}
}

// WordChange has the words that a block gained and the words that it lost from
// one version to the next.
type WordChange struct {
	Added, Removed string
}

// movedRun is how many words in a row must be the same in two blocks to count as
// moved. A shorter sequence counts as moved only if it is all that changed at its
// place.
const movedRun = 3

// wordChanges returns, for each match (the change of one block), the words that
// the block gained and lost. Words that moved from one block to another are left
// out. oldText and newText return the text of a block of the old and of the new
// version.
func wordChanges(matches []Match, oldText, newText func(n int) string) []WordChange {
	added, removed := make([]side, len(matches)), make([]side, len(matches))
	for i, m := range matches {
		switch m.Op {
		case Edited:
			for _, e := range Diff(oldText(m.Old), newText(m.New)) {
				switch e.Op {
				case Added:
					added[i].run(e.Text)
				case Removed:
					removed[i].run(e.Text)
				}
			}
		case Added:
			added[i].run(newText(m.New))
		case Removed:
			removed[i].run(oldText(m.Old))
		}
	}
	cancel(added, removed)
	out := make([]WordChange, len(matches))
	for i := range out {
		out[i] = WordChange{added[i].String(), removed[i].String()}
	}
	return out
}

// side is the words that one block gained, or the words that it lost. A run of
// words is a sequence without an unchanged word in between.
type side struct {
	words []token
	ends  []int  // where each run of words ends
	moved []bool // for each word, whether it moved to or from another block
}

func (s *side) run(text string) {
	for _, t := range tokens(text) {
		s.words = append(s.words, t)
		s.moved = append(s.moved, false)
	}
	s.ends = append(s.ends, len(s.words))
}

// String returns the words that did not move, with the punctuation of their text.
// It puts a space between two runs of words.
func (s *side) String() string {
	var w strings.Builder
	from := 0
	for _, end := range s.ends {
		for i := from; i < end; i++ {
			switch {
			case s.moved[i]:
				continue
			case i == from || s.moved[i-1]:
				w.WriteString(" " + strings.TrimSpace(s.words[i].text))
			default:
				w.WriteString(s.words[i].text)
			}
		}
		from = end
	}
	return strings.TrimSpace(w.String())
}

// phrasePlace is the place of a phrase: words[from:to] of the block with index
// block.
type phrasePlace struct{ block, from, to int }

// phrases calls f for each phrase of s: movedRun words in a row, or a whole run
// of fewer words. key has the words of the phrase, which are s.words[from:to].
func (s *side) phrases(f func(key string, from, to int)) {
	from := 0
	for _, end := range s.ends {
		for i := from; i < end; i++ {
			to := min(i+movedRun, end)
			if i > from && to-i < movedRun {
				break
			}
			var key strings.Builder
			for _, t := range s.words[i:to] {
				key.WriteString(t.word + " ")
			}
			f(key.String(), i, to)
		}
		from = end
	}
}

// cancel marks the words that moved from one block to another, in both lists.
// added[i] and removed[i] are the words that block i gained and lost.
func cancel(added, removed []side) {
	went := map[string][]phrasePlace{}
	for b := range removed {
		removed[b].phrases(func(key string, from, to int) {
			went[key] = append(went[key], phrasePlace{b, from, to})
		})
	}
	for b := range added {
		added[b].phrases(func(key string, from, to int) {
			list := went[key]
			if len(list) == 0 || list[0].block == b {
				return
			}
			p := list[0]
			went[key] = list[1:]
			for i := from; i < to; i++ {
				added[b].moved[i] = true
			}
			for i := p.from; i < p.to; i++ {
				removed[p.block].moved[i] = true
			}
		})
	}
}
