package repl

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"path/filepath"

	"infomall/crawl/state"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/store"
	"infomall/store/disk"
	"infomall/store/record/task"
)

// openStore returns the archive in the folder path, which may not exist yet,
// and a Closer for it. warn is called with problems that the store notices
// while it works.
func openStore(path string, warn func(error)) (session.Archive, io.Closer) {
	a := store.Open(path, store.Options{Warn: warn})
	return joined(a, warn), a
}

// joined returns the store's archive together with the crawls in its folder.
func joined(a *store.Archive, warn func(error)) archive {
	return archive{a, &state.Folder{Disk: disk.OS, Dir: filepath.Join(a.Path(), state.FolderName), Create: a.Create, Warn: warn}}
}

// archive joins the store's archive and the states of its crawls for the executor
// and the crawler. It marks errors that are about the archive itself as
// archiveError.
type archive struct {
	*store.Archive
	*state.Folder
}

// archiveError says that the archive cannot be used; the statement is not at
// fault. It leads to exit status 4.
type archiveError struct{ err error }

func (e *archiveError) Error() string { return e.err.Error() }

func (e *archiveError) Unwrap() error { return e.err }

// Snapshot implements session.Archive.
func (a archive) Snapshot(ctx context.Context) (relation.Snapshot, error) {
	s, err := a.Archive.Snapshot(ctx)
	if err != nil {
		return nil, &archiveError{err}
	}
	return s, nil
}

// Import is what the statement of that name asks of an archive.
func (a archive) Import(ctx context.Context, o task.ImportOptions) ([]task.ImportResult, error) {
	results, err := a.Archive.Import(ctx, o)
	if err != nil && a.has(err) {
		err = &archiveError{err}
	}
	return results, err
}

// Copy is what the statement of that name asks of an archive.
func (a archive) Copy(ctx context.Context, o task.CopyOptions) ([]task.CopyResult, error) {
	results, err := a.Archive.Copy(ctx, o)
	if err != nil && a.has(err) {
		err = &archiveError{err}
	}
	return results, err
}

// Definitions implements session.Archive.
func (a archive) Definitions(ctx context.Context) ([]task.Definition, error) {
	list, err := a.Archive.Definitions(ctx)
	if err != nil {
		return nil, &archiveError{err}
	}
	return list, nil
}

// Define implements session.Archive.
func (a archive) Define(ctx context.Context, change func([]task.Definition) ([]task.Definition, error)) error {
	err := a.Archive.Define(ctx, change)
	if err != nil && a.has(err) {
		err = &archiveError{err}
	}
	return err
}

// Drop is what the statement of that name asks of an archive.
func (a archive) Drop(ctx context.Context, o task.DropOptions) (task.DropResult, error) {
	res, err := a.Archive.Drop(ctx, o)
	if err != nil && a.has(err) {
		err = &archiveError{err}
	}
	return res, err
}

// SaveResult implements session.Archive.
func (a archive) SaveResult(ctx context.Context, r task.Result, rows iter.Seq2[task.ResultRow, error]) (task.Result, error) {
	r, err := a.Archive.SaveResult(ctx, r, rows)
	if err != nil && a.has(err) {
		err = &archiveError{err}
	}
	return r, err
}

// Merge is what the statement of that name asks of an archive.
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

// Repair is what the statement of that name asks of an archive.
func (a archive) Repair(ctx context.Context, o task.RepairOptions) ([]task.RepairResult, error) {
	results, err := a.Archive.Repair(ctx, o)
	if err != nil && a.has(err) {
		err = &archiveError{err}
	}
	return results, err
}

// has reports whether err is about a file of the archive, and not, for example,
// about a file to import.
func (a archive) has(err error) bool {
	var fault *fs.PathError
	if !errors.As(err, &fault) {
		return false
	}
	rel, err := filepath.Rel(a.Path(), fault.Path)
	return err == nil && filepath.IsLocal(rel)
}
