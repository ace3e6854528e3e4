package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"infomall/store/segment"
	"infomall/store/timeline"
)

// Captures of a month go to the pool named after it, such as 200806. If that pool
// is static, or takes only other URLs, they go to a part beside it: 200806A,
// 200806B and so on to Y, then ZA and so on. There are two reasons for a part: a
// pool that is too large is split by URL, and captures that come late for a static
// pool need a new one.
//
// A part depends only on parts before it, as later pools depend on earlier ones:
// the order of names is the order of dependence.

// poolLimitDefault is the size in bytes above which a pool is split.
const poolLimitDefault = 64 << 30

// partInfo says which URLs' captures a pool takes: keys from from up to but not
// including to. "" as to means no end. A pool without a partInfo takes all.
type partInfo struct {
	pool     string
	from, to string
	// bytes is the size of the pool when it was last split. The pool is not split
	// again until it has grown by half.
	bytes int64
}

// partOf returns the partInfo of a pool; if it has none, one that takes all keys.
func (c *catalog) partOf(pool string) partInfo {
	i, ok := slices.BinarySearchFunc(c.parts, pool, func(p partInfo, pool string) int { return strings.Compare(p.pool, pool) })
	if !ok {
		return partInfo{pool: pool}
	}
	return c.parts[i]
}

// takes reports whether captures of the URL with this key go to the pool.
func (c *catalog) takes(pool, key string) bool {
	p := c.partOf(pool)
	return key >= p.from && (p.to == "" || key < p.to)
}

// openPool returns the pool to which a new capture of a month and a URL goes: the
// first of the month's parts that is not static and takes the key.
func (c *catalog) openPool(month, key string) string {
	pool := month
	for c.isStatic(pool) || !c.takes(pool, key) {
		pool = nextPart(pool)
	}
	return pool
}

// nextPart returns the name that follows a pool's name in its month, such as
// "200806B" for "200806A".
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

// freePart returns the first name of a month's parts that follows all names in use.
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

// monthOf returns the month of a pool or part, such as "200806" for "200806A".
func monthOf(pool string) string { return strings.TrimRight(pool, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") }

// poolBytes returns the size of a pool in bytes, with its indexes.
func (c *catalog) poolBytes(pool string) (bytes int64) {
	for _, s := range c.poolSegments(pool) {
		bytes += s.Bytes + s.IndexBytes
	}
	return bytes
}

// oversized reports whether a pool should be split: it is larger than limit, and
// half as large again as after its last split, which may have left it large.
func (c *catalog) oversized(pool string, limit int64) bool {
	p := c.partOf(pool)
	bytes := c.poolBytes(pool)
	return bytes > limit && bytes > p.bytes+p.bytes/2
}

// setParts replaces the parts of the pools that parts names.
func (c *catalog) setParts(parts []partInfo) {
	for _, p := range parts {
		c.parts = slices.DeleteFunc(c.parts, func(o partInfo) bool { return o.pool == p.pool })
	}
	c.parts = append(c.parts, parts...)
}

// tidyParts sorts the parts, and drops those of months that have no pool any more.
// A pool without captures keeps its part: more captures may come.
func (c *catalog) tidyParts() {
	months := make(map[string]bool)
	for _, s := range c.segments {
		months[monthOf(s.Pool)] = true
	}
	c.parts = slices.DeleteFunc(c.parts, func(p partInfo) bool { return !months[monthOf(p.pool)] })
	slices.SortFunc(c.parts, func(a, b partInfo) int { return cmp.Compare(a.pool, b.pool) })
	c.parts = slices.CompactFunc(c.parts, func(a, b partInfo) bool { return a.pool == b.pool })
}

// split says how a merge divides a pool by URL into parts. It is nil if the pool is
// not divided.
type split struct {
	// max is the size in bytes at which a part ends.
	max   int64
	bytes int64 // size of the finished segments of the current part
	parts []partInfo
	free  string // name of the next part
}

// newSplit returns a split for an oversized pool. If the pool is not sealed, its
// parts get half the limit, so that they have room to grow.
func newSplit(c *catalog, pool string, limit int64, seal bool) *split {
	p := c.partOf(pool)
	s := &split{max: max(limit, 1), parts: []partInfo{p}, free: c.freePart(monthOf(pool))}
	if !seal {
		s.max = max(limit/2, 1)
	}
	return s
}

// next begins a new part at key, and returns its name.
func (s *split) next(key string) (pool string) {
	last := &s.parts[len(s.parts)-1]
	p := partInfo{pool: s.free, from: key, to: last.to}
	last.to = key
	s.parts = append(s.parts, p)
	s.free = nextPart(s.free)
	s.bytes = 0
	return p.pool
}

// takes returns the new part that takes over the captures of a URL; ok is false if
// they stay in the pool.
func (s *split) takes(key string) (pool string, ok bool) {
	for _, p := range s.parts[1:] {
		if key >= p.from && (p.to == "" || key < p.to) {
			return p.pool, true
		}
	}
	return "", false
}

// isSplit reports whether a second part has begun.
func (m *merging) isSplit() bool { return m.split != nil && len(m.split.parts) > 1 }

// dependents returns, for each segment that depends on the pool being split, the
// new parts that have bodies the segment uses.
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
		err := m.v.everyEntry(ctx, info, func(_ timeline.Place, e *segment.Stored) error {
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

// everyEntry calls f with each entry of a segment and its place, run by run.
func (v *Snapshot) everyEntry(ctx context.Context, info *segment.Info, f func(at timeline.Place, e *segment.Stored) error) error {
	r := v.runs.reader(info)
	for n := range uint32(info.Runs) {
		if err := ctx.Err(); err != nil {
			return err
		}
		meta, err := v.runs.meta(r, n)
		if err != nil {
			return err
		}
		entries, err := meta.Entries()
		if err != nil {
			return &segment.Error{File: info.File, Offset: -1, Err: err}
		}
		for i := range entries {
			if err := f(timeline.Place{Seg: r, Run: n, N: uint32(i)}, &entries[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// dependOnParts makes segments that depend on a split pool also depend on the new
// parts they use. For segments that were added meanwhile these are not known: they
// depend on all parts.
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

// dependOn returns a copy of a segment's Info that depends on more pools.
func dependOn(s *segment.Info, pools []string) *segment.Info {
	again := *s
	again.Depends = slices.Concat(s.Depends, pools)
	slices.Sort(again.Depends)
	again.Depends = slices.DeleteFunc(slices.Compact(again.Depends), func(p string) bool { return p == s.Pool })
	return &again
}

// dependOnAllParts makes each segment of a rebuilt catalogue depend on all parts of
// the months it depends on, because a db-file does not know how a pool was split
// after it was written. A segment that an older catalogue describes (old) gets its
// dependencies from there instead.
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

// measured returns the parts, with their sizes in bytes added up from the segments
// done.
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
