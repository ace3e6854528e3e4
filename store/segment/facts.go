package segment

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"infomall/store/disk"
	"infomall/store/packed"
	"infomall/store/record"
	"infomall/store/segment/column"
)

// Facts is the decoded facts of one run: what was computed from its entries' bodies
// and its blocks when they were imported, so that a query need not read the bodies
// again. Facts may be missing; they can always be computed again. What their bytes
// mean is defined in packages store/block/facts and, for folds, store/block/life. A
// Facts is immutable, and several goroutines may use it.
type Facts struct {
	folds  blobs // the fold of each entry
	pages  blobs // the facts of each entry's page
	blocks blobs
	run    *Run // the run that has the facts

	mu   sync.Mutex
	long [][]byte // for each block: the long form of its short facts, once it was asked for
}

// noFacts is the Facts of a run that has no facts.
var noFacts = &Facts{}

// Fold returns Stored.Fold of entry i of the run (how the blocks of its version
// relate to those of earlier versions), or nil if it is missing. The caller must
// not change it.
func (f *Facts) Fold(i uint32) []byte { return f.folds.at(i) }

// Page returns Stored.Facts of entry i of the run (what its body says beyond the
// facts of its blocks), or nil if they are missing. The caller must not change
// them.
func (f *Facts) Page(i uint32) []byte { return f.pages.at(i) }

// Block returns the facts of block n of the run, or nil if they are missing. The
// caller must not change them. Facts that are stored in short form are converted to
// their long form at the first call.
func (f *Facts) Block(n uint32) []byte {
	short := f.blocks.at(n)
	if len(short) == 0 || f.run == nil || f.run.long == nil || !f.run.Meta.packed {
		return short // only packed runs have short ones
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.longOf(n, short)
}

// Blocks returns the number of blocks that have facts, or 0 if the run has no facts.
func (f *Facts) Blocks() int { return f.blocks.len() }

// longOf returns the long form of the facts of block n, which are stored as short. f.mu is locked.
func (f *Facts) longOf(n uint32, short []byte) []byte {
	if int(n) < len(f.long) && f.long[n] != nil {
		return f.long[n]
	}
	b, err := f.run.Block(n)
	if err != nil {
		return nil // Unreachable: facts are loaded after the blocks.
	}
	long := f.run.long(b, short)
	if f.long == nil {
		f.long = make([][]byte, f.blocks.len())
	}
	f.long[n] = long
	return long
}

// Kept returns the facts of block n in the form in which they are stored (short in
// a packed run), for a caller that stores the block again. It returns nil if they
// are missing.
func (f *Facts) Kept(n uint32) []byte { return f.blocks.at(n) }

// Leaf returns the facts of block n in the form in which they are stored. If they
// may be in short form, the Leaf also has the bytes of the block. The caller must
// not change either.
func (f *Facts) Leaf(n uint32) record.Leaf {
	l := record.Leaf{Facts: f.blocks.at(n)}
	if len(l.Facts) > 0 && f.run != nil && f.run.Meta.packed {
		l.Bytes, _ = f.run.Block(n) // Unreachable error: facts are loaded after the blocks.
	}
	return l
}

// fit reports whether f has a fold and facts for each entry and facts for each block. It
// is also true if f is empty.
func (f *Facts) fit(entries, blocks int) bool {
	return f == noFacts || f.folds.len() == entries && f.pages.len() == entries && f.blocks.len() == blocks
}

// Empty reports whether the run has no facts of any kind.
func (f *Facts) Empty() bool { return !f.Any(func([]byte) bool { return true }) }

// Any reports whether the function is returns true for any facts of the run. It is
// called with all facts that are not missing, in the form in which they are stored.
func (f *Facts) Any(is func([]byte) bool) bool {
	return slices.ContainsFunc([]*blobs{&f.folds, &f.pages, &f.blocks}, func(list *blobs) bool {
		for i := range list.len() {
			if b := list.at(uint32(i)); b != nil && is(b) {
				return true
			}
		}
		return false
	})
}

// Bytes returns an estimate of the memory that the facts take, in bytes. It does not count
// long forms.
func (f *Facts) Bytes() (n int64) {
	for _, list := range []*blobs{&f.folds, &f.pages, &f.blocks} {
		n += int64(4*list.len() + len(list.bytes))
	}
	return n
}

// appendFacts appends the encoded facts of r to dst, or nothing if r has no facts.
//
// The facts go into the same frame as the blocks, because most of what they say,
// such as the address of a link and the words around it, is in the blocks. The
// compressor then writes it as a copy.
func (r *run) appendFacts(dst []byte) []byte {
	fold := func(i int) []byte { return r.entries[i].Fold }
	page := func(i int) []byte { return r.entries[i].Facts }
	blocks := r.shortFacts()
	block := func(i int) []byte { return blocks[i] }
	bytes := blobBytes(len(r.entries), fold) + blobBytes(len(r.entries), page) + blobBytes(len(r.facts), block)
	if bytes == 0 {
		return dst
	}
	dst = append(slices.Grow(dst, bytes+bytes/8+64), disk.FormatByte)
	dst = appendBlobs(dst, len(r.entries), fold)
	dst = appendBlobs(dst, len(r.entries), page)
	return appendBlobs(dst, len(r.facts), block)
}

// shortFacts returns the facts of each block of r in the form in which r stores them. Only
// a packed run stores short forms. A packing Writer may also write runs that are not
// packed, and these keep their long forms.
func (r *run) shortFacts() [][]byte {
	if r.short == nil || !r.packed {
		return r.facts
	}
	out := make([][]byte, len(r.facts))
	for i, b := range r.facts {
		if len(b) > 0 {
			out[i] = r.short(r.blocks[i], b)
		}
	}
	return out
}

func blobBytes(n int, at func(int) []byte) (bytes int) {
	for i := range n {
		bytes += len(at(i))
	}
	return bytes
}

// appendBlobs appends a column of n byte strings to dst: how many they are, their
// lengths, and their bytes. at(i) is string i.
func appendBlobs(dst []byte, n int, at func(int) []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(n))
	for i := range n {
		dst = binary.AppendUvarint(dst, uint64(len(at(i))))
	}
	for i := range n {
		dst = append(dst, at(i)...)
	}
	return dst
}

// blobs is a decoded column of byte strings.
type blobs struct {
	ends  []uint32 // where each string ends in bytes
	bytes []byte
}

func (b *blobs) len() int { return len(b.ends) }

// at returns string i, or nil if it is empty or there is no such string.
func (b *blobs) at(i uint32) []byte {
	if uint64(i) >= uint64(len(b.ends)) {
		return nil
	}
	from := uint32(0)
	if i > 0 {
		from = b.ends[i-1]
	}
	if to := b.ends[i]; from < to {
		return b.bytes[from:to:to]
	}
	return nil
}

// takeBlobs decodes a column of byte strings at the beginning of r and moves r
// after it. The strings share r's memory. takeBlobs uses the memory of the slice ends.
func takeBlobs(r *packed.Reader, ends []uint32) (blobs, error) {
	n := r.Uvarint()
	if r.Bad || n > entriesMax {
		return blobs{}, column.ErrDamaged
	}
	b := blobs{ends: column.Sized(ends, int(n))}
	end := uint64(0)
	for i := range b.ends {
		size := r.Uvarint()
		if end += size; size > math.MaxUint32 || end > math.MaxUint32 {
			return blobs{}, column.ErrDamaged
		}
		b.ends[i] = uint32(end)
	}
	if r.Bad || end > uint64(len(r.B)) {
		return blobs{}, column.ErrDamaged
	}
	b.bytes, r.B = r.B[:end], r.B[end:]
	return b, nil
}

// decode sets f to the facts in b, the facts of a run. f shares the memory of b.
func (f *Facts) decode(b []byte) error {
	if len(b) == 0 {
		return column.ErrDamaged
	}
	if err := disk.CheckByte(b[0], "run"); err != nil {
		return err
	}
	r := packed.Reader{B: b[1:]}
	for _, list := range []*blobs{&f.folds, &f.pages, &f.blocks} {
		var err error
		if *list, err = takeBlobs(&r, list.ends); err != nil {
			return err
		}
	}
	if len(r.B) != 0 {
		return column.ErrDamaged
	}
	return nil
}

// Facts returns the facts of the run, decoded at the first call. The run must be
// loaded whole. A run without facts has empty Facts, not nil.
func (r *Run) Facts() (*Facts, error) {
	r.once.Do(func() {
		if r.decoded = noFacts; len(r.facts) > 0 {
			r.decoded = r.mem.factsOf(r)
			r.bad = r.decoded.decode(r.facts)
		}
	})
	return r.decoded, r.bad
}
