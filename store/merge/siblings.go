package merge

import (
	"slices"

	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// siblings has the captures of the URL that a merge is writing, in order of time. It remembers
// what it finds out about them: a URL may have very many captures, and siblings looks at each only
// a few times, not once for each other capture.
type siblings struct {
	all []timeline.Capture
	// stays reports whether a capture stores its body in a segment that is not
	// merged.
	stays func(*timeline.Capture) bool

	segments []*segment.Info               // the segments that have the captures all[:next]
	next     int                           // number of captures that upTo has passed
	holders  map[segment.ID]timeline.Place // by ID of a body: the result of heldOutside; nil before its first call
	outside  timeline.Place                // result of outsideBefore(looked)
	bytes    int64                         // size of the body at outside, in bytes
	looked   int                           // number of captures at which outsideBefore has looked
}

// upTo adds the segments of all captures with times up to and including t to u.segments. t must
// not be less than in the last call.
func (u *siblings) upTo(t record.Time) {
	for ; u.next < len(u.all) && u.all[u.next].Time <= t; u.next++ {
		if s := u.all[u.next].Seg.Info; !slices.Contains(u.segments, s) {
			u.segments = append(u.segments, s)
		}
	}
}

// known reports whether all captures over which upTo has passed were in the archive when the
// segment of capture l was written. If so, the hints of l take them into account.
func (u *siblings) known(l *timeline.Capture) bool {
	return !slices.ContainsFunc(u.segments, func(o *segment.Info) bool { return o.Newer(l.Seg.Info) })
}

// heldOutside returns the place of a capture of the URL that stores the body with this ID in a
// segment that is not merged. If there is none, the place has no segment.
func (u *siblings) heldOutside(id segment.ID) timeline.Place {
	if u.holders == nil {
		u.holders = make(map[segment.ID]timeline.Place)
		for i := range u.all {
			if l := &u.all[i]; u.stays(l) {
				u.holders[l.ID] = l.Place
			}
		}
	}
	return u.holders[id]
}

// outsideBefore returns the place of the last capture before all[i] that stores its
// body in a segment that is not merged. If there is none, the place has no segment.
// i must not be less than in the last call.
func (u *siblings) outsideBefore(i int) timeline.Place {
	for ; u.looked < i; u.looked++ {
		if l := &u.all[u.looked]; u.stays(l) {
			u.outside, u.bytes = l.Place, l.Bytes
		}
	}
	return u.outside
}
