package index

import (
	"slices"

	"infomall/store/page/charset"
	"infomall/store/words/match"
)

// Leaves returns, for each block of the run f.Runs[n], what the search query q
// matches in the block. The parameter as says how the blocks are read. h is the
// result of Find for q.
func (f *File) Leaves(q *match.Query, h *Hits, n uint32, as Reading) ([]Leaf, error) {
	u := &f.Runs[n]
	out := make([]Leaf, u.Blocks)
	if u.Lost || len(u.Readings) == 0 {
		return out, nil
	}
	s, err := f.shapesOf(int(n))
	if err != nil {
		return nil, err
	}
	var readings []Reading
	for _, r := range u.Readings {
		readings = append(readings, f.Readings[r])
	}
	of := &s.runs[int(n)-s.first]
	for b := range of.at {
		at := of.shapeOf(b, as, readings)
		if at < 0 {
			continue
		}
		l, doc := &out[b], int(of.doc[at])
		if l.Part = h.Part(doc); l.Part == nil {
			l.Part, _ = q.PartOf(of.of[at], nil) // without words no text is needed
		}
		switch {
		case of.links[at] == shapeLink:
			l.Links, l.Linked = true, l.Part.Counts
		case of.links[at] == 0:
			l.Links = true
		case !q.Exact():
			l.Links = true
			if p := h.Part(doc + 1); p != nil {
				l.Linked = p.Counts
			}
		}
	}
	return out, nil
}

// Any reports whether the query of h matches something in run n, in any reading.
func (f *File) Any(h *Hits, n uint32) bool {
	if h.of == nil {
		return false
	}
	u := &f.Runs[n]
	for _, doc := range u.alias {
		if h.of[doc] != 0 {
			return true
		}
	}
	return slices.ContainsFunc(h.of[u.first:u.first+u.docs], func(part uint32) bool { return part != 0 })
}

// Knows reports whether the index has the text of every block of run n in the reading.
// Skipped blocks are ignored.
func (f *File) Knows(n uint32, as Reading) bool {
	u := &f.Runs[n]
	if u.Lost || len(u.Readings) == 0 {
		return false
	}
	for _, r := range u.Readings {
		if f.Readings[r] == as || u.Neutral && f.Readings[r].Plain == as.Plain && charset.ASCIISafe(as.Charset) {
			return true
		}
	}
	return false
}

// Skipped returns, for each block of run n, whether the index skipped it.
func (f *File) Skipped(n uint32) ([]bool, error) {
	if int(n) >= len(f.Runs) {
		return nil, f.fault(errDamaged)
	}
	s, err := f.shapesOf(int(n))
	if err != nil {
		return nil, err
	}
	of := s.runs[int(n)-s.first].at
	out := make([]bool, len(of))
	for b, at := range of {
		out[b] = at < 0
	}
	return out, nil
}
