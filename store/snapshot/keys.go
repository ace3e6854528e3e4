package snapshot

import (
	"context"
	"math/bits"
	"slices"

	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// scanURLs fills batches with one row for each URL of the scan s that has a capture in the
// scan's time range. The rows have only the column Key. Of the index it reads only the keys,
// unless a segment has captures outside the time range or hidden captures.
func (v *Snapshot) scanURLs(ctx context.Context, s record.Scan, b *record.Batch, put func(*record.Batch) *record.Batch) error {
	ranges := s.Ranges
	if ranges == nil {
		ranges = []urlkey.Range{{}}
	}
	var all []*keyStream
	defer func() {
		for _, w := range all {
			w.chunks.Close()
		}
	}()
	for _, i := range v.Pin.Segments {
		r := v.Runs.Reader(i)
		if i.First >= s.To || i.Last < s.From || !mayHave(r, ranges) {
			continue
		}
		w, err := v.newKeyStream(r, s.From, s.To)
		if err != nil {
			return err
		}
		w.chunks.Count(s.Work)
		all = append(all, w)
	}
	merge := newKeyMerge(all)
	for _, rg := range ranges {
		if err := merge.seek(rg); err != nil {
			return err
		}
		for n := 0; !merge.end(); n++ {
			if n&1023 == 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			key, again := merge.key()
			if !again && (s.Skip == nil || !s.Skip(key, urlkey.URL(key))) {
				b.Key = append(b.Key, key)
				if b.N++; b.N == record.BatchRows {
					if b = put(b); b == nil {
						return ErrStop
					}
				}
			}
			if err := merge.next(); err != nil {
				return err
			}
		}
	}
	if b.N > 0 && put(b) == nil {
		return ErrStop
	}
	return ctx.Err()
}

// keyStream yields, in order, the keys of one segment that have a visible capture in a time
// range. A key comes twice if its captures are in two chunks.
type keyStream struct {
	v        *Snapshot
	seg      *segment.Reader
	chunks   *segment.ChunkCursor
	from, to record.Time
	timed    bool                      // some captures of the segment are outside the time range, or may be hidden
	hidden   func(timeline.Place) bool // reports whether a capture was removed; nil if the segment has no such captures
	mixed    bool                      // some captures of the segment were added later; see Snapshot.KnownAt

	chunk segment.Tally
	k, i  int    // the current key of the chunk, and its first entry
	done  bool   // there are no more chunks
	more  bool   // there is a current key
	key   string // the current key
	limit string // the end of the current range; "" is no limit
}

// newKeyStream returns the stream of a segment's keys. The caller closes its chunks.
func (v *Snapshot) newKeyStream(r *segment.Reader, from, to record.Time) (*keyStream, error) {
	w := &keyStream{v: v, seg: r, from: from, to: to, timed: v.hiding != nil || r.Info.First < from || r.Info.Last >= to}
	want := segment.WantKeys
	if w.timed {
		want |= segment.WantTime
	}
	want, w.mixed = v.wantAdded(r, want)
	w.chunks = r.Chunks(want)
	var err error
	w.hidden, err = v.hiddenIn(r.Info.ID)
	return w, err
}

// seek moves to the first key in r. The ranges of successive calls must ascend. If no key is in
// r, seek sets w.more to false.
func (w *keyStream) seek(r urlkey.Range) error {
	w.limit = r.To
	if last := len(w.chunk.Keys) - 1; last < 0 || w.chunk.Keys[last] < r.From {
		if err := w.take(func() (bool, error) { return w.chunks.SeekTally(r.From, &w.chunk) }); err != nil {
			return err
		}
	}
	for w.k < len(w.chunk.Keys) && w.chunk.Keys[w.k] < r.From {
		w.i += int(w.chunk.Counts[w.k])
		w.k++
	}
	return w.settle()
}

// next moves to the next key of the range.
func (w *keyStream) next() error {
	w.i += int(w.chunk.Counts[w.k])
	w.k++
	return w.settle()
}

// take calls move, which reads a chunk of the index, and makes this chunk the current one.
// After damage that may be skipped, take continues with the next chunk that can be read.
func (w *keyStream) take(move func() (bool, error)) error {
	w.k, w.i = 0, 0
	more, err := move()
	for n := 0; err != nil && w.v.skips(err); n++ {
		if n > w.seg.Info.Runs {
			more, err = false, nil // the whole file is unreadable
			break
		}
		more, err = w.chunks.NextTally(&w.chunk)
	}
	if more && err == nil {
		w.v.Runs.ReadChunk(w.seg, w.chunks.Size())
		return nil
	}
	w.done, w.chunk.Keys = true, w.chunk.Keys[:0]
	return err
}

// settle moves forward to the first key, from the current one on, that has a visible capture in
// the time range. At the end of the range of keys it sets w.more to false.
func (w *keyStream) settle() error {
	for w.more = !w.done; w.more; w.more = !w.done {
		if w.k == len(w.chunk.Keys) {
			if err := w.take(func() (bool, error) { return w.chunks.NextTally(&w.chunk) }); err != nil {
				return err
			}
			continue
		}
		if w.key = w.chunk.Keys[w.k]; w.limit != "" && w.key >= w.limit {
			w.more = false
			return nil
		}
		if w.wanted() {
			return nil
		}
		w.i += int(w.chunk.Counts[w.k])
		w.k++
	}
	return nil
}

// wanted reports whether the current key has a visible capture in the time range.
func (w *keyStream) wanted() bool {
	if !w.timed && w.hidden == nil && !w.mixed {
		return true
	}
	hides := w.v.hidesOf(w.key)
	for i := w.i; i < w.i+int(w.chunk.Counts[w.k]); i++ {
		if t := w.chunk.Times; w.timed && (record.Time(t[i]) < w.from || record.Time(t[i]) >= w.to) {
			continue
		}
		if w.mixed && w.v.known.isLater(record.Time(w.chunk.Added[i])) {
			continue
		}
		if hides && w.v.hiding.Hides(w.key, record.Time(w.chunk.Times[i])) {
			continue
		}
		if w.hidden == nil || !w.hidden(timeline.Place{Seg: w.seg, Run: w.chunk.Run, N: uint32(i)}) {
			return true
		}
	}
	return false
}

// keyMerge merges the keys of several streams in order.
type keyMerge struct {
	streams []*keyStream
	tree    keyTree
}

func newKeyMerge(streams []*keyStream) *keyMerge { return &keyMerge{streams: streams} }

// seek moves all streams to their first keys in r.
func (m *keyMerge) seek(r urlkey.Range) error {
	m.tree.begin(len(m.streams))
	for i, w := range m.streams {
		if err := w.seek(r); err != nil {
			return err
		}
		m.tree.enter(i, w.key, w.more)
	}
	return nil
}

// end reports whether all streams are at the end of the range that seek was given.
func (m *keyMerge) end() bool { return m.tree.end() }

// key returns the current key. again reports whether it equals the key before it, which came
// from another stream or chunk.
func (m *keyMerge) key() (key string, again bool) { return m.tree.key(), m.tree.isSameKey() }

// next moves to the next key.
func (m *keyMerge) next() error {
	w := m.streams[m.tree.top()]
	if err := w.next(); err != nil {
		return err
	}
	m.tree.moved(w.key, w.more)
	return nil
}

// keyTree finds the stream with the least current key among several streams of sorted keys: the
// top stream. Of streams with equal keys, the one with the least number is the top. It is a
// tree of losers: each inner node has the stream that lost the comparison there, and the root
// has the winner.
//
// Keys that follow each other begin with the same bytes. So the tree compares the codes of
// keys. A code says how many bytes a key shares with the key that came last, and which byte
// follows them. A key that shares more bytes is less. If two keys share the same number, the one
// with the lesser next byte is less. Only keys with equal codes are compared byte by byte, after
// the shared bytes. (This is offset-value coding, Conner 1977.)
type keyTree struct {
	keys   []string // the current key of each stream
	losers []loser  // losers[0] is the winner
}

// loser is the number of a stream that lost at a node of a keyTree, and the stream's code. The
// number is -1 if no stream has reached the node yet.
type loser struct {
	code   uint64
	stream int
}

// codeEnd is the code of a stream that is at its end. codeSame is the code of a key that equals
// the key before. All other codes are between these two. Such a code has two parts: the greatest
// length of a key minus the number of bytes shared with the key before, and then the first byte
// that is not shared.
const (
	codeSame   = 0
	codeEnd    = 1<<64 - 1
	codeLength = 1 << 32
)

// codeOf returns the code of key. n is how many of its first bytes it shares with the key
// before it.
func codeOf(key string, n int) uint64 {
	if n == len(key) {
		return codeSame // a key that is shorter than the other one would be before it
	}
	return (codeLength-uint64(n))<<8 | uint64(key[n])
}

// begin prepares t for n streams. The caller then calls enter once for each of them.
func (t *keyTree) begin(n int) {
	t.keys, t.losers = slices.Grow(t.keys[:0], n)[:n], slices.Grow(t.losers[:0], n)[:n]
	for i := range t.losers {
		t.losers[i].stream = -1
	}
}

// enter sets the first key of stream i; more is false if the stream has no keys. The stream
// moves up in the tree until it reaches a node without a stream, or the root.
func (t *keyTree) enter(i int, key string, more bool) {
	t.keys[i] = key
	s := loser{codeEnd, i}
	if more {
		s.code = codeOf(key, 0)
	}
	for node := (i + len(t.losers)) / 2; node > 0; node /= 2 {
		if t.losers[node].stream < 0 {
			t.losers[node] = s
			return
		}
		s = t.match(node, s)
	}
	t.losers[0] = s
}

// end reports whether all streams are at their ends.
func (t *keyTree) end() bool { return len(t.losers) == 0 || t.losers[0].code == codeEnd }

// top returns the number of the stream with the least key, if t is not at its end.
func (t *keyTree) top() int { return t.losers[0].stream }

// key returns the current key of the top.
func (t *keyTree) key() string { return t.keys[t.losers[0].stream] }

// isSameKey reports whether the current key of the top stream equals the key that came before it,
// from any stream.
func (t *keyTree) isSameKey() bool { return t.losers[0].code == codeSame }

// moved sets the next key of the top stream, and finds the new top. more is false if the stream
// is at its end.
func (t *keyTree) moved(key string, more bool) {
	s := t.losers[0]
	if s.code = codeEnd; more {
		s.code = codeOf(key, sharedBytes(t.keys[s.stream], key, 0))
	}
	t.keys[s.stream] = key
	for node := (s.stream + len(t.losers)) / 2; node > 0; node /= 2 {
		if o := &t.losers[node]; o.code < s.code {
			*o, s = s, *o
		} else if o.code == s.code {
			s = t.match(node, s)
		}
	}
	t.losers[0] = s
}

// match compares the stream s with the loser that the node has. The stream with the greater key
// becomes the loser of the node, and match returns the other.
func (t *keyTree) match(node int, s loser) (winner loser) {
	o := t.losers[node]
	wins := s.code < o.code || s.code == o.code && s.stream < o.stream
	if s.code == o.code && s.code != codeSame && s.code != codeEnd {
		x, y := t.keys[s.stream], t.keys[o.stream]
		n := sharedBytes(x, y, int(codeLength-s.code>>8))
		if n < len(x) || n < len(y) {
			wins = n == len(x) || n < len(y) && x[n] < y[n]
		}
		if wins {
			o.code = codeOf(y, n)
		} else {
			s.code = codeOf(x, n)
		}
	}
	if wins {
		t.losers[node] = o
		return s
	}
	t.losers[node] = s
	return o
}

// second returns the least current key of the streams other than the top, and whether that key
// equals the current key of the top. more is false if all other streams are at their ends.
func (t *keyTree) second() (key string, equal, more bool) {
	// The second has lost to the top, so that it is between the top and the root. The codes of
	// these streams are after the key of the top.
	least := loser{codeEnd, -1}
	for node := (t.top() + len(t.losers)) / 2; node > 0; node /= 2 {
		switch o := t.losers[node]; {
		case o.code == codeSame:
			return t.keys[o.stream], true, true
		case o.code < least.code || o.code == least.code && o.code != codeEnd && t.keys[o.stream] < t.keys[least.stream]:
			least = o
		}
	}
	if least.stream < 0 {
		return "", false, false
	}
	return t.keys[least.stream], false, true
}

// sharedBytes returns how many of their first bytes x and y have in common. The caller knows
// already that the first n bytes are equal.
func sharedBytes(x, y string, n int) int {
	most := min(len(x), len(y))
	for ; n+8 <= most; n += 8 {
		if d := eightBytes(x[n:n+8]) ^ eightBytes(y[n:n+8]); d != 0 {
			return n + bits.TrailingZeros64(d)/8
		}
	}
	for n < most && x[n] == y[n] {
		n++
	}
	return n
}

// eightBytes returns the first eight bytes of s as a number, lowest byte first. The compiler
// turns this into a single load instruction.
func eightBytes(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
