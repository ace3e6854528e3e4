package store

import "infomall/store/segment"

// recentRuns remembers, whatever the cache does, the run of each segment that was
// asked for last, since reading in order comes back to it at once, and a few of
// those before: pages of a site take blocks from the run of the first of them and
// from their own, by turns. It is guarded by who has it.
type recentRuns struct {
	last   map[uint32]recentRun
	before [recentBefore]recentRun
	next   int // of before, the one given up next
}

// recentRun is a run of a segment; none where run is nil.
type recentRun struct {
	segment, n uint32
	run        *segment.Run
}

// recentBefore is how many runs are remembered besides the last of each segment.
const recentBefore = 8

// get gives a run; nil if it is not there.
func (r *recentRuns) get(segment, n uint32) *segment.Run {
	if x := r.last[segment]; x.run != nil && x.n == n {
		return x.run
	}
	for i := range r.before {
		if x := r.before[i]; x.run != nil && x.segment == segment && x.n == n {
			r.before[i], r.last[segment] = r.last[segment], x
			return x.run
		}
	}
	return nil
}

// put remembers a run.
func (r *recentRuns) put(segment, n uint32, run *segment.Run) {
	if r.last == nil {
		r.last = make(map[uint32]recentRun)
	}
	if x := r.last[segment]; x.run != nil && x.n != n {
		r.before[r.next] = x
		r.next = (r.next + 1) % recentBefore
	}
	r.last[segment] = recentRun{segment, n, run}
}
