package store

import (
	"slices"

	"infomall/store/record"
	"infomall/store/segment"
)

// siblings are the captures of the URL that a merge writes, in order. It remembers what
// it found out about them, so that it goes through them a few times in all and not once
// for each of them: a URL may have very many.
type siblings struct {
	all []located
	// stays reports whether a capture has its own body in a segment that stays.
	stays func(*located) bool

	segments []*segment.Info // that all[:next] lie in: no more than the archive has
	next     int
	holders  map[segment.ID]*segment.Reader // see heldOutside; nil until it is called
	outside  place                          // see outsideBefore, which has looked at all[:looked]
	looked   int
}

// upTo goes forward to the captures at time t, those included.
func (u *siblings) upTo(t record.Time) {
	for ; u.next < len(u.all) && u.all[u.next].Time <= t; u.next++ {
		if s := u.all[u.next].seg.Info; !slices.Contains(u.segments, s) {
			u.segments = append(u.segments, s)
		}
	}
}

// known reports whether the writer of l's segment knew all captures that upTo has gone
// past.
func (u *siblings) known(l *located) bool {
	return !slices.ContainsFunc(u.segments, func(o *segment.Info) bool { return newer(o, l.seg.Info) })
}

// heldOutside returns a segment that stays and has a body of the URL; nil if there is
// none.
func (u *siblings) heldOutside(id segment.ID) *segment.Reader {
	if u.holders == nil {
		u.holders = make(map[segment.ID]*segment.Reader)
		for i := range u.all {
			if l := &u.all[i]; u.stays(l) {
				u.holders[l.ID] = l.seg
			}
		}
	}
	return u.holders[id]
}

// outsideBefore returns the last capture before all[i] that has its own body in a
// segment that stays; no place if there is none. i is not less than at the last call.
func (u *siblings) outsideBefore(i int) place {
	for ; u.looked < i; u.looked++ {
		if l := &u.all[u.looked]; u.stays(l) {
			u.outside = l.place
		}
	}
	return u.outside
}
