package body

import "infomall/store/segment"

// recentRuns remembers the last run read from each segment, and a few runs before
// those, whatever the cache does. Reading in order returns to the last run at once,
// and pages of a site take blocks in turn from their own run and from the run of
// the first page. Its owner locks it.
type recentRuns struct {
	last   map[uint32]recentRun
	before [recentBefore]recentRun
	next   int // index in before of the run that is dropped next
}

// recentRun is a remembered run of a segment. If run is nil, there is none.
type recentRun struct {
	segment, n uint32
	run        *segment.Run
}

// recentBefore is how many runs are remembered besides the last of each segment.
const recentBefore = 8

// get returns a remembered run, or nil.
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

// put remembers a run as the last of its segment.
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
