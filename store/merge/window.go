package merge

import (
	"cmp"
	"context"
	"slices"

	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/snapshot"
	"infomall/store/timeline"
)

// A merge takes the URLs in windows. New bodies share blocks with bodies that other segments
// store (see merging.move), so the merge reads the recipes of those bodies. The segments of many
// pools have them, and the merge could not keep a decoded run of each segment in memory. Within a
// window it reads the recipes in the order in which they are stored, so that it decodes each run
// once. A merge of one of 24 pools, whose captures came in any order, takes 3.7 s of CPU time with
// windows and 11.5 s without.
const (
	// windowBytes is the size at which a window ends, in bytes of bodies whose blocks are read.
	windowBytes = 2 << 20
	// windowCaptures is the number of captures at which a window ends. The URL that reaches one
	// of these limits is the last of the window.
	windowCaptures = 1 << 13
)

// window is some URLs that a merge writes one after the other.
type window struct {
	urls     []windowURL
	captures int              // number of captures of all its URLs
	bytes    int64            // size of the bodies in shared, in bytes
	shared   []timeline.Place // bodies in segments that are not merged, with which captures of the window may share blocks
}

// windowURL is one URL of a window.
type windowURL struct {
	all       []timeline.Capture // its settled captures, also those in segments that are not merged
	read      int64              // number of its captures in merged segments, also those that are there twice
	disturbed bool               // captures of the URL were removed
}

// open fills w with the next URLs that h has, until w is full. It adds the blocks that these
// URLs may share to the merge's memory of blocks.
func (m *merging) open(ctx context.Context, w *window, h *snapshot.Heads) error {
	*w = window{urls: w.urls[:0], shared: w.shared[:0]}
	var group []timeline.Capture
	for !h.End() && w.captures < windowCaptures && w.bytes < windowBytes {
		key, u := h.Key(), windowURL{}
		for !h.End() && h.Key() == key {
			var err error
			if group, err = h.Top().Group(group[:0]); err != nil {
				return err
			}
			u.read += int64(len(group))
			h.Moved()
		}
		all, err := m.look.At(ctx, key)
		if err != nil {
			return err
		}
		u.all, u.disturbed = all, m.look.Disturbed
		if m.share {
			m.addShared(w, all)
		}
		if w.captures += len(all); w.captures < windowCaptures && w.bytes < windowBytes {
			u.all = slices.Clone(all) // the next call of At overwrites all
		}
		w.urls = append(w.urls, u)
	}
	slices.SortFunc(w.shared, func(a, b timeline.Place) int {
		return cmp.Or(cmp.Compare(a.Seg.Info.ID, b.Seg.Info.ID), cmp.Compare(a.Run, b.Run), cmp.Compare(a.N, b.N))
	})
	for _, at := range w.shared {
		m.known.Add(at)
	}
	return nil
}

// lookedUp returns the segments in which a merge looks up the captures of the URLs that it merges.
// in has the merged segments, all of one pool, and all has the segments of the archive, which has no
// removed captures. alone is set for a merge for which no statement asked.
//
// A merge for which no statement asked looks in no other segment. It keeps what the hints of the
// merged segments say of captures in other segments (see catalog.Change.Alone). MERGE and SEAL
// correct these hints. The 14th import of 50,000 captures of 24 months in any order then takes 4.9 s
// of CPU time, not 6.4.
//
// Other merges leave out the segments of later pools whose captures are all later than those of the
// merged segments. They are not needed: hints depend on earlier captures only, and no capture has its
// body in a later pool.
func lookedUp(in, all []*segment.Info, alone bool) []*segment.Info {
	if alone {
		return in
	}
	last := record.MinTime
	for _, s := range in {
		last = max(last, s.Last)
	}
	return slices.DeleteFunc(slices.Clone(all), func(s *segment.Info) bool { return s.Pool > in[0].Pool && s.First > last })
}

// addShared adds to w.shared the places of the bodies whose blocks the bodies of one URL may share.
// all has the settled captures of the URL.
func (m *merging) addShared(w *window, all []timeline.Capture) {
	u := &siblings{all: all, stays: m.stays}
	last := timeline.Place{}
	for i := range all {
		l := &all[i]
		if l.Body != segment.BodyOwn || m.in[l.Seg.Info.ID] == nil {
			continue
		}
		if at := u.outsideBefore(i); at.Seg != nil && at != last {
			last = at
			w.shared = append(w.shared, at)
			w.bytes += max(u.bytes, 0)
		}
	}
}
