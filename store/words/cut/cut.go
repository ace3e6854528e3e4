package cut

import (
	_ "embed"
	"fmt"
	"iter"
	"unicode/utf8"

	"infomall/store/words"
	"infomall/store/words/cut/list"
)

//go:embed words.bin
var packed string

// chinese is the list of words of every Cutter.
var chinese = func() list.List {
	l, err := list.Open(packed)
	if err != nil {
		panic(fmt.Sprintf("cut: words.bin: %v", err))
	}
	return l
}()

// Cutter finds words. The zero value knows the list of words of this package. Any number
// of goroutines may use a Cutter.
type Cutter struct {
	// Fold returns the simplified letter of a traditional Chinese letter, and any
	// other letter as it is. If Fold is nil, only simplified text is cut well.
	Fold func(rune) rune

	// More has words that the list of this package lacks, in simplified letters. The zero List
	// has none. If both lists have a word, the lower cost counts.
	More list.List
}

// Of ranges over the words of a text. The first value is the offset of a word in bytes, and the
// second is the word. Each word is one word of words.Of, or several words of words.Of that
// directly follow each other. No word of words.Of is left out.
func (c *Cutter) Of(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		r := run{cutter: c, text: text}
		for at, w := range words.Of(text) {
			letter, size := utf8.DecodeRuneInString(w)
			if size < len(w) || !words.Ideograph(letter) {
				if !r.finish(yield) || !yield(at, w) {
					return
				}
				continue
			}
			if at != r.end() && !r.finish(yield) {
				return
			}
			if r.letters == lettersMax && !r.shift(yield) {
				return
			}
			r.add(at, letter, size)
		}
		r.finish(yield)
	}
}

// lettersMax is the largest number of letters of a run that are cut into words at once. A
// longer run is cut piece by piece. It bounds the memory of a cut.
const lettersMax = 256

// unknownCost is the cost of a letter that is no word of the list.
const unknownCost = 255

// run is a run (letters that follow each other without anything between), or a piece of a long
// run.
type run struct {
	cutter  *Cutter
	text    string
	letters int                    // number of letters
	letter  [lettersMax]rune       // each letter, folded
	at      [lettersMax + 1]int    // offset of each letter in the text, and of the end of the run
	costs   [lettersMax + 1]uint32 // costs[i] is the least cost of the first i letters
	words   [lettersMax + 1]uint8  // words[i] is how many letters the last word has if the first i letters are cut at the least cost
}

// end returns the offset of the end of the run in the text. It returns -1 if the run is
// empty.
func (r *run) end() int {
	if r.letters == 0 {
		return -1
	}
	return r.at[r.letters]
}

// add adds a letter at an offset of the text.
func (r *run) add(at int, letter rune, size int) {
	if fold := r.cutter.Fold; fold != nil {
		letter = fold(letter)
	}
	r.letter[r.letters] = letter
	r.at[r.letters] = at
	r.letters++
	r.at[r.letters] = at + size
}

// finish calls yield with the words of the run, and makes the run empty. It returns false if
// yield does.
func (r *run) finish(yield func(int, string) bool) bool {
	if r.letters == 0 {
		return true
	}
	r.weigh()
	ok := r.yield(r.letters, yield)
	r.letters = 0
	return ok
}

// shift calls yield with the words at the beginning of a full run, and keeps
// the letters after them in the run. It returns false if yield does. It keeps
// so many letters that the yielded words would be the same if all letters of
// the run were known.
func (r *run) shift(yield func(int, string) bool) bool {
	r.weigh()
	n := r.letters
	for n > lettersMax-4*list.LettersMax {
		n -= int(r.words[n])
	}
	ok := r.yield(n, yield)
	copy(r.letter[:], r.letter[n:r.letters])
	copy(r.at[:], r.at[n:r.letters+1])
	r.letters -= n
	return ok
}

// weigh fills r.costs and r.words: for each i, the way to cut the first i
// letters of the run that has the least sum of costs.
func (r *run) weigh() {
	n := r.letters
	r.costs[0] = 0
	for i := 1; i <= n; i++ {
		r.costs[i] = 1 << 31
	}
	for i := range n {
		cost := r.costs[i]
		if single := cost + unknownCost; single < r.costs[i+1] {
			r.costs[i+1], r.words[i+1] = single, 1
		}
		r.reach(&chinese, i)
		r.reach(&r.cutter.More, i)
	}
}

// reach lowers r.costs where a word of the list l that begins at letter i makes
// a cheaper cut, and notes that word in r.words.
func (r *run) reach(l *list.List, i int) {
	node := l.Root(r.letter[i])
	for j := i + 1; node >= 0; j++ {
		if c := l.Cost(node); c > 0 {
			if cost := r.costs[i] + uint32(c); cost < r.costs[j] {
				r.costs[j], r.words[j] = cost, uint8(j-i)
			}
		}
		if j == r.letters {
			break
		}
		node = l.Next(node, r.letter[j])
	}
}

// yield calls the function yield with the words of the first n letters. It returns false if
// that function does.
func (r *run) yield(n int, yield func(int, string) bool) bool {
	// The words are known from the last to the first. costs is no longer needed, and
	// takes the number of letters of each word at its first letter.
	for to := n; to > 0; {
		size := int(r.words[to])
		to -= size
		r.costs[to] = uint32(size)
	}
	for from := 0; from < n; {
		to := from + int(r.costs[from])
		if !yield(r.at[from], r.text[r.at[from]:r.at[to]]) {
			return false
		}
		from = to
	}
	return true
}
