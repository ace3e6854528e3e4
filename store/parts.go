package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"infomall/store/segment"
)

// A month's captures go to the pool named after it, and where that is static or
// takes other URLs only, to a part beside it: 200806A, 200806B and so on to Y,
// ZA … Parts come about in two ways: a pool that is too large is split by URL,
// and what comes late to a static pool goes to a new one.
//
// A part depends on parts ahead of it only, as later pools do on earlier ones:
// order of name is order of dependence.

// poolLimitDefault is the size of a pool above which it is split.
const poolLimitDefault = 64 << 30

// partInfo says which URLs' captures a pool takes: those with keys from from up
// to, not including, to; "" is the end. A pool without one takes all.
type partInfo struct {
	pool     string
	from, to string
	// bytes is how large the pool was when it was split last: until it has grown
	// by half it is not tried again.
	bytes int64
}

// partOf gives what is said of a pool; one that takes all where nothing is.
func (c *catalog) partOf(pool string) partInfo {
	i, ok := slices.BinarySearchFunc(c.parts, pool, func(p partInfo, pool string) int { return strings.Compare(p.pool, pool) })
	if !ok {
		return partInfo{pool: pool}
	}
	return c.parts[i]
}

// takes reports whether captures of a URL with this key go to a pool.
func (c *catalog) takes(pool, key string) bool {
	p := c.partOf(pool)
	return key >= p.from && (p.to == "" || key < p.to)
}

// openPool gives the pool that captures of a month and a URL go to: the first
// that is not static and takes them.
func (c *catalog) openPool(month, key string) string {
	pool := month
	for c.isStatic(pool) || !c.takes(pool, key) {
		pool = nextPart(pool)
	}
	return pool
}

// nextPart gives the name behind a pool's among those of its month.
func nextPart(pool string) string {
	month := monthOf(pool)
	suffix := pool[len(month):]
	if suffix == "" {
		return month + "A"
	}
	letters, last := suffix[:len(suffix)-1], suffix[len(suffix)-1]
	if last == 'Y' {
		return month + letters + "ZA"
	}
	return month + letters + string(last+1)
}

// freePart gives the first name of a month's parts behind all that were given.
func (c *catalog) freePart(month string) string {
	last := month
	see := func(pool string) {
		if monthOf(pool) == month {
			last = max(last, pool)
		}
	}
	for _, s := range c.segments {
		see(s.Pool)
	}
	for _, p := range c.parts {
		see(p.pool)
	}
	return nextPart(last)
}

// monthOf gives the month of a pool, which may be a part of it.
func monthOf(pool string) string { return strings.TrimRight(pool, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") }

// poolBytes is how large a pool is.
func (c *catalog) poolBytes(pool string) (bytes int64) {
	for _, s := range c.poolSegments(pool) {
		bytes += s.Bytes + s.IndexBytes
	}
	return bytes
}

// oversized reports whether a pool is to be split: it is larger than limit, and
// larger by half than the last time that was done, which may have left it large.
func (c *catalog) oversized(pool string, limit int64) bool {
	p := c.partOf(pool)
	bytes := c.poolBytes(pool)
	return bytes > limit && bytes > p.bytes+p.bytes/2
}

// setParts puts parts in the place of what c says of their pools.
func (c *catalog) setParts(parts []partInfo) {
	for _, p := range parts {
		c.parts = slices.DeleteFunc(c.parts, func(o partInfo) bool { return o.pool == p.pool })
	}
	c.parts = append(c.parts, parts...)
}

// tidyParts puts the parts in order, and drops those of months that have no pool
// any more. A pool without captures keeps its part: they may come again.
func (c *catalog) tidyParts() {
	months := make(map[string]bool)
	for _, s := range c.segments {
		months[monthOf(s.Pool)] = true
	}
	c.parts = slices.DeleteFunc(c.parts, func(p partInfo) bool { return !months[monthOf(p.pool)] })
	slices.SortFunc(c.parts, func(a, b partInfo) int { return cmp.Compare(a.pool, b.pool) })
	c.parts = slices.CompactFunc(c.parts, func(a, b partInfo) bool { return a.pool == b.pool })
}

// split is how a merge divides a pool by URL; nil where it does not.
type split struct {
	// max is the size of the captures and their blocks at which a part ends.
	max   int64
	bytes int64 // of the finished segments of the part at hand
	parts []partInfo
	free  string // the next part's name
}

// newSplit returns how a pool is divided that is oversized. A pool that takes
// more is given room to; one that is sealed is not.
func newSplit(c *catalog, pool string, limit int64, seal bool) *split {
	p := c.partOf(pool)
	s := &split{max: max(limit, 1), parts: []partInfo{p}, free: c.freePart(monthOf(pool))}
	if !seal {
		s.max = max(limit/2, 1)
	}
	return s
}

// next begins a new part with a key, and tells the pool that has it.
func (s *split) next(key string) (pool string) {
	last := &s.parts[len(s.parts)-1]
	p := partInfo{pool: s.free, from: key, to: last.to}
	last.to = key
	s.parts = append(s.parts, p)
	s.free = nextPart(s.free)
	s.bytes = 0
	return p.pool
}

// takes gives the new part that has what the pool had of a URL; false if the pool
// keeps it.
func (s *split) takes(key string) (pool string, ok bool) {
	for _, p := range s.parts[1:] {
		if key >= p.from && (p.to == "" || key < p.to) {
			return p.pool, true
		}
	}
	return "", false
}

// isSplit reports whether the pool is in parts by now.
func (m *merging) isSplit() bool { return m.split != nil && len(m.split.parts) > 1 }

// dependents finds out which segments that depend on a pool that was split have
// bodies from its new parts, and of which.
func (m *merging) dependents(ctx context.Context) (map[uint32][]string, error) {
	if !m.isSplit() {
		return nil, nil
	}
	out := make(map[uint32][]string)
	for _, info := range m.v.pin.segments {
		if m.in[info.ID] != nil || !slices.Contains(info.Depends, m.split.parts[0].pool) {
			continue
		}
		parts := make(map[string]bool)
		err := m.v.everyEntry(ctx, info, func(_ place, e *segment.Stored) error {
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

// everyEntry reads all entries of a segment, run by run.
func (v *Snapshot) everyEntry(ctx context.Context, info *segment.Info, f func(at place, e *segment.Stored) error) error {
	r := v.reader(info)
	for n := range uint32(info.Runs) {
		if err := ctx.Err(); err != nil {
			return err
		}
		meta, err := v.meta(r, n)
		if err != nil {
			return err
		}
		entries, err := meta.Entries()
		if err != nil {
			return &segment.Error{File: info.File, Offset: -1, Err: err}
		}
		for i := range entries {
			if err := f(place{r, n, uint32(i)}, &entries[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// dependOnParts lets segments that depend on a pool that was split depend on the
// parts that have bodies of theirs. Of those that came in meanwhile that is not
// known: they depend on all.
func (next *catalog) dependOnParts(ch change) {
	if len(ch.parts) < 2 {
		return
	}
	made := make(map[uint32]bool)
	for _, m := range ch.in {
		made[m.info.ID] = true
	}
	for i, s := range next.segments {
		if made[s.ID] || !slices.Contains(s.Depends, ch.whole) {
			continue
		}
		more, known := ch.depends[s.ID]
		if !known {
			for _, p := range ch.parts[1:] {
				more = append(more, p.pool)
			}
		}
		next.segments[i] = dependOn(s, more)
	}
}

// dependOn gives a segment that depends on more pools.
func dependOn(s *segment.Info, pools []string) *segment.Info {
	again := *s
	again.Depends = slices.Concat(s.Depends, pools)
	slices.Sort(again.Depends)
	again.Depends = slices.DeleteFunc(slices.Compact(again.Depends), func(p string) bool { return p == s.Pool })
	return &again
}

// dependOnAllParts lets the segments of a catalogue that is made anew depend on
// all parts of the months that they depend on: db-files do not know how a pool
// was split after they were written. old are segments as older catalogues know
// them.
func (c *catalog) dependOnAllParts(old map[uint32]*segment.Info) {
	pools := c.poolNames()
	for i, s := range c.segments {
		if o := old[s.ID]; o != nil && o.CRC == s.CRC {
			c.segments[i] = dependOn(s, o.Depends)
			continue
		}
		var more []string
		for _, p := range pools {
			if p < s.Pool && p != monthOf(p) && slices.Contains(s.Depends, monthOf(p)) {
				more = append(more, p)
			}
		}
		c.segments[i] = dependOn(s, more)
	}
}

// measured gives the parts with their sizes.
func (s *split) measured(done []made) []partInfo {
	for i := range s.parts {
		p := &s.parts[i]
		p.bytes = 0
		for _, d := range done {
			if d.info.Pool == p.pool {
				p.bytes += d.info.Bytes
			}
		}
	}
	return s.parts
}
