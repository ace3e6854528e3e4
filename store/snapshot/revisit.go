package snapshot

import (
	"context"

	"infomall/store/derive"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/segment"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// resolve finds the bodies of those revisits in group that are stored without a body because
// their originals (the captures that have the bodies) were imported after them. It sets the
// fields of these captures. It leaves out 304s that refer to no capture; timeline.Settle gives
// these a body.
func (v *Snapshot) resolve(ctx context.Context, group []timeline.Capture) error {
	o := v.Originals()
	for i := range group {
		e := &group[i]
		if e.Body != segment.BodyNone {
			continue
		}
		of, err := o.Of(ctx, e)
		if v.maySkip(err) {
			e.Unread = err
		} else if err != nil {
			return err
		}
		switch {
		case of != nil:
			e.Takes(of)
		case err == nil && v.known != nil && !timeline.AsBefore(e):
			if err := v.without(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// without sets the kind and the size of e to those of a revisit whose body the archive does not
// have. This is needed because a merge may have stored, in e, the kind and the size of an
// original that was added later.
func (v *Snapshot) without(e *timeline.Capture) error {
	s, err := v.Runs.Entry(e.Place)
	if v.skips(err) {
		return nil
	}
	if err == nil {
		e.Kind, e.Bytes = record.KindOf(int(s.Status), s.Location != ""), -1
	}
	return err
}

// origin says from which entry a capture has its body if it is stored without one.
type origin struct {
	from     timeline.Place     // place of the entry that has the body; without a segment if the archive does not have the body
	original *timeline.Original // what the capture takes from that entry; nil if the capture only has the body of the capture before it
}

// originFrom returns the origin of e's body: the entry that stores the body. e must have been
// settled (see timeline.Settle).
func originFrom(e *timeline.Capture) origin { return origin{e.BodyAt(), e.Original} }

// originOf returns the origin of the body of e, which is stored at a place without a
// body. If the archive does not have the body, the place in the result has no
// segment.
func (v *Snapshot) originOf(ctx context.Context, at timeline.Place, e *segment.Stored) (origin, error) {
	o := v.Originals()
	own := &timeline.Capture{Entry: e.Entry, Place: at}
	of, err := o.Of(ctx, own)
	if err != nil {
		return origin{}, err
	}
	if of != nil {
		return origin{of.From, of}, nil
	}
	o.mu.Lock()
	out, ok := o.seen[at]
	o.mu.Unlock()
	if ok {
		return out, nil
	}
	// Its body may be that of the capture before, or the same capture may be stored
	// elsewhere too.
	group, err := v.Lookup(ctx, e.Key)
	if err != nil {
		return origin{}, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.seen)+len(group) > foundMost {
		clear(o.seen)
	}
	for i := range group {
		g := &group[i]
		if g.Unread != nil {
			if g.Place == at {
				return origin{}, g.Unread
			}
			continue
		}
		has := g.Resolved || g.Body != segment.BodyNone
		if g.Body == segment.BodyNone {
			if has {
				o.seen[g.Place] = originFrom(g)
			} else {
				o.seen[g.Place] = origin{}
			}
		}
		if has && g.Place != at && g.Same(own) {
			out = originFrom(g)
		}
	}
	if known, ok := o.seen[at]; ok {
		return known, nil
	}
	o.seen[at] = out
	return out, nil
}

// pageFrom returns what the page of a capture without a body of its own says (its title,
// charset and so on). The parameter at says at which entry the body is. The result is
// segment.NoPage if the archive does not have the body.
func (v *Snapshot) pageFrom(ctx context.Context, at origin) (segment.Page, error) {
	if at.original != nil {
		return v.Originals().page(ctx, at.original)
	}
	if at.from.Seg == nil {
		return segment.NoPage, nil
	}
	s, err := v.Runs.Entry(at.from)
	if err != nil {
		return segment.NoPage, err
	}
	return s.Page, nil
}

// origin returns the origin of the body of e, a capture of a scan that is stored without a
// body. The error is e.Unread if the body was not found because of damage.
func (o *batcher) origin(e *timeline.Capture) (origin, error) {
	if e.Unread != nil {
		return origin{}, e.Unread
	}
	if e.Resolved && !e.Unknown {
		return originFrom(e), nil
	}
	s, err := o.v.Runs.Entry(e.Place)
	if err != nil {
		return origin{}, err
	}
	return o.v.originOf(o.ctx, e.Place, s)
}

// Complete fills in those fields of the stored revisit e that come from its
// original, the capture with the body. l is the same revisit after it was
// settled. owner is the entry that stores the body.
func (v *Snapshot) Complete(ctx context.Context, e *segment.Stored, l *timeline.Capture, owner *segment.Stored) (err error) {
	e.ID, e.Digest, e.Bytes, e.Content = l.ID, owner.Digest, l.Bytes, l.Content
	e.Status, e.Kind, e.Mime = l.Status, l.Kind, l.Mime
	if e.Location, err = v.locationOf(e, l.Original); err != nil {
		return err
	}
	e.Page, err = v.pageFrom(ctx, originFrom(l))
	return err
}

// locationOf returns the URL to which revisit e redirects; "" if it does not
// redirect. The parameter of is the original of e. If the revisit has no
// headers, the headers of its original count.
func (v *Snapshot) locationOf(e *segment.Stored, of *timeline.Original) (string, error) {
	if of == nil || len(e.Head) > 0 || of.Head == timeline.NoPlace {
		return e.Location, nil
	}
	s, err := v.Originals().Stored(of.Head)
	if err != nil {
		return "", err
	}
	if headless(s) {
		return s.Location, nil // a state has the location that the headers named
	}
	return derive.Location(urlkey.URL(e.Key), message.Header(s.Head, "Location")), nil
}
