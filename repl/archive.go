package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"infomall/crawl"
	"infomall/crawl/state"
	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/repl/memory"
	"infomall/store"
	"infomall/store/disk"
	"infomall/store/disk/s3"
	"infomall/store/record"
	"infomall/store/record/task"
)

// openPlace returns the archive in a folder, or in the place of a bucket that path names as a
// URL. It need not exist yet. The Closer closes the archive. The store calls warn with each
// problem that it notices while it works. The error is about a URL or its settings.
func openPlace(path string, warn func(error)) (session.Archive, io.Closer, error) {
	if !s3.IsURL(path) {
		a, closer := openStore(path, warn)
		return a, closer, nil
	}
	documents := newDocuments()
	a, err := openBucket(path, store.Options{Warn: warn, Documents: documents, Bucket: bucketPlace})
	if err != nil {
		return nil, nil, &archiveError{errors.Join(err, documents.Close())}
	}
	j := joined(a, warn)
	j.documents = documents
	return j, closers{a, documents}, nil
}

// openStore returns the archive in the folder path, as openPlace does.
func openStore(path string, warn func(error)) (session.Archive, io.Closer) {
	documents := newDocuments()
	a := store.Open(path, store.Options{Warn: warn, Documents: documents, Bucket: bucketPlace})
	j := joined(a, warn)
	j.documents = documents
	return j, closers{a, documents}
}

// openBucket returns the archive at the place in a bucket that url names.
func openBucket(url string, o store.Options) (*store.Archive, error) {
	client, b, err := bucketPlace(url)
	if err != nil {
		return nil, err
	}
	return store.OpenBucket(client, b, o)
}

// bucketPlace returns a client for the place in a bucket that url names. It also returns the
// settings for archives there, which come from environment variables; see store.Buckets.
func bucketPlace(url string) (*s3.Client, store.BucketOptions, error) {
	b := store.BucketOptions{Folder: os.Getenv("INFOMALL_S3_FOLDER")}
	client, err := s3.Open(context.Background(), url)
	if err != nil {
		return nil, b, err
	}
	if v := os.Getenv("INFOMALL_S3_CACHE"); v != "" {
		var s session.Settings
		if err := session.SettingNamed("memory").Set(&s, v); err != nil {
			return nil, b, fmt.Errorf("INFOMALL_S3_CACHE: %w", err)
		}
		b.CacheBytes = s.MemoryBytes
	}
	for name, d := range map[string]*time.Duration{"INFOMALL_S3_GRACE": &b.Grace, "INFOMALL_S3_LEASE": &b.Lease} {
		if v := os.Getenv(name); v != "" {
			if *d, err = time.ParseDuration(v); err != nil || *d <= 0 {
				return nil, b, fmt.Errorf("%s is %q: write a time such as 24h", name, v)
			}
		}
	}
	return client, b, nil
}

// closers is a list of things to close, in order.
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
	return archive{Archive: a, Folder: &state.Folder{Disk: disk.OS, Dir: filepath.Join(a.Local(), state.FolderName), Create: a.Create, Warn: warn}}
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

// Merge merges or seals pools, for the statements MERGE POOL and SEAL POOL. During a seal the
// garbage collector runs more often, so that the program takes less memory. An error about a
// file of the archive is an archiveError.
func (a archive) Merge(ctx context.Context, o task.MergeOptions) ([]task.MergeResult, error) {
	if o.Seal {
		defer memory.BeginFrugal()()
	}
	results, err := a.Archive.Merge(ctx, o)
	if err != nil && a.has(err) {
		err = &archiveError{err}
	}
	return results, err
}

// Move moves the db-files of pools to another place, for the statement MOVE POOL. An
// error about a file of the archive is an archiveError.
func (a archive) Move(ctx context.Context, o task.MoveOptions) ([]task.MoveResult, error) {
	results, err := a.Archive.Move(ctx, o)
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

// has reports whether err is about a file of the archive, and not, for example, about a file to
// import. If the archive is in a bucket, its files are objects.
func (a archive) has(err error) bool {
	var object *s3.Error
	if errors.As(err, &object) {
		place := a.Path() + "/"
		if object.Key == "" {
			return strings.HasPrefix(place, s3.Scheme+object.Bucket+"/")
		}
		return strings.HasPrefix(s3.Scheme+object.Bucket+"/"+object.Key, place)
	}
	var fault *fs.PathError
	if !errors.As(err, &fault) {
		return false
	}
	rel, err := filepath.Rel(a.Local(), fault.Path)
	return err == nil && filepath.IsLocal(rel)
}
