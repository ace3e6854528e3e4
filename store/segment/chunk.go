package segment

import (
	"encoding/binary"
	"hash/crc32"
	"slices"

	"infomall/store/disk"
	"infomall/store/packed"
	"infomall/store/record"
)

// Chunk is the index's part for one run: its entries, in order.
type Chunk struct {
	Run uint32
	// First is the number, in the run, of the chunk's first entry. It is 0 except
	// for a chunk from a cursor made by Only.
	First int
	front front
	ids   identities
}

// identities are the IDs and Contents of a run's entries.
type identities struct {
	ids      []ID
	contents []uint64
}

// appendIdentities appends those identities that do not repeat the entry before.
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

// decode decodes b, which must have nothing else. It reuses the memory of x.
func (x *identities) decode(b []byte, f *front) error {
	x.ids, x.contents = sized(x.ids, f.n), sized(x.contents, f.n)
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
			return errColumn
		}
		copy(x.ids[i][:], b)
		x.contents[i] = 0
		if fl>>flagContent&1 != 0 {
			x.contents[i] = binary.LittleEndian.Uint64(b[len(ID{}):])
		}
		b = b[size:]
	}
	if len(b) != 0 {
		return errColumn
	}
	return nil
}

// appendChunk appends the index's form of a run: crc32c of what follows,
// format, number of the run, front columns, identities.
func appendChunk(dst []byte, number uint32, entries []Stored) []byte {
	front, flags := new(frontWriter).append(nil, entries)
	return appendChunkOf(dst, number, entries, front, flags)
}

// appendChunkOf does what appendChunk does, with front columns that are already
// encoded.
func appendChunkOf(dst []byte, number uint32, entries []Stored, front []byte, flags []int64) []byte {
	dst = slices.Grow(dst, len(front)+len(entries)*len(ID{})+16)
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, disk.FormatByte)
	dst = binary.AppendUvarint(dst, uint64(number))
	dst = append(dst, front...)
	dst = appendIdentities(dst, entries, flags)
	binary.LittleEndian.PutUint32(dst[start:], crc32.Checksum(dst[start+4:], castagnoli))
	return dst
}

// openChunk checks the checksum and format of one chunk, and returns a reader of
// what follows them.
func openChunk(b []byte) (packed.Reader, error) {
	if len(b) < 6 || !SumIs(crc32.Checksum(b[4:], castagnoli), binary.LittleEndian.Uint32(b)) {
		return packed.Reader{}, errColumn
	}
	return packed.Reader{B: b[5:]}, disk.CheckByte(b[4], "index")
}

// decode decodes and checks one chunk. It keeps no reference to b. It reuses the
// memory of c, which must have been decoded with the same want.
func (c *Chunk) decode(b []byte, want uint) error {
	r, err := openChunk(b)
	if err != nil {
		return err
	}
	c.Run = uint32(r.Uvarint())
	if err := c.front.decode(&r, want); err != nil {
		return err
	}
	return c.ids.decode(r.B, &c.front)
}

// Keys returns the keys of the chunk's URLs, in order, and the number of entries of
// each. The caller must not change them.
func (c *Chunk) Keys() (keys []string, counts []int64) { return c.front.keys, c.front.counts }

// BodyForm returns where the body of entry i is stored.
func (c *Chunk) BodyForm(i int) BodyForm { return BodyForm(c.front.flags[i] >> flagBody & 3) }

// Time returns the time of entry i. The cursor must want times.
func (c *Chunk) Time(i int) record.Time { return record.Time(c.front.time[i]) }

// Hinted reports whether entry i is stored with hints of its own.
func (c *Chunk) Hinted(i int) bool { return c.front.flags[i]>>flagHinted&1 != 0 }

// Fill sets e to entry i, which belongs to URL number k. e must be zero or come
// from Fill. before is the previous entry if that has the same URL, otherwise nil.
// hinted is the number of entries before i in the chunk that are Hinted.
func (c *Chunk) Fill(e *Entry, i, k int, before *Entry, hinted int) {
	e.Key, e.ID, e.Content = c.front.keys[k], c.ids.ids[i], c.ids.contents[i]
	c.front.fill(e, i)
	c.front.hint(e, before, i, hinted)
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

// chunkKey returns a chunk's key in the index, made of the key of its last entry. A
// seek to a URL's key then finds the first chunk that may have the URL.
func chunkKey(last *Stored, number uint32) []byte {
	k := append([]byte(last.Key), 0)
	k = binary.BigEndian.AppendUint64(k, uint64(last.Time)^1<<63)
	return binary.BigEndian.AppendUint32(k, number)
}

// Want is a set of columns of a chunk that a scan reads.
type Want uint

// The columns. Hints need Times. A Chunk always has its keys and flags, and never
// Hosts.
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
