package snapshot

import (
	"context"
	"slices"
	"sort"
	"strings"

	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// Cursor moves through the entries of a segment in order, URL by URL. The first
// entry that was not taken yet is the current entry; its URL and key are the current
// URL and key.
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
	k, i   int     // current key and entry
	hinted int     // number of entries before i that have hints
	mixed  bool    // some captures of the segment were added later; see Snapshot.KnownAt
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

// wantAdded returns want, with the time at which captures were added if the segment is
// mixed, and whether it is.
func (v *Snapshot) wantAdded(seg *segment.Reader, want segment.Want) (_ segment.Want, mixed bool) {
	if !v.known.isMixed(seg.Info.ID) {
		return want, false
	}
	return want | segment.WantAdded, true
}

// Close ends the cursor.
func (c *Cursor) Close() { c.chunks.Close() }

// Key returns the current key. The cursor must not be at its end.
func (c *Cursor) Key() string { return c.keys[c.k] }

// Place returns the place of the current entry. The cursor must not be at its end.
func (c *Cursor) Place() timeline.Place {
	return timeline.Place{Seg: c.seg, Run: c.chunk.Run, N: uint32(c.chunk.First + c.i)}
}

// time returns the time of the current entry. The cursor must not be at its end.
func (c *Cursor) time() record.Time { return c.chunk.Time(c.i) }

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
		for range c.counts[c.k] {
			c.passed()
		}
	}
	if c.k == len(c.keys) { // Unreachable unless the index is out of order.
		return c.take(c.chunks.Next())
	}
	return nil
}

// passed moves to the next entry of the current chunk. The caller adjusts k, the
// index of the current key.
func (c *Cursor) passed() {
	if c.chunk.Hinted(c.i) {
		c.hinted++
	}
	c.i++
}

// take makes chunk the current chunk; a nil chunk is the end. err is the error with
// which chunk was read. If err is damage that may be skipped, take goes on with the
// chunk of the next run that can be read. Otherwise it returns err.
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
	c.k, c.i, c.hinted = 0, 0, 0
	if c.chunk = chunk; chunk == nil {
		c.End = true
		return nil
	}
	c.v.Runs.ReadChunk(c.seg, c.chunks.Size())
	c.keys, c.counts = chunk.Keys()
	return nil
}

// Group appends all entries of the current URL to dst, moves past them, and returns
// dst. It includes those that were added later, with the field Later set.
func (c *Cursor) Group(dst []timeline.Capture) ([]timeline.Capture, error) {
	key := c.Key()
	for {
		dst = slices.Grow(dst, int(c.counts[c.k])) // so that before stays valid
		var before *segment.Entry
		for range c.counts[c.k] {
			dst = append(dst, timeline.Capture{Place: c.Place()})
			e := &dst[len(dst)-1].Entry
			c.chunk.Fill(e, c.i, c.k, before, c.hinted)
			if c.mixed {
				dst[len(dst)-1].Later = c.v.known.isLater(e.Added)
			}
			before = e
			c.passed()
		}
		if c.k++; c.k < len(c.keys) {
			return dst, nil
		}
		if err := c.take(c.chunks.Next()); err != nil || c.End || c.Key() != key {
			return dst, err
		}
	}
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
	c.chunk.Fill(&e.Entry, c.i, c.k, nil, c.hinted)
	c.passed()
	c.k++
	return true
}

// singles returns how many entries, counted from the current one, can be copied from
// the columns of the chunk unchanged. Each is the only entry of its URL in the
// segment, satisfies segment.Chunk.Single, and has a key before limit; "" is no
// limit.
func (c *Cursor) singles(limit string) int {
	keys, counts := c.keys[c.k:len(c.keys)-1], c.counts[c.k:] // the next chunk may have more entries of the last key
	n := 0
	for n < len(keys) && counts[n] == 1 && (limit == "" || keys[n] < limit) && c.chunk.Single(c.i+n) {
		n++
	}
	return n
}

// skip moves past n entries that singles counted.
func (c *Cursor) skip(n int) { c.k, c.i = c.k+n, c.i+n }

// Heads is a heap of cursors, ordered by their current keys. The cursor with the
// least key is h[0], the top. None of them is at its end. Of cursors with the same key,
// that of the segment with the earliest capture comes first: the captures of a URL are
// then mostly gathered in order.
type Heads []*Cursor

// Init turns the cursors, in any order, into a heap.
func (h Heads) Init() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

// Moved restores the order of the heap after the top cursor has moved. It removes
// the top cursor if that is at its end.
func (h *Heads) Moved() {
	s := *h
	if s[0].End {
		last := len(s) - 1
		s[0] = s[last]
		*h = s[:last]
	}
	h.down(0)
}

func (h Heads) down(i int) {
	if i >= len(h) {
		return
	}
	c := h[i]
	key := c.Key()
	for {
		least := 2*i + 1
		if least >= len(h) {
			break
		}
		next := h[least].Key()
		if right := least + 1; right < len(h) {
			k := h[right].Key()
			if order := strings.Compare(k, next); order < 0 || order == 0 && h[right].seg.Info.First < h[least].seg.Info.First {
				least, next = right, k
			}
		}
		if order := strings.Compare(key, next); order < 0 || order == 0 && c.seg.Info.First <= h[least].seg.Info.First {
			break
		}
		h[i], i = h[least], least
	}
	h[i] = c
}

// limit returns the least current key of all cursors except the top. If the argument
// to is not empty and less than that key, limit returns the argument. An empty
// string, as argument or result, means that there is no limit.
func (h Heads) limit(to string) string {
	for i := 1; i < len(h) && i < 3; i++ {
		if key := h[i].Key(); to == "" || key < to {
			to = key
		}
	}
	return to
}

// topAlone reports whether no other cursor has the same current key as the top.
func (h Heads) topAlone() bool {
	for i := 1; i < len(h) && i < 3; i++ {
		if h[i].Key() == h[0].Key() {
			return false
		}
	}
	return true
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
