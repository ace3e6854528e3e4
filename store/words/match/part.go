package match

import "math/bits"

// A text may come in parts, between which stands white space, such as the leaves of a
// page. Part is what a question needs to know of a part, and Whole puts the answer for
// the whole text together. A part that many texts share is read once.

// Part is what a question finds in a part of a text.
type Part struct {
	Terms  int32   // how many terms the part has
	Counts []int32 // how often it has each atom; nil if it has none

	some  uint64 // phrases inside the part
	head  []step // the first terms, as many as the longest phrase has, less one; nil if the question asks for none of them
	end   uint64 // phrases that have begun at the end of the part, as bits of their last term so far
	parts bool   // there is no term, but a character that parts words
	open  bool   // the part ends with a letter of Chinese or Japanese, to which the next part may join
}

// Plain reports whether the question finds nothing in the part. Such a part takes no
// memory of its own.
func (p *Part) Plain() bool { return p.some == 0 && p.end == 0 && p.head == nil }

// step is one of the first terms of a part.
type step struct {
	bits   uint64 // terms of the question that it equals
	joined bool   // it is joined to the term before; of the first term: to a Chinese or Japanese letter before the part
}

// partTermsMax is how many terms a question may have that is answered in parts.
const partTermsMax = 64

// InParts reports whether the question can be answered part by part. It has too many
// terms otherwise.
func (q *Query) InParts() bool { return len(q.table.of) <= partTermsMax }

// plainParts are parts in which nothing is found, by whether they are open and by how
// many terms they have. Most parts are of this sort and need no memory of their own.
var plainParts = func() (all [2][256]Part) {
	for n := range all[0] {
		all[0][n].Terms, all[1][n] = int32(n), Part{Terms: int32(n), open: true}
	}
	return all
}()

// plain returns the part with this number of terms in which nothing is found.
func plain(terms int, open bool) *Part {
	list := &plainParts[0]
	if open {
		list = &plainParts[1]
	}
	if terms < len(list) {
		return &list[terms]
	}
	return &Part{Terms: int32(terms), open: open}
}

// Part reads a part of a text. The question must be one that InParts reports true for.
// The result never changes.
func (q *Query) Part(text string) *Part {
	f := q.finder()
	defer q.finders.Put(f)
	t := &q.table
	p := &Part{}
	counts := make([]int32, 0, 8)
	count := func(atom, n int) {
		if len(counts) == 0 {
			counts = append(counts, make([]int32, len(q.atoms))...)
		}
		counts[atom] += int32(n)
	}
	var head [partTermsMax]step
	begun := uint64(0) // terms of the question among the first ones
	n := 0
	f.state[0] = 0
	for f.terms.readAfterChinese(text); f.terms.Next(); n++ {
		f.froms[n%t.longest] = f.terms.From
		is := uint64(0)
		f.equal = t.equal(f.equal[:0], f.terms.Term())
		for _, e := range f.equal {
			is |= e[0]
		}
		if n < t.longest-1 {
			head[n] = step{is, f.terms.Joined}
			begun |= is
		}
		v := (f.state[0]<<1 | t.starts[0]) & is
		if !f.terms.Joined || n == 0 { // in the part, nothing stands before the first term
			v &= t.apart[0]
		}
		if f.state[0] = v; v&t.ends[0] == 0 {
			continue
		}
		f.ended(n, text, func(h hit) bool {
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
	p.end, p.open = f.state[0], f.terms.endsChinese()
	switch {
	case n == 0 && f.terms.apart:
		return partingPart
	case p.some == 0 && p.end == 0 && begun == 0:
		return plain(n, p.open && n > 0)
	}
	p.Terms = int32(n)
	if len(counts) > 0 {
		p.Counts = counts
	}
	if begun != 0 {
		p.head = append(p.head, head[:min(n, t.longest-1)]...)
	}
	return p
}

// partingPart is a part without terms that has a character that parts words.
var partingPart = &Part{parts: true}

// Whole answers a question for a text whose parts it is given in order.
type Whole struct {
	q     *Query
	found uint64 // phrases that the text has
	atoms uint64 // atoms that a part has
	maybe uint64 // phrases that the text may have: ="…" over several parts
	state uint64
	open  bool
}

// Whole begins a text.
func (q *Query) Whole() Whole { return Whole{q: q} }

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

// cross takes the state over the first terms of p, and notes phrases that began before.
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

// Answer returns whether the text, all of whose parts were added, matches the question.
// The answer is Maybe for NEAR and ="…" if several parts together may have them.
func (w *Whole) Answer() Answer {
	return w.q.Eval(func(atom int) Answer {
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
	})
}
