package blame

import (
	"slices"
	"strings"
)

// Text that moves must be recognised: a word or two may be in two places by
// chance.
const (
	// seedWords is how many words in a row must be equal where a moved text begins.
	seedWords = 3
	// movedBytes is the least number of bytes that the words of a moved text have. It
	// is the limit of "git blame -M" in letters; a Chinese letter has three bytes.
	movedBytes = 20
	// placesMax is how many places of the removed text are tried for a moved text.
	placesMax = 16
)

// place is a place in the removed text: piece at of gone[run].
type place struct{ run, at int }

// move gives text that moved within the page its origin in the version before. It
// looks in what the hunks removed for each text that the hunks added. A removed
// text moves to one place only.
func (a *addition) move() {
	seed := seedWords
	if a.page.Unit == Lines {
		seed = 1
	}
	short := func(r run) bool { return len(r) < seed || wordBytes(r) < movedBytes }
	a.gone, a.came = slices.DeleteFunc(a.gone, short), slices.DeleteFunc(a.came, short)
	if len(a.gone) == 0 || len(a.came) == 0 {
		return
	}
	places := make(map[string][]place)
	for r, run := range a.gone {
		for i := range len(run) - seed + 1 {
			if key := seedOf(run[i : i+seed]); len(places[key]) < placesMax {
				places[key] = append(places[key], place{r, i})
			}
		}
	}
	taken := make([][]bool, len(a.gone))
	for _, come := range a.came {
		for i := 0; i+seed <= len(come); {
			best, length := place{}, 0
			for _, p := range places[seedOf(come[i:i+seed])] {
				if n := equal(a.gone[p.run][p.at:], come[i:], taken[p.run], p.at); n > length {
					best, length = p, n
				}
			}
			if length < seed || wordBytes(come[i:i+length]) < movedBytes {
				i++
				continue
			}
			if taken[best.run] == nil {
				taken[best.run] = make([]bool, len(a.gone[best.run]))
			}
			for k := range length {
				was := &a.gone[best.run][best.at+k]
				come[i+k].First, come[i+k].Last = was.First, was.Last
				taken[best.run][best.at+k] = true
			}
			i += length
		}
	}
}

// seedOf returns the words of the pieces as a key.
func seedOf(pieces []Piece) string {
	if len(pieces) == 1 {
		return pieces[0].Word
	}
	var w strings.Builder
	for i := range pieces {
		w.WriteString(pieces[i].Word)
		w.WriteByte(0)
	}
	return w.String()
}

// equal returns how many pieces at the start of gone and come are equal. taken says
// which pieces of the run of gone moved already; gone begins at the index at.
func equal(gone, come []Piece, taken []bool, at int) int {
	n := 0
	for n < min(len(gone), len(come)) && gone[n].Word == come[n].Word && (taken == nil || !taken[at+n]) {
		n++
	}
	return n
}

// wordBytes returns how many bytes the words of the pieces have.
func wordBytes(pieces []Piece) int {
	n := 0
	for i := range pieces {
		n += len(pieces[i].Word)
	}
	return n
}
