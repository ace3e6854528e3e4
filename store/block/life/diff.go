package life

import (
	"strings"

	"infomall/store/words"
)

// Edit is a part of a text that two versions share, or that only one version has.
type Edit struct {
	Op   Op // Same, Added or Removed
	Text string
}

// wordsMax bounds the edits that Diff searches for. If two texts differ in more
// words, their different middle counts as replaced as a whole.
const wordsMax = 1000

// Diff compares two texts word by word. The texts of the Same and Added edits
// together are the new text; those of the Same and Removed edits are the old text.
// There is one exception: punctuation and white space between equal words are always
// those of the new text.
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

// token is a word of a text, or the text after the last word. The field text also has
// the punctuation and white space before the word.
type token struct{ word, text string }

// tokens divides a text into words. The text after the last word is a token
// too.
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

// add appends tokens to the last edit if it has the same Op, else as a new
// edit.
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

// middle adds the edits between two texts, found by Myers' algorithm. For each
// number of edits, trace has how far each diagonal reached.
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

// step returns where diagonal k starts with the d-th edit.
func step(v []int32, limit, d, k int) int {
	if d == 0 {
		return 0
	}
	if k == -d || k != d && v[limit+k-1] < v[limit+k+1] {
		return int(v[limit+k+1])
	}
	return int(v[limit+k-1]) + 1
}

// backtrack reads the path to the end of both texts from the trace, and adds
// its edits.
func (e *edits) backtrack(a, b []token, trace [][]int32, d, limit int) {
	type move struct {
		op   Op
		x, y int // where it ends
		n    int // tokens
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

// WordChange is the words that a block gained and lost.
type WordChange struct {
	Added, Removed string
}

// movedRun is how many equal words in a row count as moved. A shorter run of words
// counts as moved only if nothing else changed at its place.
const movedRun = 3

// wordChanges returns, for each match, the words that its block gained and lost.
// Words that moved from one block to another count as neither.
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

// side is the words that one block gained, or the words that one block lost.
type side struct {
	words []token
	ends  []int  // where each run of words ends
	moved []bool // of each word
}

func (s *side) run(text string) {
	for _, t := range tokens(text) {
		s.words = append(s.words, t)
		s.moved = append(s.moved, false)
	}
	s.ends = append(s.ends, len(s.words))
}

// String returns the words that did not move, as the text has them, with a space
// between two runs.
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

// phrasePlace is the place of a run of words in one block.
type phrasePlace struct{ block, from, to int }

// phrases calls f with each movedRun words in a row, and with each shorter run
// as a whole.
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

// cancel marks the words that moved from one block to another.
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
