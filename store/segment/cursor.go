package segment

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"

	"infomall/store/packed"
	"infomall/store/record"
	"infomall/store/segment/column"
	"infomall/store/segment/indexfile"
	"infomall/store/urlkey"
)

// ChunkCursor reads the chunks of a segment (the index's part for each run) in
// order. Only one goroutine may use it, and must close it.
type ChunkCursor struct {
	s      *Reader
	want   Want
	only   *string               // key of the only wanted URL, or nil
	sample int                   // if not 0, the cursor reads the sample of the segment at this level; if 0, all chunks
	skip   func(Bounds) bool     // reports which chunks to leave out; nil means none
	empty  func(run uint32) bool // reports which chunks to leave out, by their runs; nil means none
	starts []chunkStart          // where the chunks begin in the index, if empty is set and the index says so; otherwise nil
	jumped []chunkStart          // the starts of the chunks at which the last jump may arrive
	c      *indexfile.Cursor     // nil if chunks are made from the db-file
	key    string                // the last key passed to Seek or SeekTally
	run    int64                 // number of the last run that was returned, or -1
	next   int                   // index in the directory of the next run, if chunks are made from the db-file
	work   *record.Work          // counts chunks; may be nil
	size   int                   // size in the index of the last decoded chunk, in bytes
	at     Chunk
	last   []byte // encoded form of the last decoded chunk in the index, if Next moved to it
	here   []byte // key in the index of the chunk at which the cursor is; nil if it is at none
	end    bool   // that chunk is the last one of the segment
	sought []byte // what the cursor was moved to: the first chunk whose key is not less; nil means the next chunk
}

// Chunks returns a cursor over all chunks of the segment. It decodes the columns in
// want.
func (s *Reader) Chunks(want Want) *ChunkCursor {
	return &ChunkCursor{s: s, want: want, run: -1}
}

// Close ends the cursor's use of the index. It does not close the index.
func (c *ChunkCursor) Close() {
	if c.c != nil {
		c.c.Close()
		c.c, c.last = nil, nil
	}
}

// Seek returns the first chunk that may have entries with keys at or after key; nil
// means the end. The cursor only moves forward. The chunk is valid until the next
// call, but its strings stay valid. Seek releases memory as Next does.
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
	ok, err := c.step(move, func(o openedChunk) (err error) {
		if c.only == nil {
			err = c.at.decodeOpened(o, uint(c.want))
		} else {
			found, err = c.at.decodeOnly(o, uint(c.want), *c.only)
		}
		if c.want&WantAdded != 0 {
			c.s.Info.setAdded(c.at.front.added)
		}
		return err
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
	return c.step(move, func(o openedChunk) error {
		err := t.decode(o, c.want)
		if c.want&WantAdded != 0 {
			c.s.Info.setAdded(t.Added)
		}
		return err
	})
}

// mover moves the cursor of the index to a key-value pair and returns it. A nil key means
// the end.
type mover func() (key, value []byte, err error)

func (c *ChunkCursor) seek(key string) mover {
	c.key = key
	if c.sample > 0 {
		return c.ofSample
	}
	return func() (k, v []byte, err error) {
		if c.starts != nil {
			return c.jump(findStart(c.starts, key), key)
		}
		c.c.Passed(c.last)
		c.here, c.sought = nil, []byte(max(key, "\x01"))
		if k, c.last, err = c.c.Seek(c.sought); k == nil && err == nil && c.s.mustHave(key) {
			err = errLastChunk
		}
		return k, c.last, err
	}
}

func (c *ChunkCursor) passing() (key, value []byte, err error) {
	if c.sample > 0 {
		return nil, nil, nil
	}
	if c.starts != nil {
		return c.jump(sort.Search(len(c.starts), func(i int) bool { return int64(c.starts[i].run) > c.run }), "")
	}
	c.c.Passed(c.last)
	if c.here == nil {
		return nil, nil, nil
	}
	c.sought = nil
	if key, c.last, err = c.c.Next(); key == nil && err == nil && !c.end {
		err = errLastChunk
	}
	return key, c.last, err
}

// errLastChunk is returned if the index ends before the last chunk of the segment.
var errLastChunk = fmt.Errorf("%w: its last key is missing", indexfile.ErrDamaged)

// mustHave reports whether a seek to key finds a chunk, if the index is not damaged.
func (s *Reader) mustHave(key string) bool { return s.Info.Captures > 0 && key <= s.Info.LastKey }

// follow checks the link of the chunk at which the cursor has arrived, and returns the chunk. k and v
// are its pair in the index. The pages of an index have no checksums, so damage of a key or page
// may hide a chunk from a seek. The link shows that: it has the key of the chunk before.
func (c *ChunkCursor) follow(k, v []byte) (chunk []byte, err error) {
	l, chunk, err := openLink(c.s.Info.ID, k, v)
	if err != nil {
		return nil, err
	}
	if c.sought == nil && l.compare(c.here) != 0 || c.sought != nil && (l.compare(c.sought) >= 0 || bytes.Compare(k, c.sought) < 0) {
		return nil, fmt.Errorf("%w: a key of it is missing", indexfile.ErrDamaged)
	}
	c.here, c.end = k, l.flags&linkLast != 0
	return chunk, nil
}

// ofSample is a mover that moves to the next chunk of the segment's sample.
func (c *ChunkCursor) ofSample() (key, value []byte, err error) {
	b, err := c.c.Get(keySample, c.s.Info.unsealed(keySample))
	if err != nil {
		return nil, nil, err
	}
	_, value, err = cutSample(b, c.sample)
	return keySample, value, err
}

// step moves the cursor with move and calls decode with the chunk there. decode keeps no
// reference to the chunk. step reports false at the end. If the index is damaged, step makes
// the chunk from the db-file.
func (c *ChunkCursor) step(move mover, decode func(openedChunk) error) (bool, error) {
	ok, err := c.fromIndex(move, decode)
	if err == nil {
		return ok, nil
	}
	c.s.lostIndex(err)
	return c.fromFile(decode)
}

func (c *ChunkCursor) fromIndex(move mover, decode func(openedChunk) error) (bool, error) {
	c.s.mu.Lock()
	bad := c.s.badIndex
	c.s.mu.Unlock()
	if bad {
		return false, indexfile.ErrDamaged
	}
	if c.c == nil {
		var err error
		if c.c, err = c.s.index.Cursor(c.s.Info.Bucket()); err != nil {
			return false, err
		}
		if c.empty != nil && c.sample == 0 {
			if c.starts, err = c.s.chunkStarts(); err != nil {
				return false, err
			}
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
		err = c.s.index.Guard(func() error {
			if c.sample == 0 {
				if v, err = c.follow(k, v); err != nil {
					return err
				}
			}
			o, err := openChunk(v)
			if err != nil || !c.reached(o.run) {
				return cmp.Or(err, indexfile.ErrDamaged)
			}
			if over = c.skip != nil && c.skip(o.bounds) || c.empty != nil && c.empty(o.run); !over {
				err = decode(o)
			}
			if err == nil {
				c.run = int64(o.run)
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
func (c *ChunkCursor) fromFile(decode func(openedChunk) error) (bool, error) {
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
		if c.skip != nil && c.skip(boundsOf(entries)) || c.empty != nil && c.empty(m.number) {
			continue
		}
		o, err := openChunk(appendChunk(nil, m.number, entries))
		if err == nil {
			err = decode(o)
		}
		return err == nil, err
	}
}

// ChunkKeys calls f with the last key of each index chunk of the segment that has keys in
// ranges, which are sorted and disjoint, in order. It decodes no chunk. Each chunk is for
// one run, and the runs of a segment have about the same size. The keys are not checked. Without a
// valid index, ChunkKeys calls f with the last key of the segment.
func (s *Reader) ChunkKeys(ctx context.Context, ranges []urlkey.Range, f func(key string)) error {
	s.mu.Lock()
	bad := s.badIndex
	s.mu.Unlock()
	if bad {
		f(s.Info.LastKey)
		return nil
	}
	err := s.index.Guard(func() error { return s.chunkKeys(ctx, ranges, f) })
	if err == nil || ctx.Err() != nil {
		return err
	}
	s.lostIndex(err)
	f(s.Info.LastKey)
	return nil
}

func (s *Reader) chunkKeys(ctx context.Context, ranges []urlkey.Range, f func(key string)) error {
	c, err := s.index.Cursor(s.Info.Bucket())
	if err != nil {
		return err
	}
	defer c.Close()
	for _, r := range ranges {
		k, _, err := c.Seek([]byte(max(r.From, "\x01")))
		for n := 0; k != nil && err == nil; k, _, err = c.Next() {
			if n++; n&1023 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			key := string(lastKeyOf(k))
			f(key)
			if r.To != "" && key >= r.To {
				break // the chunk also has keys after the range
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Bounds are the least and the greatest values of some columns of a chunk (the index's
// part for one run).
type Bounds struct {
	LeastBytes, GreatestBytes int64       // sizes of the smallest and the largest body, in bytes; LeastBytes is -1 if the size of a body is not known
	FirstTime, LastTime       record.Time // times of the first and the last capture
	// Lost is set if an entry has no body in the archive, or had none when it was added.
	// Properties of such an entry may be those of another capture.
	Lost bool
}

// boundsOf returns the bounds of the entries, of which there is at least one.
func boundsOf(entries []Stored) Bounds {
	b := Bounds{LeastBytes: math.MaxInt64, GreatestBytes: math.MinInt64, FirstTime: record.MaxTime, LastTime: record.MinTime}
	for i := range entries {
		e := &entries[i]
		b.LeastBytes, b.GreatestBytes = min(b.LeastBytes, e.Bytes), max(b.GreatestBytes, e.Bytes)
		b.FirstTime, b.LastTime = min(b.FirstTime, e.Time), max(b.LastTime, e.Time)
		b.Lost = b.Lost || e.Body == BodyNone
	}
	return b
}

// append appends the encoded bounds to dst.
func (b *Bounds) append(dst []byte) []byte {
	lost := byte(0)
	if b.Lost {
		lost = 1
	}
	dst = append(dst, lost)
	dst = binary.AppendVarint(dst, b.LeastBytes)
	dst = binary.AppendUvarint(dst, uint64(b.GreatestBytes)-uint64(b.LeastBytes))
	dst = binary.AppendVarint(dst, int64(b.FirstTime))
	return binary.AppendUvarint(dst, uint64(b.LastTime)-uint64(b.FirstTime))
}

// takeBounds decodes bounds at the beginning of r and moves r after them.
func takeBounds(r *packed.Reader) (b Bounds) {
	b.Lost = r.Byte() != 0
	b.LeastBytes = r.Varint()
	b.GreatestBytes = int64(uint64(b.LeastBytes) + r.Uvarint())
	b.FirstTime = record.Time(r.Varint())
	b.LastTime = record.Time(uint64(b.FirstTime) + r.Uvarint())
	return b
}

// PassOver makes the cursor leave out the chunks for whose bounds skip returns true.
// Call it before the first Seek.
func (c *ChunkCursor) PassOver(skip func(Bounds) bool) { c.skip = skip }

// PassOverRuns makes the cursor leave out the chunks of runs for which empty returns true. Call
// it before the first Seek.
func (c *ChunkCursor) PassOverRuns(empty func(run uint32) bool) { c.empty = empty }

// jump moves to the first chunk, from number n of c.starts on, whose run is not empty. If key is in
// that chunk or the chunk after it, jump moves to the one of the two that a seek to key finds. It
// does not read the chunks that it skips. When it read them, a count of the captures with a word
// that 40 of a million captures have took seven times the CPU time.
func (c *ChunkCursor) jump(n int, key string) (k, v []byte, err error) {
	for n < len(c.starts) && c.empty(c.starts[n].run) {
		c.work.Add(1)
		n++
	}
	c.c.Passed(c.last)
	if c.last = nil; n == len(c.starts) {
		return nil, nil, nil
	}
	c.jumped = c.starts[n : n+1]
	atEnd := false
	if key > c.starts[n].key { // all keys of chunk n may come before key
		c.jumped, atEnd = c.starts[n:min(n+2, len(c.starts))], n+1 == len(c.starts)
	}
	c.here, c.sought = nil, []byte(max(c.starts[n].key, key, "\x01"))
	k, c.last, err = c.c.Seek(c.sought)
	if err == nil && k == nil && (!atEnd || c.s.mustHave(key)) {
		err = errLastChunk
	}
	return k, c.last, err
}

// reached reports whether the chunk of this run is one at which the last jump may arrive. If it is
// not, the index is damaged. reached returns true if the cursor does not jump.
func (c *ChunkCursor) reached(run uint32) bool {
	return c.starts == nil || slices.ContainsFunc(c.jumped, func(s chunkStart) bool { return s.run == run })
}

// chunkStart is the place in the index of the chunk of a run. key is the beginning of the chunk's
// key in the index. It is just long enough to come after the key of the chunk before.
type chunkStart struct {
	run uint32
	key string
}

// findStart returns the index in starts of the chunk that a seek to key finds, or of the chunk
// before it. The first start is empty.
func findStart(starts []chunkStart, key string) int {
	return sort.Search(len(starts), func(i int) bool { return starts[i].key > key }) - 1
}

// startsLeast is the least number of chunks of a segment whose index has their starts. A reader of
// fewer chunks reads all of them.
const startsLeast = 16

// startsWriter encodes the starts of the chunks of a segment.
type startsWriter struct {
	chunks int
	run    uint32 // of the last chunk
	key    []byte // of the last chunk in the index
	start  int    // how many bytes of key are the start of the last chunk
	b      []byte
}

// add adds a chunk with this key in the index. Chunks come in the order of their runs.
func (w *startsWriter) add(run uint32, key []byte) {
	same := 0
	for same < len(key) && same < len(w.key) && key[same] == w.key[same] {
		same++
	}
	start := 0
	if w.chunks > 0 {
		start = same + 1
	}
	same = min(same, w.start, start)
	w.b = binary.AppendUvarint(w.b, uint64(run-w.run))
	w.b = binary.AppendUvarint(w.b, uint64(same))
	w.b = packed.AppendSized(w.b, key[same:start])
	w.run, w.key, w.start = run, key, start
	w.chunks++
}

// The link of a chunk comes before it in the index:
//
//	flags     1    linkLast, or 0
//	same      uv   how many bytes the key of the chunk has in common with that of the chunk before
//	rest      sized, the further bytes of the key of the chunk before; none if there is no such chunk
type link struct {
	flags      byte
	same, rest []byte // the key in the index of the chunk before, in two parts
}

// linkLast is the flag of the link of the last chunk of a segment.
const linkLast = 1

// link returns the beginning of the value of a chunk that will be added with this key: space for a
// checksum, and the link.
func (w *startsWriter) link(key []byte) []byte {
	same := 0
	for same < len(key) && same < len(w.key) && key[same] == w.key[same] {
		same++
	}
	b := make([]byte, sumBytes+1, 64)
	return packed.AppendSized(binary.AppendUvarint(b, uint64(same)), w.key[same:])
}

// openLink checks the pair of a chunk in the index of a segment. It returns the link of the chunk and
// the chunk, which share the memory of the pair.
func openLink(segment uint32, key, value []byte) (l link, chunk []byte, err error) {
	b, err := unseal(segment, key, value)
	if err != nil {
		return l, nil, err
	}
	r := packed.Reader{B: b}
	l.flags = r.Byte()
	same := r.Number()
	l.rest = r.Sized()
	if r.Bad || same > len(key) {
		return l, nil, indexfile.ErrDamaged
	}
	l.same = key[:same]
	return l, r.B, nil
}

// compare compares the key of the chunk before with key, as bytes.Compare does.
func (l *link) compare(key []byte) int {
	n := min(len(l.same), len(key))
	if d := bytes.Compare(l.same, key[:n]); d != 0 {
		return d
	}
	return bytes.Compare(l.rest, key[n:])
}

// encode returns the starts in the form in which the index stores them, or nil if there are fewer
// than startsLeast chunks.
func (w *startsWriter) encode() []byte {
	if w.chunks < startsLeast {
		return nil
	}
	return append(binary.AppendUvarint(nil, uint64(w.chunks)), w.b...)
}

// decodeStarts decodes what startsWriter.encode returned. The segment has that many runs.
func decodeStarts(b []byte, runs int) ([]chunkStart, error) {
	r := packed.Reader{B: b}
	out := make([]chunkStart, r.Count())
	run, key := uint64(0), []byte(nil)
	for i := range out {
		gap, same, rest := r.Uvarint(), r.Number(), r.Sized()
		run += gap
		if r.Bad || run >= uint64(runs) || (i == 0) != (len(rest) == 0) || i > 0 && gap == 0 || same > len(key) {
			return nil, column.ErrDamaged
		}
		if same < len(key) && rest[0] <= key[same] {
			return nil, column.ErrDamaged
		}
		key = append(key[:same], rest...)
		out[i] = chunkStart{uint32(run), string(key)}
	}
	if r.Bad || len(r.B) > 0 || len(out) == 0 {
		return nil, column.ErrDamaged
	}
	return out, nil
}

// chunkStarts returns the starts of all chunks of the segment, or nil if the index does not have
// them. The error is that of a damaged index.
func (s *Reader) chunkStarts() ([]chunkStart, error) {
	if s.Info.Runs < startsLeast {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.badIndex || s.started {
		return s.starts, nil
	}
	c, err := s.index.Cursor(s.Info.Bucket())
	if err != nil {
		return nil, err
	}
	defer c.Close()
	err = s.index.Guard(func() error {
		b, err := c.Find(keyStarts, s.Info.unsealed(keyStarts))
		if err == nil && b != nil {
			s.starts, err = decodeStarts(b, s.Info.Runs)
		}
		return err
	})
	s.started = err == nil
	return s.starts, err
}

// setAdded sets each element of list to the time at which the captures of the segment were
// added, if all were added at one time. Otherwise it leaves list as it is. An element is a
// record.Time, and says when one capture was added.
func (i *Info) setAdded(list []int64) {
	if i.AddedFirst != i.AddedLast {
		return
	}
	for n := range list {
		list[n] = int64(i.AddedLast)
	}
}
