package segment

import (
	"sort"

	"infomall/store/record"
)

// ChunkCursor reads the chunks of a segment (the index's part for each run) in
// order. Only one goroutine may use it, and must close it.
type ChunkCursor struct {
	s      *Reader
	want   Want
	only   *string           // key of the only wanted URL, or nil
	sample int               // move over the sample of the segment, at this level; 0: over all chunks
	skip   func(Bounds) bool // reports which chunks to leave out; nil means none
	c      *bucketCursor     // nil if chunks are made from the db-file
	key    string            // the last key that was sought
	run    int64             // number of the last run that was returned, or -1
	next   int               // index in the directory
	work   *record.Work      // counts chunks; may be nil
	size   int               // of the chunk that was decoded last, in the index
	at     Chunk
	// last is the value of the index that was decoded last, if Next moved to it.
	// behind are the values before it that were not released yet.
	last   []byte
	behind passed
}

// Chunks returns a cursor over all chunks of the segment. It decodes the columns in
// want.
func (s *Reader) Chunks(want Want) *ChunkCursor {
	return &ChunkCursor{s: s, want: want, run: -1}
}

// Close ends the cursor's use of the index. It does not close the index.
func (c *ChunkCursor) Close() {
	if c.c != nil {
		c.c.close()
		c.c, c.last, c.behind = nil, nil, passed{}
	}
}

// Seek returns the first chunk that may have entries with keys at or after key; nil
// means the end. The cursor only moves forward. The chunk is valid until the next
// call, but its strings stay valid.
func (c *ChunkCursor) Seek(key string) (*Chunk, error) {
	return c.chunk(c.seek(key))
}

// Next returns the following chunk; nil means the end. The chunk is valid until the
// next call, but its strings stay valid. Next releases the memory of the parts of
// the index it has passed, so a walk over the whole index takes no more memory than
// one over a part.
func (c *ChunkCursor) Next() (*Chunk, error) { return c.chunk(c.passing) }

// chunk moves the cursor with move and returns the chunk there. It returns nil at
// the end, or if the cursor is for one URL and the chunk does not have it.
func (c *ChunkCursor) chunk(move mover) (*Chunk, error) {
	found := true
	ok, err := c.step(move, func(b []byte) (run uint32, err error) {
		if c.only == nil {
			err = c.at.decode(b, uint(c.want))
		} else {
			found, err = c.at.decodeOnly(b, uint(c.want), *c.only)
		}
		if c.want&WantAdded != 0 {
			c.s.Info.setAdded(c.at.front.added)
		}
		return c.at.Run, err
	})
	if !ok || !found {
		return nil, err
	}
	return &c.at, nil
}

// SeekTally moves to the chunk that Seek would return, and fills t with its columns
// for counting. It reports false at the end. It overwrites what t had before.
func (c *ChunkCursor) SeekTally(key string, t *Tally) (bool, error) {
	return c.tally(c.seek(key), t)
}

// NextTally moves to the following chunk and fills t with its columns for counting.
// It reports false at the end. It overwrites what t had before. It releases memory as
// Next does.
func (c *ChunkCursor) NextTally(t *Tally) (bool, error) { return c.tally(c.passing, t) }

func (c *ChunkCursor) tally(move mover, t *Tally) (bool, error) {
	return c.step(move, func(b []byte) (uint32, error) {
		err := t.decode(b, c.want)
		if c.want&WantAdded != 0 {
			c.s.Info.setAdded(t.Added)
		}
		return t.Run, err
	})
}

// mover moves the cursor of the index to a pair and returns the pair. A nil key
// means the end.
type mover func() (key, value []byte, err error)

func (c *ChunkCursor) seek(key string) mover {
	c.key = key
	if c.sample > 0 {
		return c.ofSample
	}
	return func() ([]byte, []byte, error) { return c.c.seek([]byte(max(key, "\x01"))) }
}

func (c *ChunkCursor) passing() (key, value []byte, err error) {
	if c.sample > 0 {
		return nil, nil, nil
	}
	c.behind.add(c.last)
	key, c.last, err = c.c.next()
	return key, c.last, err
}

// ofSample is the mover to the chunk of the sample.
func (c *ChunkCursor) ofSample() (key, value []byte, err error) {
	b, err := c.c.get(keySample)
	if err != nil {
		return nil, nil, err
	}
	_, value, err = cutSample(b, c.sample)
	return keySample, value, err
}

// step moves the cursor with move and calls decode with the chunk there, as the
// index stores it. decode keeps no reference to the chunk, and returns the number
// of its run. step reports false at the end. If the index is damaged, step makes
// the chunk from the db-file.
func (c *ChunkCursor) step(move mover, decode func([]byte) (uint32, error)) (bool, error) {
	ok, err := c.fromIndex(move, decode)
	if err == nil {
		return ok, nil
	}
	c.s.mu.Lock()
	c.s.giveUpIndex(err)
	c.s.mu.Unlock()
	return c.fromFile(decode)
}

func (c *ChunkCursor) fromIndex(move mover, decode func([]byte) (uint32, error)) (bool, error) {
	c.s.mu.Lock()
	bad := c.s.badIndex
	c.s.mu.Unlock()
	if bad {
		return false, errIndexBad
	}
	if c.c == nil {
		var err error
		if c.c, err = c.s.index.cursor(c.s.Info.Bucket()); err != nil {
			return false, err
		}
	}
	for {
		k, v, err := move()
		if err != nil || k == nil {
			return false, err
		}
		c.work.Add(1)
		c.size = len(v)
		over := false
		err = c.s.index.guard(func() (err error) {
			if over, err = c.passesOver(v); over || err != nil {
				return err
			}
			run, err := decode(v)
			if err == nil {
				c.run = int64(run)
			}
			return err
		})
		if err != nil || !over {
			return err == nil, err
		}
		move = c.passing
	}
}

// fromFile calls decode with the next chunk, made from the db-file because the
// index failed. It reports false at the end. If it returns the error of a damaged
// run, the next call continues with the run after that one.
func (c *ChunkCursor) fromFile(decode func([]byte) (uint32, error)) (bool, error) {
	runs, err := c.s.directory()
	if err != nil {
		return false, err
	}
	for {
		i := c.next + sort.Search(len(runs)-c.next, func(i int) bool {
			r := &runs[c.next+i]
			return int64(r.number) > c.run && r.lastKey >= c.key
		})
		if i == len(runs) {
			return false, nil
		}
		c.next, c.run, c.size = i+1, int64(runs[i].number), 0
		c.work.Add(1)
		if runs[i].damage != nil {
			return false, runs[i].damage
		}
		m, _, err := c.s.Meta(runs[i].number)
		if err != nil {
			return false, err
		}
		entries, err := m.Entries()
		if err != nil {
			return false, err
		}
		if c.skip != nil && c.skip(boundsOf(entries)) {
			continue
		}
		_, err = decode(appendChunk(nil, m.number, entries))
		return err == nil, err
	}
}
