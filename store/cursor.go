package store

import (
	"context"
	"sort"

	"infomall/store/record"
	"infomall/store/segment"
)

// cursor walks a segment's entries URL by URL, in order.
type cursor struct {
	seg     *segment.Reader
	chunks  *segment.ChunkCursor
	run     uint32
	entries []segment.Entry // of the chunk at hand
	i       int             // first entry not yet taken
	end     bool
	opened  func(*segment.Reader) // told of each chunk read
}

func newCursor(seg *segment.Reader, want segment.Want, opened func(*segment.Reader)) *cursor {
	return &cursor{seg: seg, chunks: seg.Chunks(want), opened: opened}
}

func (c *cursor) close() { c.chunks.Close() }

// key is the key at hand; only while not at the end.
func (c *cursor) key() string { return c.entries[c.i].Key }

// seek moves to the first entry with a key at or after key. It only goes
// forward.
func (c *cursor) seek(key string) error {
	if c.end {
		return nil
	}
	if n := len(c.entries); n == 0 || c.entries[n-1].Key < key {
		if err := c.take(c.chunks.Seek(key)); err != nil || c.end {
			return err
		}
	}
	rest := c.entries[c.i:]
	c.i += sort.Search(len(rest), func(i int) bool { return rest[i].Key >= key })
	return nil
}

// take makes a chunk the one at hand.
func (c *cursor) take(chunk *segment.Chunk, err error) error {
	if err != nil {
		return err
	}
	c.i, c.entries = 0, c.entries[:0]
	if chunk == nil {
		c.end = true
		return nil
	}
	c.opened(c.seg)
	c.run = chunk.Run
	c.entries = chunk.AppendEntries(c.entries)
	return nil
}

// group appends all entries of the URL at hand to dst and moves past them.
func (c *cursor) group(dst []located) ([]located, error) {
	key := c.key()
	for {
		for c.i < len(c.entries) && c.entries[c.i].Key == key {
			dst = append(dst, located{Entry: c.entries[c.i], place: place{c.seg, c.run, uint32(c.i)}})
			c.i++
		}
		if c.i < len(c.entries) {
			return dst, nil
		}
		if err := c.take(c.chunks.Next()); err != nil || c.end || c.key() != key {
			return dst, err
		}
	}
}

// heads is a heap of cursors, the least key on top.
type heads []*cursor

func (h heads) Len() int           { return len(h) }
func (h heads) Less(i, j int) bool { return h[i].key() < h[j].key() }
func (h heads) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *heads) Push(x any)        { *h = append(*h, x.(*cursor)) }
func (h *heads) Pop() any {
	old := *h
	c := old[len(old)-1]
	*h = old[:len(old)-1]
	return c
}

// entries calls f with all entries of a segment, in order, hidden ones too. What
// f is given is valid until it returns.
func (v *Snapshot) entries(ctx context.Context, s *segment.Reader, f func(*located) error) error {
	c := newCursor(s, wants(record.ColBytes), v.readChunk)
	defer c.close()
	for err := c.seek(""); !c.end; err = c.take(c.chunks.Next()) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		for i := range c.entries {
			e := located{Entry: c.entries[i], place: place{s, c.run, uint32(i)}}
			if err := f(&e); err != nil {
				return err
			}
		}
	}
	return nil
}
