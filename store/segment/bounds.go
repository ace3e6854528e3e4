package segment

import (
	"encoding/binary"
	"math"

	"infomall/store/packed"
	"infomall/store/record"
)

// Bounds are the least and the greatest values of some columns of a chunk (the index's
// part for one run).
type Bounds struct {
	LeastBytes, GreatestBytes int64       // of the bodies; LeastBytes is -1 if the size of one is not known
	FirstTime, LastTime       record.Time // of the captures
	// Lost is set if the body of an entry is not in the archive, or was not when the
	// entry came in. Such an entry may have properties of another capture.
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

// passesOver reports whether the cursor leaves out b, a chunk as the index stores it.
func (c *ChunkCursor) passesOver(b []byte) (bool, error) {
	if c.skip == nil {
		return false, nil
	}
	_, head, err := openChunk(b)
	if err != nil {
		return false, err
	}
	c.run = int64(head.run)
	return c.skip(head.bounds), nil
}

// setAdded sets the elements of list, which say when captures of the segment were added,
// to the time at which all of them were added, if there is one.
func (i *Info) setAdded(list []int64) {
	if i.AddedFirst != i.AddedLast {
		return
	}
	for n := range list {
		list[n] = int64(i.AddedLast)
	}
}
