package match

import "slices"

// Matches reports whether the text matches the query.
func (q *Query) Matches(text string) bool {
	f := q.finder()
	defer q.finders.Put(f)
	missing := len(q.atoms)
	f.find(text, func(h hit) bool {
		missing -= f.note(h)
		return missing > 0 // what is found already stays found
	})
	f.endNear()
	return q.Eval(func(atom int) Answer {
		if f.has[atom] {
			return Yes
		}
		return No
	}) == Yes
}

// Count adds to counts[i] how often the text has atom i of the query. It returns the number of
// terms of the text.
func (q *Query) Count(text string, counts []int) (terms int) {
	f := q.finder()
	defer q.finders.Put(f)
	terms = f.find(text, func(h hit) bool {
		if a := f.atomOf[h.phrase]; q.atoms[a].Within < 0 {
			counts[a]++
		} else {
			f.note(h)
		}
		return true
	})
	f.endNear()
	for a := range q.atoms {
		if q.atoms[a].Within >= 0 {
			counts[a] += len(f.together(a))
		}
	}
	return terms
}

// Places appends to dst the places of the text at which the words of the query stand, and
// returns the longer slice. Words that the query excludes are left out. The places are in order
// and do not overlap.
func (q *Query) Places(dst []Place, text string) []Place {
	f := q.finder()
	defer q.finders.Put(f)
	needed := make([]bool, len(q.atoms))
	q.Needed(func(atom int) { needed[atom] = true })
	n := len(dst)
	f.find(text, func(h hit) bool {
		if a := f.atomOf[h.phrase]; !needed[a] {
			return true
		} else if q.atoms[a].Within < 0 {
			if last := len(dst) - 1; last < n || dst[last].From != h.from || dst[last].To != h.to {
				dst = append(dst, Place{h.from, h.to, a}) // of several atoms at one place, the first will do
			}
		} else {
			f.note(h)
		}
		return true
	})
	for a := range q.atoms {
		if q.atoms[a].Within >= 0 && needed[a] {
			for _, h := range f.together(a) {
				dst = append(dst, Place{h.from, h.to, a})
			}
		}
	}
	return dst[:n+len(inOrder(dst[n:]))]
}

// inOrder sorts places, and joins places that overlap into one.
func inOrder(all []Place) []Place {
	slices.SortFunc(all, func(a, b Place) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return b.To - a.To
	})
	out := all[:0]
	for _, p := range all {
		if n := len(out); n > 0 && p.From < out[n-1].To {
			out[n-1].To = max(out[n-1].To, p.To)
		} else {
			out = append(out, p)
		}
	}
	return out
}

// search is the state of one search in one text.
type search struct {
	*finder
	q      *Query
	atomOf []int   // number of the atom of each phrase
	has    []bool  // for each atom, whether it was found
	near   [][]hit // near[i] is where phrase i was found, if it is in a NEAR
	nears  bool    // the query has a NEAR
	words  []Word  // the words of the query in the part that is being read
}

// finder returns a search that is not in use. When the search is done, the caller puts it back
// into q.finders.
func (q *Query) finder() *search {
	if f, ok := q.finders.Get().(*search); ok {
		f.reset()
		return f
	}
	f := &search{finder: q.table.finder(), q: q, has: make([]bool, len(q.atoms)), near: make([][]hit, len(q.table.phrases))}
	for a := range q.atoms {
		for range q.atoms[a].Phrases {
			f.atomOf = append(f.atomOf, a)
		}
		f.nears = f.nears || q.atoms[a].Within >= 0
	}
	return f
}

// reset makes f forget what it found in the text before.
func (f *search) reset() {
	clear(f.has)
	for i := range f.near {
		f.near[i] = f.near[i][:0]
	}
}

// note records that a phrase was found. It returns 1 if the atom of the phrase was not found
// before, and otherwise 0. It always returns 0 for a phrase in a NEAR.
func (f *search) note(h hit) int {
	a := f.atomOf[h.phrase]
	switch {
	case f.q.atoms[a].Within >= 0:
		f.near[h.phrase] = append(f.near[h.phrase], h)
	case !f.has[a]:
		f.has[a] = true
		return 1
	}
	return 0
}

// endNear sets has for the atoms with NEAR, after the whole text was read.
func (f *search) endNear() {
	for a := range f.q.atoms {
		if f.q.atoms[a].Within >= 0 {
			f.has[a] = len(f.together(a)) > 0
		}
	}
}

// together returns the places at which the phrases of a NEAR, the atom with this number, are close
// enough to each other. f.near must have the places of each phrase, in order.
func (f *search) together(atom int) []hit {
	a := &f.q.atoms[atom]
	lists := f.near[a.first : a.first+len(a.Phrases)]
	var out []hit
	at := make([]int, len(lists)) // for each phrase, how many of its places begin no later than the current one
	last := make([]int, len(lists))
	for {
		k := -1 // the phrase whose next place begins first
		for i, l := range lists {
			if at[i] < len(l) && (k < 0 || l[at[i]].first < lists[k][at[k]].first) {
				k = i
			}
		}
		if k < 0 {
			return out
		}
		h := lists[k][at[k]]
		at[k]++
		// h begins last. The best place of each other phrase is the last one that begins
		// no later: its end is the nearest.
		near := true
		for i, l := range lists {
			for at[i] < len(l) && l[at[i]].first == h.first {
				at[i]++
			}
			near = near && at[i] > 0 && h.first-l[at[i]-1].last-1 <= a.Within
		}
		if !near {
			continue
		}
		for i, l := range lists {
			if at[i] != last[i] {
				out = append(out, l[at[i]-1])
				last[i] = at[i]
			}
		}
	}
}

// The constants of BM25: bm25K1 says how much a word counts when it occurs again, and bm25B how
// much less a word counts in a longer text.
const (
	bm25K1 = 1.2
	bm25B  = .75
)

// BM25 returns how well a text answers the query, from 0 on (Robertson and Walker 1994).
// counts[i] is how often the text has atom i, as Count sets it. terms is the number of terms of
// the text, and usual the number of terms of a usual text of its kind. Excluded atoms do not
// count. All words weigh the same, because BM25 does not know how rare they are in other texts.
func (q *Query) BM25(counts []int, terms int, usual float64) float64 {
	sum := 0.0
	q.Needed(func(atom int) {
		n := float64(counts[atom])
		sum += n * (bm25K1 + 1) / (n + bm25K1*(1-bm25B+bm25B*float64(terms)/usual))
	})
	return sum
}
