package reports

import (
	"cmp"

	"infomall/exec/dedup"
	"infomall/store/record"
	"infomall/store/words"
)

// Text is one text that is grouped with its near-copies.
type Text struct {
	// ID names the text in all runs. Two texts never have the same ID.
	ID uint64
	// Published is when the page says that the text was published, or record.NoTime.
	Published record.Time
	// Seen is when the text was first seen.
	Seen  record.Time
	Print dedup.Print
}

// At returns when the text was published, or else first seen.
func (t *Text) At() record.Time {
	if t.Published != record.NoTime {
		return t.Published
	}
	return t.Seen
}

// Compare orders texts, see the documentation of the package.
func (t *Text) Compare(o *Text) int {
	return cmp.Or(cmp.Compare(t.At(), o.At()), cmp.Compare(t.Seen, o.Seen), cmp.Compare(t.ID, o.ID))
}

// shortWords is how many words a text must have for a print of its sequences of dedup.ShingleWords
// words. In a shorter text, one changed word would change most of these sequences.
const shortWords = 12

// PrintOf returns the print of a text. ok is false if the text has no words. The print of a
// text of at least shortWords words is near those of texts that share most sequences of five
// words with it. A shorter text, such as a headline, is near only texts with the same pairs
// of neighbouring words. Upper and lower case are the same.
func PrintOf(text string) (p dedup.Print, ok bool) {
	var s dedup.Shingler
	var first [shortWords]uint64
	n := 0
	for _, w := range words.Of(text) {
		h := words.Hash(w)
		if n < shortWords {
			first[n] = h
		}
		s.Word(h)
		n++
	}
	switch {
	case n == 0:
		return p, false
	case n < shortWords:
		return dedup.ExactPrint(dedup.PairsHash(first[:n])), true
	}
	return dedup.PrintOf(s.Set()), true
}
