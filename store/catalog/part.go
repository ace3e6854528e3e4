package catalog

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

// poolLimitDefault is the size in bytes above which a pool is split, unless the
// archive has another limit.
const poolLimitDefault = 64 << 30

// Part says of which URLs a pool takes captures: of those with a key in From <= key < To. If To is
// "", there is no upper bound. A pool without a Part takes the captures of all URLs.
type Part struct {
	Pool     string
	From, To string
	// Bytes is the size of the pool after its last split. The pool is not split
	// again until it has grown by half.
	Bytes int64
}

// PartOf returns the Part of a pool. If the pool has none, the result takes all
// keys.
func (c *Catalog) PartOf(pool string) Part {
	i, ok := slices.BinarySearchFunc(c.Parts, pool, func(p Part, pool string) int { return strings.Compare(p.Pool, pool) })
	if !ok {
		return Part{Pool: pool}
	}
	return c.Parts[i]
}

// Takes reports whether the pool takes captures of the URL with this key.
func (c *Catalog) Takes(pool, key string) bool {
	p := c.PartOf(pool)
	return key >= p.From && (p.To == "" || key < p.To)
}

// OpenPool returns the name of the pool to which a new capture is added. month is the
// month of the capture, such as "200806", and key is the key of its URL. The result is
// the first of the month's pool and its parts that is not static and takes the key.
func (c *Catalog) OpenPool(month, key string) string {
	pool := month
	for c.IsStatic(pool) || !c.Takes(pool, key) {
		pool = NextPart(pool)
	}
	return pool
}

// NextPart returns the name of the part that follows a pool or part in its month:
// "200806A" for "200806", "200806B" for "200806A".
func NextPart(pool string) string {
	month := MonthOf(pool)
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

// FreePart returns the name for a new part of a month. It is the name after the last name that a
// pool or part of the month has.
func (c *Catalog) FreePart(month string) string {
	last := month
	see := func(pool string) {
		if MonthOf(pool) == month {
			last = max(last, pool)
		}
	}
	for _, s := range c.Segments {
		see(s.Pool)
	}
	for _, p := range c.Parts {
		see(p.Pool)
	}
	return NextPart(last)
}

// MonthOf returns the month of a pool or part, such as "200806" for "200806A".
func MonthOf(pool string) string { return strings.TrimRight(pool, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") }

// poolBytes returns the size of a pool's db-files and indexes in bytes.
func (c *Catalog) poolBytes(pool string) (bytes int64) {
	for _, s := range c.PoolSegments(pool) {
		bytes += s.Bytes + s.IndexBytes
	}
	return bytes
}

// Oversized reports whether a pool should be split. It should if it is larger than limit bytes,
// and has grown by more than half since its last split. The second condition is needed because a
// pool may be larger than the limit directly after a split.
func (c *Catalog) Oversized(pool string, limit int64) bool {
	p := c.PartOf(pool)
	bytes := c.poolBytes(pool)
	return bytes > limit && bytes > p.Bytes+p.Bytes/2
}

// setParts adds parts to c.Parts. An element replaces the existing element for the same
// pool.
func (c *Catalog) setParts(parts []Part) {
	for _, p := range parts {
		c.Parts = slices.DeleteFunc(c.Parts, func(o Part) bool { return o.Pool == p.Pool })
	}
	c.Parts = append(c.Parts, parts...)
}

// tidyParts sorts c.Parts, and removes the elements for months that have no segments any more. The
// element for a pool without captures stays if another pool of its month has segments.
func (c *Catalog) tidyParts() {
	months := make(map[string]bool)
	for _, s := range c.Segments {
		months[MonthOf(s.Pool)] = true
	}
	c.Parts = slices.DeleteFunc(c.Parts, func(p Part) bool { return !months[MonthOf(p.Pool)] })
	slices.SortFunc(c.Parts, func(a, b Part) int { return cmp.Compare(a.Pool, b.Pool) })
	c.Parts = slices.CompactFunc(c.Parts, func(a, b Part) bool { return a.Pool == b.Pool })
}

// dependOnParts corrects the dependencies of segments when the change ch splits a pool. Segments
// that depend on the pool may use bodies that are now in its new parts. dependOnParts makes each
// of these segments also depend on the parts that ch.Depends has for it. A segment that another
// process published meanwhile is not in ch.Depends; it then depends on all parts.
func (next *Catalog) dependOnParts(ch Change) {
	if len(ch.Parts) < 2 {
		return
	}
	made := make(map[uint32]bool)
	for _, s := range ch.In {
		made[s.ID] = true
	}
	for i, s := range next.Segments {
		if made[s.ID] || !slices.Contains(s.Depends, ch.Whole) {
			continue
		}
		more, known := ch.Depends[s.ID]
		if !known {
			for _, p := range ch.Parts[1:] {
				more = append(more, p.Pool)
			}
		}
		next.Segments[i] = dependOn(s, more)
	}
}

// dependOn returns a copy of s that depends on the given pools too.
func dependOn(s *segment.Info, pools []string) *segment.Info {
	again := *s
	again.Depends = slices.Concat(s.Depends, pools)
	slices.Sort(again.Depends)
	again.Depends = slices.DeleteFunc(slices.Compact(again.Depends), func(p string) bool { return p == s.Pool })
	return &again
}

// dependOnAllParts is called for a catalogue that was rebuilt from db-files. A db-file names the
// months on which its segment depends. If the pool of such a month was split later, the db-file
// does not say on which of the parts. So dependOnAllParts makes the segment depend on all of them.
// old has the segments of older catalogues by number. If it has the same segment, dependOnAllParts
// copies the dependencies from there instead.
func (c *Catalog) dependOnAllParts(old map[uint32]*segment.Info) {
	pools := c.PoolNames()
	for i, s := range c.Segments {
		if o := old[s.ID]; o != nil && o.CRC == s.CRC {
			c.Segments[i] = dependOn(s, o.Depends)
			continue
		}
		var more []string
		for _, p := range pools {
			if p < s.Pool && p != MonthOf(p) && slices.Contains(s.Depends, MonthOf(p)) {
				more = append(more, p)
			}
		}
		c.Segments[i] = dependOn(s, more)
	}
}

// MisnamedPools returns the names of the misnamed pools (see Misnamed) that have
// captures.
func (c *Catalog) MisnamedPools() []string {
	var out []string
	for _, s := range c.Segments {
		if s.Captures > 0 && !slices.Contains(out, s.Pool) && Misnamed(s.Pool) != nil {
			out = append(out, s.Pool)
		}
	}
	return out
}

// WarnMisnamed calls warn for each misnamed pool (see Misnamed) that has captures.
func (c *Catalog) WarnMisnamed(warn func(error)) {
	for _, pool := range c.MisnamedPools() {
		warn(Misnamed(pool))
	}
}

// Misnamed returns an error if a pool is not named after a month of the years 1 to
// 9999, otherwise nil. Earlier versions of the program accepted any date as the time
// of a capture, and created such pools. No query can name a time in such a pool.
func Misnamed(pool string) error {
	if from, _ := Month(pool); from != record.NoTime {
		return nil
	}
	return fmt.Errorf("pool %s is not named after a month of the years 1 to 9999: no query finds its captures; DROP POOL '%s' removes it", pool, pool)
}

// Month returns the bounds of the month after which a pool is named: its captures
// have times in from <= time < to. For a misnamed pool (see Misnamed) the bounds
// enclose all times.
func Month(pool string) (from, to record.Time) {
	t, err := time.Parse("200601", MonthOf(pool))
	if err != nil || t.Year() < 1 {
		return record.NoTime, EndOfTime
	}
	return record.At(t), record.At(t.AddDate(0, 1, 0))
}

// EndOfTime is later than the time of any stored capture. It is even later than the
// times after the year 9999 that captures in a misnamed pool may have, so that a merge
// of all captures up to EndOfTime does not lose them.
const EndOfTime record.Time = math.MaxInt64

// PoolLimit returns the size in bytes above which a pool is split, given the setting limit: 0 means
// the default.
func PoolLimit(limit int64) int64 {
	if limit == 0 {
		return poolLimitDefault
	}
	return limit
}
