package session

import (
	"context"
	"fmt"
	"iter"

	"infomall/exec/relation"
	"infomall/store/record/task"
)

// Archive is an archive as statements use it. Several goroutines may use it at once.
type Archive interface {
	// Snapshot returns a view of the archive's present state, which later changes do
	// not affect. The caller closes it. If there is no archive, the snapshot is empty.
	Snapshot(ctx context.Context) (relation.Snapshot, error)
	// Import reads files into the archive, and returns one result per file. It creates
	// the archive if there is none. With an error, also that of ctx, it returns the
	// results of the files that were read; what they count is in the archive.
	Import(ctx context.Context, o task.ImportOptions) ([]task.ImportResult, error)
	// Copy copies pools into another folder, and returns one result per pool. With an
	// error it returns the results of what was copied, and the copy is as it was.
	Copy(ctx context.Context, o task.CopyOptions) ([]task.CopyResult, error)
	// Verify reads every file of the archive, or of one pool, and yields one finding
	// per damage. A pool that does not exist is a *task.NoPoolError.
	Verify(ctx context.Context, o task.VerifyOptions) iter.Seq2[task.Finding, error]
	// Merge merges the segments of each of some pools into one sorted run. It returns one
	// result per pool; with an error, the results of the pools that were done. A pool
	// that does not exist is a *task.NoPoolError.
	Merge(ctx context.Context, o task.MergeOptions) ([]task.MergeResult, error)
	// PlanVerify returns which files Verify would read.
	PlanVerify(ctx context.Context, o task.VerifyOptions) (task.VerifyPlan, error)
	// Repair replaces damaged files of a pool by those of another copy of the archive. It
	// returns one result per file; with an error, the results of the files that were
	// done. A pool that does not exist is a *task.NoPoolError.
	Repair(ctx context.Context, o task.RepairOptions) ([]task.RepairResult, error)
	// Reindex makes the indexes of pools again from the db-files, and the catalogue too
	// if it is lost. It returns one result per pool; with an error, the results of the
	// pools that were done. A pool that does not exist is a *task.NoPoolError.
	Reindex(ctx context.Context, o task.ReindexOptions) ([]task.ReindexResult, error)
	// Recover reads a damaged file and yields its parts, with the records that can be
	// saved. PlanRecover returns what Recover would read. Neither reads the archive.
	Recover(ctx context.Context, o task.RecoverOptions) iter.Seq2[task.Recovered, error]
	PlanRecover(ctx context.Context, o task.RecoverOptions) (task.RecoverPlan, error)
	// Drop removes a pool from the archive. A pool that does not exist is a
	// *task.NoPoolError. A pool that other pools need is a *task.DependsError.
	Drop(ctx context.Context, o task.DropOptions) (task.DropResult, error)
	// Definitions returns what statements have defined by name: views, metadata,
	// queries and schedules. Define replaces that list by the one that change returns,
	// durably and atomically. If change returns an error, Define returns that error and
	// changes nothing.
	Definitions(ctx context.Context) ([]task.Definition, error)
	Define(ctx context.Context, change func([]task.Definition) ([]task.Definition, error)) error
	// SaveResult stores a result under its name, beside older results of that name, and
	// returns it as it was stored. DropResult removes all results of a name, and
	// returns how many there were.
	SaveResult(ctx context.Context, r task.Result, rows iter.Seq2[task.ResultRow, error]) (task.Result, error)
	DropResult(ctx context.Context, kind, name string) (int, error)
	// Exists reports whether there is an archive. Path returns its folder.
	Exists() bool
	Path() string
}

// NoArchiveError is returned by a statement that needs an archive if the folder
// Path has none.
type NoArchiveError struct{ Path string }

func (e *NoArchiveError) Error() string {
	return fmt.Sprintf("no archive at %s; IMPORT or CRAWL makes one there, -a DIR or $INFOMALL_ARCHIVE names another", e.Path)
}

// findArchive returns a *NoArchiveError if there is no archive, otherwise nil.
func (s *Session) findArchive() error {
	if s.Archive().Exists() {
		return nil
	}
	return &NoArchiveError{s.Archive().Path()}
}
