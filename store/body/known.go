package body

import (
	"slices"

	"infomall/store/segment"
	"infomall/store/timeline"
)

// Known fills the memory of blocks of an import (the field Blocks), in which a segment
// writer looks for blocks that are stored already. When a capture is imported, Known
// adds to that memory the blocks of stored captures of the same URL, so that the new
// body can refer to them.
type Known struct {
	Runs   *Runs
	Blocks *segment.Blocks
	done   map[timeline.Place]int // the places of captures whose blocks were added, each with the turn of Blocks then
	// read has the results of Run, because captures of neighbouring URLs have their blocks in
	// the same runs. The key is the number of the segment and the number of the run.
	read map[uint64]runBlocks
	// Wrote has, for the number of each segment that this import wrote, the turn of Blocks at
	// which the segment was written. A turn is how often Blocks had forgotten old blocks by
	// then (see segment.Blocks.Turn).
	Wrote map[uint32]int
}

// runBlocks describes the blocks of a run: their IDs, and for each block the offset
// in bytes at which it ends.
type runBlocks struct {
	IDs  []segment.ID
	ends []int64
}

// Size returns the size of block n in bytes.
func (r *runBlocks) Size(n uint32) int64 {
	if n == 0 {
		return r.ends[0]
	}
	return r.ends[n] - r.ends[n-1]
}

// All returns the size of all blocks together in bytes.
func (r *runBlocks) All() int64 {
	if len(r.ends) == 0 {
		return 0
	}
	return r.ends[len(r.ends)-1]
}

const (
	// runBlocksMax is for how many runs Known remembers the blocks.
	runBlocksMax = 256
	// knownMax is for how many captures Known remembers that it has added their blocks.
	knownMax = 1 << 14
)

// SetValid sets which segments the recipes of new bodies may refer to: the segments in force,
// and the segments of the batch that is being written. coming has the pool of each segment of
// the batch, by segment number. SetValid adds the segments in force to coming.
func (k *Known) SetValid(coming map[uint32]string) {
	for _, s := range k.Runs.catalog.Segments {
		coming[s.ID] = s.Pool
	}
	k.Blocks.Valid(coming)
}

// has reports whether a new capture can share every block of segment s. This import must have
// written s so recently that none of its blocks was forgotten, and Blocks.May must allow every
// segment that s uses.
func (k *Known) has(s *segment.Info) bool {
	turn, ok := k.Wrote[s.ID]
	return ok && k.Blocks.Turn()-turn < 2 && !slices.ContainsFunc(s.Uses, func(id uint32) bool { return !k.Blocks.May(id) })
}

// Add adds the blocks of the stored capture at a place to the import's memory of
// blocks, so that a new capture can share them. If the blocks cannot be read, Add
// warns of the damage, and the new capture will be stored with all its blocks.
func (k *Known) Add(at timeline.Place) {
	if !k.begin(at) {
		return
	}
	if err := k.load(at); err != nil {
		k.Runs.files.Warn(err)
	}
}

// AddBlocks does what Add does for a capture whose blocks the caller has already read. They are in
// b.
func (k *Known) AddBlocks(at timeline.Place, b Blocks) {
	if !k.begin(at) {
		return
	}
	next := 0
	for _, s := range b.Spans {
		for n := s.N; n < s.N+s.Count; n++ {
			ref := segment.BlockRef{Segment: s.Segment, Run: s.Run, N: n}
			k.Blocks.Remember(b.IDs[next], segment.Placed{BlockRef: ref, Size: b.Sizes[next]})
			next++
		}
	}
}

// begin reports whether the caller must add the blocks of the capture at a place to the memory of
// blocks. If so, it records that they are added, and returns false in later calls, until the
// memory forgets them.
func (k *Known) begin(at timeline.Place) bool {
	if turn, ok := k.done[at]; ok && k.Blocks.Turn()-turn < 2 || k.has(at.Seg.Info) {
		return false
	}
	if k.done == nil || len(k.done) >= knownMax {
		k.done = make(map[timeline.Place]int)
	}
	k.done[at] = k.Blocks.Turn()
	return true
}

func (k *Known) load(at timeline.Place) error {
	recipe, own, err := k.Runs.Recipe(at)
	if err != nil {
		return err
	}
	if !own {
		return nil
	}
	spans, err := k.Runs.Spans(recipe)
	if err != nil {
		return err
	}
	for _, span := range spans {
		r, err := k.Spanned(span)
		if err != nil {
			return err
		}
		k.Remember(r, span)
	}
	return nil
}

// Remember adds the blocks of a span to the memory of blocks. r describes all blocks of
// the run in which the span is.
func (k *Known) Remember(r runBlocks, span segment.Span) {
	for n := span.N; n < span.N+span.Count; n++ {
		k.Blocks.Remember(r.IDs[n], segment.Placed{
			BlockRef: segment.BlockRef{Segment: span.Segment, Run: span.Run, N: n},
			Size:     int32(r.Size(n)),
		})
	}
}

// Spanned returns the IDs and sizes of all blocks of the run in which the span s is. It
// returns ErrMissing if the run does not have all blocks of the span.
func (k *Known) Spanned(s segment.Span) (runBlocks, error) {
	r, err := k.Run(s.Segment, s.Run)
	if err == nil && uint64(s.N)+uint64(s.Count) > uint64(len(r.IDs)) {
		err = ErrMissing
	}
	return r, err
}

// Run returns the IDs and sizes of all blocks of a run. id is the number of the run's
// segment, and run is the number of the run in it.
func (k *Known) Run(id, run uint32) (runBlocks, error) {
	key := uint64(id)<<32 | uint64(run)
	if r, ok := k.read[key]; ok {
		return r, nil
	}
	s := k.Runs.Segment(id)
	if s == nil {
		return runBlocks{}, ErrMissing
	}
	whole, err := k.Runs.Run(s, run)
	if err != nil {
		return runBlocks{}, err
	}
	var r runBlocks
	if r.IDs, err = whole.BlockIDs(); err != nil {
		return r, err
	}
	if r.ends, err = whole.Meta.BlockEnds(); err != nil {
		return r, err
	}
	if k.read == nil || len(k.read) >= runBlocksMax {
		k.read = make(map[uint64]runBlocks)
	}
	k.read[key] = r
	return r, nil
}
