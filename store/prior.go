package store

import "infomall/store/segment"

// priors gives each capture of a batch the blocks that its URL's capture before
// is made of, so that it need not bring them again.
type priors struct {
	v     *Snapshot
	byKey map[string]segment.Prior // of captures of this batch that others follow
	// runs remembers what the runs of the archive hold: neighbouring URLs have
	// theirs in the same ones.
	runs map[uint64]runBlocks
}

// runBlocks is the blocks of a run, their IDs and where each ends, and the
// captures that stand there.
type runBlocks struct {
	ids     []segment.ID
	ends    []int64
	entries []segment.Stored
}

// runBlocksMax is how many runs are remembered.
const runBlocksMax = 512

// of gives the blocks that capture s may take. The map is the caller's.
func (p *priors) of(s *staged) segment.Prior {
	if s.before.seg == nil {
		if prior := p.byKey[s.Key]; prior != nil {
			delete(p.byKey, s.Key)
			return prior
		}
		return make(segment.Prior)
	}
	prior := make(segment.Prior)
	// What can't be read can't be taken from; the capture is stored whole then,
	// and VERIFY is for telling of the damage.
	if err := p.load(prior, s.before); err != nil {
		p.v.a.warn(err)
		clear(prior)
	}
	return prior
}

// keep remembers the blocks of s for the captures that follow it in the batch.
func (p *priors) keep(s *staged, prior segment.Prior) {
	if prior != nil && !s.last {
		p.byKey[s.Key] = prior
	}
}

// load fills prior with the blocks of a stored capture.
func (p *priors) load(prior segment.Prior, at place) error {
	home, err := p.run(at.seg.Info.ID, at.run)
	if err != nil {
		return err
	}
	if uint64(at.n) >= uint64(len(home.entries)) {
		return errNoHolder
	}
	e := &home.entries[at.n]
	if !e.Recipe.Joined {
		return nil
	}
	for _, span := range e.Recipe.Spans {
		r, err := p.run(span.Segment, span.Run)
		if err != nil {
			return err
		}
		if uint64(span.N)+uint64(span.Count) > uint64(len(r.ids)) {
			return errNoHolder
		}
		for n := span.N; n < span.N+span.Count; n++ {
			from := int64(0)
			if n > 0 {
				from = r.ends[n-1]
			}
			prior[r.ids[n]] = segment.Placed{
				BlockRef: segment.BlockRef{Segment: span.Segment, Run: span.Run, N: n},
				Size:     int32(r.ends[n] - from),
			}
		}
	}
	return nil
}

// run gives the blocks of a run.
func (p *priors) run(id, run uint32) (runBlocks, error) {
	key := uint64(id)<<32 | uint64(run)
	if r, ok := p.runs[key]; ok {
		return r, nil
	}
	s := p.v.segment(id)
	if s == nil {
		return runBlocks{}, errNoHolder
	}
	m, err := p.v.meta(s, run)
	if err != nil {
		return runBlocks{}, err
	}
	var r runBlocks
	if r.ids, err = m.BlockIDs(); err != nil {
		return r, err
	}
	if r.ends, err = m.BlockEnds(); err != nil {
		return r, err
	}
	if r.entries, err = m.Entries(); err != nil {
		return r, err
	}
	if p.runs == nil || len(p.runs) >= runBlocksMax {
		p.runs = make(map[uint64]runBlocks)
	}
	p.runs[key] = r
	return r, nil
}
