package store

import (
	"context"
	"slices"

	"infomall/store/record"
	"infomall/store/segment"
)

// isStatic reports whether a pool never changes any more.
func (c *catalog) isStatic(pool string) bool {
	_, ok := slices.BinarySearch(c.static, pool)
	return ok
}

// shareIndexes puts the small indexes of static pools together, a file a year:
// an index file of its own takes 32 KB, whatever it holds.
func (a *Archive) shareIndexes(ctx context.Context) error {
	p, err := pinCurrent(a.dir)
	if err != nil {
		return err
	}
	p.release() // so that what is replaced can go
	var apart []*segment.Info
	for _, year := range p.sharers() {
		if p.scattered(year) {
			apart = append(apart, year...)
		}
	}
	if len(apart) == 0 {
		return nil
	}
	r := &reindex{a: a, results: make(map[string]*record.ReindexResult)}
	return r.rebuild(ctx, apart)
}

// sharers gives, for each year, the segments of static pools that have small
// indexes.
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

// scattered reports whether segments have their indexes in several files, or in
// one that has others too.
func (c *catalog) scattered(segments []*segment.Info) bool {
	own := make(map[uint32]bool)
	for _, s := range segments {
		own[s.ID] = true
	}
	return slices.ContainsFunc(c.segments, func(s *segment.Info) bool {
		return own[s.ID] != (s.Index == segments[0].Index)
	})
}

// other gives a run that another goes on from. Such are of segments that were there
// before.
func (v *Snapshot) other(ref segment.RunRef) (*segment.Run, error) {
	s := v.segment(ref.Segment)
	if s == nil {
		return nil, errNoHolder
	}
	return v.opened(s, ref.Run)
}

// dict gives a run of a static pool, which never changes, as a dictionary; nil
// if it is of another or can't be read.
func (m *merging) dict(ref segment.RunRef) *segment.Dict { return m.v.dictFor(ref, m.pool) }

// dictFor gives it for a run of some pool.
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
