package segment

import (
	"encoding/binary"
	"slices"

	"infomall/store/disk"
	"infomall/store/packed"
	"infomall/store/record"
	"infomall/store/segment/column"
)

// Chunk is the index's part for one run (neighbouring captures stored together):
// the run's entries, in order.
type Chunk struct {
	Run uint32
	// First is the number, in the run, of the chunk's first entry. It is 0 except
	// for a chunk from a cursor made by Only.
	First  int
	bounds Bounds
	front  front
	ids    identities
}

// identities holds the ID and Content of each entry of a run, in order.
type identities struct {
	ids      []ID
	contents []uint64
}

// appendIdentities appends the ID and Content of each entry to dst. If the flags of an
// entry say that both are equal to those of the entry before, it appends nothing for it.
func appendIdentities(dst []byte, entries []Stored, flags []int64) []byte {
	for i := range entries {
		if flags[i]>>flagSameID&1 != 0 {
			continue
		}
		dst = append(dst, entries[i].ID[:]...)
		if flags[i]>>flagContent&1 != 0 {
			dst = binary.LittleEndian.AppendUint64(dst, entries[i].Content)
		}
	}
	return dst
}

// decode sets x to the identities in b, which appendIdentities encoded. f has the flags of
// the entries. Bytes left over in b are an error. decode reuses the memory of x.
func (x *identities) decode(b []byte, f *front) error {
	x.ids, x.contents = column.Sized(x.ids, f.n), column.Sized(x.contents, f.n)
	for i, fl := range f.flags {
		if fl>>flagSameID&1 != 0 && i > 0 {
			x.ids[i], x.contents[i] = x.ids[i-1], x.contents[i-1]
			continue
		}
		size := len(ID{})
		if fl>>flagContent&1 != 0 {
			size += 8
		}
		if len(b) < size {
			return column.ErrDamaged
		}
		copy(x.ids[i][:], b)
		x.contents[i] = 0
		if fl>>flagContent&1 != 0 {
			x.contents[i] = binary.LittleEndian.Uint64(b[len(ID{}):])
		}
		b = b[size:]
	}
	if len(b) != 0 {
		return column.ErrDamaged
	}
	return nil
}

// appendChunk appends the chunk of a run, as the index stores it after its link: format, number
// of the run, bounds, front columns, identities.
func appendChunk(dst []byte, number uint32, entries []Stored) []byte {
	front, flags := new(frontWriter).append(nil, entries)
	return appendChunkOf(dst, number, entries, front, flags)
}

// appendChunkOf appends the chunk of a run to dst, like appendChunk. front and
// flags are the front columns of the entries, already encoded, and the flags of the
// entries.
func appendChunkOf(dst []byte, number uint32, entries []Stored, front []byte, flags []int64) []byte {
	dst = slices.Grow(dst, len(front)+len(entries)*len(ID{})+16)
	dst = append(dst, disk.FormatByte)
	dst = binary.AppendUvarint(dst, uint64(number))
	bounds := boundsOf(entries)
	dst = bounds.append(dst)
	dst = append(dst, front...)
	return appendIdentities(dst, entries, flags)
}

// openedChunk is a chunk whose columns are not decoded yet.
type openedChunk struct {
	run    uint32
	bounds Bounds
	rest   packed.Reader // the bytes after the bounds
}

// openChunk checks the format of the chunk that fills b. The result shares the memory of b.
func openChunk(b []byte) (o openedChunk, err error) {
	if len(b) < 2 {
		return o, column.ErrDamaged
	}
	if err := disk.CheckByte(b[0], "index"); err != nil {
		return o, err
	}
	o.rest.B = b[1:]
	o.run = uint32(o.rest.Uvarint())
	o.bounds = takeBounds(&o.rest)
	return o, nil
}

// decode checks b, which is one chunk, and decodes it into c with the front columns
// whose bits are set in want. It keeps no reference to b. It reuses the memory of
// c, which must have been decoded with the same want.
func (c *Chunk) decode(b []byte, want uint) error {
	o, err := openChunk(b)
	if err != nil {
		return err
	}
	return c.decodeOpened(o, want)
}

// decodeOpened does what decode does, for a chunk that is opened already.
func (c *Chunk) decodeOpened(o openedChunk, want uint) error {
	c.Run, c.bounds = o.run, o.bounds
	if err := c.front.decode(&o.rest, want); err != nil {
		return err
	}
	return c.ids.decode(o.rest.B, &c.front)
}

// Keys returns the keys of the chunk's URLs, in order, and the number of entries of
// each. The caller must not change them.
func (c *Chunk) Keys() (keys []string, counts []int64) { return c.front.keys, c.front.counts }

// BodyForm returns the form of the body of entry i: where the body is stored.
func (c *Chunk) BodyForm(i int) BodyForm { return BodyForm(c.front.flags[i] >> flagBody & 3) }

// Len returns the number of entries of the chunk.
func (c *Chunk) Len() int { return c.front.n }

// HasBodies reports whether the bodies of n entries, from entry i on, are in the archive.
func (c *Chunk) HasBodies(i, n int) bool {
	for _, flags := range c.front.flags[i : i+n] {
		if BodyForm(flags>>flagBody&3) == BodyNone {
			return false
		}
	}
	return true
}

// Time returns the time of entry i. The cursor that made the chunk must have
// WantTime among its columns.
func (c *Chunk) Time(i int) record.Time { return record.Time(c.front.time[i]) }

// Repeats reports whether two neighbours among n entries, from entry i on, have the same
// time. The cursor that made the chunk must have WantTime among its columns.
func (c *Chunk) Repeats(i, n int) bool {
	t := c.front.time[i : i+n]
	for j := 1; j < len(t); j++ {
		if t[j-1] == t[j] {
			return true
		}
	}
	return false
}

// Hinted reports whether entry i is stored with hints of its own (the times of the
// captures before it), instead of hints that follow from the entry before.
func (c *Chunk) Hinted(i int) bool { return c.front.flags[i]>>flagHinted&1 != 0 }

// Fill sets e to entry i of the chunk, which belongs to URL number k. e must be
// zero or come from Fill. before is the previous entry if that has the same URL,
// otherwise nil. hinted is the number of entries before i in the chunk for which
// Hinted is true.
func (c *Chunk) Fill(e *Entry, i, k int, before *Entry, hinted int) {
	e.Key, e.ID, e.Content = c.front.keys[k], c.ids.ids[i], c.ids.contents[i]
	c.front.fill(e, i)
	c.front.hint(e, before, i, hinted)
}

// FillIdentity sets only the fields Time, Kind, ID, Content and Previous of e to those of entry i of
// the chunk, the first entry of its URL. hinted is as in Fill. If i is another entry, Previous is
// meaningless.
func (c *Chunk) FillIdentity(e *Entry, i, hinted int) {
	e.Time, e.Kind, e.ID, e.Content = c.Time(i), record.Kind(c.front.flags[i]>>flagKind&7), c.ids.ids[i], c.ids.contents[i]
	if e.Previous = record.NoTime; c.Hinted(i) {
		e.Previous = e.Time - record.Time(c.front.hints[0][hinted])
	}
}

// AppendEntries appends the chunk's entries to dst.
func (c *Chunk) AppendEntries(dst []Entry) []Entry {
	at := len(dst)
	dst = c.front.appendEntries(dst)
	for i := range c.front.n {
		dst[at+i].ID, dst[at+i].Content = c.ids.ids[i], c.ids.contents[i]
	}
	return dst
}

// chunkKey returns the key of a chunk in the index. It is made of the key and time
// of last, the chunk's last entry, and the number of its run. A seek to a URL's key
// then finds the first chunk that may have the URL.
func chunkKey(last *Stored, number uint32) []byte {
	k := append([]byte(last.Key), 0)
	k = binary.BigEndian.AppendUint64(k, uint64(last.Time)^1<<63)
	return binary.BigEndian.AppendUint32(k, number)
}

// lastKeyOf returns the key of the last entry of a chunk from k, the key of the
// chunk in the index, which chunkKey made.
func lastKeyOf(k []byte) []byte { return k[:max(0, len(k)-13)] }

// Want is a set of columns of a chunk that a scan reads.
type Want uint

// The columns of a Want. WantHints includes WantTime. A Chunk always has its keys
// and flags, and never has hosts; only a Tally has these.
const (
	WantKeys   Want = 1 << colKeys
	WantTime   Want = 1 << colTime
	WantSeq    Want = 1 << colSeq
	WantStatus Want = 1 << colStatus
	WantMime   Want = 1 << colMime
	WantBytes  Want = 1 << colBytes
	WantHints  Want = 1<<colHint0 | 1<<colHint1 | 1<<colHint2 | WantTime
	WantJob    Want = 1 << colJob
	WantAdded  Want = 1 << colAdded
	WantAll    Want = wantAll
	WantFlags  Want = 1 << colFlags // kinds, changes, forms
	WantHosts  Want = 1 << frontCols
	// WantLostKeys asks a Tally for keys if the chunk has an entry whose body is
	// not in the archive.
	WantLostKeys Want = 1 << (frontCols + 1)
)

// Single reports whether a scan can return entry i unchanged, provided that its URL has no
// other entry in the archive. It can if the body is in the archive and the entry has no hints.
func (c *Chunk) Single(i int) bool {
	return c.BodyForm(i) != BodyNone && !c.Hinted(i)
}

// AppendSingles appends n captures to b, column by column: entry i of the chunk and
// the n-1 entries after it. Each must be Single and the only entry of its URL. Entry i
// belongs to URL number k. want may only have columns that the index has. info
// describes the segment.
func (c *Chunk) AppendSingles(b *record.Batch, want record.Columns, info *Info, k, i, n int) {
	f := &c.front
	b.Key = append(b.Key, f.keys[k:k+n]...)
	if want&record.ColPrevious != 0 {
		for range n {
			b.Previous = append(b.Previous, record.NoTime)
			b.PreviousVersion = append(b.PreviousVersion, record.NoTime)
		}
	}
	if want&record.ColVersionTime != 0 {
		b.VersionTime = appendAs(b.VersionTime, f.time[i:i+n])
	}
	if want&record.ColSense != 0 {
		for _, fl := range f.flags[i : i+n] {
			b.Sense = append(b.Sense, record.Sense(fl>>flagSense&3))
		}
	}
	c.appendColumns(b, want, info, i, n)
}

// AppendOfURL appends n captures of one URL to b, column by column: entry i of the
// chunk and the n-1 entries after it. key is the key of the URL. The bodies of these captures must
// be in the archive. want may only have columns that the index has. Of the columns that depend on
// other captures of the URL, want may only have ColChange, which is copied from Entry.Change. info
// describes the segment.
func (c *Chunk) AppendOfURL(b *record.Batch, want record.Columns, info *Info, key string, i, n int) {
	for range n {
		b.Key = append(b.Key, key)
	}
	c.appendColumns(b, want, info, i, n)
}

// appendColumns appends n captures to b: entry i of the chunk and the n-1 entries after it. It
// leaves out their keys, and the columns that depend on other captures of their URLs, except
// ColChange.
func (c *Chunk) appendColumns(b *record.Batch, want record.Columns, info *Info, i, n int) {
	f := &c.front
	b.N += n
	b.Time = appendAs(b.Time, f.time[i:i+n])
	if want&record.ColChange != 0 {
		for _, fl := range f.flags[i : i+n] {
			b.Change = append(b.Change, record.Change(fl>>flagChange&7))
		}
	}
	for j := range n {
		b.Ref = append(b.Ref, record.Ref{Segment: info.ID, Run: c.Run, N: uint32(c.First + i + j)})
	}
	if want&record.ColStatus != 0 {
		b.Status = appendAs(b.Status, f.status[i:i+n])
	}
	if want&record.ColMime != 0 {
		b.Mime = append(b.Mime, f.mime[i:i+n]...)
	}
	if want&record.ColBytes != 0 {
		b.Bytes = appendAs(b.Bytes, f.bytes[i:i+n]) // mostly one: a call of memmove takes longer
	}
	if want&record.ColPool != 0 {
		for range n {
			b.Pool = append(b.Pool, info.Pool)
		}
	}
	if want&record.ColAdded != 0 {
		b.Added = appendAs(b.Added, f.added[i:i+n])
	}
	if want&record.ColJob != 0 {
		b.Job = append(b.Job, f.job[i:i+n]...)
	}
	if want&(record.ColKind|record.ColVia|record.ColTruncated) == 0 {
		return
	}
	for _, fl := range f.flags[i : i+n] {
		if want&record.ColKind != 0 {
			b.Kind = append(b.Kind, record.Kind(fl>>flagKind&7))
		}
		if want&record.ColVia != 0 {
			b.Via = append(b.Via, record.Via(fl>>flagVia&3))
		}
		if want&record.ColTruncated != 0 {
			b.Truncated = append(b.Truncated, fl>>flagTruncated&1 != 0)
		}
	}
}

// appendAs appends the integers of v to dst, converted to the type T.
func appendAs[T ~int32 | ~int64](dst []T, v []int64) []T {
	for _, x := range v {
		dst = append(dst, T(x))
	}
	return dst
}

// Only returns a cursor over the entries of the URL with this key. It decodes the columns
// in want. Its chunks have only entries of that URL, and Chunk.First is the number of the
// first of them in the run. Only is for reaching a single entry: it decodes a tenth of
// what a cursor of Chunks decodes, because it reads only the flags of all other entries.
func (s *Reader) Only(key string, want Want) *ChunkCursor {
	c := s.Chunks(want)
	c.only = &key
	return c
}

// decodeOnly decodes o as decodeOpened does, but only the entries of the URL with this
// key. It reports false if the chunk has none.
func (c *Chunk) decodeOnly(o openedChunk, want uint, key string) (bool, error) {
	r := &o.rest
	*c = Chunk{Run: o.run, bounds: o.bounds}
	p, err := cutFront(r)
	if err != nil || p.n == 0 {
		return false, err
	}
	at, found, err := p.find(key)
	if err != nil || !found {
		return false, err
	}
	from, n, err := p.entriesOf(at)
	if err != nil {
		return false, err
	}
	flags, ahead, err := p.flagsOf(from, n)
	if err != nil || ahead.identities > len(r.B) {
		return false, column.ErrDamaged
	}
	size := 0
	for _, x := range flags {
		size += identityBytes(x)
	}
	ids := r.B[ahead.identities:]
	if size > len(ids) {
		return false, column.ErrDamaged
	}
	c.First = from
	c.front = front{n: n, keys: []string{key}, counts: []int64{int64(n)}, flags: flags}
	if err := c.front.decodeRange(&p, want, ahead); err != nil {
		return false, err
	}
	return true, c.ids.decode(ids[:size], &c.front)
}

// aheadOf says how much the entries before a certain entry of a run take up in the columns
// that do not have a value for each entry.
type aheadOf struct {
	entries    int
	identities int // size of their identities in bytes
	hinted     int // number of entries with hints
	bytes      int // number of entries with a body size of their own
}

// flagsOf returns the flags of n consecutive entries, from index from on. ahead says how
// much the entries before index from take up in the columns.
func (p *frontParts) flagsOf(from, n int) (flags []int64, ahead aheadOf, err error) {
	if all, ok := constInts(p.cols[colFlags]); ok && all>>flagSameID&1 == 0 {
		return slices.Repeat([]int64{all}, n), aheadOf{from, from * identityBytes(all), from * int(all>>flagHinted&1), from}, nil
	}
	if flags, err = column.DecodeInts(nil, p.cols[colFlags], p.n); err != nil {
		return nil, ahead, err
	}
	ahead = aheadOf{entries: from, bytes: p.ownBytes(flags[:from])}
	for _, x := range flags[:from] {
		ahead.identities += identityBytes(x)
		ahead.hinted += int(x >> flagHinted & 1)
	}
	return flags[from : from+n], ahead, nil
}

// constInts returns x, the value of a column whose integers are all equal. ok is
// false for other columns.
func constInts(src []byte) (x int64, ok bool) {
	if len(src) == 0 || src[0] != column.IntsFrame {
		return 0, false
	}
	r := packed.Reader{B: src[1:]}
	x = r.Varint()
	r.Uvarint() // factor
	width := r.Byte()
	return x, !r.Bad && width == 0 && len(r.B) == 0
}

// identityBytes returns how many bytes the ID and Content of an entry with these
// flags take in a chunk; 0 if they repeat those of the entry before.
func identityBytes(flags int64) int {
	switch {
	case flags>>flagSameID&1 != 0:
		return 0
	case flags>>flagContent&1 != 0:
		return len(ID{}) + 8
	}
	return len(ID{})
}

// entriesOf returns the number in the run of the first entry of URL number k, and
// how many entries that URL has.
func (p *frontParts) entriesOf(k int) (from, n int, err error) {
	if p.n == p.k {
		return k, 1, nil // every URL has at least one
	}
	counts, err := decodeCounts(nil, p.cols[colCounts], p.n, p.k)
	if err != nil {
		return 0, 0, err
	}
	for _, c := range counts[:k] {
		from += int(c)
	}
	return from, int(counts[k]), nil
}

// decodeRange decodes the columns in want for f.n consecutive entries of a run. The caller
// has set the flags of these entries in f. ahead says how much the entries before them
// take up in the columns.
func (f *front) decodeRange(p *frontParts, want uint, ahead aheadOf) (err error) {
	from, own := ahead.entries, 0
	for _, x := range f.flags {
		if !validFlags(x) {
			return column.ErrDamaged
		}
		own += int(x >> flagHinted & 1)
	}
	for _, c := range []struct {
		col     int
		dst     *[]int64
		from, n int
	}{
		{colTime, &f.time, from, f.n}, {colSeq, &f.seq, from, f.n}, {colStatus, &f.status, from, f.n}, {colBytes, &f.bytes, ahead.bytes, p.ownBytes(f.flags)},
		{colHint0, &f.hints[0], ahead.hinted, own}, {colHint1, &f.hints[1], ahead.hinted, own}, {colHint2, &f.hints[2], ahead.hinted, own},
		{colAdded, &f.added, from, f.n},
	} {
		if want>>c.col&1 == 0 {
			continue
		}
		if *c.dst, err = column.DecodeIntRange(p.cols[c.col], c.from, c.n); err != nil {
			return err
		}
	}
	if want>>colBytes&1 != 0 {
		f.bytes = p.spread(f.bytes, f.flags)
	}
	if want>>colMime&1 != 0 {
		if f.mime, err = column.DecodeTextRange(p.cols[colMime], p.n, from, f.n); err != nil {
			return err
		}
	}
	if want>>colJob&1 != 0 {
		f.job, err = column.DecodeTextRange(p.cols[colJob], p.n, from, f.n)
	}
	return err
}

// find returns the index of key among the URLs of the run. found is false if the
// run does not have the URL.
func (p *frontParts) find(key string) (at int, found bool, err error) {
	r := packed.Reader{B: p.cols[colKeys]}
	ends := r.Sized()
	if r.Bad {
		return 0, false, column.ErrDamaged
	}
	cut := len(key) - column.KeyEnding(key)
	return findKey(r.B, p.k, key[:cut], func(i int) (bool, error) {
		ending, err := column.DecodeTextRange(ends, p.k, i, 1)
		return err == nil && ending[0] == key[cut:], err
	})
}

// findKey looks in src, k strings written by appendKeys, for key. It takes only a string
// for which the function is returns true for the index of the string. at is the index of
// the first such string that equals key; found is false if there is none. Because src
// stores only how a string differs from the one before, findKey compares only those bytes
// that key does not share with the string before.
func findKey(src []byte, k int, key string, is func(i int) (bool, error)) (at int, found bool, err error) {
	r := packed.Reader{B: src}
	common, last := uint64(0), uint64(0) // of the string before: length in common with key, and total length
	for i := range k {
		shared, rest := r.Uvarint(), r.Uvarint()
		if r.Bad || shared > last || rest > uint64(len(r.B)) {
			return 0, false, column.ErrDamaged
		}
		var tail []byte
		tail, r.B = r.B[:rest], r.B[rest:]
		last = shared + rest
		if shared > common {
			continue // it differs from key in the same place as the string before
		}
		common = shared
		for n := 0; n < len(tail) && int(common) < len(key) && tail[n] == key[common]; n++ {
			common++
		}
		if common == last && int(common) == len(key) {
			if found, err := is(i); found || err != nil {
				return i, found, err
			}
		}
	}
	return 0, false, nil
}
