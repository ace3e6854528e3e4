package finder

import (
	"infomall/store/block/facts"
	"infomall/store/segment"
)

// leafReader reads the facts of leaves while an index of words is made. It remembers them,
// because most leaves are in many pages: an index of kafka has 42,000 leaves, and its
// pages have 600,000.
type leafReader struct {
	v     *Finder
	known map[segment.RunRef][]*facts.LeafFacts // by number of the block; nil if they were not read
	bytes int                                   // an estimate of the memory of known
	room  []facts.LeafFacts                     // memory for facts that are read next
	read  facts.LeafReader

	last    segment.RunRef // the run that factsOf returned last
	lastHas *segment.Facts // its facts; nil if factsOf was not called

	// texts has the texts of those leaves of the run own that were read, by number of the
	// block. Most leaves are in a page of their own run, so their bytes need not be read
	// once more for their texts.
	own    segment.RunRef
	ownHas *segment.Facts // the facts of the run own, or nil
	texts  []facts.LeafText
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

// appendTo appends the facts of the leaves in spans to dst. The spans must be in segments
// in force.
func (r *leafReader) appendTo(dst []*facts.LeafFacts, spans []segment.Span) ([]*facts.LeafFacts, error) {
	for _, s := range spans {
		ref := segment.RunRef{Segment: s.Segment, Run: s.Run}
		list := r.known[ref]
		var of *segment.Facts
		for n := s.N; n < s.N+s.Count; n++ {
			if int(n) >= len(list) || list[n] == nil {
				if of == nil {
					var err error
					if of, err = r.factsOf(r.v.Runs.Segment(s.Segment), s.Run); err != nil {
						return dst, err
					}
					list = r.list(ref, max(of.Blocks(), int(s.N+s.Count)))
				}
				list[n] = r.learn(ref, n, of)
			}
			dst = append(dst, list[n])
		}
	}
	return dst, nil
}

// list returns the list in r.known for a run, with at least this number of elements.
func (r *leafReader) list(run segment.RunRef, blocks int) []*facts.LeafFacts {
	list := r.known[run]
	if len(list) >= blocks {
		return list
	}
	if r.bytes >= knownLeavesMax || r.known == nil {
		r.known, r.bytes = make(map[segment.RunRef][]*facts.LeafFacts), 0
	}
	list = append(make([]*facts.LeafFacts, 0, blocks), list...)[:blocks]
	r.known[run] = list
	r.bytes += blocks * 8
	return list
}

// roomLeaves is how many elements leafReader.room gets when it is allocated.
const roomLeaves = 64

// learn returns the facts of leaf n of a run. of has the facts of the run.
func (r *leafReader) learn(run segment.RunRef, n uint32, of *segment.Facts) *facts.LeafFacts {
	f, text := r.read.Read(of.Leaf(n))
	if run == r.own && int(n) < len(r.texts) {
		r.texts[n] = text
	}
	if f.None() {
		return facts.NoLeafFacts
	}
	if len(r.room) == 0 {
		r.room = make([]facts.LeafFacts, roomLeaves)
	}
	out := &r.room[0]
	r.room = r.room[1:]
	*out = f
	r.bytes += f.Size()
	return out
}
