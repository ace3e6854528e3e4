package merge

import (
	"context"
	"maps"
	"slices"

	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/crc32c"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// keepUsed writes the leftovers to the new segments: blocks of the merged segments that no merged
// capture needs any more, but that captures in other segments use.
func (m *merging) keepUsed(ctx context.Context) error {
	for _, body := range m.bodies {
		if err := m.keep(ctx, body.Recipe); err != nil {
			return err
		}
	}
	if left, err := m.anyLeft(); !left || err != nil {
		return err
	}
	hidden, err := m.v.HiddenNeeds()
	if err != nil {
		return err
	}
	for _, s := range m.v.Pin.Segments {
		if m.in[s.ID] != nil || len(s.Uses) == 0 {
			continue
		}
		err := m.v.EveryEntry(ctx, s, func(at timeline.Place, e *segment.Stored) error {
			if n, gone := hidden(at); gone && n == catalog.NeedNone {
				return nil // nobody needs its blocks
			}
			return m.keep(ctx, e.Recipe)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// anyLeft reports whether a merged segment has a block that the merge has not moved yet.
func (m *merging) anyLeft() (bool, error) {
	for id, s := range m.in {
		for n := range uint32(s.Runs) {
			ref := segment.RunRef{Segment: id, Run: n}
			if !m.at.met(ref) {
				// None of its blocks is needed, or it has no blocks.
				if r, err := m.known.Run(id, n); err != nil || len(r.IDs) > 0 {
					return true, nil
				}
				continue
			}
			at, err := m.at.run(ref, 0)
			if err != nil || slices.ContainsFunc(at, func(b segment.BlockRef) bool { return b.Segment == 0 }) {
				return true, err
			}
		}
	}
	return false, nil
}

// keep writes to the new segment those blocks of a recipe (the list of a body's blocks) that are
// in merged segments and that the merge has not written yet.
func (m *merging) keep(ctx context.Context, recipe segment.Recipe) error {
	spans, err := m.v.Runs.Spans(recipe)
	if err != nil {
		return err
	}
	for _, s := range spans {
		if !m.at.has(s.Segment) {
			continue
		}
		parts, err := m.appendParts(nil, s)
		if err != nil {
			return err
		}
		for i := range parts {
			if parts[i].At.Segment != 0 {
				continue
			}
			if m.out == nil {
				if err := m.begin(ctx, ""); err != nil {
					return err
				}
			}
			at, err := m.out.Keep(parts[i])
			if err != nil {
				return err
			}
			if err := m.at.set(segment.BlockRef{Segment: s.Segment, Run: s.Run, N: s.N + uint32(i)}, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// names writes the names file, which says where the blocks of the merged segments
// are now, and adds it to the publication p.
func (m *merging) names(p *commit.Publication) error {
	if len(m.done) == 0 {
		return nil
	}
	p.Names, p.Dropped = &catalog.NamesFile{}, make(map[uint32]bool)
	f, err := m.w.CreateNames()
	if err != nil {
		return err
	}
	defer f.Close()
	var rec []byte
	to := make(map[uint32]bool)
	for _, id := range slices.Sorted(maps.Keys(m.in)) {
		n, err := m.namesOf(m.in[id])
		if err != nil {
			return err
		}
		for _, s := range n.To() {
			to[s] = true
		}
		if n.Gone() || m.isSplit() {
			// A segment that is written from now on may use a block without
			// depending on the part that has it.
			p.Dropped[id] = true
		}
		rec = segment.AppendNames(rec[:0], m.enc, m.done[0].Info, n)
		if _, err := f.Write(rec); err != nil {
			return err
		}
		p.Names.Bytes, p.Names.CRC = p.Names.Bytes+int64(len(rec)), crc32c.Add(p.Names.CRC, rec)
		p.Names.Of = append(p.Names.Of, id)
	}
	p.Names.To = slices.Sorted(maps.Keys(to))
	return f.Sync()
}

// namesOf returns where the blocks of the merged segment s are now, for the names file.
func (m *merging) namesOf(s *segment.Info) (*segment.Names, error) {
	names := segment.NewNames(s.ID)
	for n := range uint32(s.Runs) {
		ref, blocks := segment.RunRef{Segment: s.ID, Run: n}, 0
		if !m.at.met(ref) {
			r, err := m.known.Run(s.ID, n)
			if err != nil {
				return nil, err
			}
			blocks = len(r.IDs)
		}
		at, err := m.at.run(ref, blocks)
		if err != nil {
			return nil, err
		}
		names.Add(at)
	}
	return names, nil
}
