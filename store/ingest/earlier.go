package ingest

import (
	"cmp"
	"context"
	"slices"

	"infomall/store/derive"
	"infomall/store/record"
	"infomall/store/snapshot"
	"infomall/store/timeline"
)

// A batch is planned in windows of URLs. For each window the plan first looks up the
// captures of all URLs, and then reads the stored versions that new versions are
// compared with, in the order in which they are stored. So each run is decoded once
// for a window. Reading the versions URL by URL, in the order of keys, would go back and
// forth between the runs of all segments. With more segments than decoded runs in memory,
// each version would decode its run again.
const (
	// windowBytes is how many bytes of bodies of stored versions a window has.
	windowBytes = 8 << 20
	// windowVersions is how many versions a window reads, and windowCaptures how many
	// stored captures it has. The URL that passes one of the bounds is the window's
	// last.
	windowVersions = 1 << 13
	windowCaptures = 1 << 15
)

// window is a part of a batch: some URLs, with their captures in the archive.
type window struct {
	urls     []windowURL
	captures int                 // of these URLs, in the archive
	versions []*timeline.Capture // begin the versions to read
	bytes    int64               // of the bodies of these versions

	// rooms is memory for captures, for all windows of a batch. The captures of the current
	// window fill those before room, and of room its first used captures.
	rooms      [][]timeline.Capture
	room, used int
}

// roomCaptures is how many captures a room of a window has, or more if one URL has more. One list
// of all captures would be copied each time it grows.
const roomCaptures = 1 << 10

// keep returns a copy of some captures of a URL. It is valid until the next window is opened.
func (w *window) keep(captures []timeline.Capture) []timeline.Capture {
	w.captures += len(captures)
	for ; w.room < len(w.rooms); w.room, w.used = w.room+1, 0 {
		if room := w.rooms[w.room][w.used:]; len(captures) <= len(room) {
			w.used += len(captures)
			return room[:copy(room, captures):len(captures)]
		}
	}
	w.rooms, w.used = append(w.rooms, make([]timeline.Capture, max(roomCaptures, len(captures)))), len(captures)
	room := w.rooms[w.room]
	return room[:copy(room, captures):len(captures)]
}

// windowURL is a URL of a window: staged[from:to] are its new captures.
type windowURL struct {
	from, to int
	known    []timeline.Capture // in the archive, settled
	group    []timeline.Capture // if captures were removed: see snapshot.Looker
	removed  bool               // captures of the URL were removed
}

// open begins a window at staged capture from: it looks up the captures of its URLs.
func (b *batchPlan) open(ctx context.Context, w *window, from int) error {
	*w = window{urls: w.urls[:0], versions: w.versions[:0], rooms: w.rooms}
	for from < len(b.staged) && w.bytes < windowBytes && len(w.versions) < windowVersions && w.captures < windowCaptures {
		to := from + 1
		for to < len(b.staged) && b.staged[to].Key == b.staged[from].Key {
			to++
		}
		known, err := b.look.At(ctx, b.staged[from].Key)
		if err != nil {
			return err
		}
		u := windowURL{from: from, to: to, known: w.keep(known), removed: b.look.Disturbed}
		if u.removed {
			u.group = w.keep(b.look.Group)
		} else {
			b.want(w, u.known, b.staged[from:to])
		}
		w.urls = append(w.urls, u)
		from = to
	}
	return b.readEarlier(ctx, w.versions)
}

// want adds to w the versions that are needed to compare the first new version of a URL with
// the version before it: that version and, as long as the fold of the last one does not
// hold, the one before. If these are more than derive.FoldBack, the new version gets no
// fold, and want adds only the version before it. known are the captures of the URL in the
// archive, new its captures in the batch.
func (b *batchPlan) want(w *window, known []timeline.Capture, new []*staged) {
	n, _ := slices.BinarySearchFunc(known, new[0].Time, func(c timeline.Capture, t record.Time) int { return cmp.Compare(c.Time, t) })
	first := len(w.versions)
	for n--; n >= 0; n-- {
		v := &known[n]
		if v.Change == record.ChangeSame {
			continue
		}
		if len(w.versions) == first {
			if b.wrote(v.Seg.Info.ID) && b.tails.Has(known[:n+1]) {
				return // the import has its blocks and its history in memory
			}
			if !slices.ContainsFunc(new, func(s *staged) bool { return s.ID != v.ID || s.Kind != v.Kind }) {
				return
			}
		}
		if len(w.versions) > first+derive.FoldBack {
			w.versions = w.versions[:first+1]
			return
		}
		w.versions = append(w.versions, v)
		w.bytes += max(v.Bytes, 0)
		if derive.FoldHolds(known, n) {
			return
		}
	}
}

// readEarlier reads the versions that begin with some captures into b.earlier.
func (b *batchPlan) readEarlier(ctx context.Context, captures []*timeline.Capture) error {
	versions, err := b.v.ReadVersions(ctx, captures)
	if err != nil {
		return err
	}
	b.earlier = make(map[timeline.Place]*snapshot.EarlierVersion, len(versions))
	for i := range versions {
		if versions[i].Read {
			b.earlier[captures[i].Place] = &versions[i]
		}
	}
	return nil
}
