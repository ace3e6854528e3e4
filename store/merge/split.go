package merge

import (
	"context"
	"maps"
	"slices"

	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// split divides the pool of a merge into parts by URL. If the merge does not divide its
// pool, merging.split is nil.
type split struct {
	// max is the size in bytes at which a part ends.
	max   int64
	bytes int64          // size of the finished segments of the current part, in bytes
	parts []catalog.Part // the pool itself and the parts begun so far; the last one is the current part
	free  string         // name of the next part
}

// newSplit returns a split for a pool that is too large. A part ends when it has limit bytes,
// or half as many if the pool is not sealed, so that the part has room to grow.
func newSplit(c *catalog.Catalog, pool string, limit int64, seal bool) *split {
	p := c.PartOf(pool)
	s := &split{max: max(limit, 1), parts: []catalog.Part{p}, free: c.FreePart(catalog.MonthOf(pool))}
	if !seal {
		s.max = max(limit/2, 1)
	}
	return s
}

// next ends the current part, begins a new part at this key, and returns the name of
// the new part.
func (s *split) next(key string) (pool string) {
	last := &s.parts[len(s.parts)-1]
	p := catalog.Part{Pool: s.free, From: key, To: last.To}
	last.To = key
	s.parts = append(s.parts, p)
	s.free = catalog.NextPart(s.free)
	s.bytes = 0
	return p.Pool
}

// takes returns the name of the new part to which the captures of the URL with this key
// move. ok is false if they stay in the pool.
func (s *split) takes(key string) (pool string, ok bool) {
	for _, p := range s.parts[1:] {
		if key >= p.From && (p.To == "" || key < p.To) {
			return p.Pool, true
		}
	}
	return "", false
}

// isSplit reports whether the pool is being divided and a second part has begun.
func (m *merging) isSplit() bool { return m.split != nil && len(m.split.parts) > 1 }

// dependents returns, for the number of each segment that depends on the pool being split, the
// names of the new parts from which the segment uses bodies. It returns nil if the pool was not
// split.
func (m *merging) dependents(ctx context.Context) (map[uint32][]string, error) {
	if !m.isSplit() {
		return nil, nil
	}
	out := make(map[uint32][]string)
	for _, info := range m.v.Pin.Segments {
		if m.in[info.ID] != nil || !slices.Contains(info.Depends, m.split.parts[0].Pool) {
			continue
		}
		parts := make(map[string]bool)
		err := m.v.EveryEntry(ctx, info, func(_ timeline.Place, e *segment.Stored) error {
			key := e.Key
			switch e.Body {
			case segment.BodyElsewhere:
				key = e.HolderKey
			case segment.BodyHeld:
			default:
				return nil
			}
			if pool, ok := m.split.takes(key); ok {
				parts[pool] = true
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		out[info.ID] = slices.Collect(maps.Keys(parts))
	}
	return out, nil
}

// measured returns the parts of the split. It sets the size of each part to the sum
// of the sizes of its segments in the list done.
func (s *split) measured(done []commit.Made) []catalog.Part {
	for i := range s.parts {
		p := &s.parts[i]
		p.Bytes = 0
		for _, d := range done {
			if d.Info.Pool == p.Pool {
				p.Bytes += d.Info.Bytes
			}
		}
	}
	return s.parts
}
