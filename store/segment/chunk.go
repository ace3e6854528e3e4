package segment

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// Chunk is the part of a segment's index that stands for one run: its entries,
// in order. It is immutable.
type Chunk struct {
	Run   uint32
	front *front
	ids   identities
}

// identities is the IDs and Contents of a run's entries.
type identities struct {
	ids      []ID
	contents []uint64
}

// appendIdentities appends those that are not repeated.
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

// decodeIdentities takes all of b.
func decodeIdentities(b []byte, f *front) (x identities, err error) {
	x.ids, x.contents = make([]ID, f.n), make([]uint64, f.n)
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
			return x, errColumn
		}
		copy(x.ids[i][:], b)
		if fl>>flagContent&1 != 0 {
			x.contents[i] = binary.LittleEndian.Uint64(b[len(ID{}):])
		}
		b = b[size:]
	}
	if len(b) != 0 {
		return x, errColumn
	}
	return x, nil
}

// chunkFormat is the format of index chunks.
const chunkFormat = 1

// appendChunk appends the index's form of a run: crc32c of what follows,
// format, number of the run, front columns, identities.
func appendChunk(dst []byte, number uint32, entries []Stored) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, chunkFormat)
	dst = binary.AppendUvarint(dst, uint64(number))
	dst, flags := appendFront(dst, entries)
	dst = appendIdentities(dst, entries, flags)
	binary.LittleEndian.PutUint32(dst[start:], crc32.Checksum(dst[start+4:], castagnoli))
	return dst
}

// openChunk checks one chunk and gives what reads it from its run on.
func openChunk(b []byte) (reader, error) {
	if len(b) < 6 || !SumIs(crc32.Checksum(b[4:], castagnoli), binary.LittleEndian.Uint32(b)) {
		return reader{}, errColumn
	}
	if b[4] != chunkFormat {
		return reader{}, fmt.Errorf("format %d of the index is not one that this program reads (it reads %d)", b[4], chunkFormat)
	}
	return reader{b: b[5:]}, nil
}

// decodeChunk decodes and checks one chunk. It does not keep b.
func decodeChunk(b []byte, want uint) (*Chunk, error) {
	r, err := openChunk(b)
	if err != nil {
		return nil, err
	}
	c := &Chunk{Run: uint32(r.uvarint())}
	if c.front, err = decodeFront(&r, want); err != nil {
		return nil, err
	}
	if c.ids, err = decodeIdentities(r.b, c.front); err != nil {
		return nil, err
	}
	return c, nil
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

// chunkKey is a chunk's key in the index: that of its last entry, so that a
// seek to a URL's key finds the first chunk that may hold it.
func chunkKey(last *Stored, number uint32) []byte {
	k := append([]byte(last.Key), 0)
	k = binary.BigEndian.AppendUint64(k, uint64(last.Time)^1<<63)
	return binary.BigEndian.AppendUint32(k, number)
}

// Columns of a chunk that a scan may ask for.
type Want uint

// The columns. Hints need Times. A Chunk always has its keys and flags, and no
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
	// WantLostKeys is WantKeys for a Tally with an entry whose body is not in
	// the archive.
	WantLostKeys Want = 1 << (frontCols + 1)
)
