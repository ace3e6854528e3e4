package snapshot

import (
	"context"
	"slices"
	"sort"

	"infomall/store/body"
	"infomall/store/catalog"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// This file finds the capture that a revisit names, by URL and time or by digest:
// rules 1 and 2 of originals.go.

// momentFew is the greatest number of captures at one moment (a millisecond or second) that are
// searched one by one. If there are more, they are grouped by declared digest first.
const momentFew = 8

// The keys of maps by declared digest.
const (
	anyDigest    = "\x00" // all captures of a moment
	unreadDigest = "\x01" // captures that cannot be read
)

// urlCaptures has the captures of one URL, grouped as rules 1 and 2 of originals.go (a revisit
// names its original by URL and time, or by digest) need them.
type urlCaptures struct {
	all     []Sibling                          // all captures of the URL, sorted by time
	moments map[record.Time]map[string]*choice // results of Originals.moment
	digests map[string]*choice                 // by declared digest; nil before the first use, see Originals.byDigest
}

// Sibling is a capture of a URL, as far as the search for the original of a revisit needs it.
type Sibling struct {
	timeline.Place
	Time   record.Time
	hidden uint64 // the generation that removed the capture, 0 if none did
	plain  bool   // the capture is not a revisit
	body   bool   // the body of the capture is known without looking for another capture
	damage error  // the error with which reading the complete entry failed, see Originals.sibling; or nil
}

// choice lists captures of a URL that a revisit may refer to: captures that are not
// revisits, and revisits. The numbers are indexes in urlCaptures.all, ascending.
type choice struct {
	plain, revisits []int32
}

// named implements rule 1 of originals.go: it returns the capture that revisit e
// names by URL and time, and the key of that capture's URL. s is the complete entry
// of e. The capture is nil if the revisit names no capture of this archive.
func (o *Originals) named(ctx context.Context, e Link, s *segment.Stored) (*Sibling, string, error) {
	if s.RefersURL == "" || s.RefersTime == record.NoTime {
		return nil, "", nil
	}
	if s.RefersURL != o.url {
		canonical, err := urlkey.Canonical(s.RefersURL)
		if err != nil {
			return nil, "", nil // an invalid URL refers to nothing
		}
		o.url, o.key = s.RefersURL, urlkey.Key(canonical)
	}
	key := o.key
	if key == e.Key {
		key = e.Key // one string for the whole chain
	}
	u, err := o.captures(ctx, key)
	if err != nil {
		return nil, "", err
	}
	t, end := momentOf(s.RefersTime)
	from := sort.Search(len(u.all), func(i int) bool { return u.all[i].Time >= t })
	to := from
	for to < len(u.all) && u.all[to].Time < end && to-from <= momentFew {
		to++
	}
	if to-from > momentFew {
		m, err := o.moment(u, t, from, end)
		if err != nil {
			return nil, "", err
		}
		if s.DeclaredDigest == "" {
			to, err := u.first(e, m[anyDigest])
			return to, key, err
		}
		to, err := u.first(e, m[s.DeclaredDigest], m[""], m[unreadDigest])
		return to, key, err
	}
	var c choice
	for i := from; i < to; i++ {
		g := &u.all[i]
		there, err := o.sibling(g)
		if err != nil {
			return nil, "", err
		}
		if there == nil || s.DeclaredDigest == "" || there.DeclaredDigest == "" || s.DeclaredDigest == there.DeclaredDigest {
			c.add(int32(i), g, there)
		}
	}
	g, err := u.first(e, &c)
	return g, key, err
}

// momentOf returns the range t <= time < end of times that the time t in a revisit's record may
// mean: a second if t is in whole seconds, otherwise a millisecond.
func momentOf(t record.Time) (_, end record.Time) {
	if t%1000 == 0 {
		return t, t + 1000 // many records have times in whole seconds
	}
	return t, t + 1
}

// sibling returns the complete entry of capture g. If the entry is damaged, it
// returns nil without an error, and sets g.damage.
func (o *Originals) sibling(g *Sibling) (*segment.Stored, error) {
	s, err := o.Stored(g.Place)
	if body.IsDamage(err) {
		g.damage = err
		return nil, nil
	}
	return s, err
}

// moment returns the captures of URL u with a time in t <= time < end, grouped by the digests
// that their records declare. from is the index in u.all of the first of them. The entry for
// anyDigest has all of them.
func (o *Originals) moment(u *urlCaptures, t record.Time, from int, end record.Time) (map[string]*choice, error) {
	if m := u.moments[t]; m != nil {
		return m, nil
	}
	m := make(map[string]*choice)
	for i := from; i < len(u.all) && u.all[i].Time < end; i++ {
		s, err := o.sibling(&u.all[i])
		if err != nil {
			return nil, err
		}
		digest := unreadDigest
		if s != nil {
			digest = s.DeclaredDigest
		}
		for _, d := range []string{digest, anyDigest} {
			if m[d] == nil {
				m[d] = new(choice)
			}
			m[d].add(int32(i), &u.all[i], s)
		}
	}
	if u.moments == nil {
		u.moments = make(map[record.Time]map[string]*choice)
	}
	u.moments[t] = m
	return m, nil
}

// add adds capture g to c, the captures from which a revisit may take its body. i is the index
// of g in urlCaptures.all. add does not add g if g is itself a revisit whose body cannot be found.
// s is the complete entry of g, or nil if it cannot be read.
func (c *choice) add(i int32, g *Sibling, s *segment.Stored) {
	switch {
	case g.plain:
		c.plain = append(c.plain, i)
	case g.body || s == nil || names(s):
		c.revisits = append(c.revisits, i)
	}
}

// first returns the first capture in the choices from whose body revisit e may have its own, or
// nil if there is none. A capture that is no revisit precedes all revisits. Captures that
// cannot be read are in the choices too, because one might be the right one; if the first
// capture is one of them, first returns its damage as an error.
func (u *urlCaptures) first(e Link, from ...*choice) (*Sibling, error) {
	best := -1
	for _, lists := range [2]func(*choice) []int32{
		func(c *choice) []int32 { return c.plain },
		func(c *choice) []int32 { return c.revisits },
	} {
		for _, c := range from {
			if c == nil {
				continue
			}
			if i := u.firstOf(e, lists(c)); i >= 0 && (best < 0 || i < best) {
				best = i
			}
		}
		if best >= 0 {
			return u.at(best)
		}
	}
	return nil, nil
}

// at returns capture i of the URL. It returns an error if the complete entry of the capture is
// damaged.
func (u *urlCaptures) at(i int) (*Sibling, error) {
	if g := &u.all[i]; g.damage == nil {
		return g, nil
	}
	return nil, u.all[i].damage
}

// firstOf returns the first element of list that is the index in u.all of a capture from which
// revisit e may take its body, or -1. list is ascending.
func (u *urlCaptures) firstOf(e Link, list []int32) int {
	for _, i := range list {
		g := &u.all[i]
		if g.Place == e.Place || g.hidden != 0 && (e.Seg == nil || e.Seg.Info.Born >= g.hidden) {
			continue
		}
		if g.Time > e.Time && g.month() > e.month() {
			return -1 // nor may the later ones
		}
		return int(i)
	}
	return -1
}

func (g *Sibling) month() string { return monthAt(g.Place, g.Time) }

func (l *Link) month() string { return monthAt(l.Place, l.Time) }

// monthAt returns the month of the pool of a capture, such as "200806". p and t are
// the place and time of the capture. A capture in a batch has no pool yet; for it,
// the month of its time counts.
func monthAt(p timeline.Place, t record.Time) string {
	if p.Seg == nil {
		return t.Pool()
	}
	return catalog.MonthOf(p.Seg.Info.Pool)
}

// sameDigest implements rule 2 of originals.go: it returns the original that revisit
// e has from a capture of the same URL with the same declared digest, and sets
// e.next to that capture. It returns nil if there is none.
func (o *Originals) sameDigest(ctx context.Context, e *Link) (*timeline.Original, error) {
	to, err := o.withDigest(ctx, e)
	if err != nil || to == nil {
		return nil, err
	}
	e.next = to.Place
	of, err := o.asStored(ctx, to.Place)
	if err != nil {
		return nil, err
	}
	return o.take(ctx, e.Place, of, to.Place)
}

// withDigest returns the capture that rule 2 of originals.go finds for revisit e: a capture of
// the same URL that declares the same digest. It returns nil if there is none.
func (o *Originals) withDigest(ctx context.Context, e *Link) (*Sibling, error) {
	s, err := o.Stored(e.Place)
	if err != nil || s.DeclaredDigest == "" {
		return nil, err
	}
	u, err := o.captures(ctx, e.Key)
	if err != nil {
		return nil, err
	}
	if u.digests == nil {
		if err := o.byDigest(ctx, u); err != nil {
			return nil, err
		}
	}
	best := -1
	for _, c := range []*choice{u.digests[s.DeclaredDigest], u.digests[unreadDigest]} {
		if c == nil {
			continue
		}
		if i := u.firstOf(*e, c.plain); i >= 0 && (best < 0 || i < best) {
			best = i
		}
	}
	if best < 0 {
		return nil, nil
	}
	return u.at(best)
}

// byDigest fills u.digests: the captures of URL u, grouped by the digests that their records
// declare. Among the revisits with the same digest, those with headers of their own come first.
func (o *Originals) byDigest(ctx context.Context, u *urlCaptures) error {
	u.digests = make(map[string]*choice)
	var bare []int32
	digest := make([]string, len(u.all))
	for i := range u.all {
		if i&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s, err := o.sibling(&u.all[i])
		if err != nil {
			return err
		}
		declared := unreadDigest
		if s != nil {
			declared = s.DeclaredDigest
		}
		if declared == "" {
			continue
		}
		c := u.digests[declared]
		if c == nil {
			c = new(choice)
			u.digests[declared] = c
		}
		if s != nil && headless(s) {
			bare, digest[i] = append(bare, int32(i)), s.DeclaredDigest
			continue
		}
		c.add(int32(i), &u.all[i], s)
	}
	for _, i := range bare {
		c := u.digests[digest[i]]
		c.revisits = append(c.revisits, i)
	}
	return nil
}

// Next follows a chain of revisits by one step. It returns the capture to which the revisit at
// refers, and the key of that capture's URL. The capture is nil if there is none, or if the
// revisit is stored with a body.
func (o *Originals) Next(ctx context.Context, at Link) (*Sibling, string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	s, err := o.Stored(at.Place)
	if err != nil || s.Body != segment.BodyNone {
		return nil, "", err
	}
	to, key, err := o.named(ctx, at, s)
	if err != nil {
		return nil, "", err
	}
	if to != nil {
		if to.body {
			return to, key, nil
		}
		of, err := o.find(ctx, &timeline.Capture{Entry: segment.Entry{Key: key, Time: to.Time}, Place: to.Place})
		if of != nil || err != nil {
			return to, key, err
		}
	}
	to, err = o.withDigest(ctx, &at)
	return to, at.Key, err
}

// headOf returns the place of the capture that has the status line and headers of the
// revisit at: the revisit itself if headers are stored with it, otherwise the first capture
// with headers on the way from original to original. It returns timeline.NoPlace if no
// capture on that way has headers.
func (o *Originals) headOf(ctx context.Context, at Link) (out timeline.Place, err error) {
	var path []Link
	defer func() {
		if err == nil {
			return
		}
		for _, l := range path {
			delete(o.heads, l.Place)
		}
	}()
	out = timeline.NoPlace
	for {
		if p, ok := o.heads[at.Place]; ok {
			out = p
			break
		}
		s, err := o.Stored(at.Place)
		if err != nil {
			return timeline.NoPlace, err
		}
		if !headless(s) {
			out = at.Place
			break
		}
		o.heads[at.Place] = timeline.NoPlace // in case the chain returns to it
		path = append(path, at)
		to, key, err := o.named(ctx, at, s)
		if err == nil && to == nil {
			key = at.Key
			to, err = o.headed(ctx, at, s)
		}
		if err != nil {
			return timeline.NoPlace, err
		}
		if to == nil {
			break
		}
		at = Link{Place: to.Place, Key: key, Time: to.Time}
	}
	if len(o.heads) > foundMost {
		clear(o.heads)
	}
	for _, l := range path {
		o.heads[l.Place] = out
	}
	return out, nil
}

// headed returns the capture whose headers a revisit e takes over if e names no capture of this
// archive: the first capture of the same URL that declares the same digest. s is the complete
// entry of e. The result is nil if there is none.
func (o *Originals) headed(ctx context.Context, e Link, s *segment.Stored) (*Sibling, error) {
	u, err := o.captures(ctx, e.Key)
	if err == nil && u.digests == nil && s.DeclaredDigest != "" {
		err = o.byDigest(ctx, u)
	}
	if err != nil || s.DeclaredDigest == "" {
		return nil, err
	}
	return u.first(e, u.digests[s.DeclaredDigest], u.digests[unreadDigest])
}

// captures returns the captures of the URL with this key, both those in the snapshot
// and those in the batch.
func (o *Originals) captures(ctx context.Context, key string) (*urlCaptures, error) {
	if u := o.urls[key]; u != nil {
		return u, nil
	}
	all, err := o.v.LookupRaw(ctx, key)
	if err != nil {
		return nil, err
	}
	n := o.batch.Size()
	from := sort.Search(n, func(i int) bool { return o.batch.Entry(i).Key >= key })
	for i := from; i < n && o.batch.Entry(i).Key == key; i++ {
		all = append(all, timeline.Capture{Entry: *o.batch.Entry(i), Place: timeline.Place{N: uint32(i)}})
	}
	slices.SortStableFunc(all, func(a, b timeline.Capture) int { return a.Compare(&b.Entry) })
	u := &urlCaptures{all: make([]Sibling, len(all))}
	for i := range all {
		e := &all[i]
		plain := e.Via != record.ViaRevisit && e.Via != record.ViaNotModified
		u.all[i] = Sibling{Place: e.Place, Time: e.Time, hidden: e.Hidden, plain: plain, body: plain || e.Seg != nil && e.Body != segment.BodyNone}
	}
	if o.held += len(all) + 1; o.held > urlsMost || o.urls == nil {
		o.urls, o.held = make(map[string]*urlCaptures), len(all)+1
	}
	o.urls[key] = u
	return u, nil
}
