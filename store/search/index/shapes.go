package index

import (
	"slices"
	"sync/atomic"
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
type runShapes struct {
	of      []match.Shape // the shapes of all documents, block after block
	doc     []int32       // number of the document of each shape
	at      []int32       // for each block: the index of its first shape; -1 if the block is skipped
	links   []uint8       // for each shape: shapeLink, shapeLinks or 0
	neutral []bool        // for each block: it has the same text in all readings

	ascending bool // each element of doc is greater than the one before

	before atomic.Pointer[termsBefore] // the last result of termsBefore
}

// termsBefore has, for each block of a run and for the end of the run, how many terms the blocks
// before it have in the reading as.
type termsBefore struct {
	as    readAs
	terms []int32
}

// termsBefore returns the number of terms before each block, in the reading that as describes.
// Several goroutines may call it. It remembers the result, because each search asks for it:
// this is a twentieth of the time of a search of a word that most pages have.
func (r *runShapes) termsBefore(as readAs) []int32 {
	if b := r.before.Load(); b != nil && b.as == as {
		return b.terms
	}
	terms := make([]int32, len(r.at)+1)
	for n := range r.at {
		terms[n+1] = terms[n]
		if at := r.shapeOf(n, as); at >= 0 {
			terms[n+1] += int32(r.of[at].Terms)
		}
	}
	r.before.Store(&termsBefore{as, terms})
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

// shapeOf returns the index in the slice r.of of the shape that block n has in the reading that
// as describes. It returns -1 if the index does not have the text of the block in that reading.
func (r *runShapes) shapeOf(n int, as readAs) int {
	if n >= len(r.at) || r.at[n] < 0 {
		return -1
	}
	at := int(r.at[n])
	switch {
	case r.neutral[n]:
		if as.neutral {
			return at
		}
	case as.at >= 0:
		return at + as.at
	}
	return -1
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
// blocks of which the index has no text. The caller must not change the result.
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

// shapeBytes is how many bytes of memory a shape takes in a runShapes, and shapeBlockBytes how
// many a block takes.
const (
	shapeBytes      = int64(unsafe.Sizeof(match.Shape{})) + 5
	shapeBlockBytes = 5 + 4 // with an element of termsBefore
)

// bytes returns an estimate of the memory that s takes, in bytes.
func (s *shapes) bytes() (n int64) {
	if s == nil {
		return 0
	}
	for i := range s.runs {
		r := &s.runs[i]
		n += int64(unsafe.Sizeof(*r)) + int64(cap(r.of))*shapeBytes + int64(len(r.at))*shapeBlockBytes
	}
	return n
}

// decodeShapes decodes content, the encoded shapes of the runs first <= run < end.
func (f *File) decodeShapes(content []byte, first, end int) (*shapes, error) {
	r := packed.Reader{B: content}
	s := &shapes{first: first, end: end, runs: make([]runShapes, end-first)}
	for i := range s.runs {
		u := &f.Runs[first+i]
		if len(u.Readings) == 0 {
			continue
		}
		if u.Blocks > len(r.B) {
			return nil, f.fault(errDamaged)
		}
		run := &s.runs[i]
		*run = runShapes{at: make([]int32, u.Blocks), neutral: make([]bool, u.Blocks), of: make([]match.Shape, 0, u.Blocks), doc: make([]int32, 0, u.Blocks), ascending: true}
		next := u.first
		read := func() (neutral bool) {
			x := r.Uvarint()
			doc := next
			if x&(shapeNeutral|shapeOpen|shapeParting) == shapeAlias {
				doc -= int(x >> shapeBits)
				x = r.Uvarint()
			} else if next++; x&shapeLinks != 0 {
				next++
			}
			run.links = append(run.links, uint8(x&(shapeLink|shapeLinks)))
			run.of = append(run.of, match.Shape{Terms: int(x >> shapeBits), Open: x&shapeOpen != 0, Parting: x&shapeParting != 0})
			if k := len(run.doc); k > 0 && int(run.doc[k-1]) >= doc {
				run.ascending = false
			}
			run.doc = append(run.doc, int32(doc))
			r.Bad = r.Bad || doc < 0 || doc+int(x&shapeLinks/shapeLinks) >= f.docs
			return x&shapeNeutral != 0
		}
		for n := range run.at {
			if len(r.B) > 0 && r.B[0] == shapeSkipped {
				r.Byte()
				run.at[n] = -1
				continue
			}
			run.at[n] = int32(len(run.of))
			if run.neutral[n] = read(); !run.neutral[n] {
				for range len(u.Readings) - 1 {
					read()
				}
			}
		}
		if r.Bad || next != u.first+u.docs {
			return nil, f.fault(errDamaged)
		}
	}
	return s, nil
}
