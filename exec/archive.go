// Package exec runs statements. It declares the small interfaces that it needs
// of an archive; the store satisfies them and repl hands it in.
package exec

import (
	"context"
	"fmt"
	"iter"
	"time"

	"infomall/exec/op"
	"infomall/store/record"
)

// Archive is what statements need from an archive. Several goroutines may use
// it at once.
type Archive interface {
	// Snapshot pins the archive's present state. The caller closes it. Where no
	// archive exists, the snapshot is empty.
	Snapshot(ctx context.Context) (op.Snapshot, error)
	// Import reads files into the archive, making the archive first if need
	// be, and returns one result a file. On an error (also of ctx) the results
	// of what was done come with it, and what they count is in the archive.
	Import(ctx context.Context, o record.ImportOptions) ([]record.ImportResult, error)
	// Copy copies pools into another folder, and returns one result a pool. On
	// an error the results of what was copied come with it, and the copy is as
	// it was.
	Copy(ctx context.Context, o record.CopyOptions) ([]record.CopyResult, error)
	// Verify reads every file of the archive, or of one pool, and yields what is
	// wrong. A pool that is not there is a *record.NoPoolError.
	Verify(ctx context.Context, o record.VerifyOptions) iter.Seq2[record.Finding, error]
	// Merge makes one sorted run of segments out of each of some pools, and
	// returns one result a pool, those of what was done also with an error. A
	// pool that is not there is a *record.NoPoolError.
	Merge(ctx context.Context, o record.MergeOptions) ([]record.MergeResult, error)
	// PlanVerify says what Verify would read.
	PlanVerify(ctx context.Context, o record.VerifyOptions) (record.VerifyPlan, error)
	// Repair puts the files of a pool right with those of another copy of the
	// archive, and returns one result a file, those of what was done also with
	// an error. A pool that is not there is a *record.NoPoolError.
	Repair(ctx context.Context, o record.RepairOptions) ([]record.RepairResult, error)
	// Reindex makes indexes anew from the db-files, and the catalogue where it is
	// lost, and returns one result a pool, those of what was done also with an
	// error. A pool that is not there is a *record.NoPoolError.
	Reindex(ctx context.Context, o record.ReindexOptions) ([]record.ReindexResult, error)
	// Recover goes through a damaged file for what can be saved; PlanRecover
	// says what it would read. Neither looks at the archive.
	Recover(ctx context.Context, o record.RecoverOptions) iter.Seq2[record.Recovered, error]
	PlanRecover(ctx context.Context, o record.RecoverOptions) (record.RecoverPlan, error)
	// Drop takes a pool out of the archive. A pool that is not there is a
	// *record.NoPoolError, one that others need a *record.DependsError.
	Drop(ctx context.Context, o record.DropOptions) (record.DropResult, error)
	// Definitions lists what statements have defined by name. Define keeps what
	// change makes of that list: durably, and with nobody else in between. An
	// error of change is its own, and changes nothing.
	Definitions(ctx context.Context) ([]record.Definition, error)
	Define(ctx context.Context, change func([]record.Definition) ([]record.Definition, error)) error
	// SaveResult keeps a result under its name beside those computed before, and
	// gives it as it was kept. DropResult removes all of a name, and gives their
	// number.
	SaveResult(ctx context.Context, r record.Result, rows iter.Seq2[record.ResultRow, error]) (record.Result, error)
	DropResult(ctx context.Context, kind, name string) (int, error)
	// Exists reports whether there is an archive; Path is its folder.
	Exists() bool
	Path() string
}

// NoArchiveError is returned by a statement that needs an archive if the folder
// Path has none.
type NoArchiveError struct{ Path string }

func (e *NoArchiveError) Error() string {
	return fmt.Sprintf("no archive at %s; IMPORT or CRAWL makes one there, -a DIR or $INFOMALL_ARCHIVE names another", e.Path)
}

// findArchive returns a *NoArchiveError if there is no archive, else nil.
func (s *Session) findArchive() error {
	if s.Archive.Exists() {
		return nil
	}
	return &NoArchiveError{s.Archive.Path()}
}

// Clock returns the current time. Tests replace it.
type Clock func() time.Time
