package ingest

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"sort"

	"infomall/store/body"
	"infomall/store/derive"
	"infomall/store/formats"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/snapshot"
	"infomall/store/timeline"
)

// fate says what becomes of a staged capture. It is stored as a version (fateStored), stored as a
// visit (fateVisit), dropped because the archive has it already (fateTwice), or dropped because
// the block-list keeps it out (fateBlocked).
type fate uint8

const (
	fateStored fate = iota
	fateVisit
	fateTwice
	fateBlocked
)

// batchPlan determines which captures of a batch are stored, where, and how.
type batchPlan struct {
	v        *snapshot.Snapshot
	made     map[uint32]int            // Importer.wrote; its keys are the numbers of the segments that this import published
	read     *derive.Reader            // analyses the bodies
	tails    *derive.Histories         // the histories of the URLs imported most recently
	last     bool                      // no batch of this import follows
	wrote    func(segment uint32) bool // reports whether the import wrote the segment and has its blocks in memory
	look     *snapshot.Looker
	blocked  *task.BlockList
	staged   []*staged            // the captures of the batch, sorted by URL and time; see change
	fates    []fate               // for each element of staged: what becomes of it
	folds    [][]byte             // for each element of staged: its fold, or nil
	senses   []record.Sense       // for each element of staged: whether it differs from the version before in content
	newBytes []int64              // for each element of staged: how many bytes of its body the archive did not have
	pools    map[string]*poolPlan // by name of the pool
	all      []timeline.Capture   // stored and staged captures of the current URL
	bodies   urlBodies            // bodies of the current URL
	maker    *derive.FoldMaker    // nil before its first use
	// disturbed is set if captures of the current URL were removed; the hints and folds stored
	// with its captures may then be wrong. See snapshot.Looker.
	disturbed bool
	earlier   map[timeline.Place]*snapshot.EarlierVersion // the stored versions that were read for the current window, by place
	// across are the revisits of this batch whose originals are captures of other
	// URLs in the batch.
	across []reference
	spools []*record.Spool // files with large bodies, to be closed after the batch
}

// change returns staged capture i in a form that the plan may change. The first call for a capture
// replaces it in b.staged by a copy, because the batch may have to be planned again from unchanged
// captures. Most captures need no copy: they do not change, or only in what staged.restore sets back.
func (b *batchPlan) change(i int) *staged {
	s := b.staged[i]
	if !s.planned {
		own := *s
		own.planned = true
		s, b.staged[i] = &own, &own
	}
	return s
}

// reference says that one staged capture has the body of another. from and to are the indexes
// of the two captures in the batch.
type reference struct{ from, to int }

// poolPlan holds the captures that a batch adds to one pool.
type poolPlan struct {
	name    string
	id      uint32          // number of the new segment; 0 until it is written
	at      []int           // indexes into batchPlan.staged, ascending
	urls    int             // number of URLs of these captures
	fresh   int64           // becomes segment.Info.Fresh
	follows bool            // becomes segment.Info.Follows
	depends map[string]bool // the pools that have bodies of these captures
}

// plan plans the whole batch, window by window and URL by URL. The results are in b.fates, b.folds,
// b.senses and b.pools.
func (b *batchPlan) plan(ctx context.Context) error {
	b.fates = make([]fate, len(b.staged))
	b.folds, b.senses = make([][]byte, len(b.staged)), make([]record.Sense, len(b.staged))
	b.newBytes = make([]int64, len(b.staged))
	if err := b.windows(ctx); err != nil {
		return err
	}
	for _, r := range b.across {
		if f := b.fates[r.from]; f == fateTwice || f == fateBlocked {
			continue
		}
		if err := b.refer(ctx, b.change(r.from), r.to); err != nil {
			return err
		}
	}
	for i, s := range b.staged {
		if f := b.fates[i]; f != fateTwice && f != fateBlocked && s.holderPool != "" {
			b.pools[b.poolFor(s)].depends[s.holderPool] = true
		}
	}
	return nil
}

// windows plans the new captures of all URLs. Afterwards it frees what only that needs.
func (b *batchPlan) windows(ctx context.Context) error {
	b.look = b.v.NewLooker(0)
	defer func() {
		b.look.Close()
		b.look, b.earlier = nil, nil // the chunks of the index and the last versions: up to 20 MB
	}()
	var w window
	for from := 0; from < len(b.staged); {
		if err := b.open(ctx, &w, from); err != nil {
			return err
		}
		for i := range w.urls {
			if err := b.url(ctx, &w.urls[i]); err != nil {
				return err
			}
			from = w.urls[i].to
		}
	}
	return nil
}

// poolFor returns the name of the pool to which a staged capture goes.
func (b *batchPlan) poolFor(s *staged) string { return b.v.Pin.OpenPool(s.Time.Pool(), s.Key) }

// url plans the new captures of the URL u: it sets their fates, folds and senses, and adds them to
// b.pools.
func (b *batchPlan) url(ctx context.Context, u *windowURL) error {
	known, before := u.known, u.known
	b.disturbed = u.removed
	if b.disturbed {
		before = u.group
	}
	all := append(b.all[:0], before...)
	var twins timeline.Twins
	for i := u.from; i < u.to; i++ {
		if b.staged[i].Body == segment.BodyNone {
			if err := b.revisit(ctx, i); err != nil {
				return err
			}
			if s := b.staged[i]; s.Body != segment.BodyNone && b.blocked.Body(s.Key, s.Time, s.digest) != nil {
				b.fates[i] = fateBlocked
				continue
			}
		}
		b.fates[i] = fateTwice
		l := timeline.Capture{Entry: b.staged[i].Entry, Place: timeline.Place{N: uint32(i)}}
		if k := knows(&twins, known, &l); k != nil {
			_, b.staged[i].met = b.made[k.Seg.Info.ID]
			continue
		}
		b.staged[i].met = true         // stays so if settle finds a duplicate in the batch
		timeline.Follow(nil, &l.Entry) // settle computes the hints
		all = append(all, l)
	}
	b.all = all
	b.bodies.reset()
	arrange := timeline.Settle
	if b.disturbed {
		arrange = timeline.SettleVisible
	}
	settled := arrange(all)
	stay := !b.disturbed && versionsStay(known, settled)
	for _, l := range settled {
		if l.Seg == nil {
			b.keep(int(l.N), &l, known, stay)
		}
	}
	return b.fold(ctx, settled)
}

// versionsStay reports whether the captures of known, which the archive has of a URL, begin the
// same versions as before, with the same bodies, although new captures of the URL may lie before
// them. settled has the known and the new captures.
//
// The result is also false if a new capture has the content of any later version in known. A copy of
// the archive may leave out the pools between the two. In that copy they are one version, which
// begins at the new capture.
func versionsStay(known, settled []timeline.Capture) bool {
	first := slices.IndexFunc(settled, func(e timeline.Capture) bool { return e.Seg == nil })
	if first < 0 || first == len(known) {
		return true // all new captures are later than the known ones
	}
	type content struct {
		kind record.Kind
		id   segment.ID
	}
	later := make(map[content]bool) // contents of the known versions after settled[i]
	k := len(known)
	for i := len(settled) - 1; i >= first; i-- {
		e := &settled[i]
		if e.Seg == nil {
			if later[content{e.Kind, e.ID}] {
				return false
			}
			continue
		}
		if k--; k < 0 || known[k].Place != e.Place {
			return false
		}
		begins := e.Change != record.ChangeSame
		if was := &known[k]; begins != (was.Change != record.ChangeSame) || was.ID != e.ID || was.Kind != e.Kind || was.Bytes != e.Bytes {
			return false
		}
		if begins {
			later[content{e.Kind, e.ID}] = true
		}
	}
	return k == first
}

// knows returns the capture in the list known of which e is a duplicate, or nil if there is none.
// known has captures of e's URL, sorted by time. The caller passes the same twins for all
// captures of the URL, in ascending order of time.
func knows(twins *timeline.Twins, known []timeline.Capture, e *timeline.Capture) *timeline.Capture {
	n := sort.Search(len(known), func(i int) bool { return known[i].Time > e.Time })
	if i := twins.Of(known[:n], e); i >= 0 {
		return &known[i]
	}
	return nil
}

// keep plans that staged capture i is stored: it sets the hints and the fate of the capture, and
// adds it to the plan of its pool. l is the same capture with the hints that timeline.Settle has
// computed. The list known has the captures of the same URL in the archive,
// and stay is the result of versionsStay for them.
func (b *batchPlan) keep(i int, l *timeline.Capture, known []timeline.Capture, stay bool) {
	s := b.staged[i]
	if s.Kind != l.Kind || s.Bytes != l.Bytes { // a 304 gets those of the capture before it
		s = b.change(i)
		s.Kind, s.Bytes = l.Kind, l.Bytes
	}
	s.Previous, s.VersionTime, s.PreviousVersion, s.Change = l.Previous, l.VersionTime, l.PreviousVersion, l.Change
	b.fates[i] = fateStored
	if s.Change == record.ChangeSame || s.Via == record.ViaRevisit || s.Via == record.ViaNotModified {
		b.fates[i] = fateVisit
	}
	name := b.poolFor(s)
	p := b.pools[name]
	if p == nil {
		p = &poolPlan{name: name, follows: true, depends: make(map[string]bool)}
		b.pools[name] = p
	}
	if n := len(p.at); n == 0 || b.staged[p.at[n-1]].Key != s.Key {
		p.urls++
		p.countFresh(known, b.disturbed)
	}
	p.follows = p.follows && stay && s.Body != segment.BodyNone
	p.at = append(p.at, i)
	if s.Body == segment.BodyOwn {
		b.hold(i, known)
	}
	if s.Body == segment.BodyOwn && s.read != nil && s.read.Divided {
		b.takeFrom(i, known)
	}
}

// countFresh adds one to p.fresh, the number of URLs that are new in the pool, if one
// URL is new. The list known has the captures of the URL in the archive; the URL is new
// if none of them is in the pool. If captures of the URL were removed, disturbed is set,
// and p.fresh becomes FreshUnknown.
func (p *poolPlan) countFresh(known []timeline.Capture, disturbed bool) {
	switch {
	case disturbed || p.fresh == segment.FreshUnknown:
		p.fresh = segment.FreshUnknown
	case !slices.ContainsFunc(known, func(l timeline.Capture) bool { return l.Seg.Info.Pool == p.name }):
		p.fresh++
	}
}

// takeFrom finds the stored capture with which staged capture i may share blocks, and
// sets the field before of capture i to that capture. It is the last
// earlier capture of the URL, in the same pool or an earlier pool, that stores its own
// body. The list known has the captures of the URL in the archive. For blocks of other
// captures of the batch nothing is needed: the segment writer remembers them.
func (b *batchPlan) takeFrom(i int, known []timeline.Capture) {
	s := b.staged[i]
	pool := b.poolFor(s)
	b.bodies.look(known)
	for _, j := range slices.Backward(b.bodies.known) {
		if k := &known[j]; k.Time <= s.Time && k.Seg.Info.Pool <= pool {
			s.before = &sharing{place: k.Place}
			if e := b.earlier[k.Place]; e != nil {
				s.before.blocks = e.Blocks
			}
			return
		}
	}
}

// urlBodies lists the captures of the current URL that store their own bodies. Its memory is used for
// one URL after the other.
type urlBodies struct {
	known  []int              // such captures in the archive, as indexes into the argument of look
	last   map[segment.ID]int // by ID of a body: the last capture in known that stores it, as an index into known
	before []int              // for each capture in known: the capture before it that stores the same body, as an index into known, or -1
	new    map[segment.ID]int // by ID of a body: the last capture of the batch that stores it, as an index into batchPlan.staged

	looked bool // look was called
}

// urlBodiesKept is how many bodies the maps of urlBodies may have to be cleared and used again for
// the next URL. Clearing larger maps takes long, so reset replaces them by new ones.
const urlBodiesKept = 256

// reset forgets the current URL.
func (u *urlBodies) reset() {
	if u.new == nil || len(u.known)+len(u.new) > urlBodiesKept {
		*u = urlBodies{last: make(map[segment.ID]int), new: make(map[segment.ID]int)}
		return
	}
	clear(u.last)
	clear(u.new)
	u.known, u.before, u.looked = u.known[:0], u.before[:0], false
}

// look fills u.known, u.last and u.before. The list known has the captures of the URL in the
// archive. Only the first call for a URL does anything.
func (u *urlBodies) look(known []timeline.Capture) {
	if u.looked {
		return
	}
	u.looked = true
	for j := range known {
		if known[j].Body != segment.BodyOwn {
			continue
		}
		before, ok := u.last[known[j].ID]
		if !ok {
			before = -1
		}
		u.last[known[j].ID] = len(u.known)
		u.known, u.before = append(u.known, j), append(u.before, before)
	}
}

// fold computes the fold of each new version of a URL (how its blocks relate to those of
// earlier versions). It stores the folds in b.folds, and the senses of the versions in
// b.senses. all has all captures of the URL.
func (b *batchPlan) fold(ctx context.Context, all []timeline.Capture) error {
	if b.disturbed {
		return nil // the folds in the archive were made before captures were removed
	}
	if b.maker == nil {
		b.maker = &derive.FoldMaker{Read: b.read, Histories: b.tails, Source: b, Last: b.last}
	}
	return b.maker.Folds(ctx, all, func(l *timeline.Capture, fold []byte, sense record.Sense) {
		b.folds[l.N], b.senses[l.N] = fold, sense
	})
}

// StoredFold returns the fold that is stored with the version at this place of the archive, or nil
// if none is stored. The fold says how the blocks of the version relate to those of earlier
// versions.
func (b *batchPlan) StoredFold(at timeline.Place) ([]byte, error) {
	if e := b.earlier[at]; e != nil {
		return e.Fold, nil
	}
	return b.v.Versions().StoredFold(at)
}

// VersionBody returns the body of version l, which is in the archive or in the batch. The bool
// is false if the version has no body, or if the body is too large to be divided into blocks.
func (b *batchPlan) VersionBody(ctx context.Context, l *timeline.Capture) (derive.Body, bool, error) {
	if e := b.earlier[l.Place]; e != nil {
		return derive.Body{Digest: e.Digest, Body: e.Body, As: e.As}, e.HasBody, nil
	}
	if l.Seg != nil {
		return b.v.Versions().VersionBody(ctx, l)
	}
	s := b.staged[l.N]
	if s.read == nil || s.spool != nil || len(s.body) > segment.DividedMax {
		return derive.Body{}, false, nil
	}
	out := derive.Body{Digest: s.digest, Body: s.body, Read: s.read}
	if s.Via == record.ViaRevisit || s.Via == record.ViaNotModified {
		// s.read has the headers of its original, which may differ.
		out.Read = b.read.Of(s.ID, s.body, s.head, s.Mime)
		s.took.facts = out.Read.Facts
	}
	return out, true, nil
}

// hold finds out whether another capture of the same URL, in the same pool or an earlier
// pool, already stores the body of staged capture i. If so, hold changes capture i so
// that it refers to that capture and does not store the body again. The list known has
// the captures of the URL in the archive.
func (b *batchPlan) hold(i int, known []timeline.Capture) {
	s := b.staged[i]
	pool := b.poolFor(s)
	b.bodies.look(known)
	at, ok := b.bodies.last[s.ID]
	for ; ok && at >= 0; at = b.bodies.before[at] {
		if k := &known[b.bodies.known[at]]; k.Seg.Info.Pool <= pool {
			s.Body, s.holder, s.holderPool = segment.BodyHeld, k.Place.Holder(), k.Seg.Info.Pool
			return
		}
	}
	if j, ok := b.bodies.new[s.ID]; ok && j < i {
		s.Body, s.holderPool, s.inBatch = segment.BodyHeld, b.poolFor(b.staged[j]), true
		return
	}
	b.bodies.new[s.ID] = i
}

// revisit finds the body of staged capture i, a revisit (a capture that was recorded without a
// body), and makes the capture refer to it. It looks in the archive, among the new captures of
// the same URL, and among the batch's captures of other URLs. If it finds no body, the revisit is
// stored without one, and each scan searches for the body again.
func (b *batchPlan) revisit(ctx context.Context, i int) error {
	s := b.staged[i]
	o := b.v.Originals()
	of, err := o.Of(ctx, &timeline.Capture{Entry: s.Entry, Place: timeline.Place{N: uint32(i)}})
	if of == nil || err != nil {
		return err
	}
	e, err := o.Stored(of.From)
	if err != nil {
		return err
	}
	owner, at := e, of.From
	if at.Seg != nil {
		if owner, at, err = b.v.Owner(ctx, of.From, e); err != nil || owner == nil {
			return err
		}
	}
	s = b.change(i)
	l := timeline.Capture{Entry: s.Entry}
	l.Takes(of)
	own := s.stored()
	if err := b.v.Complete(ctx, &own, &l, e); err != nil {
		return err
	}
	s.Entry, s.digest, s.took = own.Entry, own.Digest, &took{page: own.Page, location: own.Location}
	if at.Seg != nil {
		hidden, err := b.v.IsHidden()
		if err != nil {
			return err
		}
		if hidden(at) {
			return b.bring(ctx, s, owner)
		}
		own.Refer(owner, at.Holder())
		s.Body, s.holder, s.took.holderKey = own.Body, own.Holder, own.HolderKey
		s.holderPool, s.inBatch = at.Seg.Info.Pool, false
		return nil
	}
	k := b.staged[of.From.N]
	if k.Key == s.Key {
		s.Body, s.body, s.spool, s.read = segment.BodyOwn, k.body, k.spool, k.read
		return nil
	}
	s.Body, s.took.holderKey = segment.BodyElsewhere, k.Key
	b.across = append(b.across, reference{i, int(of.From.N)})
	return nil
}

// bring copies the body that the entry owner stores into s, a new revisit of that body. A revisit
// usually only refers to the entry with its body. bring is called if owner was deleted, because it
// will disappear when its pool is merged.
func (b *batchPlan) bring(ctx context.Context, s *staged, owner *segment.Stored) (err error) {
	s.Body = segment.BodyOwn
	if owner.Bytes <= formats.BodyMemory {
		if s.body, err = b.v.BodyIn(ctx, owner); err == nil {
			s.read = b.read.Of(owner.ID, s.body, s.head, s.Mime)
		}
		return err
	}
	r := &pieceReader{}
	var stop func()
	r.next, stop = iter.Pull2(b.v.Runs.Pieces(ctx, owner))
	defer stop()
	if s.spool, err = message.NewSpool(r, ""); err == nil {
		b.spools = append(b.spools, s.spool)
	}
	return err
}

// pieceReader is an io.Reader that reads the pieces of a body one after the other.
type pieceReader struct {
	next func() ([]byte, error, bool) // returns the next piece; the bool is false after the last
	rest []byte                       // the part of the current piece that was not read yet
}

func (r *pieceReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		piece, err, ok := r.next()
		if !ok {
			return 0, io.EOF
		}
		if err != nil {
			return 0, err
		}
		r.rest = piece
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// refer makes staged capture s refer to the place where its body is stored. s has the body of
// staged capture number to, which has another URL.
func (b *batchPlan) refer(ctx context.Context, s *staged, to int) error {
	k := b.staged[to]
	switch {
	case b.fates[to] != fateTwice && k.Body == segment.BodyOwn:
		s.holderPool, s.inBatch = b.poolFor(k), true
		return nil
	case b.fates[to] != fateTwice:
		s.holder, s.holderPool, s.inBatch = k.holder, k.holderPool, k.inBatch
		return nil
	}
	known, err := b.v.LookupRaw(ctx, k.Key)
	if err != nil {
		return err
	}
	for i := range known {
		if l := &known[i]; l.Body == segment.BodyOwn && l.ID == s.ID && l.Seg.Info.Pool <= b.poolFor(s) {
			s.holder, s.holderPool = l.Place.Holder(), l.Seg.Info.Pool
			return nil
		}
	}
	return fmt.Errorf("import %s: %w", s.source, body.ErrMissing)
}
