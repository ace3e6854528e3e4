package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"infomall/store/catalog"
	"infomall/store/disk"
	"infomall/store/segment"
)

// writer is a process's right to add segments. Its folder under writers/ holds the
// files that it makes. The lock file in that folder is locked while the writer
// lives: so everybody can distinguish a living writer from the leftovers of a
// killed one.
type writer struct {
	a    *Archive
	dir  string
	lock disk.File
	// packer compresses the segments of static pools.
	packer *segment.Packer
}

// newWriter creates the archive if necessary, and registers a writer. If no other
// writer is alive, it first removes what killed writers left.
func (a *Archive) newWriter(ctx context.Context) (*writer, error) {
	if err := a.Create(); err != nil {
		return nil, err
	}
	return a.register(ctx, (*Archive).begin)
}

// register registers a writer. It calls prepare first, with the archive's lock
// held.
func (a *Archive) register(ctx context.Context, prepare func(*Archive) error) (*writer, error) {
	w := &writer{a: a, packer: new(segment.Packer)}
	err := a.locked(ctx, func(disk.File) error {
		if err := prepare(a); err != nil {
			return err
		}
		alive, err := a.sweepWriters()
		if err != nil {
			return err
		}
		if !alive {
			if err := a.sweepFiles(); err != nil {
				return err
			}
		}
		if w.dir, err = disk.MkdirTemp(a.opts.Disk, filepath.Join(a.dir, dirWriters), "w"); err != nil {
			return err
		}
		if w.lock, err = disk.Create(a.opts.Disk, filepath.Join(w.dir, fileLock)); err != nil {
			return err
		}
		return disk.LockExclusive(w.lock)
	})
	if err != nil {
		return nil, fmt.Errorf("begin to write to the archive %s: %w", a.dir, err)
	}
	return w, nil
}

// begin publishes an empty catalogue in a new archive, so that there is never a
// db-file without CURRENT, and writes FORMAT.txt. In an existing archive it makes
// CURRENT durable: the process that wrote CURRENT may have been killed, or have
// failed, before it was durable, and what this writer does next must not be undone
// by a power failure. The caller holds the archive's lock, so no other process
// deletes unfinished files meanwhile.
func (a *Archive) begin() error {
	if err := a.putFormat(); err != nil {
		return err
	}
	n, err := readCurrent(a.dir)
	if err != nil {
		return err
	}
	if n > 0 {
		return a.putCurrent(n)
	}
	if err := lostCurrent(a.dir); err != nil {
		return err
	}
	return a.putCatalog(&catalog.Catalog{Generation: 1, ID: catalog.NewID()})
}

// putFormat writes FORMAT.txt, unless the file already has this program's text.
func (a *Archive) putFormat() error {
	name := filepath.Join(a.dir, fileFormat)
	if b, err := os.ReadFile(name); err == nil && string(b) == formatFile() {
		return nil
	}
	return disk.WriteFile(a.opts.Disk, name, []byte(formatFile()))
}

// close removes the writer's folder, with everything in it that was not published.
func (w *writer) close() error {
	err := disk.RemoveAll(w.a.opts.Disk, w.dir)
	return errors.Join(err, w.lock.Close())
}

// allocate returns the first of n consecutive segment numbers that no other segment
// has. The lock file holds the next number. The catalogue and the names in use
// count too: a power failure may have restored an older content of the lock file,
// and files that are not named are not always deleted.
func (w *writer) allocate(ctx context.Context, n int) (first uint32, err error) {
	err = w.a.locked(ctx, func(lock disk.File) error {
		b, err := io.ReadAll(lock)
		if err != nil {
			return err
		}
		next, err := w.a.nextByNames()
		if err != nil {
			return err
		}
		if n, err := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 31); err == nil {
			next = max(next, n)
		}
		c, err := w.a.inForce()
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

// nextByNames returns the highest number in the names of db-files, indexes and
// removals, plus one.
func (a *Archive) nextByNames() (uint64, error) {
	next := uint64(1)
	for _, pattern := range []string{filepath.Join(dirPools, "*", "*.raw"), filepath.Join(dirIndex, "*.idx"), filepath.Join(dirRemoved, "[0-9]*")} {
		files, err := filepath.Glob(filepath.Join(a.dir, pattern))
		if err != nil {
			return 0, err
		}
		for _, f := range files {
			name := filepath.Base(f)
			for n := range strings.SplitSeq(strings.TrimSuffix(name, filepath.Ext(name)), "-") {
				if n, err := strconv.ParseUint(n, 10, 31); err == nil {
					next = max(next, n+1)
				}
			}
		}
	}
	return next, nil
}
