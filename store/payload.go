package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"time"

	"infomall/store/block"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/urlkey"
)

// meta reads the meta frame of a run.
func (v *Snapshot) meta(s *segment.Reader, n uint32) (*segment.Meta, error) {
	m, size, err := s.Meta(n)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stats.Runs++
	v.stats.Bytes += int64(size)
	v.open(s.Info)
	return m, nil
}

// run gives a decoded run, from the cache where it is there.
func (v *Snapshot) run(s *segment.Reader, n uint32) (*segment.Run, error) {
	v.mu.Lock()
	recent, useCache := v.recent[s.Info.ID], !v.noCache
	v.open(s.Info)
	v.mu.Unlock()
	if recent.run != nil && recent.n == n {
		return recent.run, nil
	}
	key := uint64(s.Info.Number())<<32 | uint64(n)
	if useCache {
		cache, err := v.a.runCache()
		if err != nil {
			return nil, err
		}
		if r, ok := cache.Get(key); ok {
			v.mu.Lock()
			defer v.mu.Unlock()
			v.stats.CacheHits++
			return r, nil
		}
	}
	r, err := s.Run(n)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	v.stats.Runs++
	v.stats.Bytes += int64(r.Stored)
	if useCache {
		v.stats.CacheMisses++
	}
	v.recent[s.Info.ID] = recentRun{n, r}
	v.mu.Unlock()
	if useCache {
		cache, err := v.a.runCache()
		if err != nil {
			return nil, err
		}
		cache.Set(key, r, r.Bytes())
	}
	return r, nil
}

// stored gives the whole entry at a place.
func (v *Snapshot) stored(p place) (*segment.Stored, error) {
	r, err := v.run(p.seg, p.run)
	if err != nil {
		return nil, err
	}
	entries, err := r.Meta.Entries()
	if err != nil {
		return nil, err
	}
	if uint64(p.n) >= uint64(len(entries)) {
		return nil, fmt.Errorf("segment %d: run %d has %d captures, and no %d", p.seg.Info.ID, p.run, len(entries), p.n)
	}
	return &entries[p.n], nil
}

// segment gives the reader of a segment by its number; nil if it is not in
// force.
func (v *Snapshot) segment(id uint32) *segment.Reader {
	v.mu.Lock()
	if v.byID == nil {
		v.byID = make(map[uint32]*segment.Info, len(v.pin.segments))
		for _, i := range v.pin.segments {
			v.byID[i.ID] = i
		}
	}
	i := v.byID[id]
	v.mu.Unlock()
	if i == nil {
		return nil
	}
	return v.reader(i)
}

// Payload reads one capture's response. The body is checked against its
// digest.
func (v *Snapshot) Payload(ctx context.Context, ref record.Ref) (record.Payload, error) {
	if err := ctx.Err(); err != nil {
		return record.Payload{}, err
	}
	s := v.segment(ref.Segment)
	if s == nil {
		return record.Payload{}, errNoSegment(ref.Segment)
	}
	e, err := v.stored(place{s, ref.Run, ref.N})
	if err != nil {
		return record.Payload{}, err
	}
	p := record.Payload{Head: e.Head, Mime: e.Mime}
	owner, _, err := v.owner(ctx, s, e)
	if err != nil {
		return p, fmt.Errorf("body of %s at %s: %w", urlkey.URL(e.Key), e.Time.Std().Format("2006-01-02T15:04:05.999Z07:00"), err)
	}
	if owner == nil {
		p.NoBody = noBody(e)
		return p, nil
	}
	if p.Size = owner.Bytes; p.Size > record.LargeBody {
		p.Large = v.pieces(ctx, owner)
		return p, nil
	}
	body := make([]byte, 0, max(owner.Bytes, 0))
	for b, err := range v.pieces(ctx, owner) {
		if err != nil {
			return p, err
		}
		body = append(body, b...)
	}
	p.Body = body
	return p, nil
}

// noBody says why there is no body for e.
func noBody(e *segment.Stored) string {
	if e.RefersURL != "" {
		when := ""
		if e.RefersTime != record.NoTime {
			when = " of " + e.RefersTime.Std().Format("2006-01-02T15:04:05Z")
		}
		return "its record says that the body is that of " + e.RefersURL + when + ", which is not in this archive"
	}
	return "its record says that the body is as in a capture before, which is not in this archive"
}

// pieces yields the body that an entry's recipe gives, and an error at its end
// if it is not the one that the digest is of.
func (v *Snapshot) pieces(ctx context.Context, e *segment.Stored) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		sum := sha256.New()
		give := func(b []byte) bool {
			sum.Write(b)
			return yield(b, nil)
		}
		parts := v.parts(ctx, e.Recipe)
		if n := e.Recipe.Layout; n > 0 {
			body, err := join(parts, n)
			if err != nil {
				yield(nil, err)
				return
			}
			parts = func(yield func([]byte, error) bool) { yield(body, nil) }
		}
		for b, err := range parts {
			if err != nil {
				yield(nil, err)
				return
			}
			if !give(b) {
				return
			}
		}
		if !bytes.Equal(sum.Sum(nil), e.Digest[:]) {
			yield(nil, fmt.Errorf("the body of %s at %s is not the one that was stored: its sha256 differs", urlkey.URL(e.Key), e.Time.Std().Format(time.RFC3339)))
		}
	}
}

// parts yields the blocks of a recipe.
func (v *Snapshot) parts(ctx context.Context, recipe segment.Recipe) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		spans, err := v.spans(recipe)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, span := range spans {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			s := v.segment(span.Segment)
			r, err := v.run(s, span.Run)
			if err != nil {
				yield(nil, err)
				return
			}
			for n := range span.Count {
				b, err := r.Block(span.N + n)
				if err != nil {
					yield(nil, &segment.Error{File: s.Info.File, Offset: -1, Err: err})
					return
				}
				if !yield(b, nil) {
					return
				}
			}
		}
	}
}

// join puts a divided body together: the first n parts are its layout, the
// others its leaves.
func join(parts iter.Seq2[[]byte, error], n uint32) ([]byte, error) {
	var layout []byte
	var leaves [][]byte
	for b, err := range parts {
		switch {
		case err != nil:
			return nil, err
		case n > 0:
			layout = append(layout, b...)
			n--
		default:
			leaves = append(leaves, b)
		}
	}
	return block.Join(nil, layout, leaves)
}

// errNoHolder is damage: an entry names a body that is nowhere.
var errNoHolder = errors.New("the body is in no segment that is in force; a pool that it depends on may be missing")

// owner gives the entry whose recipe has e's body, and where it lies; nil if
// the archive does not have the body.
func (v *Snapshot) owner(ctx context.Context, s *segment.Reader, e *segment.Stored) (*segment.Stored, *segment.Reader, error) {
	key, id, holder := e.Key, e.ID, e.Holder
	switch e.Body {
	case segment.BodyOwn:
		return e, s, nil
	case segment.BodyElsewhere:
		key = e.HolderKey
	case segment.BodyNone:
		from, err := v.resolvedFrom(ctx, e)
		if err != nil || from.seg == nil {
			return nil, nil, err
		}
		o, err := v.stored(from)
		if err != nil || o.Body == segment.BodyNone {
			return nil, nil, err
		}
		return v.owner(ctx, from.seg, o)
	}
	if holder == 0 {
		holder = s.Info.ID
	}
	if h := v.segment(holder); h != nil {
		if o, err := v.ownerIn(h, key, id); o != nil || err != nil {
			return o, h, err
		}
	}
	// The segment was merged into another since, or the hint was none.
	for _, i := range v.pin.segments {
		h := v.reader(i)
		if i.ID == holder || !h.MayHave(key) {
			continue
		}
		if o, err := v.ownerIn(h, key, id); o != nil || err != nil {
			return o, h, err
		}
	}
	return nil, nil, errNoHolder
}

// ownerIn looks in one segment for an entry of a URL that has a body itself.
func (v *Snapshot) ownerIn(s *segment.Reader, key string, id segment.ID) (*segment.Stored, error) {
	c := newCursor(s, 0, v.readChunk)
	defer c.close()
	if err := c.seek(key); err != nil || c.end || c.key() != key {
		return nil, err
	}
	group, err := c.group(nil)
	if err != nil {
		return nil, err
	}
	for i := range group {
		if g := &group[i]; g.Body == segment.BodyOwn && g.ID == id {
			return v.stored(g.place)
		}
	}
	return nil, nil
}

// resolvedFrom finds e among its URL's captures, where revisits are resolved,
// and gives the place of the entry that has its body; none if there is none.
func (v *Snapshot) resolvedFrom(ctx context.Context, e *segment.Stored) (place, error) {
	group, err := v.lookup(ctx, e.Key)
	if err != nil {
		return place{}, err
	}
	for i := range group {
		g := &group[i]
		if g.Same(&e.Entry) && (g.resolved || g.Body != segment.BodyNone) {
			return g.body(), nil
		}
	}
	return place{}, nil
}

// bodyOf gives the entry that has the body of a revisit which names none
// itself; nil if the archive does not have it.
func (v *Snapshot) bodyOf(ctx context.Context, e *located) (*segment.Stored, error) {
	s, err := v.stored(e.place)
	if err != nil {
		return nil, err
	}
	o, _, err := v.owner(ctx, e.seg, s)
	return o, err
}

// digestOf gives the digest of the body of such a revisit, or zero.
func (v *Snapshot) digestOf(ctx context.Context, e *located) (record.Digest, error) {
	o, err := v.bodyOf(ctx, e)
	if err != nil || o == nil {
		return record.Digest{}, err
	}
	return o.Digest, nil
}

// pageOf gives what the body of such a revisit says.
func (v *Snapshot) pageOf(ctx context.Context, e *located) (segment.Page, error) {
	o, err := v.bodyOf(ctx, e)
	if err != nil || o == nil {
		return segment.NoPage, err
	}
	return o.Page, nil
}

// resolve finds the bodies of revisits among group, the captures of one URL,
// whose originals were not in the archive when they came in. A 304 that names
// none is as the capture before, which is settle's business.
func (v *Snapshot) resolve(ctx context.Context, group []located) error {
	for i := range group {
		e := &group[i]
		if e.Body != segment.BodyNone {
			continue
		}
		s, err := v.stored(e.place)
		if err != nil {
			return err
		}
		o, from, err := v.original(ctx, s, e, e.seg.Info.Pool, group)
		if err != nil {
			return err
		}
		if o != nil {
			e.takes(o, len(s.Head) > 0)
			e.from = from
		}
	}
	return nil
}

// original finds the capture that has the body of revisit e, which stands in
// pool: the one that its record refers to, by URL and time, or else one of the
// same URL that declares the same digest. group is what is known of e's URL.
// The original may not lie in a later pool: a pool depends on earlier ones
// only; nor may it have been removed before at, which is e, came in. Nil if
// there is none.
func (v *Snapshot) original(ctx context.Context, e *segment.Stored, at *located, pool string, group []located) (*segment.Stored, place, error) {
	fits := func(g *located) (*segment.Stored, error) {
		if g.seg == nil || g.Body == segment.BodyNone || monthOf(g.seg.Info.Pool) > monthOf(pool) || !at.sees(g) {
			return nil, nil
		}
		s, err := v.stored(g.place)
		if err != nil {
			return nil, err
		}
		if e.DeclaredDigest != "" && s.DeclaredDigest != "" && s.DeclaredDigest != e.DeclaredDigest {
			return nil, nil
		}
		return s, nil
	}
	if e.RefersURL != "" && e.RefersTime != record.NoTime {
		there := group
		if canonical, err := urlkey.Canonical(e.RefersURL); err == nil && urlkey.Key(canonical) != e.Key {
			if there, err = v.lookupRaw(ctx, urlkey.Key(canonical)); err != nil {
				return nil, place{}, err
			}
		}
		for i := range there {
			if !sameMoment(there[i].Time, e.RefersTime) {
				continue
			}
			if s, err := fits(&there[i]); s != nil || err != nil {
				return s, there[i].place, err
			}
		}
	}
	if e.DeclaredDigest == "" {
		return nil, place{}, nil
	}
	for i := range group {
		s, err := fits(&group[i])
		if err != nil {
			return nil, place{}, err
		}
		if s != nil && s.DeclaredDigest == e.DeclaredDigest {
			return s, group[i].place, nil
		}
	}
	return nil, place{}, nil
}

// sameMoment compares a capture's time with one that a record refers to, which
// often has whole seconds only.
func sameMoment(t, refers record.Time) bool {
	return t == refers || refers%1000 == 0 && t-t%1000 == refers
}

// lookupRaw gives the captures of one URL as they are stored, of all pools,
// hidden ones too, which it marks.
func (v *Snapshot) lookupRaw(ctx context.Context, key string) ([]located, error) {
	var out []located
	for _, i := range v.pin.segments {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := v.reader(i)
		if !s.MayHave(key) {
			continue
		}
		c := newCursor(s, wants(record.ColBytes), v.readChunk)
		err := c.seek(key)
		if err == nil && !c.end && c.key() == key {
			out, err = c.group(out)
		}
		c.close()
		if err != nil {
			return nil, err
		}
	}
	return out, v.mark(out)
}
