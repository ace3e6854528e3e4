package search

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"infomall/store/words/match"
)

// NearWord is a word of the archive that is spelled nearly like a word of the query.
type NearWord struct {
	Word  string // folded, as MATCH compares words
	Texts int    // number of different bodies that have the word
}

// nearLeast is the least number of letters of a word for which near words (words that are
// spelled nearly alike) are sought.
const nearLeast = 3

// nearMax is how many near words Nearer.Words returns for one word, at most.
const nearMax = 5

// nearKept is how many near words a Nearer counts for one word, at most. It ignores the near
// words that it finds after these.
const nearKept = 4096

// nearKnown is how many terms a Nearer remembers, at most, that are near none of its given
// words, so that it need not compare them again.
const nearKnown = 1 << 16

// nearRunesMax is the largest number of letters of a word for which near words are sought. It
// bounds the time of a comparison.
const nearRunesMax = 64

// Nearer collects, from texts, the words that are near some given words: one edit away, or two
// if the given word has more than five letters. An edit changes, adds or drops a letter, or
// swaps two neighbours. Only one goroutine may use a Nearer.
type Nearer struct {
	words  []nearTo
	far    map[string]bool // terms that are near no word
	terms  match.Terms
	text   int // number of the current text
	number int // number of the near word that was found last
	rows   [3][]int
	runes  []rune
}

// nearTo is a given word with the near words that were found for it.
type nearTo struct {
	letters []rune
	most    int // the largest distance of a near word, in edits
	near    map[string]*nearCount
}

// nearCount counts the texts that have a near word. last is the number of the last of these
// texts, and distance how many edits the near word is from the given word.
type nearCount struct {
	texts, last, distance int
	number                int // number of the near word: near words are numbered in the order in which they were found
}

// HasNear reports whether near words of a word are sought: the word has 3 to 64 letters and no
// digit. Other words are rarely typing errors.
func HasNear(word string) bool {
	n := utf8.RuneCountInString(word)
	return n >= nearLeast && n <= nearRunesMax && !strings.ContainsFunc(word, unicode.IsDigit)
}

// NewNearer returns a Nearer for the given words, which must be folded as MATCH folds them.
func NewNearer(words []string) *Nearer {
	n := &Nearer{far: make(map[string]bool)}
	for _, w := range words {
		t := nearTo{letters: []rune(w), most: 1, near: make(map[string]*nearCount)}
		if len(t.letters) > 5 {
			t.most = 2
		}
		if !HasNear(w) {
			t.most = 0
		}
		n.words = append(n.words, t)
	}
	return n
}

// NearPart is a list of the near words in a part of a text, each once. Nearer.Part makes it.
type NearPart []*nearCount

// Part returns the near words in a part of a text. It does not count them; see Add.
func (n *Nearer) Part(part string) (found NearPart) {
	for n.terms.Read(part); n.terms.Next(); {
		if n.terms.Letter {
			continue
		}
		term := n.terms.Term()
		if len(term) > nearRunesMax*utf8.UTFMax || n.far[string(term)] {
			continue
		}
		had := len(found)
		if found = n.term(found, string(term)); len(found) == had {
			if len(n.far) >= nearKnown {
				clear(n.far)
			}
			n.far[string(term)] = true
		}
	}
	slices.SortFunc(found, func(a, b *nearCount) int { return cmp.Compare(a.number, b.number) })
	return slices.Clip(slices.Compact(found))
}

// term appends to found the counts of a term, one for each given word that the term is near.
func (n *Nearer) term(found NearPart, term string) NearPart {
	n.runes = n.runes[:0]
	for _, r := range term {
		n.runes = append(n.runes, r)
	}
	for i := range n.words {
		w := &n.words[i]
		if by := len(n.runes) - len(w.letters); by > w.most || -by > w.most {
			continue
		}
		c := w.near[term]
		if c == nil {
			d := n.distance(w.letters, n.runes, w.most+1)
			if d > w.most || len(n.runes) < nearLeast && d > 0 || len(w.near) >= nearKept {
				continue
			}
			n.number++
			c = &nearCount{distance: d, number: n.number}
			w.near[term] = c
		}
		found = append(found, c)
	}
	return found
}

// Note compares a term with the given words, and remembers it if it is near one. It counts no
// text for it; see AddTerm.
func (n *Nearer) Note(term string) {
	if len(term) <= nearRunesMax*utf8.UTFMax {
		n.term(nil, term)
	}
}

// Near returns the near words that were found so far, sorted, each once.
func (n *Nearer) Near() []string {
	var out []string
	for i := range n.words {
		out = slices.AppendSeq(out, maps.Keys(n.words[i].near))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// AddTerm counts the current text for a term that Note or Part has found near a given word.
func (n *Nearer) AddTerm(term string) {
	for i := range n.words {
		if c := n.words[i].near[term]; c != nil {
			n.Add(NearPart{c})
		}
	}
}

// Next begins the next text.
func (n *Nearer) Next() { n.text++ }

// Add counts the current text for each near word in part. A text counts once for each word,
// however often Add is called.
func (n *Nearer) Add(part NearPart) {
	for _, c := range part {
		if c.last != n.text {
			c.texts, c.last = c.texts+1, n.text
		}
	}
}

// distance returns how many edits turn a into b, or limit if there are more. It is the distance
// of Damerau and Levenshtein in which no letter is edited twice.
func (n *Nearer) distance(a, b []rune, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	for i := range n.rows {
		n.rows[i] = slices.Grow(n.rows[i][:0], len(b)+1)[:len(b)+1]
	}
	before, last, row := n.rows[0], n.rows[1], n.rows[2]
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		least := row[0]
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
			least = min(least, row[j+1])
		}
		if least > limit {
			return limit
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}

// Words returns, for each given word, the words of the texts that are spelled nearly like it. If
// any text has the given word itself, that word alone is returned for it. Otherwise at most five
// words are returned: those in most texts first, and of words in equally many texts the nearest.
func (n *Nearer) Words() [][]NearWord {
	out := make([][]NearWord, len(n.words))
	for i := range n.words {
		w := &n.words[i]
		word := string(w.letters)
		if c := w.near[word]; c != nil && c.texts > 0 {
			out[i] = []NearWord{{word, c.texts}}
			continue
		}
		for near, c := range w.near {
			if c.texts == 0 {
				continue // noted only
			}
			out[i] = append(out[i], NearWord{near, c.texts})
		}
		slices.SortFunc(out[i], func(a, b NearWord) int {
			return cmp.Or(cmp.Compare(b.Texts, a.Texts), cmp.Compare(w.near[a.Word].distance, w.near[b.Word].distance), strings.Compare(a.Word, b.Word))
		})
		out[i] = out[i][:min(len(out[i]), nearMax)]
	}
	return out
}
