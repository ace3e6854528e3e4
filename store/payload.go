package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"slices"
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
	return v.loaded(s, n, true)
}

// withBlocks gives a run to whoever needs its blocks and not its facts.
func (v *Snapshot) withBlocks(s *segment.Reader, n uint32) (*segment.Run, error) {
	return v.loaded(s, n, false)
}

// loaded gives a run with its blocks, or all of it.
func (v *Snapshot) loaded(s *segment.Reader, n uint32, whole bool) (*segment.Run, error) {
	r, err := v.opened(s, n)
	if err == nil {
		err = s.Load(r, whole)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// opened gives a run to whoever needs its entries alone: it may be loaded or not.
func (v *Snapshot) opened(s *segment.Reader, n uint32) (*segment.Run, error) {
	r, err := v.atHand(s, n)
	if r != nil || err != nil {
		return r, err
	}
	if r, err = s.Open(n); err != nil {
		return nil, err
	}
	key := runKey(s, n)
	v.mu.Lock()
	v.countRead(r.Stored)
	useCache := !v.noCache
	if v.shelf != nil {
		v.shelf.put(key, r)
	} else {
		v.recent.put(s.Info.ID, n, r)
	}
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

// runKey names a run in caches.
func runKey(s *segment.Reader, n uint32) uint64 { return uint64(s.Info.Number())<<32 | uint64(n) }

// countRead counts a run that was read. v.mu is held.
func (v *Snapshot) countRead(bytes int) {
	v.stats.Runs++
	v.stats.Bytes += int64(bytes)
	if !v.noCache {
		v.stats.CacheMisses++
	}
}

// atHand gives a run that was read before and is still there, or nil.
func (v *Snapshot) atHand(s *segment.Reader, n uint32) (*segment.Run, error) {
	v.mu.Lock()
	recent, useCache, shelf := v.recent.get(s.Info.ID, n), !v.noCache, v.shelf
	v.open(s.Info)
	v.mu.Unlock()
	if recent != nil {
		return recent, nil
	}
	key := runKey(s, n)
	if shelf != nil {
		if r := shelf.get(key); r != nil {
			return r, nil
		}
	}
	if !useCache {
		return nil, nil
	}
	cache, err := v.a.runCache()
	if err != nil {
		return nil, err
	}
	r, ok := cache.Get(key)
	if !ok {
		return nil, nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stats.CacheHits++
	v.recent.put(s.Info.ID, n, r)
	return r, nil
}

// stored gives the whole entry at a place.
func (v *Snapshot) stored(p place) (*segment.Stored, error) {
	r, err := v.opened(p.seg, p.run)
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
	defer v.mu.Unlock()
	i := v.inForce()[id]
	if i == nil {
		return nil
	}
	return v.readerOf(i)
}

// inForce gives the segments in force by their numbers. v.mu is held.
func (v *Snapshot) inForce() map[uint32]*segment.Info {
	if v.byID == nil {
		v.byID = make(map[uint32]*segment.Info, len(v.pin.segments))
		for _, i := range v.pin.segments {
			v.byID[i.ID] = i
		}
	}
	return v.byID
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
	p.Body, err = v.bodyIn(ctx, owner)
	return p, err
}

// bodyIn gives the body that an entry has itself, which is not large.
func (v *Snapshot) bodyIn(ctx context.Context, owner *segment.Stored) ([]byte, error) {
	if body := v.gathered(owner); body != nil {
		return body, nil
	}
	body := make([]byte, 0, max(owner.Bytes, 0))
	for b, err := range v.pieces(ctx, owner) {
		if err != nil {
			return nil, err
		}
		body = append(body, b...)
	}
	return body, nil
}

// gatherMost is how many bodies a statement reads one by one, before it decompresses
// runs whole and keeps them: it seems to want many then.
const gatherMost = 4

// gathered gives the body of an entry from no more of its runs than that is made
// of; nil where there may be more to read of them, or something is wrong, which
// reading them whole then says.
func (v *Snapshot) gathered(e *segment.Stored) (body []byte) {
	v.mu.Lock()
	v.gathers++
	few := v.gathers <= gatherMost && v.shelf == nil
	v.mu.Unlock()
	if !few {
		return nil
	}
	spans, err := v.spans(e.Recipe)
	if err != nil || countBlocks(spans) > dividedMax {
		return nil
	}
	err = segment.Gather(spans, v.contents, func(blocks [][]byte) (err error) {
		layout := min(int(e.Recipe.Layout), len(blocks))
		body = slices.Concat(blocks[:layout]...)
		if layout > 0 {
			body, err = block.Join(nil, body, blocks[layout:])
		} else {
			body = slices.Concat(blocks...)
		}
		return err
	})
	if err != nil || sha256.Sum256(body) != e.Digest {
		return nil
	}
	return body
}

// contents gives the contents of a run, which stay compressed unless they are at
// hand, and are not kept.
func (v *Snapshot) contents(ref segment.RunRef, room []byte) (*segment.Contents, error) {
	s := v.segment(ref.Segment)
	if s == nil {
		return nil, errNoHolder
	}
	if r, err := v.atHand(s, ref.Run); r != nil || err != nil {
		return r.Contents(), err
	}
	c, err := s.Contents(ref.Run, room)
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.countRead(c.Stored)
	return c, nil
}

// countBlocks tells how many blocks spans are.
func countBlocks(spans []segment.Span) (n uint64) {
	for _, s := range spans {
		n += uint64(s.Count)
	}
	return n
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
		if e.Recipe.Layout > 0 {
			parts = func(yield func([]byte, error) bool) { yield(v.divided(ctx, e.Recipe)) }
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

// parts yields the blocks of a recipe that has no layout.
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
			r, err := v.withBlocks(s, span.Run)
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

// divided gives the body of a recipe that has a layout.
func (v *Snapshot) divided(ctx context.Context, recipe segment.Recipe) ([]byte, error) {
	spans, err := v.spans(recipe)
	if err != nil {
		return nil, err
	}
	return joined(ctx, spans, recipe.Layout, func(id, n uint32) (*segment.Run, error) { return v.withBlocks(v.segment(id), n) })
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
	s, err := v.stored(e.place)
	if err != nil {
		return segment.NoPage, err
	}
	o, at, err := v.owner(ctx, e.seg, s)
	if err != nil || o == nil {
		return segment.NoPage, err
	}
	said, err := v.readAs(ctx, s, o, at)
	now := *s
	takeBody(&now, o, said)
	return now.Page, err
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
			said, err := v.readAs(ctx, s, o, from.seg)
			if err != nil {
				return err
			}
			e.takes(s, o, said)
			e.from = from
		}
	}
	return nil
}

// original finds the capture that has the body of revisit e, which stands in
// pool: the one that its record refers to, by URL and time, or else one of the
// same URL that declares the same digest: a revisit without headers of its own,
// such as e itself, only where there is no other. group is what is known of e's URL.
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
	var like *segment.Stored
	var from place
	for i := range group {
		s, err := fits(&group[i])
		if err != nil {
			return nil, place{}, err
		}
		switch {
		case s == nil || s.DeclaredDigest != e.DeclaredDigest:
		case !headless(s):
			return s, group[i].place, nil
		case like == nil:
			like, from = s, group[i].place
		}
	}
	return like, from, nil
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
