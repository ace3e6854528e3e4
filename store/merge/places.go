package merge

import (
	"container/list"
	"encoding/binary"
	"slices"

	"infomall/store/disk"
	"infomall/store/segment"
)

// placeBytes is how many bytes the new place of one block takes, in memory and in the file.
const placeBytes = 12

// places has the new places of the blocks of the segments that a merge replaces. It keeps those
// of recently used runs in memory, and the others in a file in the writer's folder. Only one
// goroutine may use it. Its creator closes it.
type places struct {
	disk disk.FS
	path string
	file disk.File // nil until memory does not suffice
	end  int64     // size of the file

	runs       map[uint32][]placedRun // by number of a merged segment: its runs
	recent     *list.List             // segment.RunRef of the runs whose places are in memory; the most recently used is first
	held, most int64                  // size of the places in memory, and its limit, in bytes
}

// placedRun has the new places of the blocks of one run. If a block has no new place yet, the
// field Segment of its place is 0.
type placedRun struct {
	met    bool               // the method run was called for this run
	blocks int                // number of blocks in the run
	at     []segment.BlockRef // the new places, by number of the block; nil if they are not in memory
	off    int64              // where the places are in the file, as an offset in bytes; -1 if they are not there
	recent *list.Element      // the run's element of places.recent; nil if the places are not in memory
}

// newPlaces returns places for the blocks of the segments in the list in. No block has a new
// place yet. path is where d keeps the places for which memory does not suffice. held is how many
// bytes of places are kept in memory, besides those of the current run.
func newPlaces(d disk.FS, path string, in []*segment.Info, held int64) *places {
	p := &places{disk: d, path: path, runs: make(map[uint32][]placedRun), recent: list.New(), most: held}
	for _, s := range in {
		runs := make([]placedRun, s.Runs)
		for i := range runs {
			runs[i].off = -1
		}
		p.runs[s.ID] = runs
	}
	return p
}

func (p *places) close() error {
	if p.file == nil {
		return nil
	}
	return p.file.Close()
}

// has reports whether the segment with this number is being merged.
func (p *places) has(segment uint32) bool { return p.runs[segment] != nil }

// met reports whether the method run was called for the run ref. If not, no capture has needed
// the blocks of the run so far.
func (p *places) met(ref segment.RunRef) bool { return p.runs[ref.Segment][ref.Run].met }

// run returns the new places of the blocks of the run ref, by number of the block. The caller may
// change the elements, to set new places, until the next call. blocks is how many blocks the run
// has; only the first call for a run uses it.
func (p *places) run(ref segment.RunRef, blocks int) ([]segment.BlockRef, error) {
	r := &p.runs[ref.Segment][ref.Run]
	if r.at != nil {
		p.recent.MoveToFront(r.recent)
		return r.at, nil
	}
	if !r.met {
		r.met, r.blocks = true, blocks
	}
	at := make([]segment.BlockRef, r.blocks)
	if r.off >= 0 {
		if err := p.read(at, r.off); err != nil {
			return nil, err
		}
	}
	for p.held > p.most {
		if err := p.drop(p.recent.Back()); err != nil {
			return nil, err
		}
	}
	r.at, r.recent = at, p.recent.PushFront(ref)
	p.held += int64(len(at))*placeBytes + 100
	return at, nil
}

// of returns the new place of block b. The method run must have been called for the
// block's run.
func (p *places) of(b segment.BlockRef) (segment.BlockRef, error) {
	at, err := p.run(segment.RunRef{Segment: b.Segment, Run: b.Run}, 0)
	if err != nil {
		return segment.BlockRef{}, err
	}
	return at[b.N], nil
}

// set sets the new place of block b. The method run must have been called for the
// block's run.
func (p *places) set(b, to segment.BlockRef) error {
	at, err := p.run(segment.RunRef{Segment: b.Segment, Run: b.Run}, 0)
	if err == nil {
		at[b.N] = to
	}
	return err
}

// drop moves the places of one run from memory to the file. e is the element of p.recent for that
// run.
func (p *places) drop(e *list.Element) error {
	ref := p.recent.Remove(e).(segment.RunRef)
	r := &p.runs[ref.Segment][ref.Run]
	if p.file == nil {
		var err error
		if p.file, err = disk.Create(p.disk, p.path); err != nil {
			return err
		}
	}
	if r.off < 0 {
		r.off = p.end
		p.end += int64(len(r.at)) * placeBytes
	}
	b := make([]byte, 0, len(r.at)*placeBytes)
	for _, to := range r.at {
		for _, x := range []uint32{to.Segment, to.Run, to.N} {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
	}
	p.held -= int64(len(b)) + 100
	r.at, r.recent = nil, nil
	_, err := p.file.WriteAt(b, r.off)
	return err
}

// read fills the slice at with places that it reads from the file at offset off.
func (p *places) read(at []segment.BlockRef, off int64) error {
	b := make([]byte, len(at)*placeBytes)
	if _, err := p.file.ReadAt(b, off); err != nil {
		return err
	}
	i := 0
	for to := range slices.Chunk(b, placeBytes) {
		at[i] = segment.BlockRef{Segment: binary.LittleEndian.Uint32(to), Run: binary.LittleEndian.Uint32(to[4:]), N: binary.LittleEndian.Uint32(to[8:])}
		i++
	}
	return nil
}
