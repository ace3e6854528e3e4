package snapshot

import (
	"context"
	"fmt"
	"iter"

	"infomall/store/body"
	"infomall/store/derive"
	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// Payload reads the response of capture ref and checks the body against its digest. If the
// capture has no body, the result's NoBody says why. A large body is not read: the result's
// Large yields it piece by piece.
func (v *Snapshot) Payload(ctx context.Context, ref record.Ref) (record.Payload, error) {
	p, err := v.payload(ctx, ref)
	if v.skips(err) {
		return unreadable(p), nil
	}
	return p, err
}

func (v *Snapshot) payload(ctx context.Context, ref record.Ref) (record.Payload, error) {
	if err := ctx.Err(); err != nil {
		return record.Payload{}, err
	}
	s := v.Runs.Segment(ref.Segment)
	if s == nil {
		return record.Payload{}, errNoSegment(ref.Segment)
	}
	e, err := v.Runs.Entry(timeline.Place{Seg: s, Run: ref.Run, N: ref.N})
	if err != nil {
		return record.Payload{}, err
	}
	p := record.Payload{Head: e.Head, Mime: e.Mime}
	owner, where, err := v.Owner(ctx, timeline.Place{Seg: s, Run: ref.Run, N: ref.N}, e)
	if err != nil {
		return p, fmt.Errorf("body of %s at %s: %w", urlkey.URL(e.Key), e.Time.Std().Format("2006-01-02T15:04:05.999Z07:00"), err)
	}
	if owner == nil {
		p.NoBody = NoBody(e)
		return p, nil
	}
	said := &e.Page
	p.Digest = e.Digest
	if e.Body == segment.BodyNone {
		said, p.Digest = &owner.Page, owner.Digest
	}
	p.Charset, p.ReadLimit = derive.ReadWith(said)
	if said.BlockCount < 0 {
		if p.Document, err = v.reading(where, owner); err != nil {
			return p, err
		}
	}
	if p.Size = owner.Bytes; p.Size > record.LargeBody {
		p.Large = v.noting(v.Runs.Pieces(ctx, owner))
		return p, nil
	}
	p.Body, err = v.BodyIn(ctx, owner)
	if err != nil && !disk.MayPass(err) && !body.IsDamage(err) {
		err = body.OtherBody(owner, err.Error())
	}
	return p, err
}

// Head returns the status line and headers of capture ref as they were received. It returns nil
// if none are stored with the capture.
func (v *Snapshot) Head(ctx context.Context, ref record.Ref) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := v.Runs.Segment(ref.Segment)
	if s == nil {
		return nil, errNoSegment(ref.Segment)
	}
	e, err := v.Runs.Entry(timeline.Place{Seg: s, Run: ref.Run, N: ref.N})
	if err != nil {
		return nil, err
	}
	return e.Head, nil
}

// BodyIn returns the body that the entry owner itself stores. If the body is
// damaged, BodyIn returns the error. If the snapshot skips damage, BodyIn also
// records the error for Snapshot.Damage. The body must not be large.
func (v *Snapshot) BodyIn(ctx context.Context, owner *segment.Stored) ([]byte, error) {
	body, err := v.Runs.Body(ctx, owner)
	v.skips(err)
	return body, err
}

// noting yields the pairs of pieces unchanged, and records damage for Snapshot.Damage. It
// yields errors too, so that a caller can keep the part of the body before the damage.
func (v *Snapshot) noting(pieces iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for b, err := range pieces {
			v.skips(err)
			if !yield(b, err) {
				return
			}
		}
	}
}

// NoBody returns, as text for a user, the reason why the archive has no body for e.
func NoBody(e *segment.Stored) string {
	if e.RefersURL != "" {
		when := ""
		if e.RefersTime != record.NoTime {
			when = " of " + e.RefersTime.Std().Format("2006-01-02T15:04:05Z")
		}
		return "its record says that the body is that of " + e.RefersURL + when + ", which is not in this archive"
	}
	return "its record says that the body is that of an earlier capture, which is not in this archive"
}

// Owner returns the entry that stores the body of e, and that entry's place. The parameter at
// is the place of e. If e stores its own body, the result is e. The result is nil if the
// archive does not have the body.
func (v *Snapshot) Owner(ctx context.Context, at timeline.Place, e *segment.Stored) (*segment.Stored, timeline.Place, error) {
	key, id, holder := e.Key, e.ID, e.Holder
	switch e.Body {
	case segment.BodyOwn:
		return e, at, nil
	case segment.BodyElsewhere:
		key = e.HolderKey
	case segment.BodyNone:
		o, err := v.originOf(ctx, at, e)
		if err != nil || o.from.Seg == nil {
			return nil, timeline.Place{}, err
		}
		s, err := v.Runs.Entry(o.from)
		if err != nil || s.Body == segment.BodyNone {
			return nil, timeline.Place{}, err
		}
		return v.Owner(ctx, o.from, s)
	}
	if holder.Segment == 0 {
		holder.Segment = at.Seg.Info.ID
	}
	held := heldBody{key, id}
	v.mu.Lock()
	known, ok := v.owners[held]
	v.mu.Unlock()
	if ok {
		s, err := v.Runs.Entry(known)
		return s, known, err
	}
	p, err := v.ownerAmong(holder, held)
	if err != nil {
		return nil, timeline.Place{}, err
	}
	v.mu.Lock()
	if v.owners == nil || len(v.owners) >= ownersMost {
		v.owners = make(map[heldBody]timeline.Place)
	}
	v.owners[held] = p
	v.mu.Unlock()
	s, err := v.Runs.Entry(p)
	return s, p, err
}

// heldBody identifies a body that is stored at another capture: the ID of the body,
// and the key of that capture's URL.
type heldBody struct {
	key string
	id  segment.ID
}

// ownersMost is the largest number of bodies of which a snapshot remembers the
// entry that stores the body.
const ownersMost = 1 << 16

// ownerAmong returns the place of the entry that stores a body. It looks first where
// holder says, then in all segments. The error is body.ErrMissing if no segment has it.
func (v *Snapshot) ownerAmong(holder segment.Holder, held heldBody) (timeline.Place, error) {
	if h := v.Runs.Segment(holder.Segment); h != nil {
		if holder.Placed && int(holder.Run) < h.Info.Runs {
			p := timeline.Place{Seg: h, Run: holder.Run, N: holder.N}
			if e, err := v.Runs.Entry(p); err == nil && e.Body == segment.BodyOwn && e.ID == held.id && e.Key == held.key {
				return p, nil
			}
		}
		if p, err := v.ownerIn(h, held.key, held.id); p.Seg != nil || err != nil {
			return p, err
		}
	}
	// The segment holder was merged into another segment since, or the entry named
	// no holder.
	for _, i := range v.Whole().Segments {
		h := v.Runs.Reader(i)
		if i.ID == holder.Segment || !h.MayHave(held.key) {
			continue
		}
		if p, err := v.ownerIn(h, held.key, held.id); p.Seg != nil || err != nil {
			return p, err
		}
	}
	return timeline.Place{}, body.ErrMissing
}

// ownerIn returns the place in segment s of the entry that stores the body with this
// ID, at the URL with this key. The place has no segment if there is no such entry
// in s.
func (v *Snapshot) ownerIn(s *segment.Reader, key string, id segment.ID) (timeline.Place, error) {
	c := NewCursor(s, 0, v)
	c.skips = noSkip
	defer c.Close()
	if err := c.Seek(key); err != nil || c.End || c.Key() != key {
		return timeline.Place{}, err
	}
	group, err := c.Group(nil)
	if err != nil {
		return timeline.Place{}, err
	}
	for i := range group {
		if g := &group[i]; g.Body == segment.BodyOwn && g.ID == id {
			return g.Place, nil
		}
	}
	return timeline.Place{}, nil
}

// LookupRaw returns the captures of the URL with this key, from all pools, as they
// are stored. It includes hidden captures (removed, but still in a file) from which
// others take their bodies; their field Hidden is set.
func (v *Snapshot) LookupRaw(ctx context.Context, key string) ([]timeline.Capture, error) {
	return v.lookupRaw(ctx, key, record.ColBytes)
}

// lookupRaw does what LookupRaw does, and reads only the given columns of the index.
func (v *Snapshot) lookupRaw(ctx context.Context, key string, columns record.Columns) ([]timeline.Capture, error) {
	var out []timeline.Capture
	for _, i := range v.Pin.Segments {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := v.Runs.Reader(i)
		if !s.MayHave(key) {
			continue
		}
		c := newCursorOn(key, s, wants(columns), v)
		c.skips = noSkip
		err := c.Seek(key)
		if err == nil && !c.End && c.Key() == key {
			out, err = c.Group(out)
		}
		c.Close()
		if err != nil {
			return nil, err
		}
	}
	return v.mark(out)
}
