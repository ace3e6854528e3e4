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
	var out []Edit
	for _, s := range Align(a, b) {
		t := b[s.New:]
		if s.Op == Removed {
			t = a[s.Old:]
		}
		out = append(out, Edit{s.Op, joinTokens(t[:s.Count])})
	}
	return out
}

// Token is one word of a text. Text has the word together with the punctuation
// and white space before it.
type Token struct{ Word, Text string }

// tokenBytes is an estimate of the mean number of bytes of text in a token.
const tokenBytes = 6

// tokens divides a text into its words. The texts of all tokens together are the
// text. If text follows the last word, that is the last token; its Word is equal
// to its Text.
func tokens(text string) []Token {
	if text == "" {
		return nil
	}
	return AppendTokens(make([]Token, 0, len(text)/tokenBytes+2), text)
}

// AppendTokens appends the tokens of a text to out, see tokens.
func AppendTokens(out []Token, text string) []Token {
	end := 0
	for at, w := range words.Of(text) {
		out = append(out, Token{w, text[end : at+len(w)]})
		end = at + len(w)
	}
	if rest := text[end:]; rest != "" {
		out = append(out, Token{rest, rest})
	}
	return out
}

// joinTokens returns the texts of the tokens as one text.
func joinTokens(tokens []Token) string {
	var w strings.Builder
	for _, t := range tokens {
		w.WriteString(t.Text)
	}
	return w.String()
}

// Step is a part of the comparison of two lists of tokens: Count tokens in a row that both
// lists have, or only one of them. Old and New are the indexes of the first of these tokens in
// the two lists. If a list does not have the tokens, its index is the place where they are
// missing.
type Step struct {
	Op       Op // Same, Added or Removed
	Old, New int
	Count    int
}

// Align compares two lists of tokens by their words. It returns the steps from
// old to new in order; neighbouring steps have different operations. Tokens at
// the start and at the end that are equal are always Same.
func Align(old, new []Token) []Step {
	a, b := old, new
	from := 0
	for from < min(len(a), len(b)) && a[from].Word == b[from].Word {
		from++
	}
	ea, eb := len(a), len(b)
	for ea > from && eb > from && a[ea-1].Word == b[eb-1].Word {
		ea, eb = ea-1, eb-1
	}
	var s steps
	s.add(Same, from)
	s.middle(a[from:ea], b[from:eb])
	s.add(Same, len(b)-eb)
	return s.list
}

// steps is a list of steps that is being made, and where its last step ends in
// both lists of tokens.
type steps struct {
	list     []Step
	old, new int
}

// add adds count tokens with operation op. If the last step has the same
// operation, it becomes longer.
func (s *steps) add(op Op, count int) {
	if count == 0 {
		return
	}
	if n := len(s.list); n > 0 && s.list[n-1].Op == op {
		s.list[n-1].Count += count
	} else {
		s.list = append(s.list, Step{op, s.old, s.new, count})
	}
	if op != Added {
		s.old += count
	}
	if op != Removed {
		s.new += count
	}
}

// middle adds the steps that turn a into b. It finds them by the greedy algorithm of Myers, "An
// O(ND) Difference Algorithm and Its Variations" (1986). In it, trace[d] is how far each
// diagonal reaches with d edits.
func (s *steps) middle(a, b []Token) {
	if len(a) == 0 || len(b) == 0 {
		s.add(Removed, len(a))
		s.add(Added, len(b))
		return
	}
	limit := min(len(a)+len(b), wordsMax)
	v := make([]int32, 2*limit+2)
	var trace [][]int32
	for d := 0; d <= limit; d++ {
		for k := -d; k <= d; k += 2 {
			x := step(v, limit, d, k)
			y := x - k
			for x < len(a) && y < len(b) && a[x].Word == b[y].Word {
				x, y = x+1, y+1
			}
			v[limit+k] = int32(x)
			if x >= len(a) && y >= len(b) {
				s.backtrack(len(a), len(b), trace, d)
				return
			}
		}
		trace = append(trace, append([]int32(nil), v[limit-d:limit+d+1]...))
	}
	s.add(Removed, len(a))
	s.add(Added, len(b))
}

// step returns the position in the old text at which diagonal k starts with the d-th edit, in
// Myers' algorithm. v has how far each diagonal has reached so far; v[limit] is diagonal 0.
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
// the ends x and y of both lists back to their beginning, and adds its steps in
// order.
func (s *steps) backtrack(x, y int, trace [][]int32, d int) {
	type move struct {
		op Op
		n  int // number of tokens
	}
	var moves []move
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
		sx, op := px, Added
		if !down {
			sx, op = px+1, Removed
		}
		if x > sx {
			moves = append(moves, move{Same, x - sx})
		}
		moves = append(moves, move{op, 1})
		x, y = px, py
	}
	if x > 0 {
		moves = append(moves, move{Same, x})
	}
	for i := len(moves) - 1; i >= 0; i-- {
		s.add(moves[i].op, moves[i].n)
	}
}

// WordChange has the words that a block gained and the words that it lost from
// one version to the next.
type WordChange struct {
	Added, Removed string
}

// movedRun is how many words in a row must be the same in two blocks to count as moved. Fewer
// words count as moved only if they are all that changed at their place.
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
	words []Token
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
				w.WriteString(" " + strings.TrimSpace(s.words[i].Text))
			default:
				w.WriteString(s.words[i].Text)
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
				key.WriteString(t.Word + " ")
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
