package index

import (
	"slices"

	"infomall/store/page/charset"
)

// Any reports whether the query of h matches something in run n, in any reading.
func (f *File) Any(h *Hits, n uint32) bool {
	if h.Len() == 0 {
		return false
	}
	u := &f.Runs[n]
	if next := h.Next(u.first); next >= 0 && next < u.first+u.docs {
		return true
	}
	return slices.ContainsFunc(u.alias, func(doc int32) bool { return h.Has(int(doc)) })
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
	of := &s.runs[int(n)-s.first]
	out := make([]bool, of.blocks)
	for b := range out {
		at, _ := of.at(b)
		out[b] = at < 0
	}
	return out, nil
}
