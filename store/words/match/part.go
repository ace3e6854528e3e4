package match

import (
	"maps"
	"math/bits"
	"slices"
	"sync"
)

// A text may come in parts with white space between them, such as the leaves of a
// page. A Part has what a query needs to know of one part. A Whole computes the answer
// for the whole text from the Parts. A part that many texts share is read once.

// Part is what a query finds in one part of a text, such as a paragraph: words and phrases, and
// beginnings of phrases that may end in the next part. A Whole puts the Parts of a text
// together.
type Part struct {
	Terms  int32   // number of terms of the part
	Counts []int32 // how often the part has each atom; nil if it has none

	some  uint64 // phrases that lie inside the part, as bits
	head  []step // the first terms, one fewer than the longest phrase has; nil if none is in the query
	end   uint64 // phrases that may go on in the next part, as bits of their last term in this part; 0 if each phrase has one term
	parts bool   // the part has no term, but a character that separates words
	open  bool   // it ends with a Chinese or Japanese letter, to which the next part may join
}

// Plain reports whether the query finds nothing in the part.
func (p *Part) Plain() bool { return p.some == 0 && p.end == 0 && p.head == nil }

// step is one of the first terms of a part.
type step struct {
	bits   uint64 // the terms of the query that match it
	joined bool   // as Terms.Joined; for the first term: it would join to a Chinese or Japanese letter that ends the part before
}

// partTermsMax is the largest number of terms of a query that can be answered part by part.
const partTermsMax = 64

// InParts reports whether the query can be answered part by part. If it returns false, the
// query has too many terms.
func (q *Query) InParts() bool { return len(q.table.of) <= partTermsMax }

// plainParts returns the shared Parts in which nothing is found. The first index is 1 if the
// part is open, and the second is its number of terms. Most parts of texts are like these, so
// they need no memory of their own.
var plainParts = sync.OnceValue(func() *[2][256]Part {
	var all [2][256]Part
	for n := range all[0] {
		all[0][n].Terms, all[1][n] = int32(n), Part{Terms: int32(n), open: true}
	}
	return &all
})

// plain returns the Part with this number of terms in which nothing is found. open is
// Part.open.
func plain(terms int, open bool) *Part {
	list := &plainParts()[0]
	if open {
		list = &plainParts()[1]
	}
	if terms < len(list) {
		return &list[terms]
	}
	return &Part{Terms: int32(terms), open: open}
}

// Shape has the properties of a part of a text that are the same for every query.
type Shape struct {
	Terms   int  // number of terms of the text
	Open    bool // it ends with a Chinese or Japanese letter, to which the next part may join
	Parting bool // it has no term, but a character that separates words
}

// Word is a term of a text that matches a term of the query.
type Word struct {
	N      int    // its number among the terms of the text, from 0
	Bits   uint64 // terms of the query that match it, see Query.Bits
	Joined bool   // as Terms.Joined; for the first term: it would join to a Chinese or Japanese letter that ends the text before

	from, to int // its place in the text; only ="..." needs it
}

// Part returns what the query finds in a part of a text. InParts must report true for the
// query. The result never changes.
func (q *Query) Part(text string) *Part {
	f := q.finder()
	defer q.finders.Put(f)
	f.words = f.words[:0]
	for f.terms.ReadPart(text); f.terms.Next(); {
		if is := f.bits(f.terms.Term()); is != 0 {
			f.words = append(f.words, Word{f.terms.Count - 1, is, f.terms.Joined, f.terms.From, f.terms.To})
		}
	}
	return f.part(f.terms.Shape(), f.words, text)
}

// PartWithout returns the Part of a text with this shape that has no word of the query.
func PartWithout(s Shape) *Part {
	if s.Parting {
		return partingPart
	}
	return plain(s.Terms, s.Open)
}

// part returns the Part of a text with this shape and these words of the query.
func (f *search) part(s Shape, words []Word, text string) *Part {
	q, t := f.q, &f.q.table
	if s.Parting || len(words) == 0 {
		return PartWithout(s)
	}
	p := &Part{Terms: int32(s.Terms), open: s.Open}
	count := func(atom, n int) {
		if p.Counts == nil {
			p.Counts = make([]int32, len(q.atoms))
		}
		p.Counts[atom] += int32(n)
	}
	var head [partTermsMax]step
	begun := false // a term of the query is among the first ones
	f.state[0] = 0
	before := -1 // number of the word before
	for _, w := range words {
		if w.N != before+1 {
			f.state[0] = 0
		}
		before = w.N
		f.froms[w.N%t.longest], f.terms.To = w.from, w.to
		if w.N < t.longest-1 {
			head[w.N] = step{w.Bits, w.Joined}
			begun = true
		}
		v := (f.state[0]<<1 | t.starts[0]) & w.Bits
		if !w.Joined || w.N == 0 { // in the part, nothing stands before the first term
			v &= t.apart[0]
		}
		if f.state[0] = v; v&t.ends[0] == 0 {
			continue
		}
		f.ended(w.N, text, func(h hit) bool {
			p.some |= 1 << h.phrase
			if a := f.atomOf[h.phrase]; q.atoms[a].Within < 0 {
				count(a, 1)
			} else {
				f.note(h)
			}
			return true
		})
	}
	for a := range q.atoms {
		if q.atoms[a].Within >= 0 {
			if found := len(f.together(a)); found > 0 {
				count(a, found)
			}
		}
	}
	if before == s.Terms-1 && t.longest > 1 {
		p.end = f.state[0]
	}
	if begun {
		p.head = append(p.head, head[:min(s.Terms, t.longest-1)]...)
	}
	if p.Plain() {
		return plain(s.Terms, s.Open)
	}
	return p
}

// OneWord returns the Part of a text that has the word of a query, if the query is one word and nothing
// more. The Part does not say how often or where the text has the word. ok is false for any other
// query. A text matches a query of one word if one of its terms does, wherever it stands.
func (q *Query) OneWord() (p *Part, ok bool) {
	if q.root.op != opAtom || !q.SingleWords() {
		return nil, false
	}
	return &Part{Terms: 1, Counts: []int32{1}, some: 1}, true
}

// Spellings returns the terms of the query, and the beginnings of terms that it asks for with
// *. No other term of a text can match. If the query asks for a stem, any term may match, and
// begins has the empty text. Both lists are sorted, and have each text once.
func (q *Query) Spellings() (terms, begins []string) {
	terms = slices.Sorted(maps.Keys(q.table.terms))
	begins = slices.Collect(maps.Keys(q.table.begins))
	if len(q.table.stems) > 0 {
		begins = append(begins, "")
	}
	slices.Sort(begins)
	return terms, slices.Compact(begins)
}

// partingPart is the Part of a text without terms that has a character that separates words.
var partingPart = &Part{parts: true}

// Exact reports whether the query asks for exact letters, as in ="Müller".
func (q *Query) Exact() bool {
	return slices.ContainsFunc(q.table.exact, func(s string) bool { return s != "" })
}

// Bits returns the terms of the query that match the term of a text: bit i is set for term i.
// InParts must report true for the query.
func (q *Query) Bits(term []byte) uint64 {
	f := q.finder()
	defer q.finders.Put(f)
	return f.bits(term)
}

// bits does what Query.Bits does.
func (f *search) bits(term []byte) uint64 {
	if v := f.equal(term); v != nil {
		return v[0]
	}
	return 0
}

// Whole puts together the answer of a query for a text, from the Parts of the text, which are
// added in order.
type Whole struct {
	q     *Query
	found uint64 // phrases that the text has, as bits
	atoms uint64 // atoms that some part has, as bits
	maybe uint64 // phrases ="…" that the text may have over several parts, as bits
	state uint64
	open  bool
}

// Whole returns a Whole for a text to which no part was added yet.
func (q *Query) Whole() Whole { return Whole{q: q} }

// Idle reports whether w would stay as it is if a part were added in which the query finds
// nothing (see Part.Plain).
func (w *Whole) Idle() bool { return w.state == 0 }

// Add adds the next part of the text.
func (w *Whole) Add(p *Part) {
	if p.Terms == 0 {
		if p.parts {
			w.open = false
		}
		return
	}
	w.found |= p.some
	for a, n := range p.Counts {
		if n > 0 {
			w.atoms |= 1 << a
		}
	}
	if w.state != 0 && p.head != nil {
		w.cross(p)
	}
	if w.state == 0 || int(p.Terms) > len(p.head) {
		w.state = p.end
	}
	w.open = p.open
}

// cross updates w.state (the phrases that may still go on) for the first terms of p. It adds to
// w.found the phrases that began in earlier parts and end in these terms.
func (w *Whole) cross(p *Part) {
	t := &w.q.table
	for i, s := range p.head {
		v := (w.state<<1 | t.starts[0]) & s.bits
		if !s.joined || i == 0 && !w.open {
			v &= t.apart[0]
		}
		w.state = v
		for e := v & t.ends[0]; e != 0; e &= e - 1 {
			phrase := t.of[bits.TrailingZeros64(e)]
			if t.phrases[phrase].to-t.phrases[phrase].from <= i+1 {
				continue // inside the part, where it was found already
			}
			if t.exact[phrase] != "" {
				w.maybe |= 1 << phrase
			} else {
				w.found |= 1 << phrase
			}
		}
	}
}

// Sum is what a query finds in some parts of a text, whatever their order. The zero Sum is of
// no parts.
type Sum struct {
	found, atoms, end uint64 // found and atoms as in Whole, end as in Part
	begin             uint64 // terms of the query that match the first term of a part
	unknown           bool   // a part could not be read
}

// Add adds a part to s.
func (s *Sum) Add(p *Part) {
	s.found |= p.some
	s.end |= p.end
	for a, n := range p.Counts {
		if n > 0 {
			s.atoms |= 1 << a
		}
	}
	if p.head != nil {
		s.begin |= p.head[0].bits
	}
}

// Join adds all parts of o to s.
func (s *Sum) Join(o Sum) {
	s.found |= o.found
	s.atoms |= o.atoms
	s.end |= o.end
	s.begin |= o.begin
	s.unknown = s.unknown || o.unknown
}

// AddUnknown adds a part that could not be read to s.
func (s *Sum) AddUnknown() { s.unknown = true }

// None reports whether all parts of s could be read and the query finds nothing in them.
func (s *Sum) None() bool { return *s == Sum{} }

// WholeOf returns the Whole of a text from the sum of all its parts. ok is false if that is not
// enough, because a phrase that no part has may go over the border of two parts, or because a
// part is unknown. The parts must then be added in order.
func (q *Query) WholeOf(s Sum) (w Whole, ok bool) {
	for over := s.end << 1 & s.begin; over != 0; over &= over - 1 {
		if phrase := q.table.of[bits.TrailingZeros64(over)]; s.found>>phrase&1 == 0 {
			s.unknown = true
		}
	}
	return Whole{q: q, found: s.found, atoms: s.atoms}, !s.unknown
}

// Answer returns whether the text matches the query. All its parts must have been added. The
// answer is Maybe if a NEAR or a ="…" may go over several parts.
func (w *Whole) Answer() Answer { return w.q.Eval(w.Has) }

// Has returns whether the text has the atom with this number. All parts of the text must have
// been added. The answer is Maybe if a NEAR or a ="…" may go over several parts.
func (w *Whole) Has(atom int) Answer {
	a := &w.q.atoms[atom]
	if a.Within < 0 {
		switch bit := uint64(1) << a.first; {
		case w.found&bit != 0:
			return Yes
		case w.maybe&bit != 0:
			return Maybe
		}
		return No
	}
	if w.atoms>>atom&1 != 0 {
		return Yes
	}
	for k := range a.Phrases {
		if (w.found|w.maybe)>>(a.first+k)&1 == 0 {
			return No
		}
	}
	return Maybe
}
