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

// meta reads the meta frame of run n.
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

// run returns run n with its blocks and facts, from the cache if possible.
func (v *Snapshot) run(s *segment.Reader, n uint32) (*segment.Run, error) {
	return v.loaded(s, n, true)
}

// withBlocks returns run n for a caller that needs its blocks and not its facts.
func (v *Snapshot) withBlocks(s *segment.Reader, n uint32) (*segment.Run, error) {
	return v.loaded(s, n, false)
}

// loaded returns run n with its blocks and, if whole is set, its facts.
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

// opened returns run n for a caller that needs only its entries: blocks and facts
// may not be loaded.
func (v *Snapshot) opened(s *segment.Reader, n uint32) (*segment.Run, error) {
	r, err := v.atHand(s, n)
	if r != nil || err != nil {
		return r, err
	}
	key := runKey(s, n)
	if err := v.badRun(key); err != nil {
		return nil, err
	}
	if r, err = s.Open(n); err != nil {
		v.noteBadRun(key, err)
		return nil, err
	}
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

// runKey returns the key of a run in caches.
func runKey(s *segment.Reader, n uint32) uint64 { return uint64(s.Info.Number())<<32 | uint64(n) }

// countRead counts a run that was read from disk. The caller holds v.mu.
func (v *Snapshot) countRead(bytes int) {
	v.stats.Runs++
	v.stats.Bytes += int64(bytes)
	if !v.noCache {
		v.stats.CacheMisses++
	}
}

// atHand returns run n if it is in memory, or nil.
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

// stored returns the complete entry at a place.
func (v *Snapshot) stored(p place) (*segment.Stored, error) {
	r, err := v.opened(p.seg, p.run)
	if err != nil {
		return nil, err
	}
	entries, err := r.Meta.Entries()
	if err == nil && uint64(p.n) >= uint64(len(entries)) {
		err = fmt.Errorf("run %d has %d captures, and no %d", p.run, len(entries), p.n)
	}
	if err != nil {
		return nil, &segment.Error{File: p.seg.Info.File, Offset: -1, Err: err}
	}
	return &entries[p.n], nil
}

// segment returns the reader of the segment with this number, or nil if the segment
// is not in force.
func (v *Snapshot) segment(id uint32) *segment.Reader {
	v.mu.Lock()
	defer v.mu.Unlock()
	i := v.inForce()[id]
	if i == nil {
		return nil
	}
	return v.readerOf(i)
}

// inForce returns the segments in force by number. The caller holds v.mu.
func (v *Snapshot) inForce() map[uint32]*segment.Info {
	if v.byID == nil {
		v.byID = make(map[uint32]*segment.Info, len(v.pin.segments))
		for _, i := range v.pin.segments {
			v.byID[i.ID] = i
		}
	}
	return v.byID
}

// Payload reads the response of one capture. It checks the body against its digest.
// If the capture has no body, NoBody says why.
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
	s := v.segment(ref.Segment)
	if s == nil {
		return record.Payload{}, errNoSegment(ref.Segment)
	}
	e, err := v.stored(place{s, ref.Run, ref.N})
	if err != nil {
		return record.Payload{}, err
	}
	p := record.Payload{Head: e.Head, Mime: e.Mime}
	owner, _, err := v.owner(ctx, place{s, ref.Run, ref.N}, e)
	if err != nil {
		return p, fmt.Errorf("body of %s at %s: %w", urlkey.URL(e.Key), e.Time.Std().Format("2006-01-02T15:04:05.999Z07:00"), err)
	}
	if owner == nil {
		p.NoBody = noBody(e)
		return p, nil
	}
	said := &e.Page
	if e.Body == segment.BodyNone {
		said = &owner.Page
	}
	p.Charset, p.ReadLimit = readWith(said)
	if p.Size = owner.Bytes; p.Size > record.LargeBody {
		p.Large = v.pieces(ctx, owner)
		return p, nil
	}
	p.Body, err = v.bodyIn(ctx, owner)
	if err != nil && ctx.Err() == nil && !isDamage(err) {
		err = otherBody(owner, err.Error())
	}
	return p, err
}

// bodyIn returns the body that an entry itself stores. The body must not be large.
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

// gatherMost is how many bodies a statement reads one by one. After them, runs are
// decompressed whole and kept, since the statement seems to want many.
const gatherMost = 4

// gathered returns the body of an entry, and decompresses only the parts of runs it
// needs. It returns nil if many bodies were read already, or on any fault; the
// caller then reads whole runs, which reports the fault.
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

// contents returns the contents of a run. Unless the run is in memory already, they
// stay compressed and are not kept.
func (v *Snapshot) contents(ref segment.RunRef, room []byte) (*segment.Contents, error) {
	s := v.segment(ref.Segment)
	if s == nil {
		return nil, errNoHolder
	}
	r, err := v.atHand(s, ref.Run)
	if err != nil {
		return nil, err
	}
	if r != nil {
		return r.Contents(), nil
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

// countBlocks returns how many blocks the spans have.
func countBlocks(spans []segment.Span) (n uint64) {
	for _, s := range spans {
		n += uint64(s.Count)
	}
	return n
}

// noBody returns the reason why the archive has no body for e, as text for a user.
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

// pieces yields the body that an entry's recipe describes. If its sha256 differs
// from the entry's digest, the last pair is an error.
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
				v.skips(err) // whoever reads a part of the body may keep that part
				yield(nil, err)
				return
			}
			if !give(b) {
				return
			}
		}
		if !bytes.Equal(sum.Sum(nil), e.Digest[:]) {
			err := otherBody(e, "its sha256 differs")
			v.skips(err)
			yield(nil, err)
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

// divided returns the body of a recipe that has a layout.
func (v *Snapshot) divided(ctx context.Context, recipe segment.Recipe) ([]byte, error) {
	spans, err := v.spans(recipe)
	if err != nil {
		return nil, err
	}
	return joined(ctx, spans, recipe.Layout, func(id, n uint32) (*segment.Run, error) { return v.withBlocks(v.segment(id), n) })
}

// errOtherBody is damage: the blocks of a body are not those that were stored.
var errOtherBody = errors.New("not the one that was stored")

// otherBody returns errOtherBody for the body of an entry, and says how that was seen.
func otherBody(e *segment.Stored, why string) error {
	return fmt.Errorf("the body of %s at %s is %w: %s", urlkey.URL(e.Key), e.Time.Std().Format(time.RFC3339), errOtherBody, why)
}

// errNoHolder is returned for damage: an entry refers to a body that no segment
// has.
var errNoHolder = errors.New("the body is in no segment that is in force; a pool that it depends on may be missing")

// owner returns the entry whose recipe has the body of e, and the place of that
// entry. e lies at the place at. The entry is nil if the archive does not have the
// body.
func (v *Snapshot) owner(ctx context.Context, at place, e *segment.Stored) (*segment.Stored, place, error) {
	key, id, holder := e.Key, e.ID, e.Holder
	switch e.Body {
	case segment.BodyOwn:
		return e, at, nil
	case segment.BodyElsewhere:
		key = e.HolderKey
	case segment.BodyNone:
		o, err := v.originOf(ctx, at, e)
		if err != nil || o.from.seg == nil {
			return nil, place{}, err
		}
		s, err := v.stored(o.from)
		if err != nil || s.Body == segment.BodyNone {
			return nil, place{}, err
		}
		return v.owner(ctx, o.from, s)
	}
	if holder == 0 {
		holder = at.seg.Info.ID
	}
	body := heldBody{key, id}
	v.mu.Lock()
	known, ok := v.owners[body]
	v.mu.Unlock()
	if ok {
		s, err := v.stored(known)
		return s, known, err
	}
	p, err := v.ownerAmong(holder, body)
	if err != nil {
		return nil, place{}, err
	}
	v.mu.Lock()
	if v.owners == nil || len(v.owners) >= ownersMost {
		v.owners = make(map[heldBody]place)
	}
	v.owners[body] = p
	v.mu.Unlock()
	s, err := v.stored(p)
	return s, p, err
}

// heldBody is the body, with this ID, of a capture of the URL with this key.
type heldBody struct {
	key string
	id  segment.ID
}

// ownersMost is for how many bodies a snapshot remembers the entry that stores
// them.
const ownersMost = 1 << 16

// ownerAmong finds the entry that stores a body. It looks first in segment holder,
// which should have it.
func (v *Snapshot) ownerAmong(holder uint32, body heldBody) (place, error) {
	if h := v.segment(holder); h != nil {
		if p, err := v.ownerIn(h, body.key, body.id); p.seg != nil || err != nil {
			return p, err
		}
	}
	// The segment was merged into another one since, or the entry named no holder.
	for _, i := range v.pin.segments {
		h := v.reader(i)
		if i.ID == holder || !h.MayHave(body.key) {
			continue
		}
		if p, err := v.ownerIn(h, body.key, body.id); p.seg != nil || err != nil {
			return p, err
		}
	}
	return place{}, errNoHolder
}

// ownerIn looks in one segment for an entry of a URL that stores a body itself. The
// place has no segment if there is none.
func (v *Snapshot) ownerIn(s *segment.Reader, key string, id segment.ID) (place, error) {
	c := newCursor(s, 0, v)
	c.skips = noSkip
	defer c.close()
	if err := c.seek(key); err != nil || c.end || c.key() != key {
		return place{}, err
	}
	group, err := c.group(nil)
	if err != nil {
		return place{}, err
	}
	for i := range group {
		if g := &group[i]; g.Body == segment.BodyOwn && g.ID == id {
			return g.place, nil
		}
	}
	return place{}, nil
}

// lookupRaw returns the captures of one URL from all pools, as they are stored. It
// includes and marks hidden captures that others take their bodies from.
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
		c := newCursorOn(key, s, wants(record.ColBytes), v)
		c.skips = noSkip
		err := c.seek(key)
		if err == nil && !c.end && c.key() == key {
			out, err = c.group(out)
		}
		c.close()
		if err != nil {
			return nil, err
		}
	}
	return v.mark(out)
}
