package store

import (
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
	resolved bool
	// before: the body is that of the capture before, which another may become
	// when more captures are settled together with this one.
	before bool
	// unknown: the body is as it was in a capture before that this reading
	// does not see, so the ID says nothing.
	unknown bool
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

// takes makes e, a revisit, a capture of the body of o. One without a head of
// its own had the original's.
func (e *located) takes(o *segment.Stored, head bool) {
	e.ID, e.Content, e.Bytes, e.resolved = o.ID, o.Content, o.Bytes, true
	e.Kind = kindOfBody(e.Kind, o.Kind)
	if !head {
		e.Status, e.Kind, e.Mime = o.Status, o.Kind, o.Mime
	}
}

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
		if twice(out, &e) {
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
			e.ID, e.Content, e.Kind, e.Bytes = p.ID, p.Content, p.Kind, p.Bytes
			e.resolved, e.before, e.unknown, e.from = true, true, p.unknown, p.body()
			follow(&p.Entry, &e.Entry)
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
			follow(&p.Entry, &e.Entry)
		}
		out = append(out, e)
	}
	return out
}

// asBefore reports whether e is a 304 that names no other capture which is
// here: its body is that of the capture before, whichever that is.
func asBefore(e *located) bool {
	return e.Via == record.ViaNotModified && e.Body == segment.BodyNone && (!e.resolved || e.before)
}

// twice reports whether e came in already: the captures before it with the
// same time are at the end of out.
func twice(out []located, e *located) bool {
	for i := len(out) - 1; i >= 0 && out[i].Time == e.Time; i-- {
		if out[i].Same(&e.Entry) {
			return true
		}
	}
	return false
}
