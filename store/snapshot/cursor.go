package snapshot

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// Cursor moves through the entries of a segment in order, URL by URL. The current entry is the
// next one that the cursor will return; its URL and key are the current URL and key.
type Cursor struct {
	v      *Snapshot
	seg    *segment.Reader
	chunks *segment.ChunkCursor
	End    bool
	skips  func(error) bool // reports whether to go on after damage
	faults int64            // damaged runs that were skipped

	// The current chunk: the index rows of one run.
	chunk  *segment.Chunk
	keys   []string
	counts []int64 // number of entries of each key
	k, i   int     // indexes of the current key and of the current entry in the chunk
	bodies bool    // the bodies of all entries are in the archive
	mixed  bool    // some captures of the segment were added later; see Snapshot.KnownAt

	// hinted is how many of the entries before entry number to of the chunk have hints (how a
	// capture differs from the capture before it).
	hinted, to int
}

// NewCursor returns a cursor over the entries of a segment; Seek moves it to the
// first. It reads the columns want of the index. The caller closes it.
func NewCursor(seg *segment.Reader, want segment.Want, v *Snapshot) *Cursor {
	want, mixed := v.wantAdded(seg, want)
	return &Cursor{v: v, seg: seg, chunks: seg.Chunks(want), skips: v.skips, mixed: mixed}
}

// newCursorOn returns a cursor over the entries of the URL with this key. It reads
// as little of the index as possible: the columns want, for this URL only.
func newCursorOn(key string, seg *segment.Reader, want segment.Want, v *Snapshot) *Cursor {
	want, mixed := v.wantAdded(seg, want)
	return &Cursor{v: v, seg: seg, chunks: seg.Only(key, want), skips: v.skips, mixed: mixed}
}

// newSampleCursor returns a cursor over the entries of a segment's sample that have this level.
// It may also return other entries. The sample must have the level. Do not use the places of
// these entries: they say nothing.
func newSampleCursor(level int, seg *segment.Reader, want segment.Want, v *Snapshot) *Cursor {
	want, mixed := v.wantAdded(seg, want)
	return &Cursor{v: v, seg: seg, chunks: seg.Sample(level, want), skips: v.skips, mixed: mixed}
}

// wantAdded returns want, to which it adds segment.WantAdded if the segment is mixed: some of
// its captures were added after the time of KnownAt. mixed reports whether it is.
func (v *Snapshot) wantAdded(seg *segment.Reader, want segment.Want) (_ segment.Want, mixed bool) {
	if !v.known.isMixed(seg.Info.ID) {
		return want, false
	}
	return want | segment.WantAdded, true
}

// Close stops the reading of the index.
func (c *Cursor) Close() { c.chunks.Close() }

// Key returns the current key. The cursor must not be at its end.
func (c *Cursor) Key() string { return c.keys[c.k] }

// Place returns the place of the current entry. The cursor must not be at its end.
func (c *Cursor) Place() timeline.Place {
	return timeline.Place{Seg: c.seg, Run: c.chunk.Run, N: uint32(c.chunk.First + c.i)}
}

// time returns the time of the current entry. The cursor must not be at its end.
func (c *Cursor) time() record.Time { return c.chunk.Time(c.i) }

// may reports whether the segment may have entries with this key. The key must not be less than the
// key of the last Seek, and p must be reset to it. may asks the segment's Bloom filter only if the
// key comes after the current chunk. A scan of 25,000 single URLs in 39 segments asked filters for a
// third of its CPU time before.
func (c *Cursor) may(key string, p *segment.Probe) bool {
	if c.End {
		return false
	}
	if n := len(c.keys); n > 0 && key <= c.keys[n-1] {
		return c.keys[c.k] <= key
	}
	return c.seg.May(p)
}

// Seek moves to the first entry whose key is equal to key or greater. A cursor never
// moves back. If there is no such entry, c.End is set.
func (c *Cursor) Seek(key string) error {
	if c.End {
		return nil
	}
	if n := len(c.keys); n == 0 || c.keys[n-1] < key {
		if err := c.take(c.chunks.Seek(key)); err != nil || c.End {
			return err
		}
	}
	for to := c.k + sort.SearchStrings(c.keys[c.k:], key); c.k < to; c.k++ {
		c.i += int(c.counts[c.k])
	}
	if c.k == len(c.keys) { // Unreachable unless the index is out of order.
		return c.take(c.chunks.Next())
	}
	return nil
}

// hintedBefore returns how many entries of the current chunk before entry i have hints (how a
// capture differs from the capture before it). While a chunk is current, i must not decrease
// from call to call.
func (c *Cursor) hintedBefore(i int) int {
	for ; c.to < i; c.to++ {
		if c.chunk.Hinted(c.to) {
			c.hinted++
		}
	}
	return c.hinted
}

// take makes chunk the current chunk; a nil chunk is the end. The argument err is the error
// that the caller got when it read chunk. If err is damage that may be skipped, take continues
// with the next chunk that can be read. Otherwise take returns err.
func (c *Cursor) take(chunk *segment.Chunk, err error) error {
	for err != nil {
		if !c.skips(err) {
			return err
		}
		if c.faults++; c.faults > int64(c.seg.Info.Runs) {
			chunk, err = nil, nil // the whole file is unreadable
		} else {
			chunk, err = c.chunks.Next()
		}
	}
	c.k, c.i, c.hinted, c.to = 0, 0, 0, 0
	if c.chunk = chunk; chunk == nil {
		c.End = true
		return nil
	}
	c.v.Runs.ReadChunk(c.seg, c.chunks.Size())
	c.keys, c.counts = chunk.Keys()
	c.bodies = chunk.HasBodies(0, chunk.Len())
	return nil
}

// Group appends all entries of the current URL to dst, moves past them, and returns dst.
// Entries that were added after the time of KnownAt are included; their field Later is set.
func (c *Cursor) Group(dst []timeline.Capture) ([]timeline.Capture, error) {
	key := c.Key()
	for {
		s := c.ofURL()
		dst = s.captures(dst)
		c.pass(s)
		if c.k < len(c.keys) {
			return dst, nil
		}
		if err := c.take(c.chunks.Next()); err != nil || c.End || c.Key() != key {
			return dst, err
		}
	}
}

// stretch is the entries of one URL in the current chunk of a cursor. It is valid as
// long as the chunk is the current one.
type stretch struct {
	c    *Cursor
	k    int // number of the URL in the chunk
	i, n int // the first entry, and how many
}

// ofURL returns the entries of the current URL in the current chunk.
func (c *Cursor) ofURL() stretch { return stretch{c: c, k: c.k, i: c.i, n: int(c.counts[c.k])} }

// pass moves past the entries of s, which ofURL returned.
func (c *Cursor) pass(s stretch) { c.k, c.i = c.k+1, c.i+s.n }

// captures appends the entries of s to dst and returns the longer slice.
func (s stretch) captures(dst []timeline.Capture) []timeline.Capture {
	dst = slices.Grow(dst, s.n) // so that before stays valid
	var before *segment.Entry
	chunk, hinted := s.c.chunk, s.c.hintedBefore(s.i)
	for i := s.i; i < s.i+s.n; i++ {
		dst = append(dst, timeline.Capture{Place: timeline.Place{Seg: s.c.seg, Run: chunk.Run, N: uint32(chunk.First + i)}})
		e := &dst[len(dst)-1].Entry
		chunk.Fill(e, i, s.k, before, hinted)
		if s.c.mixed {
			dst[len(dst)-1].Later = s.c.v.known.isLater(e.Added)
		}
		before = e
		if chunk.Hinted(i) {
			hinted++
		}
	}
	return dst
}

// captures appends the entries of all stretches to dst and returns the longer slice.
func captures(dst []timeline.Capture, all []stretch) []timeline.Capture {
	for _, s := range all {
		dst = s.captures(dst)
	}
	return dst
}

// first and last return the times of the first and the last entry of s.
func (s stretch) first() record.Time { return s.c.chunk.Time(s.i) }
func (s stretch) last() record.Time  { return s.c.chunk.Time(s.i + s.n - 1) }

// plain returns the entries of the current URL and moves past them, if all their bodies are in
// the archive. It returns false and does not move if a body is missing, if the next chunk may
// have more entries of the URL, or if the segment is mixed (some of its captures were added
// after the time of KnownAt).
func (c *Cursor) plain() (stretch, bool) {
	if c.mixed || c.k+1 == len(c.keys) {
		return stretch{}, false
	}
	s := c.ofURL()
	if !c.bodies && !c.chunk.HasBodies(s.i, s.n) {
		return stretch{}, false
	}
	c.pass(s)
	return s, true
}

// single copies the current entry to e and moves past it, if the entry is the only
// one of its URL in the segment and is stored with a body. Otherwise, or if the next
// chunk may have more entries of the URL, it returns false and does not move. e must
// be zero, or filled by an earlier call.
func (c *Cursor) single(e *timeline.Capture) bool {
	if c.k+1 == len(c.keys) || c.counts[c.k] != 1 || c.chunk.BodyForm(c.i) == segment.BodyNone {
		return false
	}
	e.Place = c.Place()
	c.chunk.Fill(&e.Entry, c.i, c.k, nil, c.hintedBefore(c.i))
	c.skip(1)
	return true
}

// singles returns how many entries, counted from the current one, can be copied unchanged from
// the columns of the chunk. Each is the only entry of its URL in the segment, satisfies
// segment.Chunk.Single, and has a key less than limit. If limit is "", all keys qualify.
func (c *Cursor) singles(limit string) int {
	keys, counts := c.keys[c.k:len(c.keys)-1], c.counts[c.k:] // the next chunk may have more entries of the last key
	n := 0
	for n < len(keys) && counts[n] == 1 && (limit == "" || keys[n] < limit) && c.chunk.Single(c.i+n) {
		n++
	}
	return n
}

// skip moves past n entries, each of which is the only one of its URL.
func (c *Cursor) skip(n int) { c.k, c.i = c.k+n, c.i+n }

// Heads finds, among several cursors, the cursor with the least current key: the top cursor. If
// several have this key, the top is the cursor whose segment has the earliest capture, so that
// the captures of a URL are mostly gathered in order of time.
type Heads struct {
	cursors []*Cursor
	tree    keyTree
}

// Add adds a cursor that is not at its end. The caller calls Init when all are added.
func (h *Heads) Add(c *Cursor) { h.cursors = append(h.cursors, c) }

// Reset removes all cursors.
func (h *Heads) Reset() { h.cursors = h.cursors[:0]; h.Init() }

// Init finds the top of the cursors that were added.
func (h *Heads) Init() {
	slices.SortStableFunc(h.cursors, func(a, b *Cursor) int { return cmp.Compare(a.seg.Info.First, b.seg.Info.First) })
	h.tree.begin(len(h.cursors))
	for i, c := range h.cursors {
		h.tree.enter(i, c.Key(), true)
	}
}

// End reports whether all cursors are at their ends.
func (h *Heads) End() bool { return h.tree.end() }

// Top returns the top cursor. There must be one that is not at its end.
func (h *Heads) Top() *Cursor { return h.cursors[h.tree.top()] }

// Key returns the current key of the top cursor, as it was before the caller moved it.
func (h *Heads) Key() string { return h.tree.key() }

// Moved finds the new top after the caller has moved the top cursor.
func (h *Heads) Moved() {
	if c := h.Top(); c.End {
		h.tree.moved("", false)
	} else {
		h.tree.moved(c.Key(), true)
	}
}

// gather moves all cursors past the entries of the current URL. If plain is set and
// Cursor.plain succeeds for each cursor, gather appends the entries to stretches. Otherwise it
// appends them to group, and returns stretches empty.
func (h *Heads) gather(plain bool, group []timeline.Capture, stretches []stretch) ([]timeline.Capture, []stretch, error) {
	for more := true; more; more = !h.End() && h.tree.isSameKey() {
		top, done := h.Top(), false
		if plain {
			var s stretch
			if s, done = top.plain(); done {
				stretches = append(stretches, s)
			} else {
				group, stretches, plain = captures(group, stretches), stretches[:0], false
			}
		}
		if !done {
			var err error
			if group, err = top.Group(group); err != nil {
				return nil, nil, err
			}
		}
		h.Moved()
	}
	return group, stretches, nil
}

// limit returns the key before which only the top cursor has entries: the least current key of
// the other cursors, or the argument to if that is less. An empty string, as argument or
// result, means that there is no limit. alone is false if another cursor has the same current
// key as the top cursor.
func (h *Heads) limit(to string) (limit string, alone bool) {
	key, equal, more := h.tree.second()
	if more && (to == "" || key < to) {
		to = key
	}
	return to, !equal
}

// Entries calls f with all entries of a segment, in order, including hidden entries
// (removed, but still in the file). The entry is valid until f returns.
func (v *Snapshot) Entries(ctx context.Context, s *segment.Reader, f func(*timeline.Capture) error) error {
	c := NewCursor(s, wants(record.ColBytes), v)
	defer c.Close()
	var entries []segment.Entry
	for err := c.Seek(""); !c.End; err = c.take(c.chunks.Next()) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		entries = c.chunk.AppendEntries(entries[:0])
		for i, entry := range entries {
			e := timeline.Capture{Entry: entry, Place: timeline.Place{Seg: s, Run: c.chunk.Run, N: uint32(i)}}
			if err := f(&e); err != nil {
				return err
			}
		}
	}
	return nil
}

// EveryEntry calls f with each complete entry of a segment and its place, run by
// run. It reads the db-file, not the index.
func (v *Snapshot) EveryEntry(ctx context.Context, info *segment.Info, f func(at timeline.Place, e *segment.Stored) error) error {
	r := v.Runs.Reader(info)
	for n := range uint32(info.Runs) {
		if err := ctx.Err(); err != nil {
			return err
		}
		meta, err := v.Runs.Meta(r, n)
		if err != nil {
			return err
		}
		entries, err := meta.Entries()
		if err != nil {
			return segment.Damage(info.File, -1, err)
		}
		for i := range entries {
			if err := f(timeline.Place{Seg: r, Run: n, N: uint32(i)}, &entries[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
