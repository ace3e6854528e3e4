package remove

import (
	"context"
	"maps"
	"slices"

	"infomall/store/catalog"
	"infomall/store/record"
	"infomall/store/snapshot"
	"infomall/store/timeline"
)

// This file finds the deleted captures from which others had their bodies at an earlier time.
// KNOWN AT asks for such a time: a revisit may have another body now, because a capture came
// in later that it takes in place of the deleted one.

// knownMost is how many snapshots of earlier times a Delete remembers.
const knownMost = 256

// knownAt returns a snapshot that shows the captures that were added at time t or earlier.
func (d *deletion) knownAt(t record.Time) *snapshot.Snapshot {
	if v := d.known[t]; v != nil {
		return v
	}
	if d.known == nil || len(d.known) >= knownMost {
		d.known = make(map[record.Time]*snapshot.Snapshot)
	}
	d.known[t] = d.v.KnownAt(t)
	return d.known[t]
}

// before records as needed the deleted captures from which 304s had their bodies at earlier
// times. A 304 that names no other capture has the body of the capture before it, and that may
// have been another capture then.
func (d *deletion) before(ctx context.Context) error {
	for _, key := range slices.Sorted(maps.Keys(d.keys)) {
		times, err := d.changes.In(ctx, key)
		if err != nil {
			return err
		}
		for _, t := range times {
			v := d.knownAt(t)
			if v == d.v {
				continue // url has looked at that
			}
			all, err := v.Lookup(ctx, key)
			if err != nil {
				return err
			}
			for i := len(all) - 1; i > 0; i-- {
				e, p := &all[i], &all[i-1]
				if !timeline.AsBefore(e) || d.hide[e.Place] && d.needed[e.Place] == catalog.NeedNone {
					continue
				}
				if e.HasBody() {
					d.needAll(key, e.ID, d.bodies[e.ID], e.Place)
				}
				if d.hide[p.Place] {
					d.need(p.Place, e.Place)
				}
			}
		}
	}
	return nil
}

// earlier records as needed the deleted captures in the chains of originals that revisit e had
// at earlier times.
func (d *deletion) earlier(ctx context.Context, e *timeline.Capture) error {
	s, err := d.v.Runs.Entry(e.Place)
	if err != nil || s.DeclaredDigest == "" && s.RefersURL == "" {
		return err
	}
	times, hidden, err := d.changes.Of(ctx, e.Place)
	if err != nil || !hidden {
		return err
	}
	for _, t := range times {
		if v := d.knownAt(t); v != d.v {
			if err := d.revisit(ctx, v.Originals(), t, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// walkedAt identifies a deleted capture that was reached from a revisit, in the archive as it
// was known at a time.
type walkedAt struct {
	at   timeline.Place
	time record.Time
}
