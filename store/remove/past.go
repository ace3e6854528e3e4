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

// knownMost is how many snapshots of earlier times, made by knownAt, a deletion keeps in memory.
const knownMost = 256

// knownAt returns d.v as it was known at time t: a snapshot without the captures that were added
// to the archive after t.
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

// before marks as needed the deleted captures from which 304 captures had their bodies at
// earlier times. A 304 that does not say which capture it confirms has the body of the capture
// before it, and at an earlier time another capture may have been before it.
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

// earlier marks as needed the deleted captures to which the chain of revisits that begins at e
// led at earlier times.
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

// walkedAt identifies a deleted capture that the method revisit has reached when it followed a
// chain of revisits in the archive as it was known at one time.
type walkedAt struct {
	at   timeline.Place // place of the deleted capture
	time record.Time    // the time at which the archive was known
}
