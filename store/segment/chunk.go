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
	ids   []ID
}

// appendChunk appends the index's form of a run: crc32c of what follows,
// format, number of the run, front columns, the IDs that are not repeated.
func appendChunk(dst []byte, number uint32, entries []Stored) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0, metaFormat)
	dst = binary.AppendUvarint(dst, uint64(number))
	dst, flags := appendFront(dst, entries)
	for i := range entries {
		if flags[i]>>flagSameID&1 == 0 {
			dst = append(dst, entries[i].ID[:]...)
		}
	}
	binary.LittleEndian.PutUint32(dst[start:], crc32.Checksum(dst[start+4:], castagnoli))
	return dst
}

// decodeChunk decodes and checks one chunk. It does not keep b.
func decodeChunk(b []byte, want uint) (*Chunk, error) {
	if len(b) < 6 || binary.LittleEndian.Uint32(b) != crc32.Checksum(b[4:], castagnoli) {
		return nil, errColumn
	}
	if b[4] != metaFormat {
		return nil, fmt.Errorf("format %d of the index is not one that this program reads (it reads %d)", b[4], metaFormat)
	}
	r := reader{b: b[5:]}
	c := &Chunk{Run: uint32(r.uvarint())}
	var err error
	if c.front, err = decodeFront(&r, want); err != nil {
		return nil, err
	}
	c.ids = make([]ID, c.front.n)
	for i, fl := range c.front.flags {
		switch {
		case fl>>flagSameID&1 != 0 && i > 0:
			c.ids[i] = c.ids[i-1]
		case len(r.b) < len(ID{}):
			return nil, errColumn
		default:
			r.b = r.b[copy(c.ids[i][:], r.b):]
		}
	}
	if len(r.b) != 0 {
		return nil, errColumn
	}
	return c, nil
}

// AppendEntries appends the chunk's entries to dst.
func (c *Chunk) AppendEntries(dst []Entry) []Entry {
	at := len(dst)
	dst = c.front.appendEntries(dst)
	for i, id := range c.ids {
		dst[at+i].ID = id
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

// The columns. Keys, kinds, changes and forms are always there; Hints need
// Times.
const (
	WantTime   Want = 1 << colTime
	WantSeq    Want = 1 << colSeq
	WantStatus Want = 1 << colStatus
	WantMime   Want = 1 << colMime
	WantBytes  Want = 1 << colBytes
	WantHints  Want = 1<<colHint0 | 1<<colHint1 | 1<<colHint2 | WantTime
	WantJob    Want = 1 << colJob
	WantAdded  Want = 1 << colAdded
	WantAll    Want = wantAll
)
