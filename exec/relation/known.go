package relation

import "infomall/store/record"

// Remembering is a Snapshot that knows when its captures were added.
type Remembering interface {
	Snapshot
	// KnownAt returns a snapshot that shows only the captures that were added at time t or
	// before it, and the results that were finished by then. It is a part of this one: it
	// is valid until this one is closed, and need not be closed. Call Hide before.
	KnownAt(t record.Time) Snapshot
}

// KnownAt returns snap as it was known at time t, or snap itself if t is 0. A snapshot that
// is not Remembering has had all its captures from the beginning.
func KnownAt(snap Snapshot, t record.Time) Snapshot {
	if r, ok := snap.(Remembering); ok && t != 0 {
		return r.KnownAt(t)
	}
	return snap
}

// knownAt returns the Reader that reads what n asks for: r itself, or one of the captures that
// n knows. Such a Reader has the notes of r, and caches of its own.
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

// note adds notes for the user.
func (r *Reader) note(notes ...string) {
	for r.of != nil {
		r = r.of
	}
	r.Notes = append(r.Notes, notes...)
}

// heard reports whether what happened at time t was known at the time for which r reads.
func (r *Reader) heard(t record.Time) bool { return r.known == 0 || t <= r.known }

// FollowsKnown reports whether r can be asked KNOWN AT: its rows are made from captures or
// results, and not from what the archive is now.
func (r *Relation) FollowsKnown() bool { return r.Scoped || r.Results != "" || r.ByUnit }
