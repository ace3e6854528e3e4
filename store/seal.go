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

// other returns a run on which another run builds. Such a run is in an older
// segment.
func (v *Snapshot) other(ref segment.RunRef) (*segment.Run, error) {
	s := v.segment(ref.Segment)
	if s == nil {
		return nil, errNoHolder
	}
	return v.opened(s, ref.Run)
}

// dict returns a run of a static pool, which never changes, for other runs to build
// on. It returns nil if the pool is not static, or the run cannot be read.
func (m *merging) dict(ref segment.RunRef) *segment.Dict { return m.v.dictFor(ref, m.pool) }

// dictFor returns dict for a run of the given pool.
func (v *Snapshot) dictFor(ref segment.RunRef, pool string) *segment.Dict {
	s := v.segment(ref.Segment)
	if s == nil || !v.pin.isStatic(s.Info.Pool) || s.Info.Pool > pool {
		return nil
	}
	r, err := v.run(s, ref.Run)
	if err != nil {
		return nil
	}
	d := &segment.Dict{Behind: r.Dictionary()}
	if d.Content, err = r.Content(); err != nil {
		return nil
	}
	for _, further := range r.Dictionary() {
		of := v.dictFor(further, pool)
		if of == nil {
			return nil
		}
		for _, n := range of.Needs {
			if !slices.Contains(d.Needs, n) {
				d.Needs = append(d.Needs, n)
			}
		}
	}
	d.Needs = append(d.Needs, segment.Need{RunRef: ref, Bytes: len(d.Content)})
	return d
}
