package store

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"infomall/store/record"
	"infomall/store/segment"
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

// dependOnParts makes segments that depend on a split pool also depend on the new
// parts they use. For segments that were added meanwhile these are not known: they
// depend on all parts.
func (next *catalog) dependOnParts(ch change) {
	if len(ch.parts) < 2 {
		return
	}
	made := make(map[uint32]bool)
	for _, s := range ch.in {
		made[s.ID] = true
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

// misnamedPools returns the misnamed pools that have captures.
func (c *catalog) misnamedPools() []string {
	var out []string
	for _, s := range c.segments {
		if s.Captures > 0 && !slices.Contains(out, s.Pool) && misnamed(s.Pool) != nil {
			out = append(out, s.Pool)
		}
	}
	return out
}

// misnamed returns what is wrong with the name of a pool, or nil. Earlier versions
// accepted any date as the time of a capture and created pools of the year 0, of
// earlier years, and past 9999. No query can ask for such times.
func misnamed(pool string) error {
	if from, _ := month(pool); from != record.NoTime {
		return nil
	}
	return fmt.Errorf("pool %s is not named after a month of the years 1 to 9999: no query finds its captures; DROP POOL '%s' removes it", pool, pool)
}

// month returns the bounds of the month after which a pool is named. For a misnamed
// pool (see misnamed) these are the bounds of all times.
func month(pool string) (from, to record.Time) {
	t, err := time.Parse("200601", monthOf(pool))
	if err != nil || t.Year() < 1 {
		return record.NoTime, endOfTime
	}
	return record.At(t), record.At(t.AddDate(0, 1, 0))
}

// endOfTime is later than every stored time, including times after the year 9999
// that a misnamed pool may have: a merge must not lose these.
const endOfTime record.Time = math.MaxInt64

// limitOr returns limit, or poolLimitDefault if it is 0.
func limitOr(limit int64) int64 {
	if limit == 0 {
		return poolLimitDefault
	}
	return limit
}
