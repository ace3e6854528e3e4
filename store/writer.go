package store

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"infomall/store/disk"
	"infomall/store/segment"
)

// writer is a process's right to add segments. Its folder under writers/ holds
// what is being made; the lock file in it is locked while the writer lives, so
// that anybody can tell a live one from what a killed one left.
type writer struct {
	a    *Archive
	dir  string
	lock disk.File
	// packer is what segments of static pools are compressed with.
	packer *segment.Packer
}

// newWriter makes the archive if need be and registers a writer. If no other
// is alive it first clears away what killed ones left.
func (a *Archive) newWriter(ctx context.Context) (*writer, error) {
	if err := a.create(); err != nil {
		return nil, err
	}
	return a.register(ctx, (*Archive).begin)
}

// register registers a writer; prepare is run first, with the archive's lock
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

// begin publishes an empty catalogue in an archive that is new, so that db-files
// never lie in one without CURRENT, and puts FORMAT.txt beside it. In one that is
// not it makes sure of CURRENT: who put the generation in force may have ended,
// or met an error, before that was durable, and what is swept or found to be
// there already must not come back or go with the next power cut. The archive's
// lock is held: who sweeps what is half written is not in the way.
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
	return a.putCatalog(&catalog{generation: 1, id: newID()})
}

// putFormat writes FORMAT.txt, unless it is there as this program has it.
func (a *Archive) putFormat() error {
	name := filepath.Join(a.dir, fileFormat)
	if b, err := os.ReadFile(name); err == nil && string(b) == formatFile() {
		return nil
	}
	return disk.WriteFile(a.opts.Disk, name, []byte(formatFile()))
}

// close gives up what was not published.
func (w *writer) close() error {
	err := disk.RemoveAll(w.a.opts.Disk, w.dir)
	return errors.Join(err, w.lock.Close())
}

// sweepWriters removes the folders of writers that are no more, and tells
// whether any is alive. The archive's lock is held.
func (a *Archive) sweepWriters() (alive bool, err error) {
	dirs, err := os.ReadDir(filepath.Join(a.dir, dirWriters))
	if err != nil {
		return false, err
	}
	for _, d := range dirs {
		dir := filepath.Join(a.dir, dirWriters, d.Name())
		f, err := os.Open(filepath.Join(dir, fileLock))
		if err == nil {
			free, err := disk.TryExclusive(f)
			f.Close()
			if err != nil {
				return false, err
			}
			if !free {
				alive = true
				continue
			}
		} else if !errors.Is(err, os.ErrNotExist) {
			return false, err
		}
		// A writer registers under the archive's lock, which is ours now: one
		// without its own lock held is dead.
		if err := disk.RemoveAll(a.opts.Disk, dir); err != nil {
			return false, err
		}
	}
	return alive, nil
}

// sweepFiles removes old generations that nobody reads, db-files and indexes
// that no generation names, and the locks of pools that none has. The archive's lock is held and no other
// writer is alive, so none can be about to be published.
func (a *Archive) sweepFiles() error {
	if err := a.sweepGenerations(); err != nil {
		return err
	}
	if c, err := a.inForce(); err != nil || c.generation == 0 {
		// What it names can't be told from leftovers: keep all.
		return nil
	}
	generations, err := a.generations()
	if err != nil {
		return err
	}
	files := a.fileUse(generations)
	if files.unknown {
		// A generation that can't be read may name anything: keep all.
		return nil
	}
	// What disk.WriteFile did not come to rename is hidden and never named.
	for _, pattern := range []string{".[^.]*", filepath.Join(dirCatalog, ".[^.]*"), filepath.Join(dirPools, "*", "*.raw"), filepath.Join(dirPools, "*", "*.names"), filepath.Join(dirPools, "*", fileLock), filepath.Join(dirIndex, "*.idx"), filepath.Join(dirRemoved, "[0-9]*")} {
		found, err := filepath.Glob(filepath.Join(a.dir, pattern))
		if err != nil {
			return err
		}
		for _, f := range found {
			rel, err := filepath.Rel(a.dir, f)
			if err != nil {
				return err
			}
			if files.users[rel] == 0 && !(filepath.Base(rel) == fileLock && files.inFolder(filepath.Dir(rel))) {
				if err := a.opts.Disk.Remove(f); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// allocate gives n consecutive segment numbers that nobody else has. The lock
// file holds the next one; the catalogue and the names in use have a say too,
// since a power cut may have brought back an older content of that file, and
// what lies there without being named is not always swept.
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
		for _, s := range c.segments {
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

// nextByNames is one more than the highest number among the names of db-files,
// indexes and removals.
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

// made is a segment whose db-file lies complete and synced in the writer's
// folder.
type made struct {
	info *segment.Info
	w    *segment.Writer // nil if the index has it already
	path string
	// number is that of the db-file, if it is another form of a segment in force.
	number uint32
}

// putCatalog puts a generation in force. The archive's lock is held.
func (a *Archive) putCatalog(c *catalog) error {
	if err := disk.WriteFile(a.opts.Disk, filepath.Join(a.dir, catalogName(c.generation)), c.encode()); err != nil {
		return err
	}
	if err := a.opts.Disk.SyncDir(filepath.Join(a.dir, dirCatalog)); err != nil {
		return err
	}
	if err := a.putCurrent(c.generation); err != nil {
		return err
	}
	return a.sweepGenerations()
}

// putCurrent writes CURRENT anew and makes it durable.
func (a *Archive) putCurrent(generation uint64) error {
	if err := disk.WriteFile(a.opts.Disk, filepath.Join(a.dir, fileCurrent), currentLine(generation)); err != nil {
		return err
	}
	return a.opts.Disk.SyncDir(a.dir)
}

func describeIndex(path, name string) (indexInfo, error) {
	f, err := os.Open(path)
	if err != nil {
		return indexInfo{}, err
	}
	defer f.Close()
	sum := crc32.New(castagnoli)
	n, err := io.Copy(sum, f)
	return indexInfo{name: name, bytes: n, crc: sum.Sum32()}, err
}

// moveIn renames synced files to their places and makes the names durable.
func (a *Archive) moveIn(moves [][2]string) error {
	dirs := make(map[string]bool)
	for _, m := range moves {
		dir := filepath.Join(a.dir, filepath.Dir(m[1]))
		if !dirs[dir] {
			dirs[dir] = true
			if err := disk.Mkdir(a.opts.Disk, dir); err != nil {
				return err
			}
		}
		to := filepath.Join(a.dir, m[1])
		if _, err := os.Stat(to); err == nil {
			return fmt.Errorf("%s is there already: the archive's numbering was tampered with", to)
		}
		if err := a.opts.Disk.Rename(m[0], to); err != nil {
			return err
		}
	}
	for d := range dirs {
		if err := a.opts.Disk.SyncDir(d); err != nil {
			return err
		}
	}
	return nil
}
