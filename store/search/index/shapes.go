package index

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"infomall/store/packed"
	"infomall/store/page/charset"
	"infomall/store/words/match"
)

// shapes describes the documents (texts of blocks) of the runs first <= run < end.
type shapes struct {
	first, end int // first run, and the run after the last one
	runs       []runShapes
}

// runShapes has the documents (texts of blocks) of one run. A block has several if different
// readings, such as charsets, give it different texts.
//
// It takes 4 bytes for most documents and .3 bytes for a block. With the numbers of a block each in a slice of its
// own, the shapes of a million captures did not fit into the cache, and were decoded by each search.
type runShapes struct {
	of       []uint32 // the shapes of all documents, block after block: each is its number of terms times 32, plus its flags
	blocks   int
	bits     []blockBits // an element for 64 blocks
	readings int         // how many shapes a block has that is not neutral

	// doc has the number of the document of each shape. If it is nil, shape i has document first+i.
	doc       []int32
	first     int32
	ascending bool // the document of each shape has a higher number than that of the shape before
}

// blockBits says which of 64 blocks of a run have shapes, one bit for each block.
type blockBits struct {
	some    uint64 // the block is not skipped
	neutral uint64 // and has the same text in all readings
	at      int32  // the index of the first shape of these blocks
}

// at returns the index of the first shape of block n, which is less than r.blocks. neutral is true if the block
// has the same text in all readings, and no other shape. at returns -1 if the block is skipped.
func (r *runShapes) at(n int) (shape int, neutral bool) {
	b, bit := &r.bits[n/64], uint64(1)<<(n%64)
	if b.some&bit == 0 {
		return -1, false
	}
	shape = int(b.at) + bits.OnesCount64(b.some&(bit-1))
	if several := b.some &^ b.neutral & (bit - 1); several != 0 {
		shape += (r.readings - 1) * bits.OnesCount64(several)
	}
	return shape, b.neutral&bit != 0
}

// add adds block n, whose first shape is the next one. some is false if the block is skipped.
func (r *runShapes) add(n int, some bool) {
	if n%64 == 0 {
		r.bits = append(r.bits, blockBits{at: int32(len(r.of))})
	}
	if some {
		r.bits[n/64].some |= 1 << (n % 64)
	}
}

// docOf returns the number of the document of a shape.
func (r *runShapes) docOf(shape int) int {
	if r.doc == nil {
		return int(r.first) + shape
	}
	return int(r.doc[shape])
}

// put adds the shape x, which has this document.
func (r *runShapes) put(x uint32, doc int) {
	n := len(r.of)
	if r.doc == nil && doc != int(r.first)+n {
		r.doc = make([]int32, n, cap(r.of))
		for i := range r.doc {
			r.doc[i] = r.first + int32(i)
		}
	}
	if n > 0 && r.docOf(n-1) >= doc {
		r.ascending = false
	}
	if r.of = append(r.of, x); r.doc != nil {
		r.doc = append(r.doc, int32(doc))
	}
}

// shape returns a shape.
func (r *runShapes) shape(n int) match.Shape {
	x := r.of[n]
	return match.Shape{Terms: int(x >> shapeBits), Open: x&shapeOpen != 0, Parting: x&shapeParting != 0}
}

// terms returns the number of terms of a shape.
func (r *runShapes) terms(shape int) int { return int(r.of[shape] >> shapeBits) }

// termsBefore returns the number of terms before each block, in the reading that as describes, and at the end the
// number of all terms.
func (r *runShapes) termsBefore(as readAs) []int32 {
	terms := make([]int32, r.blocks+1)
	for n := range r.blocks {
		terms[n+1] = terms[n]
		if at := r.shapeOf(n, as); at >= 0 {
			terms[n+1] += int32(r.terms(at))
		}
	}
	return terms
}

// readAs says which documents of a run have the texts of its blocks in one reading.
type readAs struct {
	neutral bool // neutral blocks have the text of the reading
	at      int  // index of the reading in Run.Readings; -1 if the index has no texts in it
}

// readAsOf returns the readAs of the reading as, for a run with these readings.
func readAsOf(readings []Reading, as Reading) readAs {
	neutral := len(readings) > 0 && as.Plain == readings[0].Plain && charset.ASCIISafe(as.Charset)
	return readAs{neutral, slices.Index(readings, as)}
}

// readAs returns the readAs of the reading as for the run u.
func (f *File) readAs(u *Run, as Reading) readAs {
	readings := make([]Reading, len(u.Readings))
	for i, r := range u.Readings {
		readings[i] = f.Readings[r]
	}
	return readAsOf(readings, as)
}

// shape returns the index of the shape that a block has in the reading that as describes, or -1 if the index does
// not have the text of the block in that reading. first is the index of the first shape of the block, and neutral
// is as in the result of runShapes.at.
func (as readAs) shape(first int, neutral bool) int {
	switch {
	case neutral:
		if as.neutral {
			return first
		}
	case as.at >= 0:
		return first + as.at
	}
	return -1
}

// shapeOf returns the index in the slice r.of of the shape that block n has in the reading that
// as describes. It returns -1 if the index does not have the text of the block in that reading.
func (r *runShapes) shapeOf(n int, as readAs) int {
	if n >= r.blocks {
		return -1
	}
	first, neutral := r.at(n)
	if first < 0 {
		return -1
	}
	return as.shape(first, neutral)
}

// shapesOf returns the decoded shapes of the group of runs to which run n belongs.
func (f *File) shapesOf(n int) (*shapes, error) {
	b, first, ok := group(f.shapes, n)
	if !ok || b.end > len(f.Runs) || first >= b.end {
		return nil, f.fault(errDamaged)
	}
	return keep(f, b.block, keptShapes, func(content []byte) (*shapes, int64, error) {
		s, err := f.decodeShapes(content, first, b.end)
		return s, s.bytes(), err
	})
}

// TermsBefore returns how many terms the blocks before each block of the run f.Runs[n] have, and at
// the end how many all blocks have, read in the way that the parameter as says. It does not count
// blocks of which the index has no text.
func (f *File) TermsBefore(n uint32, as Reading) ([]int32, error) {
	u := &f.Runs[n]
	if u.Lost || len(u.Readings) == 0 {
		return make([]int32, u.Blocks+1), nil
	}
	s, err := f.shapesOf(int(n))
	if err != nil {
		return nil, err
	}
	return s.runs[int(n)-s.first].termsBefore(f.readAs(u, as)), nil
}

// bytes returns an estimate of the memory that s takes, in bytes.
func (s *shapes) bytes() (n int64) {
	if s == nil {
		return 0
	}
	for i := range s.runs {
		r := &s.runs[i]
		n += int64(unsafe.Sizeof(*r)) + 4*int64(cap(r.of)+cap(r.doc)) + int64(cap(r.bits))*int64(unsafe.Sizeof(blockBits{}))
	}
	return n
}

// decodeShapes decodes content, the encoded shapes of the runs first <= run < end.
func (f *File) decodeShapes(content []byte, first, end int) (*shapes, error) {
	r := packed.Reader{B: content}
	flags, terms := packed.Reader{B: r.Sized()}, packed.Reader{B: r.Sized()}
	back := r
	s := &shapes{first: first, end: end, runs: make([]runShapes, end-first)}
	var of []uint32 // memory for the shapes of a run
	for i := range s.runs {
		u := &f.Runs[first+i]
		if len(u.Readings) == 0 {
			continue
		}
		if u.Blocks > len(flags.B) {
			return nil, f.fault(errDamaged)
		}
		run := &s.runs[i]
		*run = runShapes{of: of[:0], blocks: u.Blocks, bits: make([]blockBits, 0, u.Blocks/64+1), readings: len(u.Readings), first: int32(u.first), ascending: true}
		next := u.first
		// read adds the next shape, and reports whether it is neutral.
		read := func() bool {
			x, doc := flags.Byte(), next
			if x&shapeAlias != 0 {
				doc -= back.Number()
			} else if next++; x&shapeLinks != 0 {
				next++
			}
			n := terms.Number()
			flags.Bad = flags.Bad || n > math.MaxUint32>>shapeBits || doc < 0 || doc+int(x&shapeLinks/shapeLinks) >= f.docs
			run.put(uint32(n)<<shapeBits|uint32(x&(1<<shapeBits-1)), doc)
			return x&shapeNeutral != 0
		}
		for n := range u.Blocks {
			if len(flags.B) > 0 && flags.B[0] == shapeSkipped {
				flags.Byte()
				run.add(n, false)
				continue
			}
			run.add(n, true)
			if read() {
				run.bits[n/64].neutral |= 1 << (n % 64)
				continue
			}
			for range len(u.Readings) - 1 {
				read()
			}
		}
		if flags.Bad || terms.Bad || back.Bad || next != u.first+u.docs {
			return nil, f.fault(errDamaged)
		}
		of, run.of = run.of, slices.Clone(run.of)
	}
	return s, nil
}
