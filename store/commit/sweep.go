package commit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"infomall/store/disk"
	"infomall/store/segment"
)

// sweepWriters removes the folders of writers whose processes were killed, and reports
// whether another writer is alive. The caller holds the archive's lock.
func (f *Folder) sweepWriters() (alive bool, err error) {
	dirs, err := f.Disk.ReadDir(filepath.Join(f.Path, dirWriters))
	if err != nil {
		return false, err
	}
	for _, d := range dirs {
		dir := filepath.Join(f.Path, dirWriters, d.Name())
		lock, err := os.Open(filepath.Join(dir, FileLock))
		if err == nil {
			free, err := disk.TryExclusive(lock)
			lock.Close()
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
		// Writers register with the archive's lock held, and we hold it: a writer
		// whose own lock is free is dead.
		if err := disk.RemoveAll(f.Disk, dir); err != nil {
			return false, err
		}
	}
	return alive, nil
}

// sweepFiles deletes leftovers: old generations (states of the catalogue) that no
// reader has pinned; db-files, indexes and other files that no generation names; and
// lock files of pools that no generation has. The caller holds the archive's lock,
// and no other writer is alive, so no process can be about to publish one of these
// files.
func (f *Folder) sweepFiles() error {
	if err := f.sweepGenerations(); err != nil {
		return err
	}
	if c, err := f.InForce(); err != nil || c.Generation == 0 {
		// Without a current catalogue, files that it names cannot be told from
		// leftovers: keep everything.
		return nil
	}
	generations, err := f.Generations()
	if err != nil {
		return err
	}
	files := f.fileUse(generations)
	if files.unknown {
		// A generation that cannot be read may name any file: keep everything.
		return nil
	}
	// A file that disk.WriteFile did not rename is hidden, and never named.
	for _, pattern := range []string{".[^.]*", filepath.Join(DirCatalog, ".[^.]*"), filepath.Join(DirPools, "*", "*.raw"), filepath.Join(DirPools, "*", "*.names"), filepath.Join(DirPools, "*", FileLock), filepath.Join(DirIndex, "*.idx"), filepath.Join(DirRemoved, "[0-9]*"), filepath.Join(DirBlocked, "[0-9]*"), filepath.Join(Words.Dir, "*.words"), filepath.Join(Words.Dir, ".[^.]*"), filepath.Join(Documents.Dir, "*.docs"), filepath.Join(Documents.Dir, ".[^.]*")} {
		found, err := disk.Glob(f.Disk, f.Path, pattern)
		if err != nil {
			return err
		}
		for _, name := range found {
			rel, err := filepath.Rel(f.Path, name)
			if err != nil {
				return err
			}
			if files.users[rel] == 0 && !DerivedOf(rel, files.words) && !(filepath.Base(rel) == FileLock && files.inFolder(filepath.Dir(rel))) {
				if err := f.Disk.Remove(name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Sweep removes the generations (states of the catalogue) before the current one
// that no reader has pinned, and the files that only these name.
func (f *Folder) Sweep(ctx context.Context) error {
	if f.bucket != nil {
		return f.bucket.sweep(ctx)
	}
	return f.Locked(ctx, func(disk.File) error { return f.sweepGenerations() })
}

// sweepGenerations removes the generations (states of the catalogue) before the
// current one that no reader has pinned, and the files that only these name. It keeps
// generations newer than the current one. Either a killed writer left such a
// generation, and the next writer will overwrite it, or CURRENT is damaged, and the
// generation is needed to repair it. The caller holds the archive's lock.
func (f *Folder) sweepGenerations() error {
	current, err := f.current()
	if err != nil {
		return err
	}
	numbers, err := f.Generations()
	if err != nil {
		return err
	}
	var files *fileUse // loaded if there is something to remove
	for _, n := range numbers {
		if n >= current {
			continue
		}
		name := filepath.Join(f.Path, f.CatalogFile(n))
		file, err := os.Open(name)
		if err != nil {
			continue // another process was faster
		}
		free, err := disk.TryExclusive(file)
		if err == nil && free {
			if files == nil {
				files = f.fileUse(numbers)
			}
			// The files first. If the process were killed after it had removed the
			// generation, nothing would name the files any more.
			if err = f.removeAll(files.only(n)); err == nil {
				err = f.Disk.Remove(name)
			}
		}
		file.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// Generations returns the numbers of the generations (states of the catalogue) whose
// catalogue files exist, ascending.
func (f *Folder) Generations() ([]uint64, error) {
	if f.bucket != nil {
		return f.bucket.generations()
	}
	entries, err := f.Disk.ReadDir(filepath.Join(f.Path, DirCatalog))
	if err != nil {
		return nil, err
	}
	var out []uint64
	for _, e := range entries {
		if n, err := strconv.ParseUint(e.Name(), 10, 64); err == nil {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out, nil
}

// removeAll removes files, given by their paths in the archive's folder. If there are db-files
// among them, it also removes the files derived from these. A file that does not exist is no
// error.
func (f *Folder) removeAll(names []string) error {
	// The derived files first: after a crash, a db-file is still there to be removed, and
	// they with it.
	derived, err := f.derivedOf(names)
	if err != nil {
		return err
	}
	for _, name := range append(derived, names...) {
		if err := f.remove(name); err != nil {
			return err
		}
	}
	return nil
}

// remove removes a file, given by its path in the archive's folder. A file that does not
// exist is no error.
func (f *Folder) remove(name string) error {
	if err := f.Disk.Remove(filepath.Join(f.Path, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// fileUse says which files each generation names, and how many generations name each
// file.
type fileUse struct {
	names map[uint64][]string // by generation: the paths of the files that it names
	users map[string]int      // by path of a file: how many generations name it
	words map[uint32]bool     // the numbers of the db-files that some generation names
	// unknown is set if a generation cannot be read: it may name any file.
	unknown bool
}

func (f *Folder) fileUse(generations []uint64) *fileUse {
	u := &fileUse{names: make(map[uint64][]string), users: make(map[string]int), words: make(map[uint32]bool)}
	for _, n := range generations {
		c, err := f.Load(n)
		if err != nil {
			u.unknown = true
			continue
		}
		u.names[n] = c.Files()
		for _, name := range u.names[n] {
			u.count(name)
		}
	}
	return u
}

// count records that one more generation names the file with this path.
func (u *fileUse) count(name string) {
	u.users[name]++
	if id, again, ok := segment.ParseName(filepath.Base(name)); ok {
		u.words[max(id, again)] = true
	}
}

// NamedFiles returns the paths of all files that are named by a generation whose catalogue file
// exists. It returns an error if a catalogue cannot be read, because that one may name any
// file. The caller holds the archive's lock.
func (f *Folder) NamedFiles() (map[string]bool, error) {
	generations, err := f.Generations()
	if err != nil {
		return nil, err
	}
	u := f.fileUse(generations)
	if u.unknown {
		return nil, errors.New("a catalogue cannot be read, and may name any file: VERIFY says which")
	}
	named := make(map[string]bool, len(u.users))
	for name := range u.users {
		named[name] = true
	}
	return named, nil
}

// inFolder reports whether a generation names a file in the folder dir.
func (u *fileUse) inFolder(dir string) bool {
	for name, users := range u.users {
		if users > 0 && filepath.Dir(name) == dir {
			return true
		}
	}
	return false
}

// only returns the files that only this generation (a state of the catalogue) names, and no longer
// counts the generation. The result is empty if some generation cannot be read, because that one
// may name any file.
func (u *fileUse) only(generation uint64) (out []string) {
	for _, name := range u.names[generation] {
		if u.users[name]--; u.users[name] == 0 && !u.unknown {
			out = append(out, name)
		}
	}
	return out
}
