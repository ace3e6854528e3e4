package store

import (
	"context"
	"slices"

	"infomall/store/record/task"
	"infomall/store/segment"
)

// isStatic reports whether a pool is static.
func (c *catalog) isStatic(pool string) bool {
	_, ok := slices.BinarySearch(c.static, pool)
	return ok
}

// shareIndexes merges the small indexes of static pools into one file for each
// year. An index file of its own takes at least 32 KB.
func (a *Archive) shareIndexes(ctx context.Context) error {
	p, err := pinCurrent(a.dir)
	if err != nil {
		return err
	}
	p.release() // so that the replaced files can be deleted
	var apart []*segment.Info
	for _, year := range p.sharers() {
		if p.scattered(year) {
			apart = append(apart, year...)
		}
	}
	if len(apart) == 0 {
		return nil
	}
	r := &reindex{a: a, results: make(map[string]*task.ReindexResult)}
	return r.rebuild(ctx, apart)
}

// sharers returns, for each year, the segments of static pools with small indexes.
func (c *catalog) sharers() [][]*segment.Info {
	var out [][]*segment.Info
	for _, s := range c.segments {
		if !c.isStatic(s.Pool) || s.IndexBytes > indexLarge {
			continue
		}
		if n := len(out); n > 0 && out[n-1][0].Pool[:4] == s.Pool[:4] {
			out[n-1] = append(out[n-1], s)
		} else {
			out = append(out, []*segment.Info{s})
		}
	}
	return out
}

// scattered reports whether segments have their indexes in several files, or in a
// file that other segments use too.
func (c *catalog) scattered(segments []*segment.Info) bool {
	own := make(map[uint32]bool)
	for _, s := range segments {
		own[s.ID] = true
	}
	return slices.ContainsFunc(c.segments, func(s *segment.Info) bool {
		return own[s.ID] != (s.Index == segments[0].Index)
	})
}

// dict returns a run of a static pool, which never changes, for other runs to build
// on. It returns nil if the pool is not static, or the run cannot be read.
func (m *merging) dict(ref segment.RunRef) *segment.Dict { return m.v.runs.dict(ref, m.pool) }
