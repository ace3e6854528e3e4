package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/klauspost/compress/zstd"

	"infomall/store/block"
	"infomall/store/derive"
	"infomall/store/disk"
	"infomall/store/formats"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// ingest imports captures: it gathers them into a batch, compares each with the
// captures its URL already has, writes one segment for each pool, and publishes
// these together. Only one goroutine may use it.
type ingest struct {
	a     *Archive
	w     *writer
	job   string
	dates record.Dates // the dates that captures may have; all dates, unless they come from files
	added record.Time
	enc   *zstd.Encoder
	quick *zstd.Encoder // for small captures

	staged []*staged
	room   []staged // for the next captures
	bytes  int64    // about how much memory staged takes, without what read has
	batch  int64    // size in bytes at which a batch is published
	read   *derive.Reader
	// poolLimit is the size in bytes above which a pool is split; 0 means the
	// default.
	poolLimit int64
	// oneFile is set if all captures come from one file.
	oneFile bool
	tails   *derive.Histories
	blocks  *segment.Blocks
	// wrote has the segments that this import published, each with the turn of
	// blocks at which it was written.
	wrote  map[uint32]int
	nearby *nearby // nil before the first batch
}

// staged is a capture of the current batch.
type staged struct {
	segment.Stored
	body   []byte
	spool  *record.Spool
	read   *derive.Analysis   // nil if the capture has no body
	result *task.ImportResult // the result in which the capture is counted

	// before is the place of an earlier capture of the same URL that stores its own
	// body and is not of this batch. Blocks that it has are not stored again.
	before timeline.Place

	// holderPool is the pool of the segment that has the body, if Body is BodyHeld
	// or BodyElsewhere. If inBatch is set, that segment belongs to this batch, and
	// Holder is known only after the batch's segments have numbers.
	holderPool string
	inBatch    bool
	came       int // its index in the batch, in the order in which captures arrived
	// planned is set in the copy that a plan made to change it.
	planned bool
	// met is set if the capture is a duplicate within this import, and not of a
	// capture the archive had before.
	met bool
}

// heldBy makes s refer to the body that owner stores in segment r, which is in
// force.
func (s *staged) heldBy(owner *segment.Stored, r *segment.Reader) {
	s.Body, s.HolderKey = segment.BodyHeld, ""
	if owner.Key != s.Key {
		s.Body, s.HolderKey = segment.BodyElsewhere, owner.Key
	}
	s.Holder, s.holderPool, s.inBatch = r.Info.ID, r.Info.Pool, false
}

// batchOf is staged captures, sorted.
type batchOf []*staged

func (b batchOf) size() int                    { return len(b) }
func (b batchOf) stored(i int) *segment.Stored { return &b[i].Stored }
func (b batchOf) body(i int) ([]byte, bool)    { return b[i].body, b[i].spool == nil }

// stagedCost is about how many bytes of memory a staged capture takes besides its
// body and analysis.
const stagedCost = 800

// stagedRoom is how many staged captures are allocated at once.
const stagedRoom = 256

// newStaged returns a zero staged capture.
func (g *ingest) newStaged() *staged {
	if len(g.room) == 0 {
		g.room = make([]staged, stagedRoom)
	}
	s := &g.room[0]
	g.room = g.room[1:]
	return s
}

// newIngest opens an import. First it imports the captures that killed processes
// left in journals.
func (a *Archive) newIngest(ctx context.Context, job string) (*ingest, error) {
	if err := a.takeUpJournals(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		a.warn(err) // the journal stays, and new captures can be imported all the same
	}
	return a.openIngest(ctx, job)
}

func (a *Archive) openIngest(ctx context.Context, job string) (*ingest, error) {
	w, err := a.newWriter(ctx)
	if err != nil {
		return nil, err
	}
	g := &ingest{a: a, w: w, job: job, dates: record.AllDates, batch: a.opts.BatchBytes, added: record.At(a.opts.Now()), read: derive.NewReader(), tails: derive.NewHistories(a.opts.BatchBytes / 4), blocks: segment.NewBlocks(segment.BlocksMax), wrote: make(map[uint32]int), enc: newEncoder(), quick: encoderOf(zstd.SpeedFastest)}
	return g, nil
}

// newEncoder returns a zstd encoder of the default, fast level.
func newEncoder() *zstd.Encoder { return encoderOf(zstd.SpeedDefault) }

func encoderOf(level zstd.EncoderLevel) *zstd.Encoder {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(4<<20), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(fmt.Sprintf("store: options of the zstd encoder: %v", err))
	}
	return enc
}

// close ends the import. Captures that were not published are lost.
func (g *ingest) close() error {
	g.drop()
	return g.w.close()
}

// drop forgets the staged captures and frees the disk space of large bodies.
func (g *ingest) drop() {
	for _, s := range g.staged {
		if s.spool != nil {
			s.spool.File.Close()
		}
		*s = staged{} // the array it lies in may have room for more
	}
	g.read.Close()
	clear(g.staged)
	g.staged, g.bytes = g.staged[:0], 0
}

// add adds one capture to the batch, and publishes the batch when it is large
// enough. A capture whose URL cannot be parsed is counted as skipped, and one with
// an impossible date as damaged. All captures, from whatever source, are added
// here.
func (g *ingest) add(ctx context.Context, c *record.Capture, res *task.ImportResult) error {
	if why := g.dates.Refuse(c.Time); why != "" {
		if c.Source != res.Source {
			why = strings.TrimPrefix(c.Source, res.Source+"/") + ": " + why // in a file of a mirror or WACZ
		}
		damage(res, task.Damage{Offset: c.Offset, Why: why})
		c.Close()
		return nil
	}
	canonical, err := urlkey.Canonical(c.AskedURL)
	if err != nil {
		skip(res, "its URL can't be understood")
		c.Close()
		return nil
	}
	if err := declared(c, res); err != nil {
		c.Close()
		return err
	}
	s := g.newStaged()
	s.result, s.body, s.spool, s.came = res, c.Body, c.Spool, len(g.staged)
	e := &s.Stored
	e.Key = urlkey.Key(canonical)
	if c.AskedURL != canonical {
		e.AskedURL = c.AskedURL
	}
	e.Location = derive.Location(canonical, message.Header(c.Head, "Location"))
	e.Time, e.Seq, e.Status, e.Via, e.Truncated = c.Time, c.Offset, int32(c.Status), c.Via, c.Truncated
	e.Kind = record.KindOf(c.Status, e.Location != "")
	e.Mime = c.Mime
	if c.Via == record.ViaResource || c.Status == 0 {
		// A file as it is, or a response of a server from before status lines.
		e.Kind = record.KindPage
	} else {
		e.Mime = message.Mime(message.Header(c.Head, "Content-Type"))
	}
	e.Job, e.Added, e.Page = g.job, g.added, segment.NoPage
	timeline.Follow(nil, &e.Entry) // correct for most captures
	e.IP, e.Source, e.RecordID, e.DeclaredDigest = c.IP, c.Source, c.RecordID, c.DeclaredDigest
	e.RefersURL, e.RefersTime = c.RefersURL, c.RefersTime
	e.Head, e.Framing, e.Extra = c.Head, c.Framing, c.Extra
	if c.Origin != "" {
		e.Origin = c.Origin
		if o, err := urlkey.Canonical(c.Origin); err == nil {
			e.Origin = o
		}
	}
	switch {
	case c.Via == record.ViaRevisit || c.Via == record.ViaNotModified:
		e.Bytes = -1
		e.ID = segment.StandInID(e.DeclaredDigest, e.RefersURL)
	case c.Spool != nil:
		sum := sha256.New()
		if _, err := io.Copy(sum, io.NewSectionReader(c.Spool.File, 0, c.Spool.Size)); err != nil {
			c.Close()
			return fmt.Errorf("read a large body back: %w", err)
		}
		sum.Sum(e.Digest[:0])
		e.Bytes, e.Body = c.Spool.Size, segment.BodyOwn
	default:
		e.Digest = sha256.Sum256(c.Body)
		e.Bytes, e.Body = int64(len(c.Body)), segment.BodyOwn
	}
	if e.Body == segment.BodyOwn {
		copy(e.ID[:], e.Digest[:])
	}
	if e.Body == segment.BodyOwn {
		body := c.Body
		if c.Spool != nil {
			var err error
			if body, err = g.firstPart(c.Spool); err != nil {
				c.Close()
				return err
			}
			g.bytes += int64(len(body))
		}
		s.read = g.read.Of(e.ID, body, c.Head, e.Mime)
		e.Facts = s.read.Facts
		s.read.Complete(e)
	}
	g.staged = append(g.staged, s)
	g.bytes += int64(len(c.Body)+len(c.Head)+len(c.Framing)) + stagedCost
	if g.bytes+g.read.Memory >= g.batch {
		return g.flush(ctx)
	}
	return nil
}

// firstPart returns the part of a large body that is analysed, and one byte more,
// from which the analysis sees that the body goes on.
func (g *ingest) firstPart(s *record.Spool) ([]byte, error) {
	limit := g.read.Limit
	if limit == 0 {
		limit = block.PageLimit
	}
	body := make([]byte, min(limit+1, s.Size))
	if _, err := s.File.ReadAt(body, 0); err != nil && err != io.EOF {
		return nil, fmt.Errorf("read a large body back: %w", err)
	}
	return body, nil
}

func skip(res *task.ImportResult, why string) {
	res.Records++
	res.Skipped++
	if res.Skips == nil {
		res.Skips = make(map[string]int64)
	}
	res.Skips[why]++
}

// flush writes and publishes the staged captures. After a nil error all of them are
// in force, otherwise none.
func (g *ingest) flush(ctx context.Context) error {
	if len(g.staged) == 0 {
		return nil
	}
	defer g.drop()
	slices.SortFunc(g.staged, func(a, b *staged) int { return cmp.Or(a.Compare(&b.Entry), cmp.Compare(a.came, b.came)) })
	if err := g.tellCharsets(ctx); err != nil {
		return err
	}
	var large []string
	err := retryStale(ctx, func() (err error) { // segments that the batch uses may be merged meanwhile
		large, err = g.store(ctx)
		return err
	})
	if err != nil {
		return err
	}
	g.drop() // a merge needs the memory
	g.mergeSmall(ctx, large)
	return nil
}

// batchShelf is how many bytes of runs an import keeps in memory.
const batchShelf = 16 << 20

// store plans the staged captures against the current state of the archive, writes
// them and publishes them. It returns the pools that now have many small segments
// or are too large.
func (g *ingest) store(ctx context.Context) (large []string, err error) {
	v, err := g.a.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	v.runs.shelve(batchShelf, 1) // bodies of neighbouring URLs are in the same runs
	b := &batchPlan{v: v, read: g.read, tails: g.tails, look: v.looker(0), staged: slices.Clone(g.staged), pools: make(map[string]*poolPlan)}
	defer b.look.close()
	defer func() {
		for _, s := range b.spools {
			s.File.Close()
		}
	}()
	v.addBatch(batchOf(b.staged), b.read)
	if err := b.plan(ctx); err != nil {
		return nil, err
	}
	done, err := g.write(ctx, b)
	if err != nil {
		return nil, err
	}
	for i, f := range b.fates {
		b.staged[i].count(f, g.oneFile)
		b.staged[i].result.NewBytes += b.newBytes[i]
	}
	for _, m := range done {
		name := m.info.Pool
		if dueForMerge(append(v.pin.poolSegments(name), m.info)) != nil || v.pin.oversized(name, limitOr(g.poolLimit)) {
			large = append(large, name)
		}
	}
	return large, nil
}

// mergeSmall merges the small segments of these pools, and splits pools that are
// too large. An error is only a warning: what was stored is in force already, and
// the next process that publishes tries again.
func (g *ingest) mergeSmall(ctx context.Context, pools []string) {
	for _, name := range pools {
		if err := g.a.mergeSmall(ctx, name, g.poolLimit); err != nil && ctx.Err() == nil {
			g.a.warn(err)
		}
	}
}

// fate says what happens to a staged capture: it is stored as a version, stored as
// a visit, or dropped as a duplicate.
type fate uint8

const (
	fateStored fate = iota
	fateVisit
	fateTwice
)

// count counts one capture of a published batch in its result. oneFile is set if
// the import reads a single file.
func (s *staged) count(f fate, oneFile bool) {
	if s.Via != record.ViaRevisit && s.Via != record.ViaNotModified {
		s.result.Bytes += s.Bytes
	}
	switch f {
	case fateStored:
		s.result.Records++
		s.result.Stored++
	case fateVisit:
		s.result.Records++
		s.result.Visits++
	case fateTwice:
		switch {
		case !s.met:
			skip(s.result, "already in the archive")
		case oneFile:
			skip(s.result, "met earlier in the same file")
		default:
			skip(s.result, "met earlier in this import")
		}
	}
}

// batchPlan decides for each staged capture what is stored of it.
type batchPlan struct {
	v        *Snapshot
	read     *derive.Reader
	tails    *derive.Histories
	look     *looker
	staged   []*staged // sorted by URL and time; see change
	fates    []fate    // one for each of staged
	folds    [][]byte  // one for each of staged
	newBytes []int64   // one for each of staged: bytes of its body that the archive did not have
	pools    map[string]*poolPlan
	all      []timeline.Capture // captures of the current URL
	bodies   urlBodies          // of the current URL
	// across are the revisits whose originals are captures of other URLs in this
	// batch.
	across []reference
	spools []*record.Spool // closed after the batch
}

// change returns capture i for changes. It is a copy, since a batch may have to be
// planned again. Most captures are the first of their URL and need no change.
func (b *batchPlan) change(i int) *staged {
	s := b.staged[i]
	if !s.planned {
		own := *s
		own.planned = true
		s, b.staged[i] = &own, &own
	}
	return s
}

// reference says that staged capture from has its body from staged capture to.
type reference struct{ from, to int }

// poolPlan is what a batch adds to one pool.
type poolPlan struct {
	name    string
	id      uint32
	at      []int // indexes into staged, ascending
	urls    int
	fresh   int64 // fresh and follows are Fresh and Follows of segment.Info
	follows bool
	depends map[string]bool
}

// plan plans the batch, URL by URL.
func (b *batchPlan) plan(ctx context.Context) error {
	b.fates = make([]fate, len(b.staged))
	b.folds = make([][]byte, len(b.staged))
	b.newBytes = make([]int64, len(b.staged))
	for from := 0; from < len(b.staged); {
		to := from + 1
		for to < len(b.staged) && b.staged[to].Key == b.staged[from].Key {
			to++
		}
		if err := b.url(ctx, from, to); err != nil {
			return err
		}
		from = to
	}
	for _, r := range b.across {
		if b.fates[r.from] == fateTwice {
			continue
		}
		if err := b.refer(ctx, b.change(r.from), r.to); err != nil {
			return err
		}
	}
	for i, s := range b.staged {
		if b.fates[i] != fateTwice && s.holderPool != "" {
			b.pools[b.poolFor(s)].depends[s.holderPool] = true
		}
	}
	return nil
}

// poolFor returns the name of the pool that a capture goes to.
func (b *batchPlan) poolFor(s *staged) string { return b.v.pin.openPool(s.Time.Pool(), s.Key) }

// url plans the captures staged[from:to], which all have the same URL.
func (b *batchPlan) url(ctx context.Context, from, to int) error {
	known, err := b.look.at(ctx, b.staged[from].Key)
	if err != nil {
		return err
	}
	before := known
	if b.look.disturbed {
		before = b.look.group
	}
	all := append(b.all[:0], before...)
	for i := from; i < to; i++ {
		if b.staged[i].Body == segment.BodyNone {
			if err := b.revisit(ctx, i); err != nil {
				return err
			}
		}
		b.fates[i] = fateTwice
		l := timeline.Capture{Entry: b.staged[i].Entry, Place: timeline.Place{N: uint32(i)}}
		if k := knows(known, &l); k != nil {
			b.staged[i].met = k.Added == l.Added && k.Job == l.Job
			continue
		}
		b.staged[i].met = true         // stays so if settle finds a duplicate in the batch
		timeline.Follow(nil, &l.Entry) // settle computes the hints
		all = append(all, l)
	}
	b.all, b.bodies = all, urlBodies{}
	arrange := timeline.Settle
	if b.look.disturbed {
		arrange = timeline.SettleVisible
	}
	settled := arrange(all)
	for _, l := range settled {
		if l.Seg == nil {
			b.keep(int(l.N), &l, known)
		}
	}
	return b.fold(ctx, settled)
}

// knows returns the capture in known that is the same as e, or nil.
func knows(known []timeline.Capture, e *timeline.Capture) *timeline.Capture {
	for i := sort.Search(len(known), func(i int) bool { return known[i].Time >= e.Time }); i < len(known) && known[i].Time == e.Time; i++ {
		if known[i].Same(&e.Entry) {
			return &known[i]
		}
	}
	return nil
}

// keep plans to store capture i. l is the capture after settle, with its hints.
func (b *batchPlan) keep(i int, l *timeline.Capture, known []timeline.Capture) {
	s := b.staged[i]
	if s.Previous != l.Previous || s.VersionTime != l.VersionTime || s.PreviousVersion != l.PreviousVersion || s.Change != l.Change || s.Kind != l.Kind || s.Bytes != l.Bytes {
		s = b.change(i)
		s.Previous, s.VersionTime, s.PreviousVersion, s.Change = l.Previous, l.VersionTime, l.PreviousVersion, l.Change
		s.Kind, s.Bytes = l.Kind, l.Bytes // of a 304, those of the capture before
	}
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
		p.countFresh(known, b.look.disturbed)
	}
	p.follows = p.follows && !b.look.disturbed && s.Body != segment.BodyNone && (len(known) == 0 || known[len(known)-1].Time < s.Time)
	p.at = append(p.at, i)
	if s.Body == segment.BodyOwn {
		b.hold(i, known)
		s = b.staged[i]
	}
	if s.Change == record.ChangeSame && s.Body != segment.BodyOwn {
		b.change(i).Facts = nil // the version it belongs to has them
	}
	if s.Body == segment.BodyOwn && s.read != nil && s.read.Divided {
		b.takeFrom(i, known)
	}
}

// countFresh counts a URL if the pool has no captures of it. If captures of the URL
// were removed, the count becomes unknown.
func (p *poolPlan) countFresh(known []timeline.Capture, disturbed bool) {
	switch {
	case disturbed || p.fresh == segment.FreshUnknown:
		p.fresh = segment.FreshUnknown
	case !slices.ContainsFunc(known, func(l timeline.Capture) bool { return l.Seg.Info.Pool == p.name }):
		p.fresh++
	}
}

// takeFrom finds the stored capture whose blocks capture i may share: the last one
// before it that stores its own body, in the same pool or an earlier one. Blocks
// within this batch are remembered elsewhere.
func (b *batchPlan) takeFrom(i int, known []timeline.Capture) {
	s := b.staged[i]
	pool := b.poolFor(s)
	b.bodies.look(known)
	for _, j := range slices.Backward(b.bodies.known) {
		if k := &known[j]; k.Time <= s.Time && k.Seg.Info.Pool <= pool {
			b.change(i).before = k.Place
			return
		}
	}
}

// urlBodies knows which captures of the current URL store their own bodies.
type urlBodies struct {
	known []int                // indexes into the known captures
	byID  map[segment.ID][]int // the same indexes, by body
	new   map[segment.ID]int   // the last capture of the batch with a body; index into staged

	looked bool
}

// look records which known captures of the URL store their own bodies. Only the
// first call does anything.
func (u *urlBodies) look(known []timeline.Capture) {
	if u.looked {
		return
	}
	u.looked = true
	for j := range known {
		if known[j].Body != segment.BodyOwn {
			continue
		}
		if u.byID == nil {
			u.byID = make(map[segment.ID][]int)
		}
		u.known = append(u.known, j)
		u.byID[known[j].ID] = append(u.byID[known[j].ID], j)
	}
}

// fold computes the folds of the new versions among the captures of a URL.
func (b *batchPlan) fold(ctx context.Context, all []timeline.Capture) error {
	if b.look.disturbed {
		return nil // the folds in the archive were made before captures were removed
	}
	f := &derive.Folder{Read: b.read, Histories: b.tails, Source: b}
	return f.Folds(ctx, all, func(l *timeline.Capture, fold []byte) { b.folds[l.N] = fold })
}

// StoredFold returns the fold that is stored with a version of the archive.
func (b *batchPlan) StoredFold(at timeline.Place) ([]byte, error) {
	return storedVersions{b.v}.StoredFold(at)
}

// VersionBody returns the body of a version of the archive or of the batch.
func (b *batchPlan) VersionBody(ctx context.Context, l *timeline.Capture) (derive.Body, bool, error) {
	if l.Seg != nil {
		return storedVersions{b.v}.VersionBody(ctx, l)
	}
	s := b.staged[l.N]
	if s.read == nil || s.spool != nil || len(s.body) > segment.DividedMax {
		return derive.Body{}, false, nil
	}
	out := derive.Body{Digest: s.Digest, Body: s.body, Read: s.read}
	if s.Via == record.ViaRevisit || s.Via == record.ViaNotModified {
		// s.read has the headers of its original, which may differ.
		out.Read = b.read.Of(s.ID, s.body, s.Head, s.Mime)
		b.change(int(l.N)).Facts = out.Read.Facts
	}
	return out, true, nil
}

// hold looks for the body of capture i among the other captures of its URL, in its
// pool or an earlier one. If it finds the body, capture i refers to it instead of
// storing its own.
func (b *batchPlan) hold(i int, known []timeline.Capture) {
	s := b.staged[i]
	pool := b.poolFor(s)
	b.bodies.look(known)
	for _, j := range slices.Backward(b.bodies.byID[s.ID]) {
		if k := &known[j]; k.Seg.Info.Pool <= pool {
			s = b.change(i)
			s.Body, s.Holder, s.holderPool = segment.BodyHeld, k.Seg.Info.ID, k.Seg.Info.Pool
			return
		}
	}
	if j, ok := b.bodies.new[s.ID]; ok && j < i {
		s = b.change(i)
		s.Body, s.holderPool, s.inBatch = segment.BodyHeld, b.poolFor(b.staged[j]), true
		return
	}
	if b.bodies.new == nil {
		b.bodies.new = make(map[segment.ID]int)
	}
	b.bodies.new[s.ID] = i
}

// revisit finds the body that revisit i refers to: in the archive, among the new
// captures of its URL, or among the batch's captures of other URLs. If there is
// none, the revisit is stored without a body, and scans look again.
func (b *batchPlan) revisit(ctx context.Context, i int) error {
	s := b.staged[i]
	o := b.v.originals()
	of, err := o.of(ctx, &timeline.Capture{Entry: s.Entry, Place: timeline.Place{N: uint32(i)}})
	if of == nil || err != nil {
		return err
	}
	e, err := o.stored(of.From)
	if err != nil {
		return err
	}
	owner, at := e, of.From
	if at.Seg != nil {
		if owner, at, err = b.v.owner(ctx, of.From, e); err != nil || owner == nil {
			return err
		}
	}
	s = b.change(i)
	l := timeline.Capture{Entry: s.Entry}
	l.Takes(of)
	if err := b.v.fill(ctx, &s.Stored, &l, e); err != nil {
		return err
	}
	if at.Seg != nil {
		hidden, err := b.v.isHidden()
		if err != nil {
			return err
		}
		if hidden(at) {
			return b.bring(ctx, s, owner)
		}
		s.heldBy(owner, at.Seg)
		return nil
	}
	k := b.staged[of.From.N]
	if k.Key == s.Key {
		s.Body, s.body, s.spool, s.read = segment.BodyOwn, k.body, k.spool, k.read
		return nil
	}
	s.Body, s.HolderKey = segment.BodyElsewhere, k.Key
	b.across = append(b.across, reference{i, int(of.From.N)})
	return nil
}

// bring makes revisit s store the body of an entry that was deleted. That entry
// disappears when its pool is merged, and a new capture cannot keep it.
func (b *batchPlan) bring(ctx context.Context, s *staged, owner *segment.Stored) (err error) {
	s.Body = segment.BodyOwn
	if owner.Bytes <= formats.BodyMemory {
		if s.body, err = b.v.bodyIn(ctx, owner); err == nil {
			s.read = b.read.Of(owner.ID, s.body, s.Head, s.Mime)
		}
		return err
	}
	r := &pieceReader{}
	var stop func()
	r.next, stop = iter.Pull2(b.v.runs.pieces(ctx, owner))
	defer stop()
	if s.spool, err = message.NewSpool(r, ""); err == nil {
		b.spools = append(b.spools, s.spool)
	}
	return err
}

// pieceReader is an io.Reader over the pieces of a body.
type pieceReader struct {
	next func() ([]byte, error, bool)
	rest []byte
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

// refer decides to which segment s refers for its body, which is that of the staged
// capture to.
func (b *batchPlan) refer(ctx context.Context, s *staged, to int) error {
	k := b.staged[to]
	switch {
	case b.fates[to] != fateTwice && k.Body == segment.BodyOwn:
		s.holderPool, s.inBatch = b.poolFor(k), true
		return nil
	case b.fates[to] != fateTwice:
		s.Holder, s.holderPool, s.inBatch = k.Holder, k.holderPool, k.inBatch
		return nil
	}
	known, err := b.v.lookupRaw(ctx, k.Key)
	if err != nil {
		return err
	}
	for i := range known {
		if l := &known[i]; l.Body == segment.BodyOwn && l.ID == s.ID && l.Seg.Info.Pool <= b.poolFor(s) {
			s.Holder, s.holderPool = l.Seg.Info.ID, l.Seg.Info.Pool
			return nil
		}
	}
	return fmt.Errorf("import %s: %w", s.Source, errNoHolder)
}

// write writes a segment for each pool of a planned batch, in the order of pools,
// and publishes them.
func (g *ingest) write(ctx context.Context, b *batchPlan) ([]made, error) {
	if len(b.pools) == 0 {
		return nil, nil
	}
	plans := make([]*poolPlan, 0, len(b.pools))
	for _, p := range b.pools {
		plans = append(plans, p)
	}
	sort.Slice(plans, func(i, j int) bool { return plans[i].name < plans[j].name })
	first, err := g.w.allocate(ctx, len(plans))
	if err != nil {
		return nil, err
	}
	coming := make(map[uint32]string)
	for i, p := range plans {
		p.id = first + uint32(i)
		coming[p.id] = p.name
	}
	turn := g.blocks.Turn()
	known := &knownBlocks{runs: b.v.runs, blocks: g.blocks, wrote: g.wrote}
	known.valid(coming)
	if g.nearby == nil {
		g.nearby = newNearby(b.v)
	}
	g.nearby.begin(b.v, known)
	defer g.nearby.begin(nil, nil)
	// One after the other, because a pool shares blocks of earlier pools.
	done := make([]made, len(plans))
	for i, p := range plans {
		if done[i], err = g.segment(ctx, b, p, known); err != nil {
			return nil, err
		}
	}
	if err := g.w.publish(ctx, publication{change: change{seen: b.v.pin.generation, on: b.v.pin.catalog}, made: done}); err != nil {
		return nil, err
	}
	for _, p := range plans {
		g.wrote[p.id] = turn
	}
	return done, nil
}

// segment writes the db-file with one pool's part of a batch.
func (g *ingest) segment(ctx context.Context, b *batchPlan, p *poolPlan, known *knownBlocks) (made, error) {
	name := filepath.Join(g.w.dir, fmt.Sprintf("%06d.raw", p.id))
	f, err := disk.Create(g.a.opts.Disk, name)
	if err != nil {
		return made{}, err
	}
	defer f.Close()
	w := segment.NewWriter(f, g.enc, p.name, p.id, p.urls, g.blocks)
	w.Quick(g.quick)
	for pool := range p.depends {
		w.Depend(pool)
	}
	for _, i := range p.at {
		if err := ctx.Err(); err != nil {
			return made{}, err
		}
		s := b.staged[i]
		e := s.Stored
		e.Fold = b.folds[i]
		if s.inBatch {
			e.Holder = b.pools[s.holderPool].id
		}
		if e.Holder == p.id {
			e.Holder = 0
		}
		switch {
		case e.Body != segment.BodyOwn:
		case s.before.Seg != nil:
			known.of(s.before)
		case s.read != nil && !s.read.Single:
			if err := g.nearby.near(ctx, e.Key, p.name); err != nil {
				if ctx.Err() != nil {
					return made{}, err
				}
				g.a.warn(err) // unreadable blocks cannot be shared
			}
		}
		body := g.read.Divide(s.read, s.body)
		body.Spool = s.spool
		if b.newBytes[i], err = w.Add(e, body); err != nil {
			return made{}, fmt.Errorf("write %s: %w", name, err)
		}
		g.nearby.room += b.newBytes[i]
	}
	for _, id := range w.Uses() {
		w.Depend(b.poolOf(id))
	}
	info, err := w.Finish()
	if err != nil {
		return made{}, fmt.Errorf("write %s: %w", name, err)
	}
	info.Fresh, info.Follows = p.fresh, p.follows
	if err := f.Sync(); err != nil {
		return made{}, fmt.Errorf("sync %s: %w", name, err)
	}
	return made{info: &info, w: w, path: name}, nil
}

// poolOf returns the pool of a segment in force or of this batch.
func (b *batchPlan) poolOf(id uint32) string {
	if s := b.v.runs.segment(id); s != nil {
		return s.Info.Pool
	}
	for _, p := range b.pools {
		if p.id == id {
			return p.name
		}
	}
	panic(fmt.Sprintf("store: a recipe names segment %d, which is not there", id))
}
