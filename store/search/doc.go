// Package search answers which pages have the words of a question. It reads each stored
// leaf once, however many pages and versions contain it: the text of a page is the texts
// of its leaves with white space between them, so the answer for a page follows from what
// the question finds in its leaves.
//
// # Words
//
//	leaf      a block of a page that is stored once and divides no further
//	reading   the charset of a page, and whether it is markup or plain text; a leaf of
//	          other letters than ASCII has another text in another reading
//	part      what a question finds in one leaf, see match.Part
//	answer    whether a page has the words: yes, no, or maybe, which means: read the page
//
// The package knows neither files nor blocks: a snapshot gives it the leaves and bodies.
package search

import (
	"infomall/store/block/label"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/words/match"
)

// Page is what the words of a question are in a page, for its rank.
type Page struct {
	Title  string
	Blocks []Block // the blocks of the cut that facts describe
}

// Block is what the words of a question are in one block of a page. Phrases that begin
// in one leaf and end in another are not counted.
type Block struct {
	Label  label.Label
	Counts []int // how often the block has each atom of the question
	Terms  int   // number of terms of the block
}

// Best is the rank of a page.
type Best struct {
	Score float64
	Place int // index of the best block in Page.Blocks
}

// Question is what Words asks of pages.
type Question struct {
	Query *match.Query
	// Rank returns how well a page answers. Nil means that no ranks are needed. The page
	// is valid until Rank returns.
	Rank func(*Page) Best
	// Memory bounds, in bytes, what is remembered while answers are made, and the ranks.
	// 0 means 256 MB. With less, leaves may be read again, and more captures get Maybe.
	Memory int64
}

// Words has the answers of a question for captures. It does not change once it is
// made.
type Words struct {
	answers map[segment.RunRef][]uint32 // for each entry of a run: maybe, no, or yes + index in best
	best    []Best
}

// The values of Words.answers.
const (
	maybe = iota
	no
	yes
)

// Of returns whether the text of the page of a capture matches the question, and if so
// the rank of the page. The rank is zero for Maybe.
func (w *Words) Of(ref record.Ref) (match.Answer, Best) {
	list := w.answers[segment.RunRef{Segment: ref.Segment, Run: ref.Run}]
	if int(ref.N) >= len(list) {
		return match.Maybe, Best{}
	}
	switch a := list[ref.N]; a {
	case maybe:
		return match.Maybe, Best{}
	case no:
		return match.No, Best{}
	default:
		if w.best == nil {
			return match.Yes, Best{}
		}
		return match.Yes, w.best[a-yes]
	}
}
