package remove

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"iter"
	"slices"

	"infomall/store/body"
	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
)

// entry returns the entry that a DELETE … FOREVER adds to the block-list. The caller sets Time
// and Reason. If the entry identifies captures by the digests of their bodies, entry reads each
// deleted body once. It then returns nil if no deleted capture has a body, because the entry
// would keep nothing out.
func (d *deletion) entry(ctx context.Context, f *task.Forever) (*task.BlockEntry, error) {
	e := &task.BlockEntry{Scopes: f.Scopes, From: f.From, To: f.To}
	for _, p := range d.pools {
		e.Captures += p.Captures
	}
	if f.ByDigest {
		e.Scopes, e.From, e.To = nil, record.MinTime, record.MaxTime+1
	}
	if !f.ByDigest && !f.Some {
		return e, nil
	}
	for _, ref := range d.digested {
		b, err := d.digests(ctx, ref)
		if err != nil {
			return nil, err
		}
		e.Digests = append(e.Digests, b)
	}
	if len(e.Digests) == 0 {
		return nil, nil
	}
	slices.SortFunc(e.Digests, func(a, b task.BodyDigest) int { return bytes.Compare(a.SHA256[:], b.SHA256[:]) })
	return e, nil
}

// digests returns the SHA-256 and the SHA-1 of the body of capture ref. If the body is damaged,
// the result has only the SHA-256, which is stored with the capture.
func (d *deletion) digests(ctx context.Context, ref record.Ref) (b task.BodyDigest, err error) {
	p, err := d.v.Payload(ctx, ref)
	if err == nil && p.NoBody == "" {
		pieces := p.Large
		if pieces == nil {
			pieces = func(yield func([]byte, error) bool) { yield(p.Body, nil) }
		}
		if b, err = sums(pieces); err == nil {
			return b, nil
		}
	}
	if err != nil && (ctx.Err() != nil || !body.IsDamage(err)) {
		return b, err
	}
	s, err := d.v.Stored(ctx, ref)
	b.SHA256 = s.Digest
	return b, err
}

// sums returns the sha256 and the sha1 of a body that is yielded in pieces.
func sums(pieces iter.Seq2[[]byte, error]) (b task.BodyDigest, err error) {
	long, short := sha256.New(), sha1.New()
	for piece, err := range pieces {
		if err != nil {
			return b, err
		}
		long.Write(piece)
		short.Write(piece)
	}
	long.Sum(b.SHA256[:0])
	short.Sum(b.SHA1[:0])
	return b, nil
}

// block returns a function for commit.Publication.Block. That function adds e to the block-list
// and sets *number to the number of the new entry. It returns catalog.ErrStale if captures were
// imported after d's snapshot was made, because some of them may have to be deleted too.
func (d *deletion) block(e *task.BlockEntry, number *int64) func(*catalog.Catalog, *task.BlockList) (*task.BlockList, error) {
	return func(c *catalog.Catalog, now *task.BlockList) (*task.BlockList, error) {
		if slices.ContainsFunc(c.Segments, func(s *segment.Info) bool { return s.Born > d.v.Pin.Generation }) {
			return nil, catalog.ErrStale
		}
		next := now.Add(*e)
		*number = next.Next - 1
		return next, nil
	}
}

// errNothing stops a publication that would change nothing. Allow does not return it to its
// caller.
var errNothing = errors.New("nothing changes")

// Allow removes from the block-list the entries and the URLs that o names. The result says what
// was removed. If o.Dry is set, Allow changes nothing and returns what it would remove.
func (a *Remover) Allow(ctx context.Context, o task.AllowOptions) (res task.AllowResult, err error) {
	if o.Dry {
		v, err := a.snapshots.Open(ctx)
		if err != nil {
			return res, err
		}
		defer v.Close()
		list, err := v.BlockList(ctx)
		if err == nil {
			_, res = list.Allow(o)
		}
		return res, err
	}
	w, err := a.folder.NewWriter(ctx)
	if err != nil {
		return res, err
	}
	err = w.Publish(ctx, commit.Publication{Block: func(_ *catalog.Catalog, now *task.BlockList) (next *task.BlockList, err error) {
		if next, res = now.Allow(o); len(res.Removed)+len(res.Partly) == 0 {
			err = errNothing
		}
		return next, err
	}})
	if errors.Is(err, errNothing) {
		err = nil
	}
	return res, errors.Join(err, w.Close())
}
