// Package ingest takes captures into an archive: it gathers them into batches, compares
// each with what the archive has of its URL, writes one segment for each pool of a
// batch, and publishes these together.
//
// # Words
//
//	batch     captures that are published together
//	staged    a capture of the batch that is being gathered
//	plan      which captures of a batch are stored, where, and what they refer to
//	window    some URLs of a batch, for which stored versions are read together
//	fate      what becomes of a capture: stored, stored as a visit, or dropped as a duplicate
//	visit     a capture that repeats the version before it, or a revisit
//	fold      how the blocks of a version relate to those of earlier versions of its URL
//	hints     how a capture differs from the one before it
//	nearby    pages that are next to a new one in the order of URLs, and may be like it
//	sink      what a crawl puts its captures into
//	journal   a file of captures that a sink has taken and not yet published
package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"infomall/store/block/divide"
	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/derive"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/snapshot"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// Intake takes captures into one archive. Several goroutines may use it.
type Intake struct {
	folder     *commit.Folder
	snapshots  *snapshot.Source
	now        func() time.Time
	batchBytes int64       // size in bytes at which a batch is published
	warn       func(error) // is called with each error that does not stop the caller
	// merge merges those segments of a pool that the function choose selects; see
	// merge.Merger.Some.
	merge func(ctx context.Context, pool string, limit int64, choose func(*catalog.Catalog) []*segment.Info) error
}

// Importer imports captures. It gathers them into a batch, compares each with the
// captures that its URL already has, writes one segment for each pool, and publishes
// these segments together. Only one goroutine may use it.
type Importer struct {
	Dates record.Dates // the dates that captures may have; an Import of files limits them
	// PoolLimit is the size in bytes above which a pool is split; 0 means the
	// default.
	PoolLimit int64

	requests record.Requests // which part of the requests in the imported files is stored

	intake *Intake
	w      *commit.Writer
	job    string        // name of the import, which is stored with each capture
	enc    *zstd.Encoder // for most captures
	quick  *zstd.Encoder // for small captures

	staged []*staged
	room   []staged       // unused elements, for the next captures
	mime   string         // MIME type of the last capture
	bytes  int64          // an estimate of the memory that staged takes, in bytes, without the analyses in read
	batch  int64          // size in bytes at which a batch is published
	most   int64          // the same if the archive is large or the batch is wide, see full
	limit  int64          // batch or most, for the current batch
	read   *derive.Reader // analyses the bodies
	// oneFile is set if all captures come from one file. last is set before the last batch of the import.
	oneFile, last bool
	tails         *derive.Histories // the histories of the URLs imported most recently
	blocks        *segment.Blocks   // the memory of blocks: where recently written blocks are stored
	// wrote has, for the number of each segment that this import published, the turn of blocks
	// at which the segment was written. A turn is how often blocks had forgotten old blocks by
	// then (see segment.Blocks.Turn).
	wrote  map[uint32]int
	nearby *nearby // nil before the first batch
	// debt is by how many captures the merges after the last batch have exceeded their limit (see
	// mergeShare). It is subtracted from the limit for the merges after the next batch.
	debt int64
}

// mergeShare is how many captures the merges after a batch should rewrite at most, for each
// capture of the batch that is stored. Each capture is rewritten about once for each size class
// that its segment reaches (see catalog.DueForMerge), and few segments reach a third class.
const mergeShare = 2

// New returns an Intake for the archive in the folder f. s opens snapshots of that archive. A
// batch is published when it takes batchBytes of memory. warn is called with each error that
// does not stop the caller. The function merge merges those segments of a pool that the
// function choose selects; see merge.Merger.Some.
func New(f *commit.Folder, s *snapshot.Source, now func() time.Time, batchBytes int64, warn func(error), merge func(ctx context.Context, pool string, limit int64, choose func(*catalog.Catalog) []*segment.Info) error) *Intake {
	return &Intake{f, s, now, batchBytes, warn, merge}
}

// NewImporter starts an import. job is the name of the import, which is stored with each capture.
// NewImporter first imports the captures in journals that killed processes left. The caller closes
// the importer.
func (i *Intake) NewImporter(ctx context.Context, job string) (*Importer, error) {
	if err := i.takeUpJournals(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		i.warn(err) // the journal stays, and new captures can be imported all the same
	}
	return i.open(ctx, job)
}

func (i *Intake) open(ctx context.Context, job string) (*Importer, error) {
	w, err := i.folder.NewWriter(ctx)
	if err != nil {
		return nil, err
	}
	g := &Importer{intake: i, w: w, job: job, Dates: record.AllDates, batch: i.batchBytes, limit: i.batchBytes, most: largeBatch(i.batchBytes), read: derive.NewReader(), tails: derive.NewHistories(i.batchBytes / 4), blocks: segment.NewBlocks(segment.BlocksMax), wrote: make(map[uint32]int), enc: segment.NewEncoder(), quick: segment.NewQuickEncoder()}
	return g, nil
}

// Close ends the import. Captures that Flush has not published are lost.
func (g *Importer) Close() error {
	g.drop()
	return g.w.Close()
}

// drop empties the batch: it forgets the staged captures and frees the disk space of
// large bodies.
func (g *Importer) drop() {
	for _, s := range g.staged {
		if s.spool != nil {
			s.spool.File.Close()
		}
		*s = staged{} // the array it lies in may have room for more
	}
	g.read.Close()
	clear(g.staged)
	g.staged, g.bytes, g.limit = g.staged[:0], 0, g.batch
}

// Add adds capture c to the batch, counts it in res, and publishes the batch when it is
// large enough. A capture whose URL cannot be parsed is counted as skipped, and a
// capture with an impossible date as damaged; neither is added. c then belongs to the
// importer, which closes it. All captures, from whatever source, are added by this
// method.
func (g *Importer) Add(ctx context.Context, c *record.Capture, res *task.ImportResult) error {
	if why := g.Dates.Refuse(c.Time); why != "" {
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
	s.result, s.body, s.spool, s.came = res, c.Body, c.Spool, int32(len(g.staged))
	e := segment.Stored{Head: c.Head, Framing: c.Framing, Extra: c.Extra, Request: c.Request}
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
	if e.Mime == g.mime {
		e.Mime = g.mime // most captures of a batch share one string
	}
	g.mime, e.Job = e.Mime, g.job
	timeline.Follow(nil, &e.Entry) // correct for most captures
	e.IP, e.Source, e.RecordID, e.DeclaredDigest = c.IP, c.Source, c.RecordID, c.DeclaredDigest
	e.RefersURL, e.RefersTime = c.RefersURL, c.RefersTime
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
		s.read.Classify(&e.Entry)
	}
	s.take(&e)
	g.staged = append(g.staged, s)
	g.bytes += int64(len(c.Body)+len(c.Head)+len(s.rest)) + stagedCost
	if full, err := g.full(ctx); err != nil || !full {
		return err
	}
	return g.Flush(ctx)
}

// A batch of small captures may be larger if the archive is large or the batch is wide.
//
// Each batch decodes those runs of the archive that have its URLs. If the archive is large, these may be nearly all.
// 50,000 small captures are then one batch and not two: in an archive of 23 such months, they take .84 of the CPU time.
//
// Each batch writes a segment for each month that it has captures of, and queries take longer the more small
// segments there are. If wide batches are larger, twelve imports of 50,000 small captures of 24 months leave 85
// segments and not 178. A count by host and LATEST then take .8 of the CPU time, and all these imports about as much
// as before.
//
// With captures that are not small, a larger batch saves nothing: 20,000 pages of 2 KB, in an archive of 22 such
// months, took 1.11 times the CPU time and 36 MB more memory.
const (
	smallCapture = 2 << 10 // small captures take at most so many bytes of memory on average
	largeArchive = 2       // the db-files of a large archive have at least so many times the size of a batch
	wideMonths   = 8       // a wide batch has captures of at least so many months
)

// largeBatch returns how many bytes a batch may take if it may be larger.
func largeBatch(bytes int64) int64 { return bytes / 2 * 3 }

// full reports whether the batch must be published now.
func (g *Importer) full(ctx context.Context) (bool, error) {
	size := g.bytes + g.read.Memory
	if size < g.limit || g.limit == g.most || size > smallCapture*int64(len(g.staged)) {
		return size >= g.limit, nil
	}
	larger := g.isWide()
	if !larger {
		stored, err := g.stored(ctx)
		if err != nil {
			return false, err
		}
		larger = stored >= largeArchive*g.batch
	}
	if larger {
		g.limit = g.most
	}
	return !larger, nil
}

// stored returns how many bytes the db-files of the archive have.
func (g *Importer) stored(ctx context.Context) (bytes int64, err error) {
	v, err := g.intake.snapshots.Open(ctx)
	if err != nil {
		return 0, err
	}
	defer v.Close()
	for _, s := range v.Pin.Segments {
		bytes += s.Bytes
	}
	return bytes, nil
}

// isWide reports whether the batch is wide.
func (g *Importer) isWide() bool {
	months := make(map[string]bool)
	for _, s := range g.staged {
		if months[s.Time.Pool()] = true; len(months) == wideMonths {
			return true
		}
	}
	return false
}

// firstPart returns the part of a large body that is analysed: its beginning. If the body is
// longer, the result has one byte more, which tells the analysis that the body goes on.
func (g *Importer) firstPart(s *record.Spool) ([]byte, error) {
	limit := g.read.Limit
	if limit == 0 {
		limit = divide.PageLimit
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

// Flush writes and publishes the batch. If it returns nil, all captures of the batch are in the
// archive; otherwise none is. The batch is empty afterwards.
func (g *Importer) Flush(ctx context.Context) error {
	if len(g.staged) == 0 {
		return nil
	}
	defer g.drop()
	slices.SortFunc(g.staged, func(a, b *staged) int { return cmp.Or(a.Compare(&b.Entry), cmp.Compare(a.came, b.came)) })
	if err := g.tellCharsets(ctx); err != nil {
		return err
	}
	if g.last {
		g.read.Forget()
	}
	var due []string
	err := commit.Retry(ctx, func() (err error) { // segments that the batch uses may be merged meanwhile
		due, err = g.store(ctx)
		return err
	})
	if err != nil {
		return err
	}
	g.drop() // a merge needs the memory
	g.mergeSmall(ctx, due)
	return nil
}

// batchShelf is how many bytes of decoded runs (neighbouring captures compressed
// together) an import keeps in memory while it stores a batch.
const batchShelf = 16 << 20

// store plans, writes and publishes the batch for the current state of the archive. If another
// process changes the archive meanwhile, nothing is published, and the error is
// catalog.ErrStale. The result due has the pools that should now be split, because they are too
// large, or merged, because they have many small segments. Pools that would take too long to
// merge now are left to the next batch.
func (g *Importer) store(ctx context.Context) (due []string, err error) {
	v, err := g.intake.snapshots.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	v.Runs.Shelve(batchShelf, 1) // bodies of neighbouring URLs are in the same runs
	list, err := v.BlockList(ctx)
	if err != nil {
		return nil, err
	}
	kept, blocked := slices.Clone(g.staged), []*staged(nil)
	if len(list.Entries) > 0 {
		kept, blocked = leaveOut(list, kept)
	}
	b := &batchPlan{v: v, made: g.wrote, read: g.read, tails: g.tails, last: g.last, wrote: g.hasBlocks, blocked: list, staged: kept, pools: make(map[string]*poolPlan)}
	defer func() {
		for _, s := range b.spools {
			s.File.Close()
		}
	}()
	defer func() {
		if err != nil {
			for _, s := range g.staged {
				s.restore()
			}
		}
	}()
	v.AddBatch(batchOf(b.staged), b.read)
	if err := b.plan(ctx); err != nil {
		return nil, err
	}
	done, err := g.write(ctx, b)
	if err != nil {
		return nil, err
	}
	for _, s := range blocked {
		s.count(fateBlocked, g.oneFile)
	}
	for i, f := range b.fates {
		b.staged[i].count(f, g.oneFile)
		b.staged[i].result.NewBytes += b.newBytes[i]
	}
	now := *v.Pin.Catalog
	now.Segments = slices.Clone(now.Segments)
	may := -g.debt
	for _, m := range done {
		now.Segments = append(now.Segments, m.Info)
		may += mergeShare * m.Info.Captures
	}
	due, rewritten := now.DueMerges(may)
	g.debt = max(rewritten-may, 0)
	for _, m := range done {
		if name := m.Info.Pool; v.Pin.Oversized(name, catalog.PoolLimit(g.PoolLimit)) && !slices.Contains(due, name) {
			due = append(due, name)
		}
	}
	return due, nil
}

// hasBlocks reports whether g.blocks still has all blocks of the segment with this number. That
// is so if this import wrote the segment recently.
func (g *Importer) hasBlocks(segment uint32) bool {
	turn, ok := g.wrote[segment]
	return ok && g.blocks.Turn()-turn < 2
}

// mergeSmall merges the small segments of these pools, and splits pools that are too large. It
// only warns of an error, because the captures are stored already, and the next process that
// publishes tries again.
func (g *Importer) mergeSmall(ctx context.Context, pools []string) {
	for _, name := range pools {
		due := func(c *catalog.Catalog) []*segment.Info {
			if c.Oversized(name, catalog.PoolLimit(g.PoolLimit)) {
				return c.PoolSegments(name)
			}
			return catalog.DueForMerge(c.PoolSegments(name))
		}
		if err := g.intake.merge(ctx, name, g.PoolLimit, due); err != nil && ctx.Err() == nil {
			g.intake.warn(err)
		}
	}
}

// count counts a capture of a published batch in s.result. f is what became of the
// capture. oneFile is set if the import reads a single file.
func (s *staged) count(f fate, oneFile bool) {
	if f == fateBlocked {
		skip(s.result, task.SkipBlocked)
		return
	}
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
			skip(s.result, "already seen in the same file")
		default:
			skip(s.result, "already seen in this import")
		}
	}
}
