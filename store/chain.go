package store

import (
	"slices"
	"sort"

	"infomall/store/record"
	"infomall/store/segment"
)

// located is an entry and where it lies. New captures on their way in have no
// segment yet.
type located struct {
	segment.Entry
	place
	// from is the entry that has the body of a revisit which names none itself
	// and was resolved while reading.
	from     place
	original *original // of a revisit that was resolved so
	resolved bool
	// before: the body is that of the capture before, which another may become
	// when more captures are settled together with this one.
	before bool
	// unknown: the body is as it was in a capture before that this reading
	// does not see, so the ID says nothing.
	unknown bool
	// unread is the damage that keeps the original of a revisit from being found, if
	// damage is skipped. doubt is the damage because of which the hints may be wrong:
	// the capture before is unread.
	unread, doubt error
	// hidden is the generation that removed the capture; 0 where none did.
	hidden uint64
}

// sees reports whether e was in the archive when p was, as is needed for e's
// body to be p's: what came in after p was removed knows nothing of p.
func (e *located) sees(p *located) bool {
	return p.hidden == 0 || e.seg != nil && e.seg.Info.Born < p.hidden
}

// place is where an entry lies.
type place struct {
	seg *segment.Reader
	run uint32
	n   uint32
}

// body is the place of the entry that has e's body.
func (e *located) body() place {
	if e.resolved {
		return e.from
	}
	return e.place
}

// hasBody reports whether e, which was settled, has a body.
func (e *located) hasBody() bool { return e.Body != segment.BodyNone || e.Bytes >= 0 }

// changeOf says how capture e differs from p, the one before it at its URL. The
// first that fits, as the language's manual lists. Two pages with the same
// leaves differ in their layout only.
func changeOf(p, e *segment.Entry) record.Change {
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

// follow sets e's hints for a capture that comes right after p; p is nil for
// the first of its URL.
func follow(p, e *segment.Entry) {
	e.Previous, e.PreviousVersion, e.VersionTime, e.Change = record.NoTime, record.NoTime, e.Time, record.ChangeFirst
	if p == nil {
		return
	}
	e.Previous = p.Time
	e.Change = changeOf(p, e)
	if e.Change == record.ChangeSame {
		e.VersionTime, e.PreviousVersion = p.VersionTime, p.PreviousVersion
	} else {
		e.PreviousVersion = p.VersionTime
	}
}

// settle orders the captures of one URL, drops those that came in twice, and
// makes hints right. all may lack captures of pools that were not opened; a
// hint that points to one of those is believed.
func settle(all []located) []located {
	if len(all) == 1 && !asBefore(&all[0]) {
		return all
	}
	less := func(i, j int) bool { return all[i].Less(&all[j].Entry) }
	if !sort.SliceIsSorted(all, less) {
		sort.SliceStable(all, less)
	}
	out := all[:0]
	for i := range all {
		e := all[i]
		if twin(out, &e) >= 0 {
			continue
		}
		var p *located
		if len(out) > 0 && out[len(out)-1].Time >= e.Previous {
			p = &out[len(out)-1]
		}
		switch {
		case p == nil:
			// A capture that only says "as before", and what was before is
			// not seen here.
			e.unknown = asBefore(&e) && e.Previous != record.NoTime
		case asBefore(&e):
			e.isAs(p)
			e.follow(p)
		case p.unknown:
			// p is as some capture that is not seen here. e's hints are by
			// that one, or by another that is as it: what came between these
			// and e later than e is opened, and would be known.
			e.Previous = p.Time
			if e.Change == record.ChangeSame {
				e.VersionTime, e.PreviousVersion = p.VersionTime, p.PreviousVersion
			} else {
				e.PreviousVersion = p.VersionTime
			}
		default:
			e.follow(p)
		}
		out = append(out, e)
	}
	return out
}

// follow sets e's hints for a capture that comes right after p.
func (e *located) follow(p *located) {
	follow(&p.Entry, &e.Entry)
	if e.doubt = p.unread; e.doubt == nil && e.Change == record.ChangeSame {
		e.doubt = p.doubt
	}
}

// isAs gives e, a 304 that names no other capture, the body of the one before.
func (e *located) isAs(p *located) {
	e.ID, e.Content, e.Kind, e.Bytes = p.ID, p.Content, p.Kind, p.Bytes
	e.resolved, e.before, e.unknown, e.from, e.original = true, true, p.unknown, p.body(), p.original
	e.unread = p.unread
}

// settleVisible settles all captures of one URL, among which there are hidden
// ones, and gives the others. These are as they were, bodies included; how they
// stand to each other is as if those hidden had never been.
func settleVisible(all []located) []located {
	sort.SliceStable(all, func(i, j int) bool { return all[i].Less(&all[j].Entry) })
	kept := all[:0]
	for i := range all {
		e := all[i]
		j := twin(kept, &e)
		if j >= 0 && (kept[j].hidden == 0 || e.hidden != 0) {
			if kept[j].hidden != 0 && kept[j].hidden < e.hidden {
				kept[j] = e // it was removed twice: how it was the second time counts
			}
			continue
		}
		if j >= 0 {
			kept = slices.Delete(kept, j, j+1) // it came in again after it was removed
		}
		kept = append(kept, e)
	}
	for i := range kept {
		if asBefore(&kept[i]) {
			settleBody(kept[:i], &kept[i])
		}
	}
	out := kept[:0]
	for i := range kept {
		e := kept[i]
		if e.hidden != 0 {
			continue
		}
		if n := len(out); n > 0 {
			e.follow(&out[n-1])
		} else {
			follow(nil, &e.Entry)
		}
		out = append(out, e)
	}
	return out
}

// settleBody finds the body of e, a 304 that names no other capture, among
// those before it at its URL.
func settleBody(before []located, e *located) {
	for i := len(before) - 1; i >= 0; i-- {
		if p := &before[i]; e.sees(p) {
			e.isAs(p)
			// Whatever comes between them later: p is no more, and e was as p.
			e.before = p.hidden == 0
			return
		}
	}
	e.Kind, e.Bytes = record.KindOf(int(e.Status), false), -1
}

// asBefore reports whether e is a 304 that names no other capture which is
// here: its body is that of the capture before, whichever that is.
func asBefore(e *located) bool {
	return e.Via == record.ViaNotModified && e.Body == segment.BodyNone && e.unread == nil && (!e.resolved || e.before)
}

// twin gives where in out the capture e stands already, -1 if it does not: the
// captures before it with the same time are at the end of out.
func twin(out []located, e *located) int {
	for i := len(out) - 1; i >= 0 && out[i].Time == e.Time; i-- {
		if out[i].Same(&e.Entry) {
			return i
		}
	}
	return -1
}
