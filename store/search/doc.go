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
//	index     the words of the leaves of segments, see package index
//	answer    whether a page has the words: yes, no, or maybe, which means: read the page
//	atom      a word, a phrase or a NEAR of the question, see match.Atom
//	says      how much a page says of an atom, whatever other pages say
//	rarity    how much an atom counts, because few of the pages asked have it
//	score     the sum, over the atoms, of what a page says times the rarity
//
// The package knows neither files nor blocks. A snapshot gives it leaves and pages, or
// the contents of an index.
package search

import (
	"infomall/store/record"
	"infomall/store/search/index"
	"infomall/store/segment"
	"infomall/store/words/match"
)

// Reading says how a page and its leaves are read.
type Reading = index.Reading

// Question is a question about the words of pages, and the limits for its answer.
type Question struct {
	Query *match.Query
	// Rank returns how well a page answers, as the function Rank does; Says has a number
	// for each atom. Nil means that no ranks are needed. The page is valid until Rank
	// returns.
	Rank func(*Page) Best
	// Memory bounds, in bytes, what is remembered while answers are made, and the ranks.
	// 0 means 256 MB. With less, leaves may be read again, and more captures get Maybe.
	Memory int64
}

// Words has the answers of a question for captures. It does not change once it is
// made. Only one goroutine may use it if the question asks for ranks.
type Words struct {
	// answers has, for each entry of a run, an index in said. An empty list means nothing
	// for all entries of the run.
	answers map[segment.RunRef][]uint32
	read    map[segment.RunRef]bool // the runs for which leaves were read, and not an index
	said    []said
	says    []float64 // Best.Says of one page after the other
	atoms   int       // of the question
	whole   bool      // every capture that was asked for has an answer
	asked   int       // how many captures have an answer
	// rank returns the rank of the page of a capture for which an index gave the answer. ok
	// is false if the page has to be read for that. It is nil without ranks.
	rank func(record.Ref) (best Best, ok bool)
	// print returns the fingerprint of the page of a capture for which an index gave the
	// answer.
	print func(record.Ref) Print
}

// said is what Words knows about one page: whether it answers the question, and which atoms
// of the question it has.
type said struct {
	answer match.Answer
	sure   bool   // has is known
	place  int32  // Best.Place, or -1 if the page has no rank
	at     uint32 // of a page with a rank: the number of its list in Words.says
	has    uint64 // which atoms the page has, a bit each
}

// The first elements of Words.said, which many captures share.
const (
	maybe   = iota // nothing is known of the capture
	null           // it is no page, and has no text
	nothing        // its page has no atom
)

var firstSaid = [...]said{
	maybe:   {answer: match.Maybe},
	null:    {answer: match.Null, sure: true, place: -1},
	nothing: {answer: match.No, sure: true, place: -1},
}

// Of returns whether the text of the page of a capture matches the question, and if so
// the rank of the page. The rank is zero for Maybe. The answer is Null if the capture is no
// page, and has no text.
func (w *Words) Of(ref record.Ref) (match.Answer, Best) {
	s := w.of(ref)
	switch {
	case s.answer != match.Yes:
		return s.answer, Best{}
	case s.place >= 0:
		n := uint32(w.atoms)
		return s.answer, Best{Place: int(s.place), Says: w.says[s.at*n:][:n:n]}
	case w.rank == nil:
		return s.answer, Best{}
	}
	best, ok := w.rank(ref)
	if !ok {
		return match.Maybe, Best{}
	}
	return s.answer, best
}

// Answer returns the answer for a capture, as Of does, but no rank. If Of returns Maybe
// because the page has to be read for its rank, Answer returns Yes.
func (w *Words) Answer(ref record.Ref) match.Answer { return w.of(ref).answer }

// RankBy makes Of rank the pages of captures for which an index gave the answer: rank
// returns the page of a capture, as Maker.RankOf takes it.
func (w *Words) RankBy(rank func(record.Ref) (best Best, ok bool)) { w.rank = rank }

// PrintBy makes Print return the fingerprints of the pages of captures for which an index
// gave the answer.
func (w *Words) PrintBy(print func(record.Ref) Print) { w.print = print }

// Print returns the fingerprint of the page of a capture that matches the question. It is
// unknown if no index has it, or if w is nil.
func (w *Words) Print(ref record.Ref) Print {
	if w == nil || w.print == nil || !w.Indexed(ref) || w.Answer(ref) != match.Yes {
		return Print{}
	}
	return w.print(ref)
}

// Few returns the captures that match the question or may match it, if these are at most
// most, and at most a part, such as .02, of all. ok is false if there are more, or if some
// captures have no answer.
func (w *Words) Few(most int, part float64) (refs []record.Ref, ok bool) {
	if !w.whole {
		return nil, false
	}
	most = min(most, int(part*float64(w.asked)))
	for run, list := range w.answers {
		for n, i := range list {
			if a := w.said[i].answer; a != match.Yes && a != match.Maybe {
				continue
			}
			if len(refs) == most {
				return nil, false
			}
			refs = append(refs, record.Ref{Segment: run.Segment, Run: run.Run, N: uint32(n)})
		}
	}
	return refs, true
}

// Has returns which atoms of the question the page of a capture has, as bits. ok is false
// if the page has to be read for that.
func (w *Words) Has(ref record.Ref) (atoms uint64, ok bool) {
	s := w.of(ref)
	return s.has, s.sure
}

// Indexed reports whether the answer for a capture comes from an index of words. If not, the
// body was read, and the words of its page may be in no index.
func (w *Words) Indexed(ref record.Ref) bool {
	return !w.read[segment.RunRef{Segment: ref.Segment, Run: ref.Run}]
}

func (w *Words) of(ref record.Ref) *said {
	list, asked := w.answers[segment.RunRef{Segment: ref.Segment, Run: ref.Run}]
	switch {
	case asked && len(list) == 0:
		return &w.said[nothing]
	case int(ref.N) >= len(list):
		return &w.said[maybe]
	}
	return &w.said[list[ref.N]]
}
