package repl

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"time"

	"infomall/crawl"
	"infomall/crawl/state"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/store"
	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/record/task"
)

// openStore returns the archive in the folder path, which need not exist yet,
// and a Closer that closes the archive. The store calls warn with each problem
// that it notices while it works.
func openStore(path string, warn func(error)) (session.Archive, io.Closer) {
	documents := newDocuments()
	a := store.Open(path, store.Options{Warn: warn, Documents: documents})
	j := joined(a, warn)
	j.documents = documents
	return j, closers{a, documents}
}

// closers closes several things, in order.
type closers []io.Closer

func (list closers) Close() error {
	var err error
	for _, c := range list {
		err = errors.Join(err, c.Close())
	}
	return err
}

// joined returns the archive of the store together with the states of the
// crawls in its folder. warn is called with problems in these states.
func joined(a *store.Archive, warn func(error)) archive {
	return archive{Archive: a, Folder: &state.Folder{Disk: disk.OS, Dir: filepath.Join(a.Path(), state.FolderName), Create: a.Create, Warn: warn}}
}

// archive is an archive of the store together with the states of its crawls, as
// the executor and the crawler need it. Its methods wrap an error that is about
// the archive itself in an archiveError.
type archive struct {
	*store.Archive
	*state.Folder
	documents crawl.Documents // reads documents for a crawl; nil reads none
	lease     time.Duration   // of a process in a crawl of several; 0 means as usual
}

// archiveError says that the archive cannot be used; the statement is not at
// fault. The program then ends with exit status 4.
type archiveError struct{ err error }

func (e *archiveError) Error() string { return e.err.Error() }

func (e *archiveError) Unwrap() error { return e.err }

// Snapshot returns a view of the present state of the archive; see
// session.Archive. Every error is an archiveError.
func (a archive) Snapshot(ctx context.Context) (relation.Snapshot, error) {
	s, err := a.Archive.Snapshot(ctx)
	if err != nil {
		return nil, &archiveError{err}
	}
	return view{s}, nil
}

// view is a snapshot of the store, as the executor needs it.
type view struct{ *store.Snapshot }

// KnownAt returns a view of what was known at time t; see relation.Snapshot.
func (v view) KnownAt(t record.Time) relation.Snapshot { return view{v.Snapshot.KnownAt(t)} }

// Import imports files into the archive, for the statement IMPORT. An error
// about a file of the archive is an archiveError.
func (a archive) Import(ctx context.Context, o task.ImportOptions) ([]task.ImportResult, error) {
	results, err := a.Archive.Import(ctx, o)
	if err != nil && a.has(err) {
		err = &archiveError{err}
	}
	return results, err
}

// Copy copies pools into another folder, for the statement COPY POOL. An error
// about a file of the archive is an archiveError.
func (a archive) Copy(ctx context.Context, o task.CopyOptions) ([]task.CopyResult, error) {
	results, err := a.Archive.Copy(ctx, o)
	if err != nil && a.has(err) {
		err = &archiveError{err}
	}
	return results, err
}

// Definitions returns the views, metadata, queries and schedules that
// statements have defined; see session.Archive. Every error is an archiveError.
func (a archive) Definitions(ctx context.Context) ([]task.Definition, error) {
	list, err := a.Archive.Definitions(ctx)
	if err != nil {
		return nil, &archiveError{err}
	}
	return list, nil
}

// Define replaces the list of definitions by the list that the function change
// returns; see session.Archive. An error about a file of the archive is an
// archiveError.
func (a archive) Define(ctx context.Context, change func([]task.Definition) ([]task.Definition, error)) error {
	err := a.Archive.Define(ctx, change)
	if err != nil && a.has(err) {
		err = &archiveError{err}
	}
	return err
}

// Drop removes a pool, for the statement DROP POOL. An error about a file of
// the archive is an archiveError.
func (a archive) Drop(ctx context.Context, o task.DropOptions) (task.DropResult, error) {
	res, err := a.Archive.Drop(ctx, o)
	if err != nil && a.has(err) {
		err = &archiveError{err}
	}
	return res, err
}

// SaveResult stores a result, such as a ranking, and returns it as it was
// stored; see session.Archive. An error about a file of the archive is an
// archiveError.
func (a archive) SaveResult(ctx context.Context, r task.Result, rows iter.Seq2[task.ResultRow, error]) (task.Result, error) {
	r, err := a.Archive.SaveResult(ctx, r, rows)
	if err != nil && a.has(err) {
		err = &archiveError{err}
	}
	return r, err
}

// Merge merges or seals pools, for the statements MERGE POOL and SEAL POOL. A
// seal collects garbage more often, to take less memory. An error about a file
// of the archive is an archiveError.
func (a archive) Merge(ctx context.Context, o task.MergeOptions) ([]task.MergeResult, error) {
	if o.Seal {
		defer beginFrugal()()
	}
	results, err := a.Archive.Merge(ctx, o)
	if err != nil && a.has(err) {
		err = &archiveError{err}
	}
	return results, err
}

// Repair repairs files of a pool from a copy, for the statement REPAIR POOL. An
// error about a file of the archive is an archiveError.
func (a archive) Repair(ctx context.Context, o task.RepairOptions) ([]task.RepairResult, error) {
	results, err := a.Archive.Repair(ctx, o)
	if err != nil && a.has(err) {
		err = &archiveError{err}
	}
	return results, err
}

// has reports whether err is about a file in the folder of the archive, and
// not, for example, about a file to import.
func (a archive) has(err error) bool {
	var fault *fs.PathError
	if !errors.As(err, &fault) {
		return false
	}
	rel, err := filepath.Rel(a.Path(), fault.Path)
	return err == nil && filepath.IsLocal(rel)
}
