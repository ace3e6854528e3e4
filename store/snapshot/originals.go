package snapshot

import (
	"context"
	"slices"
	"sync"

	"infomall/store/block/divide"
	"infomall/store/body"
	"infomall/store/derive"
	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// A revisit says that its body is that of another capture. It names that capture by
// URL and time, or it declares a digest that another capture of its URL also
// declares. The named capture may be a revisit too. The two then form a chain, and
// all captures of a chain have the body of the capture at its end. If a chain
// returns to itself, only rule 2 below can give its captures a body.
//
// What a revisit refers to depends on nothing but the captures that the archive
// has: not on the order in which they came in, nor on what is asked. The rules:
//
//  1. It takes the capture that it names, unless the two declare different digests.
//     Of several captures within the moment that it names, it takes the first that
//     is no revisit; if all are revisits, the first revisit.
//  2. If it names none, or the one that it names has no body, it takes the first
//     capture of its URL that is no revisit and declares the same digest. It never
//     takes another revisit by its digest: whether one of the two has a body would
//     depend on the other.
//  3. Nothing is taken from a later month, because pools depend on earlier ones.
//  4. A deleted capture gives its body only to captures that had their bodies from it
//     when it was deleted. A capture that came in later does not take that body. A
//     deleted revisit that had no body gives none when its original comes in later.
//  5. If a revisit has a state of the time asked about (see states.go), it has the body of
//     that state, and the other rules do not matter.

// Originals finds the captures from which revisits have their bodies, in a snapshot and in a
// batch that will be added to the archive. It remembers the results, so that each chain of
// revisits is followed once.
type Originals struct {
	v     *Snapshot
	batch Batch // empty if there is none

	mu    sync.Mutex // guards the fields below; Of, Next and page hold it until they return
	read  *derive.Reader
	found map[timeline.Place]*timeline.Original // by place of a revisit, or of a capture with a body; nil for a revisit without a body
	heads map[timeline.Place]timeline.Place     // results of the method headOf, by place of the revisit
	urls  map[string]*urlCaptures
	held  int                       // number of captures and URLs in urls
	seen  map[timeline.Place]origin // origins that Snapshot.originOf found, of captures stored without a body
	url   string                    // the last URL that was converted to a key, and the key
	key   string
}

// Batch is a sorted list of captures that are about to be added to the archive. In a
// place of such a capture, Seg is nil and N is the capture's index in the batch.
type Batch interface {
	Size() int
	Entry(i int) *segment.Entry
	Stored(i int) *segment.Stored // returns a copy
	// Body returns the body of capture i, or false if the body is not in memory.
	Body(i int) ([]byte, bool)
}

// noBatch is a batch without captures.
type noBatch struct{}

func (noBatch) Size() int                  { return 0 }
func (noBatch) Entry(int) *segment.Entry   { return nil }
func (noBatch) Stored(int) *segment.Stored { return nil }
func (noBatch) Body(int) ([]byte, bool)    { return nil, false }

// Link is a capture in a chain of revisits. Each revisit of the chain refers to the next
// capture.
type Link struct {
	timeline.Place
	Key  string
	Time record.Time
	next timeline.Place // place of the capture to which this one refers
}

const (
	// foundMost is how many captures each of the maps found, heads and seen of Originals may have.
	// urlsMost is how many captures and URLs the map urls may have.
	foundMost = 1 << 19
	urlsMost  = 1 << 20
)

// walking marks, in Originals.found, a revisit whose chain is being followed now. A chain that
// meets the mark returns to itself.
var walking = new(timeline.Original)

// unread is the value of Original.As for a capture whose headers do not say how to read its
// body, because it has no headers or is a 304.
var unread = divide.As{Mime: "?"}

func newOriginals(v *Snapshot, b Batch, read *derive.Reader) *Originals {
	o := &Originals{v: v, batch: b, read: read}
	o.forget()
	return o
}

// forget empties the maps of results whose keys are places of captures, because the
// places will not be valid any more.
func (o *Originals) forget() {
	o.found, o.heads, o.seen = make(map[timeline.Place]*timeline.Original), make(map[timeline.Place]timeline.Place), make(map[timeline.Place]origin)
}

// Originals returns the finder of originals for the snapshot. (An original is the
// capture from which a revisit has its body.) The finder is created at the first
// call.
func (v *Snapshot) Originals() *Originals {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.origins == nil {
		v.origins = newOriginals(v, noBatch{}, derive.NewReader())
	}
	return v.origins
}

// AddBatch makes the snapshot search also in a batch for the originals of revisits
// (the captures from which they have their bodies). A capture of the batch may also
// be the original of a revisit in the archive. read analyses the bodies, and
// remembers analyses.
func (v *Snapshot) AddBatch(b Batch, read *derive.Reader) { v.origins = newOriginals(v, b, read) }

// Stored returns the complete entry at a place, which may be in the batch.
func (o *Originals) Stored(p timeline.Place) (*segment.Stored, error) {
	if p.Seg == nil {
		return o.batch.Stored(int(p.N)), nil
	}
	return o.v.Runs.Entry(p)
}

// Of returns the original of e, a capture that is stored without a body: the capture from which
// e has its body, and the values that e takes from it. It returns nil if there is none.
func (o *Originals) Of(ctx context.Context, e *timeline.Capture) (*timeline.Original, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.find(ctx, e)
}

// find does what Of does. The caller holds o.mu.
func (o *Originals) find(ctx context.Context, e *timeline.Capture) (*timeline.Original, error) {
	if out, ok := o.found[e.Place]; ok {
		return out.Found()
	}
	s, err := o.Stored(e.Place)
	if err != nil {
		return nil, err
	}
	if len(o.found) > foundMost {
		o.forget()
	}
	if of, err := o.v.stateOf(e.Place, s); err != nil {
		return nil, err
	} else if of != nil {
		o.found[e.Place] = of
		return of, nil
	}
	if !names(s) {
		return nil, nil
	}
	out, err := o.walk(ctx, Link{Place: e.Place, Key: e.Key, Time: e.Time})
	if err != nil && !body.IsDamage(err) {
		o.forget() // it has marks of a walk that did not end
	}
	return out, err
}

// names reports whether the record of a revisit says which capture it repeats: by
// URL and time, or by digest.
func names(s *segment.Stored) bool {
	return s.DeclaredDigest != "" || s.RefersURL != "" && s.RefersTime != record.NoTime
}

// walk follows the chain that begins at the revisit at. It determines the originals of all
// revisits of the chain, and returns the original of the first, or nil if the chain leads to no
// body. If the chain meets damage, walk remembers it for each revisit before it.
func (o *Originals) walk(ctx context.Context, at Link) (out *timeline.Original, err error) {
	found := o.found
	var path []Link
	var marked []timeline.Place
	ring := -1 // index in path at which the chain returns to itself
	defer func() {
		if !body.IsDamage(err) {
			return
		}
		out = nil
		for _, p := range marked {
			if found[p] == walking {
				found[p] = &timeline.Original{Damage: err}
			}
		}
	}()
	for {
		if len(path)&63 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		found[at.Place] = walking
		marked = append(marked, at.Place)
		s, err := o.Stored(at.Place)
		if err != nil {
			return nil, err
		}
		if out, err = o.v.stateOf(at.Place, s); err != nil {
			return nil, err
		} else if out != nil {
			found[at.Place] = out
			break
		}
		to, key, err := o.named(ctx, at, s)
		if err != nil {
			return nil, err
		}
		if to != nil {
			at.next = to.Place
		}
		path = append(path, at)
		if to == nil {
			break
		}
		if to.body {
			if out, err = o.asStored(ctx, to.Place); err != nil {
				return nil, err
			}
			break
		}
		if known, met := found[to.Place]; met {
			if known == walking {
				ring = slices.IndexFunc(path, func(l Link) bool { return l.Place == to.Place })
			} else if out, err = known.Found(); err != nil {
				return nil, err
			}
			break
		}
		at = Link{Place: to.Place, Key: key, Time: to.Time}
	}
	if ring >= 0 {
		if out, err = o.ring(ctx, path[ring:]); err != nil {
			return nil, err
		}
		path = path[:ring]
	}
	for i := len(path) - 1; i >= 0; i-- {
		l := &path[i]
		if out != nil {
			out, err = o.take(ctx, l.Place, out, l.next)
		} else {
			out, err = o.sameDigest(ctx, l)
		}
		if err != nil {
			return nil, err
		}
		found[l.Place] = out
	}
	return out, nil
}

// ring determines the originals of the revisits in path, a chain that leads back to its first
// revisit. It returns the original of the first, or nil. For each revisit it tries rule 2 (a
// capture with the same URL and digest). A revisit for which rule 2 finds nothing gets the
// original of the next revisit.
func (o *Originals) ring(ctx context.Context, path []Link) (*timeline.Original, error) {
	all := make([]*timeline.Original, len(path))
	for i := range path {
		var err error
		if all[i], err = o.sameDigest(ctx, &path[i]); err != nil {
			return nil, err
		}
	}
	for range 2 {
		for i := len(path) - 1; i >= 0; i-- {
			next := all[(i+1)%len(path)]
			if all[i] != nil || next == nil {
				continue
			}
			var err error
			if all[i], err = o.take(ctx, path[i].Place, next, path[i].next); err != nil {
				return nil, err
			}
		}
	}
	for i := range path {
		o.found[path[i].Place] = all[i]
	}
	return all[0], nil
}

// asStored returns the original that a revisit has if it refers to the capture at this place,
// which is stored with a body.
func (o *Originals) asStored(ctx context.Context, at timeline.Place) (*timeline.Original, error) {
	if out := o.found[at]; out != nil {
		return out, nil
	}
	s, err := o.Stored(at)
	if err != nil {
		return nil, err
	}
	out := &timeline.Original{
		From: at, Like: at, As: derive.ReadAs(s), Head: at,
		ID: s.ID, Content: s.Content, Bytes: s.Bytes, Status: s.Status, Kind: s.Kind, Mime: s.Mime,
	}
	if headless(s) {
		out.As = unread
		if out.Head, err = o.headOf(ctx, Link{Place: at, Key: s.Key, Time: s.Time}); err != nil {
			return nil, err
		}
	} else if s.Status == 304 {
		out.As = unread
	}
	o.found[at] = out
	return out, nil
}

// take returns the original of the revisit at a place. next is the place of the capture to
// which the revisit refers, and the argument of is the original of that capture. If the revisit
// has no headers, it also gets the headers of that capture. If nothing differs from the
// argument of, take returns it itself.
func (o *Originals) take(ctx context.Context, at timeline.Place, of *timeline.Original, next timeline.Place) (*timeline.Original, error) {
	s, err := o.Stored(at)
	if err != nil {
		return nil, err
	}
	out := *of
	out.Through = of.Through.With(next)
	switch {
	case len(s.Head) == 0:
		n, err := o.Stored(next)
		if err != nil {
			return nil, err
		}
		if !headless(n) {
			out.Head = next
		}
	case s.Status == 304: // nothing has changed
		out.Status, out.Mime = s.Status, s.Mime
	default:
		out.Status, out.Kind, out.Mime = s.Status, s.Kind, s.Mime
		as := divide.Sent(s.Head, s.Mime)
		as.Usual, as.Limit = of.As.Usual, of.As.Limit
		if isFound(s.Kind) != isFound(of.Kind) || as != of.As {
			a, err := o.reading(ctx, of.From, as)
			if err != nil {
				return nil, err
			}
			if a != nil {
				out.Like, out.As, out.Content = at, as, a.Content
				if a.Missing && s.Kind == record.KindPage {
					out.Kind = record.KindSoftMissing
				}
				if out.Kind != record.KindPage {
					out.Content = 0 // only pages have blocks
				}
				break
			}
		}
		if s.Kind == record.KindPage && of.Kind == record.KindSoftMissing {
			out.Kind = of.Kind // both have the body, which says that the page does not exist
		}
	}
	if out == *of {
		return of, nil
	}
	return &out, nil
}

// isFound reports whether bodies of this kind are searched for phrases that say that a page
// does not exist (a soft 404).
func isFound(k record.Kind) bool { return k == record.KindPage || k == record.KindSoftMissing }

// reading returns the analysis of the body of the entry at a place. The body is read
// in the way that the parameter as says, which may come from the headers of another
// response. If the body is too large to be analysed, the Page of the analysis is
// segment.NoPage. The result is nil if the body cannot be read.
func (o *Originals) reading(ctx context.Context, at timeline.Place, as divide.As) (*derive.Analysis, error) {
	s, err := o.Stored(at)
	if err != nil {
		return nil, err
	}
	if a := o.read.Known(s.ID, as); a != nil {
		return a, nil
	}
	if s.Bytes > record.LargeBody {
		return &derive.Analysis{}, nil
	}
	if at.Seg == nil {
		body, ok := o.batch.Body(int(at.N))
		if !ok {
			return &derive.Analysis{}, nil
		}
		return o.read.As(s.ID, body, as), nil
	}
	owner, _, err := o.v.Owner(ctx, at, s)
	if err == nil && owner != nil {
		var body []byte
		if body, err = o.v.BodyIn(ctx, owner); err == nil {
			a := o.read.As(s.ID, body, as)
			a.Close() // the page is needed no more
			return a, nil
		}
	}
	if err != nil && !disk.MayPass(err) {
		if o.v.maySkip(err) {
			return nil, err // the caller that asks for the capture gets the error
		}
		o.v.Warn(err) // VERIFY reports it too; the capture is still there
		err = nil
	}
	return nil, err
}

// page returns what the page of a revisit says (its title, charset and so on). The parameter of
// is the revisit's original. The result is segment.NoPage if the body cannot be read.
func (o *Originals) page(ctx context.Context, of *timeline.Original) (segment.Page, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	s, err := o.Stored(of.Like)
	if err != nil {
		return segment.NoPage, err
	}
	if s.Body != segment.BodyNone {
		return s.Page, nil
	}
	a, err := o.reading(ctx, of.From, of.As)
	if a == nil || err != nil {
		return segment.NoPage, err
	}
	p := a.Page()
	if of.Kind != record.KindSoftMissing {
		p.Reason = ""
	}
	if of.Kind != record.KindPage {
		p.BlockCount = -1
	}
	return p, nil
}
