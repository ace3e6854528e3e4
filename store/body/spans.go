package body

import (
	"fmt"
	"slices"

	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/crc32c"
	"infomall/store/disk"
	"infomall/store/segment"
)

// Spans returns where the blocks of a recipe (the list of a body's blocks) are now, as spans:
// ranges of blocks that lie one after the other in a run. Each span is in a segment in force.
// If a segment that the recipe names was merged, a names file says where its blocks are now.
func (r *Runs) Spans(recipe segment.Recipe) ([]segment.Span, error) {
	r.mu.Lock()
	inForce := r.inForce()
	var known [64]uint32 // segments that were looked up; the spans alternate between a few
	old := slices.ContainsFunc(recipe.Spans, func(s segment.Span) bool {
		k := &known[s.Segment%uint32(len(known))]
		if s.Segment == *k {
			return false
		}
		*k = s.Segment
		return inForce[s.Segment] == nil
	})
	r.mu.Unlock()
	if !old {
		return recipe.Spans, nil
	}
	var out []segment.Span
	for _, s := range recipe.Spans {
		var err error
		if out, err = r.appendSpan(out, s, 0); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// appendSpan appends to out the spans in which the blocks of span s are now, and returns out. If
// the segment of s was merged, its names file says into which segments the merge wrote the
// blocks. If these were merged too, appendSpan follows their names files in the same way. hops is
// how many names files were followed so far; a number that is too high means a circle.
func (r *Runs) appendSpan(out []segment.Span, s segment.Span, hops int) ([]segment.Span, error) {
	if r.Segment(s.Segment) != nil {
		return append(out, s), nil
	}
	names, err := r.namesOf(s.Segment)
	if err != nil {
		return nil, err
	}
	if names == nil || hops > len(r.catalog.Names) {
		return nil, fmt.Errorf("segment %d: %w", s.Segment, ErrMissing)
	}
	for s.Count > 0 {
		to, ok := names.Find(s)
		if !ok {
			return nil, fmt.Errorf("block %d of run %d of segment %d: %w", s.N, s.Run, s.Segment, ErrMissing)
		}
		if out, err = r.appendSpan(out, to, hops+1); err != nil {
			return nil, err
		}
		s.N, s.Count = s.N+to.Count, s.Count-to.Count
	}
	return out, nil
}

// namesOf returns where the blocks of the merged segment with this number are now, or nil if the
// catalogue has no names file for the segment.
func (r *Runs) namesOf(id uint32) (*segment.Names, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := r.names[id]; n != nil {
		return n, nil
	}
	for _, info := range r.catalog.Names {
		if !slices.Contains(info.Of, id) {
			continue
		}
		list, err := ReadNames(r.files.Folder, info)
		if err != nil {
			return nil, err
		}
		if r.names == nil {
			r.names = make(map[uint32]*segment.Names)
		}
		for _, n := range list {
			r.names[n.Segment] = n
		}
		return r.names[id], nil
	}
	return nil, nil
}

// ReadNames reads and checks a names file of the archive in the folder f. A names
// file says where the blocks of merged segments are now. The result has one element
// for each of these segments.
func ReadNames(f *commit.Folder, info catalog.NamesFile) ([]*segment.Names, error) {
	b, err := disk.ReadFile(f.Files(), info.Name)
	if err != nil {
		return nil, err
	}
	if sum := crc32c.Sum(b); sum != info.CRC {
		return nil, &segment.Error{File: info.Name, Offset: -1, Err: fmt.Errorf("crc32c is %08x, the catalogue says %08x", sum, info.CRC)}
	}
	list, err := segment.ReadNames(b)
	if err != nil {
		return nil, segment.Damage(info.Name, -1, err)
	}
	return list, nil
}
