package finder

import (
	"math/bits"

	"infomall/store/block/facts"
	"infomall/store/segment"
)

// leafReader reads the facts of leaves while an index of words is made. It remembers them,
// because most leaves are in many pages: an index of kafka has 42,000 leaves, and its
// pages have 600,000.
type leafReader struct {
	v      *Finder
	known  map[segment.RunRef]*knownLeaves
	recent [64]recentLeaves // elements of known, each at the index that recentOf returns
	bytes  int              // an estimate of the memory of known
	room   []knownLeaf      // memory for leaves that are read next
	read   facts.LeafReader

	last    segment.RunRef // the run that factsOf returned last
	lastHas *segment.Facts // its facts; nil if factsOf was not called

	// texts has the texts of those leaves of the run own that were read, by number of the
	// block. Most leaves are in a page of their own run, so their bytes need not be read
	// once more for their texts.
	own    segment.RunRef
	ownHas *segment.Facts // the facts of the run own, or nil
	texts  []facts.LeafText
}

// knownLeaves has the leaves of a run that were read. Most leaves have neither links nor a fingerprint,
// so it has one bit for each block to say so.
type knownLeaves struct {
	read, some []uint64     // sets of blocks: the leaves that were read, and those of them in leaves
	leaves     []*knownLeaf // by number of the block; nil for a leaf without links and fingerprint
}

// knownLeaf is the facts of a leaf, and where its links lead.
type knownLeaf struct {
	facts.LeafFacts
	targets leafTargets
}

// recentLeaves is an element of leafReader.recent.
type recentLeaves struct {
	run    segment.RunRef
	leaves *knownLeaves
}

// recentOf returns the element of r.recent for a run.
func (r *leafReader) recentOf(run segment.RunRef) *recentLeaves {
	// Multiplied by large odd numbers, neighbouring runs get different places.
	return &r.recent[(run.Segment*0x9e3779b1+run.Run*0x85ebca6b)>>26]
}

// knownLeavesMax is the most bytes of memory that leafReader.known may take. A leafReader
// then forgets all of it.
const knownLeavesMax = 8 << 20

// begin makes run the run whose texts are kept. It has this number of blocks, and the facts has, which
// must be valid until the next call. has is nil if the facts are damaged.
func (r *leafReader) begin(run segment.RunRef, blocks int, has *segment.Facts) {
	clear(r.texts)
	r.own, r.ownHas, r.lastHas = run, has, nil
	if cap(r.texts) < blocks {
		r.texts = make([]facts.LeafText, blocks)
	}
	r.texts = r.texts[:blocks]
}

// factsOf returns the facts of run n of segment s. It remembers the last run, because many calls
// for the same run follow each other.
func (r *leafReader) factsOf(s *segment.Reader, n uint32) (*segment.Facts, error) {
	run := segment.RunRef{Segment: s.Info.ID, Run: n}
	if run == r.own && r.ownHas != nil {
		return r.ownHas, nil
	}
	if r.lastHas == nil || r.last != run {
		f, err := r.v.Runs.Facts(s, n)
		if err != nil {
			return nil, err
		}
		r.last, r.lastHas = run, f
	}
	return r.lastHas, nil
}

// each calls f for those leaves in spans that have links or a fingerprint, or whose facts cannot be
// used. The argument n is the number of the leaf among the leaves in spans. The spans must be in
// segments in force.
func (r *leafReader) each(spans []segment.Span, f func(n int, l *knownLeaf)) error {
	first := 0 // number of the first leaf of the span
	for _, s := range spans {
		of, err := r.of(s)
		if err != nil {
			return err
		}
		for n, end := s.N, s.N+s.Count; n < end; {
			word := of.some[n/64] >> (n % 64)
			if word == 0 {
				n += 64 - n%64
				continue
			}
			if n += uint32(bits.TrailingZeros64(word)); n < end {
				f(first+int(n-s.N), of.leaves[n])
				n++
			}
		}
		first += int(s.Count)
	}
	return nil
}

// of reads the leaves of span s that are not known yet. It returns all known leaves of the span's
// run.
func (r *leafReader) of(s segment.Span) (*knownLeaves, error) {
	ref := segment.RunRef{Segment: s.Segment, Run: s.Run}
	at := r.recentOf(ref)
	if at.leaves == nil || at.run != ref {
		*at = recentLeaves{ref, r.known[ref]}
	}
	if at.leaves != nil && at.leaves.has(s.N, s.N+s.Count) {
		return at.leaves, nil
	}
	has := r.ownHas
	if ref != r.own || has == nil {
		var err error
		if has, err = r.factsOf(r.v.Runs.Segment(s.Segment), s.Run); err != nil {
			return nil, err
		}
	}
	of := at.leaves
	if blocks := max(has.Blocks(), int(s.N+s.Count)); of == nil || len(of.leaves) < blocks {
		of = r.grow(ref, of, blocks)
	}
	for n := s.N; n < s.N+s.Count; n++ {
		if of.read[n/64]>>(n%64)&1 == 0 {
			r.learn(of, ref, n, has)
		}
	}
	return of, nil
}

// has reports whether all leaves from <= n < to were read.
func (k *knownLeaves) has(from, to uint32) bool {
	if uint64(to) > uint64(len(k.leaves)) {
		return false
	}
	for from < to {
		count := min(64-from%64, to-from)
		if ^k.read[from/64]>>(from%64)<<(64-count) != 0 {
			return false
		}
		from += count
	}
	return true
}

// grow makes the element of r.known for a run again, with room for this number of blocks. The
// parameter of is the element so far, which has less room; it is nil if there is none.
func (r *leafReader) grow(run segment.RunRef, of *knownLeaves, blocks int) *knownLeaves {
	if r.bytes >= knownLeavesMax || r.known == nil {
		r.known, r.bytes = make(map[segment.RunRef]*knownLeaves), 0
		clear(r.recent[:])
	}
	words := (blocks + 63) / 64
	grown := &knownLeaves{make([]uint64, words), make([]uint64, words), make([]*knownLeaf, blocks)}
	if of != nil {
		copy(grown.read, of.read)
		copy(grown.some, of.some)
		copy(grown.leaves, of.leaves)
	}
	r.known[run] = grown
	*r.recentOf(run) = recentLeaves{run, grown}
	r.bytes += blocks * 8
	return grown
}

// roomLeaves is how many elements leafReader.room gets when it is allocated.
const roomLeaves = 64

// learn reads leaf n of a run, and adds it to k. of has the facts of the run.
func (r *leafReader) learn(k *knownLeaves, run segment.RunRef, n uint32, of *segment.Facts) {
	f, text := r.read.Read(of.Leaf(n))
	if run == r.own && int(n) < len(r.texts) {
		r.texts[n] = text
	}
	r.keep(k, n, &f, f.None())
}

// keep adds leaf n, with the facts f, to k. none says that the leaf has neither links nor a fingerprint.
func (r *leafReader) keep(k *knownLeaves, n uint32, f *facts.LeafFacts, none bool) {
	k.read[n/64] |= 1 << (n % 64)
	if none {
		return
	}
	if len(r.room) == 0 {
		r.room = make([]knownLeaf, roomLeaves)
	}
	out := &r.room[0]
	r.room = r.room[1:]
	out.LeafFacts = *f
	k.some[n/64] |= 1 << (n % 64)
	k.leaves[n] = out
	r.bytes += f.Size()
}
