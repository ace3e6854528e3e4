package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"
	"time"

	"infomall/store/body"
	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/disk/s3"
	"infomall/store/disk/tier"
	"infomall/store/finder"
	"infomall/store/ingest"
	"infomall/store/mend"
	"infomall/store/merge"
	"infomall/store/notes"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/remove"
	"infomall/store/segment"
	"infomall/store/snapshot"
	"infomall/store/urlkey"
)

// Options are the settings of an open archive. The zero value works.
type Options struct {
	// CacheBytes is the size limit in bytes of the cache of decoded runs (a run is
	// neighbouring captures compressed together); 0 means 256 MB.
	CacheBytes int64
	// BatchBytes is how many bytes of memory an import fills before it publishes a batch; 0
	// means 37 MB. A batch takes up to 1.5 times as much if the archive is large, or if its captures
	// are small and of many months. What an import remembers of published batches takes at most
	// twice BatchBytes.
	BatchBytes int64
	// Warn is called with each error that does not stop the caller, such as a damaged index. If
	// it is nil, these errors are ignored. Several goroutines may call it.
	Warn func(error)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Documents reads the documents of the archive, such as PDFs; nil means that they
	// are not read.
	Documents mend.DocumentReader
	// Disk reads and changes all files; nil means disk.OS.
	Disk disk.FS
	// Bucket opens places in buckets, for copies of the archive and for its tier (a second
	// place for db-files). If it is nil, they cannot be opened.
	Bucket Buckets
}

const (
	cacheBytesDefault = 256 << 20
	batchBytesDefault = 37 << 20
)

// Archive is an open archive. Its folder need not exist until something is written.
// Several goroutines may use an Archive, and any number of processes may have the
// same archive open. Close it after all its snapshots are closed.
type Archive struct {
	dir    string
	opts   Options
	folder *commit.Folder
	bucket *s3.Client // nil if the archive is in a folder
	// settings are the settings for the bucket; they are zero if the archive is in a folder.
	settings BucketOptions
	fresh    bool // a reads its bucket and its tier without this machine's cache, see uncached

	files       *body.Files
	snapshots   *snapshot.Source
	indexes     *finder.Indexes
	notes       *notes.Notes
	maintenance *mend.Maintenance
	remover     *remove.Remover
	merger      *merge.Merger
	intake      *ingest.Intake

	mu     sync.Mutex
	warned map[string]bool
}

// Open returns the archive in the folder dir, which need not exist. It does not read
// or create anything yet.
func Open(dir string, o Options) *Archive {
	if o.CacheBytes == 0 {
		o.CacheBytes = cacheBytesDefault
	}
	if o.BatchBytes == 0 {
		o.BatchBytes = batchBytesDefault
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Disk == nil {
		o.Disk = disk.OS
	}
	a := &Archive{dir: dir, opts: o, warned: make(map[string]bool)}
	a.folder = commit.Open(dir, o.Disk)
	if _, bucket := o.Disk.(disk.Shared); !bucket {
		a.folder.Disk = tier.Over(o.Disk, dir, a.tier)
	}
	a.folder.Now = o.Now
	a.files = body.NewFiles(a.folder, o.CacheBytes, a.warn)
	a.snapshots = snapshot.NewSource(a.files)
	a.indexes = finder.NewIndexes(a.folder)
	a.notes = notes.New(a.folder, o.Now, a.warn)
	a.maintenance = mend.New(a.folder, a.files, a.snapshots, a.indexes, a.notes, o.Documents, o.Now, a.elsewhere)
	a.merger = merge.New(a.folder, a.snapshots, a.warn, o.BatchBytes)
	a.intake = ingest.New(a.folder, a.snapshots, o.Now, o.BatchBytes, a.warn, a.merger.Some)
	a.remover = remove.New(a.folder, a.snapshots, o.Now, a.Merge)
	a.merger.Published = a.keepDocuments
	a.remover.Published = func(ctx context.Context) { a.keepDocuments(ctx, nil) }
	return a
}

// Path returns the path of the archive's folder, or the archive's URL if it is in a bucket.
func (a *Archive) Path() string {
	if a.bucket != nil {
		return a.bucket.URL()
	}
	return a.dir
}

// Local returns the path of the archive's folder on this machine. If the archive is in a
// bucket, that is the folder in which new files are made and objects are cached.
func (a *Archive) Local() string { return a.dir }

// Exists reports whether the folder holds an archive, with captures or without. A
// folder that cannot be read counts as an archive; opening it then returns the
// reason.
func (a *Archive) Exists() bool { return a.folder.Exists() }

// Create makes those folders of the archive that do not exist. They may be missing in a copy of
// an archive, if they were empty.
func (a *Archive) Create() error { return a.folder.Create() }

// Close closes the archive's index files and its idle connections to a bucket, and frees the cache of
// decoded runs.
func (a *Archive) Close() error {
	if a.bucket != nil {
		a.bucket.CloseIdle()
	}
	a.indexes.Close()
	return a.files.Close()
}

// Snapshot returns a snapshot of the archive's present state. The files of that state stay
// until the caller closes the snapshot. If there is no archive, the snapshot is empty.
func (a *Archive) Snapshot(ctx context.Context) (*Snapshot, error) {
	v, err := a.snapshots.Open(ctx)
	if err != nil {
		return nil, err
	}
	return &Snapshot{a.indexes.Finder(v), a, record.MaxTime}, nil
}

// Snapshot is one unchanging state of the archive. The record.Refs that it returns
// are valid until it is closed. Several goroutines may use a Snapshot; all must have
// finished when one of them calls Close.
type Snapshot struct {
	*finder.Finder
	a     *Archive
	known record.Time // Results leaves out the results that were finished later
}

// KnownAt returns a snapshot that shows only the captures that were added at time t or earlier,
// and the results that were computed by then. It shares v's files: it is valid until v is
// closed, and need not be closed itself. Call Hide and SkipDamage of v before KnownAt.
func (v *Snapshot) KnownAt(t record.Time) *Snapshot {
	return &Snapshot{v.Finder.KnownAt(t), v.a, min(t, v.known)}
}

// Delete removes the captures that o.Targets yields from the archive. They are hidden from the
// next snapshot on, and leave the files when their segments are rewritten. Other captures do
// not change, even if their bodies are stored at a deleted capture. A tombstone records when
// and why captures were deleted, but not which. If another process replaced segments of the
// snapshot meanwhile, the error is task.ErrChanged.
func (v *Snapshot) Delete(ctx context.Context, o task.DeleteOptions) (task.DeleteResult, error) {
	return v.a.remover.Delete(ctx, v.Snapshot, o)
}

// Results lists the stored results of a kind, such as rankings, sorted by name and time. It
// leaves out a result whose file cannot be read, with a warning. If KnownAt made the snapshot,
// Results lists only the results that were finished by the time that was passed to KnownAt. If
// all results are later than that, the error names the oldest.
func (v *Snapshot) Results(ctx context.Context, kind string) ([]task.Result, error) {
	list, err := v.a.notes.Results(ctx, kind)
	known := v.known
	if err != nil || known == record.MaxTime || len(list) == 0 {
		return list, err
	}
	finished := slices.DeleteFunc(slices.Clone(list), func(r task.Result) bool { return r.Computed > known })
	if len(finished) == 0 {
		oldest := slices.MinFunc(list, func(a, b task.Result) int { return cmp.Compare(a.Computed, b.Computed) })
		return nil, fmt.Errorf("no result in %s was finished by %s: the oldest that is kept is %s of %s", kind, stamp(known), oldest.Name, stamp(oldest.Computed))
	}
	return finished, nil
}

// stamp formats t for a message, in UTC, such as "2008-06-30 12:00:00".
func stamp(t record.Time) string { return t.Std().Format("2006-01-02 15:04:05") }

// ResultRows yields rows of the stored result whose file is info.File: those whose
// keys are in one of the ranges, in order of key. The ranges must be sorted and
// disjoint; nil means all rows. An error is the last pair.
func (v *Snapshot) ResultRows(ctx context.Context, info task.Result, ranges []urlkey.Range) iter.Seq2[task.ResultRow, error] {
	return v.a.notes.ResultRows(ctx, info, ranges)
}

// warn passes an error that does not stop the caller to Options.Warn. It does so only once for
// errors with the same text.
func (a *Archive) warn(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.opts.Warn != nil && !a.warned[err.Error()] {
		a.warned[err.Error()] = true
		a.opts.Warn(err)
	}
}

// Definitions returns everything that users have named (views, metadata and saved
// queries), in the order in which Define stored it.
func (a *Archive) Definitions(ctx context.Context) ([]task.Definition, error) {
	return a.notes.Definitions(ctx)
}

// Define changes the definitions: it calls the function change with all of them, and stores the
// list that change returns. If change returns an error, Define returns that error and stores
// nothing. No other process can change the definitions meanwhile. The result is durable when
// Define returns. If the archive does not exist, Define creates it without captures.
func (a *Archive) Define(ctx context.Context, change func([]task.Definition) ([]task.Definition, error)) error {
	return a.notes.Define(ctx, change)
}

// BeginJob records that job j (the execution of a statement) begins, and returns its ID. When
// the job has ended, the caller calls the function end with the completed job, and end stores
// the job durably. If the process dies before that, the job counts as interrupted.
//
// If j was started by a schedule, and an earlier job of that schedule is still running, the
// error is a *task.JobRunningError. If there is no archive, the ID is 0, and the job is stored
// only if there is an archive when the job ends.
func (a *Archive) BeginJob(ctx context.Context, j task.Job) (id int64, end func(task.Job) error, err error) {
	return a.notes.BeginJob(ctx, j)
}

// Jobs returns the known jobs, sorted by ID: all running jobs, and the ended jobs
// that are still in the log.
func (a *Archive) Jobs(ctx context.Context) ([]task.Job, error) {
	return a.notes.Jobs(ctx)
}

// Daemon makes this process the daemon of the archive: the only process that runs the archive's
// schedules. It stays the daemon until the caller closes the result. If there is a daemon
// already, the error is a *task.DaemonError.
func (a *Archive) Daemon() (io.Closer, error) {
	return a.notes.Daemon()
}

// SaveResult stores a result: the description info and its rows. Earlier results with the same
// kind and name stay. SaveResult ranges over rows once, and returns info with the field File set.
// If there is already a result of that name with the same time Computed, SaveResult adds
// milliseconds to Computed until the time is unique. If the process is killed meanwhile, nothing
// is stored.
func (a *Archive) SaveResult(ctx context.Context, info task.Result, rows iter.Seq2[task.ResultRow, error]) (task.Result, error) {
	return a.notes.SaveResult(ctx, info, rows)
}

// DropResult removes all stored results of a kind with one name, and returns how many
// it removed. It returns 0 if there are none.
func (a *Archive) DropResult(ctx context.Context, kind, name string) (int, error) {
	return a.notes.DropResult(ctx, kind, name)
}

// NamedResults lists the stored results of a kind with one name, sorted by time.
// Unlike Snapshot.Results, it returns an error if a file cannot be read.
func (a *Archive) NamedResults(ctx context.Context, kind, name string) ([]task.Result, error) {
	return a.notes.NamedResults(ctx, kind, name)
}

// RemoveResult removes the stored result whose file is info.File. If the file does
// not exist, that is no error.
func (a *Archive) RemoveResult(ctx context.Context, info task.Result) error {
	return a.notes.RemoveResult(ctx, info)
}

// Reindex rebuilds the indexes of one pool, or of all pools, from the db-files, and returns one
// result for each pool. Readers and Reindex do not disturb each other: the new indexes come
// into force together, and the old indexes are deleted when nobody reads them. If a db-file
// differs from its entry in the catalogue, its segment keeps the old index.
//
// If CURRENT or the current catalogue is lost or damaged, and no pool is named, Reindex
// rebuilds the catalogue too. Readable older catalogues supply what no other file records.
// Without an older catalogue, a segment's hints (how a capture differs from the one before it)
// are checked against all other segments whenever they are read, until its pool is merged.
func (a *Archive) Reindex(ctx context.Context, o task.ReindexOptions) ([]task.ReindexResult, error) {
	return a.maintenance.Reindex(ctx, o, a.derive)
}

// Repair repairs the files of a pool with another copy of the archive. If a file is damaged or
// missing, and the copy has it as the catalogue describes it, Repair takes the file of the
// copy. If both files are damaged, Repair makes an undamaged file from the two, if that is
// possible. Each file is made under another name, checked and renamed, so readers see either
// the old file or the new one. Repair returns one result for each file. If it also returns an
// error, the results say what was done before the error. If there is no such pool, the error is
// a *task.NoPoolError.
func (a *Archive) Repair(ctx context.Context, o task.RepairOptions) (list []task.RepairResult, err error) {
	if f := a.uncached(); f != nil {
		list, err = f.maintenance.Repair(ctx, o)
		for _, r := range list {
			if r.State != task.RepairWhole {
				a.files.ForgetIndex(r.File)
			}
		}
		return list, errors.Join(err, f.Close())
	}
	return a.maintenance.Repair(ctx, o)
}

// Copy copies pools, and the pools whose bodies they use, into another folder, which
// is then an archive of its own. Files that an earlier Copy brought there are
// checked, and copied again only if they are damaged. Every file is read back and
// checked against the catalogue before the copy's catalogue names it. Pools come
// into force one after another, each complete. If a Copy was stopped, the next Copy
// into that folder continues where it stopped.
//
// If all pools are copied, Copy also copies the stored results, such as rankings and
// graphs, and the definitions of views, metadata and saved queries whose names the
// copy lacks. A damaged result is reported and left out.
//
// Copy refuses a folder that has captures of its own.
func (a *Archive) Copy(ctx context.Context, o task.CopyOptions) ([]task.CopyResult, error) {
	return a.maintenance.Copy(ctx, o)
}

// Allow removes from the block-list the entries and the URLs that o names. The result says what
// was removed. If o.Dry is set, Allow changes nothing and returns what it would remove.
func (a *Archive) Allow(ctx context.Context, o task.AllowOptions) (task.AllowResult, error) {
	return a.remover.Allow(ctx, o)
}

// Drop removes a pool from the archive. Its files are deleted when no snapshot uses
// them any more. If other pools need bodies of the pool, the error is a
// *task.DependsError. If there is no such pool, the error is a *task.NoPoolError. A
// misnamed pool (not named after a month) can always be dropped. If other pools need
// it, its captures are removed, and the blocks that other pools use stay.
func (a *Archive) Drop(ctx context.Context, o task.DropOptions) (task.DropResult, error) {
	res, err := a.remover.Drop(ctx, o)
	if err == nil && !o.Dry {
		err = a.maintenance.SweepTier(ctx)
	}
	return res, err
}

// Merge rewrites each pool in o.Pools as segments that follow one another in order of URL, and
// returns one result for each pool. If o.Pools is nil, it merges all pools. It drops duplicate
// captures and blocks, corrects hints (how a capture differs from the one before it), and finds
// the originals of revisits that were imported before their originals. Readers keep the old
// segments until they are done. Merge leaves out a pool that another process is merging.
//
// If there is no pool with one of the names, the error is a *task.NoPoolError. If a named pool
// is static and o.Seal is not set, the error is a *task.StaticError.
//
// The memory that Merge takes does not depend on the size of the pool, except for the filters
// of its segments' URLs: a byte or two for each URL.
func (a *Archive) Merge(ctx context.Context, o task.MergeOptions) ([]task.MergeResult, error) {
	out, err := a.merger.Merge(ctx, o)
	if err == nil && o.Seal && !o.Dry {
		err = a.maintenance.ShareIndexes(ctx)
	}
	if err == nil && !o.Dry {
		err = a.maintenance.IndexWords(ctx, mergedPools(o, out), o.Indexing)
	}
	if err == nil && !o.Dry {
		err = a.maintenance.SweepTier(ctx)
	}
	return out, err
}

// Move moves db-files of pools to another place, the tier (a second folder or a bucket), or
// back to the archive's folder. Readers find them in both places. It returns one result for
// each pool that it looked at. If there is no pool with one of the names, the error is a
// *task.NoPoolError.
func (a *Archive) Move(ctx context.Context, o task.MoveOptions) ([]task.MoveResult, error) {
	return a.maintenance.Move(ctx, o)
}

// keepDocuments keeps the readings of documents (the text extracted from them) after a merge: for
// each new segment in the list made, it copies them from the files of the replaced segments. It
// only warns of an error, because a document without a reading is read again.
func (a *Archive) keepDocuments(ctx context.Context, made []*segment.Info) {
	if err := a.maintenance.KeepDocuments(ctx, made); err != nil && ctx.Err() == nil {
		a.warn(err)
	}
}

// mergedPools returns a function that reports whether a given segment may have been written by a
// Merge with these options and results. That is so if the segment is in a merged pool, or if it
// is a rewritten segment that referred to a merged one.
func mergedPools(o task.MergeOptions, results []task.MergeResult) func(*segment.Info) bool {
	pools := slices.Clone(o.Pools)
	for _, r := range results {
		pools = append(pools, r.Parts...)
	}
	return func(s *segment.Info) bool {
		return o.Pools == nil || s.Number() != s.ID || slices.Contains(pools, s.Pool)
	}
}

// derive carries out REINDEX DERIVED: it analyses bodies again that another version of
// the program has analysed when they were imported.
func (a *Archive) derive(ctx context.Context, o task.ReindexOptions) ([]task.ReindexResult, error) {
	out, err := a.merger.Derive(ctx, o)
	if err == nil && !o.Dry && len(out) > 0 {
		err = a.maintenance.ShareIndexes(ctx)
	}
	if err == nil && !o.Dry && len(out) > 0 {
		err = a.maintenance.IndexWords(ctx, mergedPools(task.MergeOptions{}, nil), nil)
	}
	return out, err
}

// Import imports the captures in some files, and creates the archive if there is none. It returns
// one result for each file. If it also returns an error, for example because ctx ended, the
// results count what was stored before.
func (a *Archive) Import(ctx context.Context, o task.ImportOptions) ([]task.ImportResult, error) {
	return a.intake.Import(ctx, o)
}

// NewSink returns a Sink, through which a crawl stores its captures one by one. job is the name
// of the crawl. NewSink creates the archive if there is none. The sink publishes the captures at
// the latest when their responses have the given number of bytes; 0 means 64 MB. The caller
// closes the sink.
func (a *Archive) NewSink(ctx context.Context, job string, bytes int64) (*ingest.Sink, error) {
	return a.intake.NewSink(ctx, job, bytes)
}

// Verify reads every file of the archive's present state, or of one pool or a
// sample, and yields one finding for each fault. It checks CURRENT and all existing
// catalogues, the sizes and checksums of all files in force, each record and block,
// the order of captures, and the index against the data. It also checks that
// everything on which segments depend exists, that each body can be put together and
// has its sha256, and that stored results are readable. An error in the last pair is
// not a fault of the archive: it ended the verification early.
//
// If Verify ends early, it records which files it found undamaged, and the next
// Verify of the same kind does not read them again. It takes memory for a few runs
// (captures compressed together), and 16 bytes for each damaged body.
func (a *Archive) Verify(ctx context.Context, o task.VerifyOptions) iter.Seq2[task.Finding, error] {
	return func(yield func(task.Finding, error) bool) {
		from := a
		if f := a.uncached(); f != nil {
			defer f.Close() // only read
			from = f
		}
		from.maintenance.Verify(ctx, o)(yield)
	}
}

// PlanVerify returns what Verify would read with these options. It reads no
// captures.
func (a *Archive) PlanVerify(ctx context.Context, o task.VerifyOptions) (task.VerifyPlan, error) {
	return a.maintenance.PlanVerify(ctx, o)
}

// PlanRecover returns what Recover would do with the file o.File: the format and size
// of the file, and the format of the output.
func (a *Archive) PlanRecover(ctx context.Context, o task.RecoverOptions) (task.RecoverPlan, error) {
	return mend.PlanRecover(ctx, o, a.file)
}

// Recover reads a damaged file of Tianwang or WARC records, a db-file, or any fragment of one.
// It yields the records that can be saved, and the places that are damaged. Records of Tianwang
// and WARC files are yielded unchanged. Captures of a db-file are yielded as WARC records, with
// everything that was imported with them; for their bodies Recover also reads the other db-files
// in the same folder. Recover changes no file.
func (a *Archive) Recover(ctx context.Context, o task.RecoverOptions) iter.Seq2[task.Recovered, error] {
	return mend.Recover(ctx, o, a.file)
}
