package merge

import (
	"slices"

	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// siblings has the captures of the URL that a merge is writing, in order of time. It remembers
// what it finds out about them. A URL may have very many captures, and siblings visits each of
// them a few times in total, not once for each other capture.
type siblings struct {
	all []timeline.Capture
	// stays reports whether a capture stores its body in a segment that is not
	// merged.
	stays func(*timeline.Capture) bool

	segments []*segment.Info // segments of all[:next]; no more than the archive has
	next     int
	holders  map[segment.ID]timeline.Place // see heldOutside; nil until it is called
	outside  timeline.Place                // result of outsideBefore for all[:looked]
	looked   int
}

// upTo passes all captures up to and including time t. It never moves back.
func (u *siblings) upTo(t record.Time) {
	for ; u.next < len(u.all) && u.all[u.next].Time <= t; u.next++ {
		if s := u.all[u.next].Seg.Info; !slices.Contains(u.segments, s) {
			u.segments = append(u.segments, s)
		}
	}
}

// known reports whether all captures that upTo has passed were in the archive when the segment
// of l was written. If so, the hints of l take them into account.
func (u *siblings) known(l *timeline.Capture) bool {
	return !slices.ContainsFunc(u.segments, func(o *segment.Info) bool { return timeline.Newer(o, l.Seg.Info) })
}

// heldOutside looks for the body with this ID among captures of the URL in segments that are
// not merged. It returns the place of an entry that stores the body. The place has no segment
// if there is none.
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
			u.outside = l.Place
		}
	}
	return u.outside
}
