package commit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"infomall/store/catalog"
	"infomall/store/disk"
	"infomall/store/segment"
	"infomall/store/segment/indexfile"
)

// Writer is the right of a process to add segments to an archive. Its folder under
// writers/ has the unfinished files that the process makes. A lock file in that
// folder is locked while the writer lives, so that other processes can distinguish a
// living writer from the leftovers of a killed one.
type Writer struct {
	Folder *Folder // the folder of the archive
	dir    string  // name of the writer's own folder in the archive, such as "writers/w0123456789"
	lock   disk.File
	lease  *lease // nil if the archive is in a folder
	// Packer compresses the segments of static pools.
	Packer *segment.Packer
}

// NewWriter creates the archive if necessary, and registers a writer. If no other
// writer is alive, it first removes files that killed writers left. The caller
// closes the writer.
func (f *Folder) NewWriter(ctx context.Context) (*Writer, error) {
	if f.bucket != nil {
		return f.bucket.register(ctx, true)
	}
	return f.register(ctx, f.begin)
}

// NewWriterWithoutCatalog returns a writer for an archive whose catalogue is lost, in
// which NewWriter would return an error. The caller puts a new catalogue in force, and
// then closes the writer.
func (f *Folder) NewWriterWithoutCatalog(ctx context.Context) (*Writer, error) {
	if f.bucket != nil {
		return f.bucket.register(ctx, false)
	}
	return f.register(ctx, f.putFormat)
}

// register creates the archive's folders and returns a new writer. It calls prepare
// first, while it holds the archive's lock.
func (f *Folder) register(ctx context.Context, prepare func() error) (*Writer, error) {
	if err := f.Create(); err != nil {
		return nil, err
	}
	w := &Writer{Folder: f, Packer: new(segment.Packer)}
	err := f.Locked(ctx, func(disk.File) error {
		if err := prepare(); err != nil {
			return err
		}
		alive, err := f.sweepWriters()
		if err != nil {
			return err
		}
		if !alive {
			if err := f.sweepFiles(); err != nil {
				return err
			}
		}
		return w.makeFolder()
	})
	if err != nil {
		return nil, fmt.Errorf("begin to write to the archive %s: %w", f.Path, err)
	}
	return w, nil
}

// makeFolder makes the writer's folder, and locks the lock file in it.
func (w *Writer) makeFolder() (err error) {
	f := w.Folder
	if w.dir, err = disk.MkdirTemp(f.Files(), dirWriters, "w"); err != nil {
		return err
	}
	if w.lock, err = disk.Create(f.Files(), w.File(FileLock)); err != nil {
		return err
	}
	return disk.LockExclusive(w.lock)
}

// begin prepares the archive for a writer. It writes FORMAT.txt. In a new archive it
// also publishes an empty catalogue, so that there is never a db-file without
// CURRENT.
//
// In an existing archive begin writes CURRENT again, to make it durable. The process
// that wrote CURRENT before may have been killed before it was durable. A power failure
// could then bring back an older CURRENT, and so undo what this writer does next. The
// caller holds the archive's lock.
func (f *Folder) begin() error {
	if err := f.putFormat(); err != nil {
		return err
	}
	n, err := f.current()
	if err != nil {
		return err
	}
	if n > 0 && f.bucket != nil {
		return nil // what can be read from a bucket is durable
	}
	if n > 0 {
		return f.putCurrent(n)
	}
	if err := f.lostCurrent(); err != nil {
		return err
	}
	return f.Put(&catalog.Catalog{Generation: 1, ID: catalog.NewID()})
}

// putFormat writes the file FORMAT.txt, unless that already has this program's text.
func (f *Folder) putFormat() error {
	name := filepath.Join(f.Path, FileFormat)
	if b, err := disk.ReadFile(f.Disk, name); err == nil && string(b) == formatFile() {
		return nil
	}
	return disk.WriteFile(f.Disk, name, []byte(formatFile()))
}

// Close removes the writer's folder, with all files in it that were not published,
// and releases the writer's lock.
func (w *Writer) Close() error {
	err := disk.RemoveAll(w.Folder.Files(), w.dir)
	if w.Folder.bucket != nil {
		err = errors.Join(err, w.Folder.bucket.unregister(w))
	}
	return errors.Join(err, w.lock.Close())
}

// Name returns the name of the writer's folder, which no other living writer has.
func (w *Writer) Name() string { return filepath.Base(w.dir) }

// File returns the path, in the archive's folder, of the file with this name in the writer's
// folder.
func (w *Writer) File(name string) string { return filepath.Join(w.dir, name) }

// segmentFile returns the path, in the archive's folder, of the db-file that CreateSegment
// creates.
func (w *Writer) segmentFile(number uint32) string { return w.File(fmt.Sprintf("%06d.raw", number)) }

// CreateSegment creates a db-file with this number in the writer's folder. The
// caller closes it.
func (w *Writer) CreateSegment(number uint32) (disk.File, error) {
	return disk.Create(w.Folder.Files(), w.segmentFile(number))
}

// fileNames is the name of an unfinished names file in the writer's folder.
const fileNames = "names"

// CreateNames creates the names file that Publication.Names describes, in the writer's folder. The
// caller closes it.
func (w *Writer) CreateNames() (disk.File, error) {
	return disk.Create(w.Folder.Files(), w.File(fileNames))
}

// CreateIndex creates an index file in the writer's folder. first is the ID of the first
// segment whose index goes into it. The caller can pass the result to Publish as
// Publication.Unfinished.
func (w *Writer) CreateIndex(first uint32) (*indexfile.Builder, error) {
	return w.createIndex(indexName(first, 0))
}

// createIndex creates an index file with this name in the writer's folder.
func (w *Writer) createIndex(name string) (*indexfile.Builder, error) {
	return indexfile.NewBuilder(w.Folder.Disk, filepath.Join(w.Folder.Path, w.File(name)))
}

// Allocate reserves n consecutive numbers for new files, such as db-files, and returns
// the first. The archive's lock file has the next free number. Allocate also looks at
// the catalogue and at the names of existing files, because a power failure may have
// restored an older content of the lock file. The numbers of files that no catalogue
// names count too.
func (w *Writer) Allocate(ctx context.Context, n int) (first uint32, err error) {
	if w.Folder.bucket != nil {
		return w.Folder.bucket.allocate(ctx, n)
	}
	err = w.Folder.Locked(ctx, func(lock disk.File) error {
		b, err := io.ReadAll(lock)
		if err != nil {
			return err
		}
		next, err := w.Folder.NextByNames()
		if err != nil {
			return err
		}
		if n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 31); err == nil {
			next = max(next, n)
		}
		c, err := w.Folder.InForce()
		if err != nil {
			return err
		}
		for _, s := range c.Segments {
			next = max(next, uint64(s.Number())+1)
		}
		first = uint32(next)
		after := fmt.Appendf(nil, "%d\n", next+uint64(n))
		if _, err := lock.WriteAt(after, 0); err != nil {
			return err
		}
		return lock.Truncate(int64(len(after)))
	})
	return first, err
}

// NextByNames returns the highest number in the names of db-files, indexes, removal
// files and block-lists, plus one. It returns 1 if there are no such files.
func (f *Folder) NextByNames() (uint64, error) {
	next := uint64(1)
	for _, pattern := range []string{filepath.Join(DirPools, "*", "*.raw"), filepath.Join(DirIndex, "*.idx"), filepath.Join(DirRemoved, "[0-9]*"), filepath.Join(DirBlocked, "[0-9]*")} {
		files, err := disk.Glob(f.Disk, f.Path, pattern)
		if err != nil {
			return 0, err
		}
		for _, file := range files {
			next = max(next, numberAfter(file))
		}
	}
	return next, nil
}

// numberAfter returns the highest number in the name of a file, plus one, such as 24 for
// 000017-000023.words. It returns 0 if the name has no number.
func numberAfter(file string) (next uint64) {
	name := filepath.Base(file)
	for n := range strings.SplitSeq(strings.TrimSuffix(name, filepath.Ext(name)), "-") {
		if n, err := strconv.ParseUint(n, 10, 31); err == nil {
			next = max(next, n+1)
		}
	}
	return next
}
