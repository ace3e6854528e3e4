package body

import "infomall/store/segment"

// recentRuns keeps the run that was read last from each segment, and a few runs read before,
// even if the cache drops them. A scan in order often reads the last run again at once. The pages
// of a site take blocks in turn from their own run and from the run of the first page. The caller
// makes sure that only one goroutine uses a recentRuns at a time.
type recentRuns struct {
	last   map[uint32]recentRun // by number of the segment
	before [recentBefore]recentRun
	next   int // index in before of the run that is dropped next
}

// recentRun is run n of a segment. run is nil if there is none.
type recentRun struct {
	segment, n uint32
	run        *segment.Run
}

// recentBefore is how many runs are remembered besides the last of each segment.
const recentBefore = 8

// get returns run n of a segment if it is remembered, otherwise nil.
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

// put remembers run n of a segment as the run that was read last from that segment.
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
