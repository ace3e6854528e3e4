package ingest

import (
	"bytes"
	"encoding/binary"

	"infomall/store/body"
	"infomall/store/derive"
	"infomall/store/packed"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// staged is a capture of the batch that an import is gathering. It takes 350 bytes, a segment.Stored
// 660, and a batch has up to 100,000 captures.
type staged struct {
	segment.Entry
	digest record.Digest
	head   []byte
	body   []byte
	source string             // becomes segment.Stored.Source
	rest   []byte             // the other fields of a capture, see take
	spool  *record.Spool      // the file with the body, if that is too large for memory
	read   *derive.Analysis   // the analysis of the body; nil if the capture has none
	took   *took              // what a revisit has from its original; nil for other captures
	result *task.ImportResult // the result in which the capture is counted

	// before is an earlier capture of the same URL that is stored in the archive with a body of
	// its own, or nil. Blocks of that body are shared and not stored again.
	before *sharing

	// holderPool is the pool of the segment that stores the body, if Body is BodyHeld or
	// BodyElsewhere. inBatch is set if that segment belongs to this batch; holder is then set
	// later, when the segments of the batch have numbers.
	holderPool string
	holder     segment.Holder
	inBatch    bool
	planned    bool // this is a copy that batchPlan.change made
	// met is set if the capture is a duplicate of a capture that this same import added.
	met  bool
	came int32 // how many captures of the batch arrived before this one
}

// took has those fields of a revisit, as segment.Stored has them, that it has from its original, or
// that say where its body is.
type took struct {
	page      segment.Page
	location  string
	holderKey string
	facts     []byte
}

// sharing is the place of a stored capture whose blocks a new capture shares. If the plan has read
// these blocks, they are in blocks until the new capture is written.
type sharing struct {
	place  timeline.Place
	blocks body.Blocks
}

// stagedCost is an estimate of the memory, in bytes, that a staged capture takes besides its
// body, head, rest and analysis.
const stagedCost = 400

// stagedRoom is how many staged captures are allocated together.
const stagedRoom = 256

// newStaged returns an empty staged capture. It allocates the memory of stagedRoom captures at
// once.
func (g *Importer) newStaged() *staged {
	if len(g.room) == 0 {
		g.room = make([]staged, stagedRoom)
	}
	s := &g.room[0]
	g.room = g.room[1:]
	return s
}

// take sets the fields of s to those of e. It leaves out e.Page and e.Facts, which come from s.read.
// Fields that most captures do not have are packed: first a number with one bit for each of them that
// is not empty, and then these fields.
func (s *staged) take(e *segment.Stored) {
	s.Entry, s.digest, s.head, s.source = e.Entry, e.Digest, e.Head, e.Source
	var room [512]byte // enough for most captures
	bits, dst := uint16(0), append(room[:0], 0, 0)
	for i, f := range rareTexts(e) {
		if *f != "" {
			bits |= 1 << i
			dst = packed.AppendSized(dst, *f)
		}
	}
	for i, f := range rareBytes(e) {
		if len(*f) > 0 {
			bits |= 1 << (bytesBit + i)
			dst = packed.AppendSized(dst, *f)
		}
	}
	if e.RefersTime != record.NoTime {
		bits |= 1 << timeBit
		dst = binary.AppendVarint(dst, int64(e.RefersTime))
	}
	binary.LittleEndian.PutUint16(dst, bits)
	s.rest = bytes.Clone(dst)
}

// The bits of staged.rest: the texts have the first, then come the byte slices and RefersTime.
const (
	bytesBit = 8
	timeBit  = 12
)

// rareTexts and rareBytes return the fields of e that staged.rest has.
func rareTexts(e *segment.Stored) [7]*string {
	return [...]*string{&e.IP, &e.Origin, &e.AskedURL, &e.Location, &e.RecordID, &e.DeclaredDigest, &e.RefersURL}
}

func rareBytes(e *segment.Stored) [3]*[]byte {
	return [...]*[]byte{&e.Framing, &e.Extra, &e.Request}
}

// stored returns the complete entry of s, as it is stored. It has no fold and no recipe.
func (s *staged) stored() segment.Stored {
	e := segment.Stored{Entry: s.Entry, Digest: s.digest, Holder: s.holder, Page: segment.NoPage, Head: s.head, Source: s.source, RefersTime: record.NoTime}
	bits, t := binary.LittleEndian.Uint16(s.rest), packed.Reader{B: s.rest[2:]}
	for i, f := range rareTexts(&e) {
		if bits>>i&1 != 0 {
			*f = t.Text()
		}
	}
	for i, f := range rareBytes(&e) {
		if bits>>(bytesBit+i)&1 != 0 {
			*f = t.Sized()
		}
	}
	if bits>>timeBit&1 != 0 {
		e.RefersTime = record.Time(t.Varint())
	}
	switch {
	case s.took != nil:
		e.Page, e.Location, e.HolderKey, e.Facts = s.took.page, s.took.location, s.took.holderKey, s.took.facts
	case s.read != nil:
		e.Body = segment.BodyOwn // so was the body when it was read
		e.Page = s.read.ClassifiedPage(&e)
		if e.Body = s.Body; e.Change != record.ChangeSame || e.Body == segment.BodyOwn {
			e.Facts = s.read.Facts // otherwise the capture that begins the version has them
		}
	}
	return e
}

// restore sets back those fields of s that a plan changes without a copy: the hints, and where the
// body is stored. The batch can then be planned again.
func (s *staged) restore() {
	timeline.Follow(nil, &s.Entry)
	s.before, s.holder, s.holderPool, s.inBatch = nil, segment.Holder{}, "", false
	if s.Body != segment.BodyNone {
		s.Body = segment.BodyOwn
	}
}

// batchOf is a sorted list of staged captures. It implements snapshot.Batch.
type batchOf []*staged

func (b batchOf) Size() int                  { return len(b) }
func (b batchOf) Entry(i int) *segment.Entry { return &b[i].Entry }
func (b batchOf) Body(i int) ([]byte, bool)  { return b[i].body, b[i].spool == nil }
func (b batchOf) Stored(i int) *segment.Stored {
	e := b[i].stored()
	return &e
}
