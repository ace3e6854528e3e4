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

// An import plans its batch (the captures that it stores together) in windows, each of
// some URLs. For a window it first looks up the captures of all URLs. It then reads the
// stored versions that new versions are compared with, in the order in which they are
// stored, so that each run is decoded once for a window. Reading them URL by URL would go
// back and forth between the runs of all segments. With more segments than decoded runs in
// memory, each version would decode its run again.
const (
	// windowBytes is the size at which a window ends, in bytes of bodies of stored versions.
	windowBytes = 8 << 20
	// windowVersions is the number of versions to read, and windowCaptures the number of
	// stored captures, at which a window ends. The URL that reaches one of them is the last of
	// the window.
	windowVersions = 1 << 13
	windowCaptures = 1 << 15
)

// window is a part of a batch: some URLs, with their captures in the archive.
type window struct {
	urls     []windowURL
	captures int                 // number of captures of these URLs in the archive
	versions []*timeline.Capture // the stored versions to read, each by its first capture
	bytes    int64               // total size of the bodies of these versions, in bytes
	new      []*staged           // the captures of a URL that the archive does not have yet

	// rooms is memory for captures, which all windows of a batch use one after the other. The
	// captures of the current window fill all lists before rooms[room], and in rooms[room] the
	// first used elements.
	rooms      [][]timeline.Capture
	room, used int
}

// roomCaptures is the number of captures in each list of window.rooms. A list is longer if
// one URL has more captures. A single list for all captures would be copied each time it
// grows.
const roomCaptures = 1 << 10

// keep copies some captures of the URL with this key to w.rooms, and returns the copies. They are
// valid until the next window is opened. Their key is the argument key. The key that captures have
// is a part of a longer string, which would keep the keys of a whole chunk of the index in memory:
// with 46 segments up to 15 MB.
func (w *window) keep(captures []timeline.Capture, key string) []timeline.Capture {
	w.captures += len(captures)
	for i := range captures {
		captures[i].Key = key
	}
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

// windowURL is one URL of a window. Its new captures are batchPlan.staged[from:to].
type windowURL struct {
	from, to int
	known    []timeline.Capture // its captures in the archive, settled
	group    []timeline.Capture // if removed is set: all captures, also the removed ones, see snapshot.Looker.Group
	removed  bool               // captures of the URL were removed
	// path is how many stored versions are read to compute the fold of the first new version.
	// resume is the index in known of the earliest of them, whose stored fold should be valid.
	// resume is -1 if no version is read, or if there would be too many.
	path, resume int
}

// open fills w with the next URLs of the batch, beginning with that of staged capture number
// from, until w is full. It looks up the stored captures of these URLs, and reads the stored
// versions with which new versions are compared.
func (b *batchPlan) open(ctx context.Context, w *window, from int) error {
	*w = window{urls: w.urls[:0], versions: w.versions[:0], new: w.new, rooms: w.rooms}
	for from < len(b.staged) && w.bytes < windowBytes && len(w.versions) < windowVersions && w.captures < windowCaptures {
		to := from + 1
		for to < len(b.staged) && b.staged[to].Key == b.staged[from].Key {
			to++
		}
		known, err := b.look.At(ctx, b.staged[from].Key)
		if err != nil {
			return err
		}
		u := windowURL{from: from, to: to, known: w.keep(known, b.staged[from].Key), removed: b.look.Disturbed, resume: -1}
		if u.removed {
			u.group = w.keep(b.look.Group, b.staged[from].Key)
		} else {
			w.new = w.new[:0]
			var twins timeline.Twins
			for _, s := range b.staged[from:to] {
				if knows(&twins, u.known, &timeline.Capture{Entry: s.Entry}) == nil {
					w.new = append(w.new, s)
				}
			}
			if len(w.new) > 0 { // there are none if the file was imported before
				b.want(w, &u, w.new)
			}
		}
		w.urls = append(w.urls, u)
		from = to
	}
	b.earlier = make(map[timeline.Place]*snapshot.EarlierVersion, len(w.versions))
	for len(w.versions) > 0 {
		if err := b.readEarlier(ctx, w.versions); err != nil {
			return err
		}
		w.versions = w.versions[:0]
		b.wantMore(w)
	}
	return nil
}

// wantMore adds further versions to w.versions for each URL whose version known[resume] was read,
// but has no fold. A merge drops the fold of a version if earlier captures came in after it.
func (b *batchPlan) wantMore(w *window) {
	for i := range w.urls {
		u := &w.urls[i]
		if u.resume < 0 || w.bytes >= 2*windowBytes || len(w.versions) >= windowVersions {
			continue // the plan reads what is missing
		}
		n := u.resume
		u.resume = -1
		if e := b.earlier[u.known[n].Place]; e != nil && len(e.Fold) == 0 {
			b.wantPath(w, u, n-1)
		}
	}
}

// want adds to w.versions the stored versions that must be read to compute the folds of the
// new versions of a URL (how the blocks of a version relate to those of earlier versions).
// u is the URL, and new has those of its captures in the batch that the archive does not have yet.
//
// The stored fold of a version between two new captures is not valid, because it does not take
// account of the first of the two. So want adds all stored versions between new captures, up to
// derive.FoldBack. Reading them one by one took a seventh of an import of 24 months in any order.
func (b *batchPlan) want(w *window, u *windowURL, new []*staged) {
	b.wantFirst(w, u, new)
	known, first := u.known, len(w.versions)
	for i := 1; i < len(new); i++ {
		n := before(known, new[i].Time)
		if n < 0 || known[n].ID == new[i].ID && known[n].Kind == new[i].Kind {
			continue // the new capture begins no version
		}
		for ; n >= 0 && known[n].Time >= new[i-1].Time; n-- {
			v := &known[n]
			if v.Change == record.ChangeSame {
				continue
			}
			if len(w.versions)-first+i > derive.FoldBack {
				return // the new version gets no fold, and neither do later ones
			}
			w.versions = append(w.versions, v)
			w.bytes += max(v.Bytes, 0)
		}
	}
}

// before returns the index of the last capture of known with a time before t, or -1.
func before(known []timeline.Capture, t record.Time) int {
	n, _ := slices.BinarySearchFunc(known, t, func(c timeline.Capture, t record.Time) int { return cmp.Compare(c.Time, t) })
	return n - 1
}

// wantFirst adds to w.versions the stored versions for the fold of the first new version of a URL. It
// adds nothing if no new capture differs from the version before, or if the import still has that
// version in memory.
func (b *batchPlan) wantFirst(w *window, u *windowURL, new []*staged) {
	n := before(u.known, new[0].Time)
	for n >= 0 && u.known[n].Change == record.ChangeSame {
		n--
	}
	if n < 0 {
		return
	}
	v := &u.known[n]
	if b.wrote(v.Seg.Info.ID) && b.tails.Has(u.known[:n+1]) {
		return // the import has its blocks and its history in memory
	}
	if slices.ContainsFunc(new, func(s *staged) bool { return s.ID != v.ID || s.Kind != v.Kind }) {
		b.wantPath(w, u, n)
	}
}

// wantPath adds to w.versions the version of known[n], which is the version directly before a new
// one. If the stored fold of a version that it added is no longer valid, it also adds the version
// before that one, and so on. If it would add more than derive.FoldBack versions after the first,
// the new version gets no fold, and wantPath adds only the first. The versions that earlier calls
// for the URL added, of which there are u.path, count too.
func (b *batchPlan) wantPath(w *window, u *windowURL, n int) {
	first := len(w.versions)
	for ; n >= 0; n-- {
		v := &u.known[n]
		if v.Change == record.ChangeSame {
			continue
		}
		if u.path > derive.FoldBack {
			w.versions = w.versions[:min(len(w.versions), first+1)]
			return
		}
		w.versions = append(w.versions, v)
		w.bytes += max(v.Bytes, 0)
		if u.path++; derive.FoldHolds(u.known, n) {
			u.resume = n
			return
		}
	}
}

// readEarlier reads the versions that begin at the given captures, and adds them to
// b.earlier. It leaves out versions that cannot be read.
func (b *batchPlan) readEarlier(ctx context.Context, captures []*timeline.Capture) error {
	versions, err := b.v.ReadVersions(ctx, captures)
	if err != nil {
		return err
	}
	for i := range versions {
		if versions[i].Read {
			b.earlier[captures[i].Place] = &versions[i]
		}
	}
	return nil
}
