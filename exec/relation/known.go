package relation

import "infomall/store/record"

// Remembering is a Snapshot that knows when each of its captures was added to the archive.
type Remembering interface {
	Snapshot
	// KnownAt returns a snapshot that shows only the captures that were added at time t or before,
	// and the results that were finished by then. It is valid until the snapshot from which it was
	// made is closed, and need not be closed itself. Call Hide first, if at all.
	KnownAt(t record.Time) Snapshot
}

// KnownAt returns a snapshot that shows what the archive had at time t. It returns snap itself if t
// is 0 or snap does not know when its captures were added.
func KnownAt(snap Snapshot, t record.Time) Snapshot {
	if r, ok := snap.(Remembering); ok && t != 0 {
		return r.KnownAt(t)
	}
	return snap
}

// knownAt returns the Reader that reads what n asks for: r itself, or, if n has KNOWN AT, a Reader
// that sees only what had been added by that time. That Reader adds its notes to those of r, and
// has its own caches.
func (r *Reader) knownAt(n *Request) *Reader {
	if n.Known == 0 || r.Snapshot == nil || r.known != 0 && r.known <= n.Known {
		return r
	}
	if known := r.byKnown[n.Known]; known != nil {
		return known
	}
	known := &Reader{
		Snapshot: KnownAt(r.Snapshot, n.Known), History: r.History, Crawls: r.Crawls, Jobs: r.Jobs, Schedules: r.Schedules, Rules: r.Rules,
		Revisits: r.Revisits, Memory: r.Memory, Watch: r.Watch, Plain: r.Plain, Quiet: r.Quiet, known: n.Known, of: r,
	}
	if r.byKnown == nil {
		r.byKnown = make(map[record.Time]*Reader)
	}
	r.byKnown[n.Known] = known
	return known
}

// note adds notes for the user to the Reader from which r was made, or to r itself.
func (r *Reader) note(notes ...string) {
	for r.of != nil {
		r = r.of
	}
	r.Notes = append(r.Notes, notes...)
}

// heard reports whether r may show an event of time t: whether it lies at or before the time of
// KNOWN AT.
func (r *Reader) heard(t record.Time) bool { return r.known == 0 || t <= r.known }

// FollowsKnown reports whether a query of r may have KNOWN AT. That requires rows that are made
// from captures or results, not from the present state of the archive.
func (r *Relation) FollowsKnown() bool { return r.Scoped || r.Results != "" || r.ByUnit }
