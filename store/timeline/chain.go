// Package timeline orders the captures of one URL and reports how each differs from the one
// before it. It reads no files: the caller gives it the captures and their places.
//
// # Words
//
//	place     where a capture is stored: its segment, its run, and its number there
//	hints     how a capture differs from the one before it: Change, Previous, VersionTime
//	settle    to order a URL's captures, drop duplicates and correct their hints
//	hidden    removed by DELETE or DROP, but still in a file until a merge
//	original  the capture from which a revisit has its body
//	bare 304  a "304 Not Modified" answer that does not say which capture it confirms
//	batch     the captures that an import has in memory and will publish together
package timeline

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"infomall/store/record"
	"infomall/store/segment"
)

// Capture is one capture: its index entry and the place where that entry is stored. The place of
// a capture that is being imported has no segment yet.
type Capture struct {
	segment.Entry
	Place
	// From is the place of the entry that stores the body of this capture. It is set only if
	// Resolved is set.
	From     Place
	Original *Original // the original of this revisit; nil if the capture needs none or it was not found
	Resolved bool      // the entry has no body of its own, and its body was found at From
	// AsBefore is set for a bare 304 to which Settle or SettleVisible gave the body of the
	// capture before it. If more captures of the URL are added, another capture may be before
	// the 304, so its body is then looked up again.
	AsBefore bool
	// ByHidden is set for a bare 304 if the capture whose body it has was removed. There may
	// be other bare 304s between the two.
	ByHidden bool
	// ownID is the ID that a 304 had before isAs gave it the ID of the capture
	// before it. It is zero if the 304 still has its own ID.
	ownID segment.ID
	// Unknown is set if this capture has the body of an earlier capture, and that capture is
	// in a pool that the current scan does not read. The field ID is then meaningless.
	Unknown bool
	// Unread is set if the original of this revisit was not found because of damage, and the
	// reader skips damage. Doubt is set if the hints of this capture may be wrong because the
	// original of the capture before it was not found. Both say what is damaged.
	Unread, Doubt error
	// Hidden is the number of the catalogue generation that removed the capture, or 0 if the
	// capture was not removed.
	Hidden uint64
	// AsWritten is set if the writer of the segment compared this capture with the same
	// version that is before it now. The stored Sense of the capture is valid only then.
	AsWritten bool
	// Later is set if the capture was added to the archive after the time that the snapshot
	// shows (see snapshot.KnownAt). Such a capture is dropped before Settle is called.
	Later bool
}

// sees reports whether e may have its body from capture p. It may if p was not
// removed, or if e was imported before p was removed.
func (e *Capture) sees(p *Capture) bool {
	return p.Hidden == 0 || e.Seg != nil && e.Seg.Info.Born < p.Hidden
}

// Same reports whether e and o, captures of one URL, are the same capture imported
// twice. For two 304s it does not compare the bodies that they have from the
// captures before them, because these bodies depend on what else is in the archive.
func (e *Capture) Same(o *Capture) bool {
	return e.Entry.Same(&o.Entry) ||
		e.Via == record.ViaNotModified && o.Via == record.ViaNotModified && e.Time == o.Time && e.Status == o.Status && e.named() == o.named()
}

// named returns the ID that is stored with e. e.ID is another one if e is a bare 304 to which
// isAs gave the ID of the capture before it.
func (e *Capture) named() segment.ID {
	if e.ownID != (segment.ID{}) {
		return e.ownID
	}
	return e.ID
}

// Place is where an entry is stored: its segment, its run in the segment, and its number in the
// run. If the entry belongs to a batch that is being imported, Seg is nil, Run is 0 and N is the
// index of the entry in the batch.
type Place struct {
	Seg *segment.Reader
	Run uint32
	N   uint32
}

// Holder returns p as a segment.Holder: the form in which an entry stores the place of another
// entry that has its body.
func (p Place) Holder() segment.Holder {
	return segment.Holder{Segment: p.Seg.Info.ID, Placed: true, Run: p.Run, N: p.N}
}

// BodyAt returns the place of the entry that has e's body.
func (e *Capture) BodyAt() Place {
	if e.Resolved {
		return e.From
	}
	return e.Place
}

// HasBody reports whether e has a body, either its own or the body of another
// capture. The caller must have settled e before (see Settle).
func (e *Capture) HasBody() bool { return e.Body != segment.BodyNone || e.Bytes >= 0 }

// ChangeOf returns how capture e differs from p, the capture before it at its URL. If several
// kinds of change apply, it returns the first one in the order of the switch below, which is the
// order in the language's manual. Two pages with the same leaves (blocks with text) differ only
// in their layout. ChangeOf reads only the fields Kind, ID and Content.
func ChangeOf(p, e *segment.Entry) record.Change {
	k, id := e.Kind, e.ID
	lost := func(k record.Kind) bool { return k == record.KindMissing || k == record.KindSoftMissing }
	switch {
	case p.Kind == k && p.ID == id:
		return record.ChangeSame
	case lost(k) && !lost(p.Kind):
		return record.ChangeGone
	case k == record.KindPage && lost(p.Kind):
		return record.ChangeBack
	case p.Kind != k:
		return record.ChangeKind
	case k == record.KindPage && p.Content != 0 && p.Content == e.Content:
		return record.ChangeLayout
	default:
		return record.ChangeChanged
	}
}

// Follow sets the hints of e (Previous, VersionTime, PreviousVersion and Change) for
// a capture directly after p. p is nil if e is the first capture of its URL.
func Follow(p, e *segment.Entry) {
	e.Previous, e.PreviousVersion, e.VersionTime, e.Change = record.NoTime, record.NoTime, e.Time, record.ChangeFirst
	if p == nil {
		return
	}
	e.Previous = p.Time
	e.Change = ChangeOf(p, e)
	if e.Change == record.ChangeSame {
		e.VersionTime, e.PreviousVersion = p.VersionTime, p.PreviousVersion
	} else {
		e.PreviousVersion = p.VersionTime
	}
}

// Settle orders the captures of one URL by time, drops duplicates, and corrects the
// hints (Previous, VersionTime, PreviousVersion and Change). The result shares the
// memory of all. If captures of pools that were not opened are missing from all, a
// hint that points to one of them stays unchanged.
func Settle(all []Capture) []Capture {
	if len(all) == 1 && !AsBefore(&all[0]) {
		return all
	}
	for i := 1; i < len(all); i++ { // mostly they are in order
		if all[i].Less(&all[i-1].Entry) {
			sort.SliceStable(all, func(i, j int) bool { return all[i].Less(&all[j].Entry) })
			break
		}
	}
	out := all[:0]
	var twins Twins
	begin := 0 // index in out of the capture with which the current version begins
	for i := range all {
		if len(out) < i {
			all[len(out)] = all[i] // duplicates before it were dropped
		}
		e := &all[len(out)]
		if twins.Of(out, e) >= 0 {
			continue
		}
		written := e.Entry
		var p *Capture
		if len(out) > 0 && out[len(out)-1].Time >= e.Previous {
			p = &out[len(out)-1]
		}
		switch {
		case p == nil:
			// A 304 that only refers to the capture before, and that capture is not
			// in all.
			e.Unknown = AsBefore(e) && e.Previous != record.NoTime
		case AsBefore(e):
			e.isAs(p)
			e.follow(p)
		case p.Unknown:
			// p has the body of a capture that is not in all. e's hints compare it
			// with that capture, or with a later one that has the same body: if
			// another capture lay between, its pool would have been opened.
			e.Previous = p.Time
			if e.Change == record.ChangeSame {
				e.VersionTime, e.PreviousVersion = p.VersionTime, p.PreviousVersion
			} else {
				e.PreviousVersion = p.VersionTime
			}
		default:
			e.follow(p)
		}
		if p != nil {
			e.AsWritten = !p.Unknown && e.comparedWith(&written, out, begin)
			if e.Sense = record.SenseUnknown; e.AsWritten {
				e.Sense = written.Sense
			}
		}
		if p == nil || e.Change != record.ChangeSame {
			begin = len(out)
		}
		out = all[:len(out)+1]
	}
	return out
}

// comparedWith reports whether e was compared with the version before[begin] when e's segment
// was written. before has the captures before e, and before[begin] is the first capture of the
// last version. written is e with the hints that are stored in the segment. The result is false
// if another capture has the same time as before[begin], because e may have been compared with
// that capture.
func (e *Capture) comparedWith(written *segment.Entry, before []Capture, begin int) bool {
	v := &before[begin]
	switch {
	case e.Seg == nil || v.Seg == nil || v.Seg.Info.Newer(e.Seg.Info):
		return false
	case e.Resolved || v.Resolved || e.Change != written.Change || written.PreviousVersion != v.Time:
		return false
	}
	twin := func(i int) bool { return i >= 0 && i < len(before) && before[i].Time == v.Time }
	return !twin(begin-1) && !twin(begin+1) && e.Time != v.Time
}

// follow sets the hints of e by comparing it with p, the capture before it. It also sets e.Doubt
// if the hints may be wrong because a capture is damaged.
func (e *Capture) follow(p *Capture) {
	Follow(&p.Entry, &e.Entry)
	if e.Doubt = p.Unread; e.Doubt == nil && e.Change == record.ChangeSame {
		e.Doubt = p.Doubt
	}
}

// isAs gives e, a bare 304, the body and the kind of the earlier capture p, which e confirms.
func (e *Capture) isAs(p *Capture) {
	e.ownID = e.named()
	e.ID, e.Content, e.Kind, e.Bytes = p.ID, p.Content, p.Kind, p.Bytes
	e.Resolved, e.AsBefore, e.Unknown, e.From, e.Original = true, true, p.Unknown, p.BodyAt(), p.Original
	e.Unread = p.Unread
}

// SettleVisible settles all captures of one URL, some of which are hidden (removed,
// but still in a file), and returns the others in order of time. A returned capture
// that has its body from a hidden capture keeps that body. The hints are as if the
// hidden captures had never existed.
func SettleVisible(all []Capture) []Capture {
	sort.SliceStable(all, func(i, j int) bool { return all[i].Less(&all[j].Entry) })
	kept := all[:0]
	var twins Twins
	for i := range all {
		e := all[i]
		j := twins.Of(kept, &e)
		if j >= 0 && (kept[j].Hidden == 0 || e.Hidden != 0) {
			if kept[j].Hidden != 0 && kept[j].Hidden < e.Hidden {
				kept[j] = e // it was removed twice: its state at the second removal counts
				twins = Twins{}
			}
			continue
		}
		if j >= 0 {
			kept = slices.Delete(kept, j, j+1) // it was imported again after it was removed
			twins = Twins{}
		}
		kept = append(kept, e)
	}
	for i := range kept {
		if AsBefore(&kept[i]) {
			settleBody(kept[:i], &kept[i])
		}
	}
	out := kept[:0]
	for i := range kept {
		e := kept[i]
		if e.Hidden != 0 {
			continue
		}
		if n := len(out); n > 0 {
			e.follow(&out[n-1])
		} else {
			Follow(nil, &e.Entry)
		}
		e.Sense, e.AsWritten = record.SenseUnknown, false
		out = append(out, e)
	}
	return out
}

// settleBody gives e, a bare 304, the body of the last capture in before that Capture.sees
// allows. before has the captures before e, in order of time. If no capture is allowed, e gets
// no body. It looks from the last capture to the first. A hidden capture is one that was
// deleted and is still in the files. After a hidden capture without a body, settleBody skips all
// hidden captures: before the deletion, e followed the capture without a body, so that e has
// never had a body from them.
func settleBody(before []Capture, e *Capture) {
	passed := false
	for i := len(before) - 1; i >= 0; i-- {
		p := &before[i]
		if !e.sees(p) || passed && p.Hidden != 0 {
			continue
		}
		if p.Hidden != 0 && !p.HasBody() {
			passed = true
			continue
		}
		e.isAs(p)
		// If p is hidden, a capture that arrives between them later changes
		// nothing: e keeps p's body.
		e.AsBefore = p.Hidden == 0
		e.ByHidden = p.Hidden != 0 || p.ByHidden
		return
	}
	e.Kind, e.Bytes = record.KindOf(int(e.Status), false), -1
}

// AsBefore reports whether e is a bare 304, or a 304 that confirms a capture that the archive
// does not have. e then has the body of the capture before it at its URL.
func AsBefore(e *Capture) bool {
	return e.Via == record.ViaNotModified && e.Body == segment.BodyNone && e.Unread == nil && (!e.Resolved || e.AsBefore)
}

// ComparePlaces orders places as they are stored: by segment, run and number. Both
// must have a segment. The result is negative if p comes first.
func ComparePlaces(p, q Place) int {
	return cmp.Or(cmp.Compare(p.Seg.Info.ID, q.Seg.Info.ID), cmp.Compare(p.Run, q.Run), cmp.Compare(p.N, q.N))
}

// Ref returns p as a record.Ref, by which callers of the archive refer to a capture.
// The place must have a segment.
func (p Place) Ref() record.Ref { return record.Ref{Segment: p.Seg.Info.ID, Run: p.Run, N: p.N} }

// NoPlace means that there is no place. The zero Place cannot mean that, because it is the place
// of the first capture of a batch.
var NoPlace = Place{N: math.MaxUint32}

// Takes sets the fields of e, a revisit, that a revisit takes from its original o: those about
// its body, its status, its kind and its MIME type.
func (e *Capture) Takes(o *Original) {
	e.ID, e.Content, e.Bytes = o.ID, o.Content, o.Bytes
	e.Status, e.Kind, e.Mime = o.Status, o.Kind, o.Mime
	e.Resolved, e.AsBefore, e.Unknown, e.From, e.Original, e.ownID = true, false, false, o.From, o, segment.ID{}
}
