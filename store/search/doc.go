// Package search answers which pages have the words of a query. It reads each stored
// leaf once, however many pages and versions contain it: the text of a page is the texts
// of its leaves with white space between them, so the answer for a page follows from what
// the query finds in its leaves.
//
// # Words
//
//	leaf      a block of a page that is stored once and divides no further
//	reading   the charset of a page, and whether it is markup or plain text; a leaf of
//	          other letters than ASCII has another text in another reading
//	part      what a query finds in one leaf, see match.Part
//	index     the words of the leaves of segments, see package index
//	answer    whether a page has the words: yes, no, or maybe, which means: read the page
//	atom      a word, a phrase or a NEAR of the query, see match.Atom
//	says      how much a page says of an atom, whatever other pages say
//	rarity    how much an atom counts, because few of the pages asked have it
//	score     the sum, over the atoms, of what a page says times the rarity
//
// The package knows neither files nor blocks. A snapshot gives it leaves and pages, or
// the contents of an index.
package search

import (
	"iter"
	"maps"
	"slices"

	"infomall/store/record"
	"infomall/store/search/index"
	"infomall/store/segment"
	"infomall/store/words/match"
)

// Reading says how a page and its leaves are read: in which charset, and whether as markup or
// as plain text.
type Reading = index.Reading

// Question is a search query, and what its answer needs: ranks or not, and how much memory.
type Question struct {
	Query *match.Query
	// Rank returns how well a page answers the query, as the function Rank does. The field Says
	// of its result has a number for each atom. Rank is nil if no ranks are needed. The page is
	// valid until Rank returns.
	Rank func(*Page) Best
	// Memory bounds the memory, in bytes, for the ranks and for what is remembered while
	// answers are made. 0 means 256 MB. With less memory, leaves may be read again, and more
	// captures get the answer Maybe.
	Memory int64
}

// Words has the answers of a search query for captures: whether the page of each has the words.
// It does not change once it is made. Only one goroutine may use it if the query asks for
// ranks.
type Words struct {
	answers map[uint32][]answers    // for each segment: the answers of its runs
	read    map[segment.RunRef]bool // the runs whose leaves were read, because no index has them
	said    []said
	says    []float64 // the lists Best.Says of all pages with a rank, one after the other
	atoms   int       // number of atoms of the query
	whole   bool      // every capture that was asked for has an answer
	asked   int       // how many captures have an answer
	room    int       // number of runs of the segment whose answers come next, if it is known
	query   *match.Query
	// rank returns the rank of the page of a capture, if an index gave the answer for the
	// capture. ok is false if the page has to be read for that. rank is nil if no ranks are
	// needed.
	rank  func(record.Ref) (best Best, ok bool)
	ready func([]record.Ref)                            // see Ready
	pages func(segment.RunRef) (of *index.Pages, n int) // see PagesBy
	last  runPages                                      // the last result of pages
}

// said is what Words knows about one page: whether it answers the query, and which atoms
// of the query it has.
type said struct {
	answer match.Answer
	sure   bool   // the field has is known
	place  int32  // Best.Place, or -1 if the page has no rank
	at     uint32 // number of the page's list in Words.says, if it has a rank
	has    uint64 // the atoms that the page has, one bit for each
	most   most
}

// The indexes of the first elements of Words.said, which many captures share.
const (
	maybe   = iota // the answer for the capture is not known
	null           // the capture is no page, and has no text
	nothing        // the page has no atom of the query
	empty          // the same, because it is a document without text
)

var firstSaid = [...]said{
	maybe:   {answer: match.Maybe},
	null:    {answer: match.Null, sure: true, place: -1},
	nothing: {answer: match.No, sure: true, place: -1},
	empty:   {answer: match.No, sure: true, place: -1},
}

// Of returns whether the text of the page of a capture matches the query, and the rank of the
// page. The answer is Null if the capture is no page and has no text, and Maybe if the page has
// to be read. The rank is zero if the answer is not Yes, or if no ranks are needed.
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

// Answer returns the answer for a capture, as Of does, but without a rank. If Of returns Maybe
// only because the page must be read for its rank, Answer returns Yes.
func (w *Words) Answer(ref record.Ref) match.Answer { return w.of(ref).answer }

// AnswerAndText returns the answer for a capture, as Answer does. text is false if the capture has no
// text. It is true if the answer is Maybe.
func (w *Words) AnswerAndText(ref record.Ref) (answer match.Answer, text bool) {
	s := w.of(ref)
	return s.answer, s != &w.said[null] && s != &w.said[empty]
}

// OfRun returns those captures of a run of the segment id that match or may match. sure is set if all
// of these match. asked is false if the run has no answers. Then all of its captures may match, and
// some is empty.
func (w *Words) OfRun(id, run uint32) (some Found, sure, asked bool) {
	list := w.ofRun(id, run)
	some, sure = Found{list, w.said, list.bits.count(list.first, list.end)}, list.asked
	for _, s := range list.said {
		switch w.said[s].answer {
		case match.Maybe:
			sure = false
			some.count++
		case match.Yes:
			some.count++
		}
	}
	return some, sure, list.asked
}

// Found is the captures of a run that match or may match. It implements record.Numbers.
type Found struct {
	list  *answers
	said  []said
	count int
}

// Len returns how many captures match or may match.
func (f Found) Len() int { return f.count }

// Has reports whether the capture with number n matches or may match.
func (f Found) Has(n uint32) bool {
	answer := f.said[f.list.of(n)].answer
	return answer == match.Yes || answer == match.Maybe
}

// All yields the numbers of the captures, ascending.
func (f Found) All() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for n := range f.list.found(f.said) {
			if !yield(n) {
				return
			}
		}
	}
}

// RankBy sets the function that returns the rank of a capture's page. Of calls it for captures that
// match according to an index. The function can compute the rank by Maker.RankOf. It returns false
// if the page must be read for that. The function ready prepares the ranks of some captures, see Ready.
func (w *Words) RankBy(rank func(record.Ref) (best Best, ok bool), ready func([]record.Ref)) {
	w.rank, w.ready = rank, ready
}

// Ready makes the next calls of Of for these captures faster. It may use several goroutines.
func (w *Words) Ready(refs []record.Ref) {
	if w == nil || w.ready == nil {
		return
	}
	w.ready(slices.DeleteFunc(slices.Clone(refs), func(ref record.Ref) bool {
		return !w.Indexed(ref) || w.Answer(ref) != match.Yes
	}))
}

// PagesBy sets the function that returns what an index of words has of the pages of a run: the run has the number n
// in the result of. That is nil if no index has them.
func (w *Words) PagesBy(pages func(segment.RunRef) (of *index.Pages, n int)) { w.pages = pages }

// Titles reports whether Title knows the titles of all pages with the answer Yes or No, because the
// indexes gave all answers.
func (w *Words) Titles() bool { return w.pages != nil && len(w.read) == 0 }

// Few returns the captures that match the query or may match it, if there are few of them: at
// most most, and at most the share part, such as .02, of all captures that were asked. ok is
// false if there are more, or if some captures have no answer.
func (w *Words) Few(most int, part float64) (refs []record.Ref, ok bool) {
	if !w.whole {
		return nil, false
	}
	most = min(most, int(part*float64(w.asked)))
	for ref := range w.matching() {
		if len(refs) == most {
			return nil, false
		}
		refs = append(refs, ref)
	}
	return refs, true
}

// Whole reports whether every capture in the scope of the query has an answer. If so, a capture that Prints
// does not yield does not match.
func (w *Words) Whole() bool { return w.whole }

// matching yields the captures that match the query or may match it, each with its answer, an index in w.said. They
// are sorted by segment, run and number: within a segment, this is the order of their URLs' keys.
func (w *Words) matching() iter.Seq2[record.Ref, uint32] {
	return func(yield func(record.Ref, uint32) bool) {
		for _, id := range slices.Sorted(maps.Keys(w.answers)) {
			for run := range w.answers[id] {
				for n, said := range w.answers[id][run].found(w.said) {
					if !yield(record.Ref{Segment: id, Run: uint32(run), N: n}, said) {
						return
					}
				}
			}
		}
	}
}

// Has returns which atoms of the query the page of a capture has: bit i is set for atom i. ok
// is false if the page has to be read for that.
func (w *Words) Has(ref record.Ref) (atoms uint64, ok bool) {
	s := w.of(ref)
	return s.has, s.sure
}

// Indexed reports whether the answer for a capture comes from an index of words. If it does
// not, the leaves of the page were read, and no index may have them.
func (w *Words) Indexed(ref record.Ref) bool {
	return !w.read[segment.RunRef{Segment: ref.Segment, Run: ref.Run}]
}

func (w *Words) of(ref record.Ref) *said {
	return &w.said[w.ofRun(ref.Segment, ref.Run).of(ref.N)]
}

// ofRun returns the answers for a run of the segment id.
func (w *Words) ofRun(id, run uint32) *answers {
	if runs := w.answers[id]; int(run) < len(runs) {
		return &runs[run]
	}
	return new(answers)
}

// put sets the answers for a run.
func (w *Words) put(run segment.RunRef, list answers) {
	runs := w.answers[run.Segment]
	if n := int(run.Run) + 1; n > len(runs) {
		if n > cap(runs) {
			runs = slices.Grow(runs, max(n-len(runs), w.room-len(runs)))
		}
		runs = append(runs, make([]answers, n-len(runs))...)
		w.answers[run.Segment] = runs
	}
	runs[run.Run] = list
}

// answers has the answers for the captures of one run. An answer is an index in Words.said.
type answers struct {
	asked bool     // if not set, the answer of each capture is maybe
	said  []uint32 // the answers; empty if all captures have the answer nothing
	// at has, for each of said, the number of the capture, ascending; all other captures have the
	// answer nothing. If at is nil, said has the answers of all captures.
	//
	// Few captures match most queries. To write an answer for each of a million captures and to go
	// through the answers took half of the time of a count of a word that 10,000 of them have.
	at []uint32
	// bits, if not nil, has the captures that have the only word of the query: capture n of the run if
	// number first+n is in it, below end. Their answer is yes, unless the slice at has them.
	bits       bitmap
	first, end uint32
	yes        uint32
}

// answersShare is one of how many captures of a run have an entry in answers.at at most. If more
// match, an answer for each capture takes less memory and time.
const answersShare = 8

// newAnswers returns the answers for count captures, all of which have the answer nothing. Up to
// some others are added with put.
func newAnswers(count, some int) answers {
	switch {
	case some == 0:
		return answers{asked: true}
	case some <= count/answersShare:
		return answers{asked: true, at: make([]uint32, 0, some), said: make([]uint32, 0, some)}
	}
	return answers{asked: true, said: slices.Repeat([]uint32{nothing}, count)}
}

// put sets the answer for capture n. The captures come in ascending order.
func (a *answers) put(n, said uint32) {
	if a.at == nil {
		a.said[n] = said
		return
	}
	a.at, a.said = append(a.at, n), append(a.said, said)
}

// of returns the answer for capture n.
func (a *answers) of(n uint32) uint32 {
	switch {
	case !a.asked:
		return maybe
	case a.at != nil:
		if i, ok := slices.BinarySearch(a.at, n); ok {
			return a.said[i]
		}
		return a.marked(n)
	case len(a.said) == 0:
		return a.marked(n)
	case int(n) >= len(a.said):
		return maybe
	}
	return a.said[n]
}

// marked returns the answer for capture n, which is not in the slice at.
func (a *answers) marked(n uint32) uint32 {
	if a.bits != nil && a.first+n < a.end && a.bits.has(a.first+n) {
		return a.yes
	}
	return nothing
}

// found yields the captures that match or may match, ascending, each with its answer, an index in said. The
// parameter said is Words.said.
func (a *answers) found(said []said) iter.Seq2[uint32, uint32] {
	return func(yield func(uint32, uint32) bool) {
		before := a.first // the bits before this one are done
		marks := func(to uint32) bool {
			if a.bits == nil {
				return true
			}
			for n := range a.bits.all(before, min(to, a.end)) {
				if !yield(n-a.first, a.yes) {
					return false
				}
			}
			before = to + 1
			return true
		}
		for i, s := range a.said {
			n := uint32(i)
			if a.at != nil {
				n = a.at[i]
			}
			if !marks(a.first + n) {
				return
			}
			answer := said[s].answer
			if answer != match.Yes && answer != match.Maybe {
				continue
			}
			if !yield(n, s) {
				return
			}
		}
		marks(a.end)
	}
}
