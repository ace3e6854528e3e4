package spill

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// sort sorts the records in memory, which may be millions. When the context is
// done, the sort ends soon, and sort returns the context's error.
//
// It sorts by numbers instead of keys where it can: see sortFrom. Comparing keys
// takes ten times as long for times, and six times for URLs (BenchmarkSort).
func (s *Sorter) sort() error {
	s.sortFrom(s.held, 0)
	s.sorting = nil
	return s.ctx.Err()
}

// sortFrom sorts recs, whose keys have the same first depth bytes. It skips further bytes that are
// the same in all keys, takes the next eight bytes of each key as a number, and sorts by these
// numbers. Records with equal numbers are then sorted by the bytes that follow in their keys.
func (s *Sorter) sortFrom(recs []heldRec, depth int) {
	const few = 64 // comparing whole keys is as fast for so few records
	if len(recs) <= few {
		s.sortWhole(recs, depth)
		return
	}
	depth += s.common(recs, depth)
	short := false // whether a key ends within the eight bytes
	for i := range recs {
		key := s.record(recs[i]).Key[depth:]
		if len(key) >= 8 {
			recs[i].prefix = binary.BigEndian.Uint64(key)
			continue
		}
		var buf [8]byte
		copy(buf[:], key)
		recs[i].prefix, short = binary.BigEndian.Uint64(buf[:]), true
	}
	s.sortByPrefix(recs)
	for from := 0; from < len(recs) && s.ctx.Err() == nil; {
		to := from + 1
		for to < len(recs) && recs[to].prefix == recs[from].prefix {
			to++
		}
		switch {
		case to == from+1:
		case short:
			s.sortWhole(recs[from:to], depth)
		default:
			s.sortFrom(recs[from:to], depth+8)
		}
		from = to
	}
}

// sortByPrefix sorts recs by their prefixes. Records with equal prefixes keep their
// order. It is a radix sort, byte by byte from the last.
func (s *Sorter) sortByPrefix(recs []heldRec) {
	var counts [8][256]uint32
	for _, r := range recs {
		for b := range counts {
			counts[b][byte(r.prefix>>(8*b))]++
		}
	}
	if len(s.sorting) < len(recs) {
		s.sorting = make([]heldRec, len(recs))
	}
	from, to := recs, s.sorting[:len(recs)]
	for b := range counts {
		next := &counts[b] // where the next record with each value of the byte belongs
		if next[byte(from[0].prefix>>(8*b))] == uint32(len(recs)) || s.ctx.Err() != nil {
			continue
		}
		at := uint32(0)
		for i, n := range next {
			next[i] = at
			at += n
		}
		for _, r := range from {
			i := byte(r.prefix >> (8 * b))
			to[next[i]] = r
			next[i]++
		}
		from, to = to, from
	}
	if &from[0] != &recs[0] {
		copy(recs, from)
	}
}

// sortWhole sorts recs, whose keys have the same first depth bytes, by comparing keys. When the
// context is done, each comparison returns equal, so that the sort ends soon.
func (s *Sorter) sortWhole(recs []heldRec, depth int) {
	n, ended := 0, false
	slices.SortFunc(recs, func(a, b heldRec) int {
		if n++; n%ctxEvery == 0 {
			ended = s.ctx.Err() != nil
		}
		if ended {
			return 0
		}
		if c := bytes.Compare(s.record(a).Key[depth:], s.record(b).Key[depth:]); c != 0 {
			return c
		}
		if a.before(b) {
			return -1
		}
		return 1
	})
}

// common returns how many bytes all keys of recs have in common after the first
// depth bytes.
func (s *Sorter) common(recs []heldRec, depth int) int {
	same := s.record(recs[0]).Key[depth:]
	for _, r := range recs[1:] {
		key := s.record(r).Key[depth:]
		n := 0
		for n < len(same) && n < len(key) && same[n] == key[n] {
			n++
		}
		if same = same[:n]; n == 0 {
			break
		}
	}
	return len(same)
}
