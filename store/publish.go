package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infomall/store/catalog"
	"infomall/store/disk"
	"infomall/store/disk/lines"
	"infomall/store/segment"
)

// publication is a change of the catalogue, and the new files that belong to it.
// These are complete and synced, and lie in the writer's folder.
type publication struct {
	catalog.Change
	// made are the segments of change.in and the new forms of change.rewritten.
	// publish fills these two lists from it.
	made []made
	// unfinished, if not nil, is an index that already has some of the segments.
	// publish finishes it.
	unfinished *segment.IndexBuilder
	// namesPath is the path of change.names in the writer's folder.
	namesPath string
	// gone, if not nil, is a removal: of a pool if change.out is set, otherwise of
	// captures.
	gone *catalog.Removal
}

// made is a new segment whose db-file is complete and synced in the writer's
// folder.
type made struct {
	info *segment.Info
	w    *segment.Writer // nil if its index is written already
	path string
	// old is the segment in force that this one replaces, if it is another form of
	// the same captures and blocks; otherwise nil.
	old *segment.Info
	// number is the number of the db-file of such a form.
	number uint32
}

// staleTries is how often a change is planned in a row. Each failure means that
// another process published meanwhile. Some failures are normal if many processes
// write; this many mean that the plan never fits the catalogue, for example because
// its file was replaced by an older one.
const staleTries = 100

// retryStale calls f until it returns anything but ErrStale, at most staleTries
// times.
func retryStale(ctx context.Context, f func() error) error {
	for range staleTries {
		if err := f(); !errors.Is(err, catalog.ErrStale) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w, %d times in a row: try again when fewer processes write to it; VERIFY tells whether it is damaged", catalog.ErrStale, staleTries)
}

// publish puts a change in force. The order of its steps matters, and each step is
// durable before the next: files in the writer's folder, files in their places, the
// new catalogue, CURRENT. Afterwards it removes the files that are out of force and
// that no snapshot uses. If it returns ErrStale, the archive is unchanged and the
// new files are deleted.
func (w *writer) publish(ctx context.Context, p publication) error {
	var moved []string
	if len(p.made) > 0 {
		var err error
		if moved, err = w.moveIn(&p); err != nil {
			return err
		}
	}
	var gone *catalog.RemovalFile
	if p.gone != nil {
		var err error
		if gone, err = w.moveInRemoval(ctx, p.gone); err != nil {
			return err
		}
		moved = append(moved, gone.Name)
	}
	err := w.folder.locked(ctx, func(disk.File) error {
		c, err := w.folder.inForce()
		if err != nil {
			return err
		}
		next, err := c.Apply(p.Change)
		if err != nil {
			return err
		}
		if gone != nil {
			if err := next.AddRemoval(p.gone, gone); err != nil {
				return err
			}
		}
		if err := w.folder.put(next); err != nil {
			return err
		}
		// A names file that nothing uses is not in force.
		kept := next.Files()
		return w.folder.removeAll(slices.DeleteFunc(moved, func(name string) bool { return slices.Contains(kept, name) }))
	})
	if errors.Is(err, catalog.ErrStale) {
		if err := w.folder.removeAll(moved); err != nil {
			return err
		}
	}
	return err
}

// moveIn writes the index of new segments, and moves the segment files, the index
// and the names file to their places. It completes the change of p, and returns the
// new paths of all files.
func (w *writer) moveIn(p *publication) ([]string, error) {
	name := indexName(p.made[0].info.ID, p.made[0].number)
	index, tmp := filepath.Join(dirIndex, name), filepath.Join(w.dir, name)
	for _, m := range p.made {
		m.info.File = filepath.Join(dirPools, m.info.Pool, segment.FileName(m.info.ID, m.number))
		m.info.Index = index
		if m.old != nil {
			p.Rewritten = append(p.Rewritten, catalog.Rewritten{Old: m.old, Now: m.info})
		} else {
			p.In = append(p.In, m.info)
		}
	}
	if err := w.writeIndex(p.unfinished, tmp, p.made); err != nil {
		return nil, err
	}
	x, err := describeIndex(tmp, index)
	if err != nil {
		return nil, err
	}
	p.Index = &x
	moves := [][2]string{{tmp, index}}
	for _, m := range p.made {
		moves = append(moves, [2]string{m.path, m.info.File})
	}
	if p.Names != nil {
		p.Names.Name = strings.TrimSuffix(p.made[0].info.File, ".raw") + ".names"
		moves = append(moves, [2]string{p.namesPath, p.Names.Name})
	}
	files := make([]string, len(moves))
	for i, m := range moves {
		files[i] = m[1]
	}
	return files, w.folder.moveIn(moves)
}

// indexName returns the name of an index file, given the ID of its first segment and
// the number of that segment's db-file; 0 if the number is the ID.
func indexName(id, number uint32) string { return fmt.Sprintf("%06d.idx", max(id, number)) }

// writeIndex adds those of the segments to an index that it lacks, and finishes it.
// If x is nil, it creates the index at tmp.
func (w *writer) writeIndex(x *segment.IndexBuilder, tmp string, in []made) (err error) {
	if x == nil {
		if x, err = segment.NewIndexBuilder(w.folder.disk, tmp); err != nil {
			return err
		}
	}
	for _, m := range in {
		if m.w == nil {
			continue
		}
		if err := x.AddSegment(m.info, m.w); err != nil {
			return errors.Join(err, x.Abandon())
		}
	}
	return x.Finish()
}

// moveInRemoval writes a removal's file and moves it to its place.
func (w *writer) moveInRemoval(ctx context.Context, r *catalog.Removal) (*catalog.RemovalFile, error) {
	number, err := w.allocate(ctx, 1)
	if err != nil {
		return nil, err
	}
	info := &catalog.RemovalFile{Name: removedFile(number)}
	tmp := filepath.Join(w.dir, filepath.Base(info.Name))
	b := r.Encode()
	if err := disk.WriteFile(w.folder.disk, tmp, b); err != nil {
		return nil, err
	}
	info.Bytes, info.CRC = int64(len(b)), lines.Sum(b)
	return info, w.folder.moveIn([][2]string{{tmp, info.Name}})
}

// inForce loads the current catalogue; an empty one if there is none yet. The
// caller holds the archive's lock, so it stays current.
func (f *folder) inForce() (*catalog.Catalog, error) {
	n, err := f.current()
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return &catalog.Catalog{}, nil
	}
	return f.load(n)
}

// put puts a generation in force. The caller holds the archive's lock.
func (f *folder) put(c *catalog.Catalog) error {
	if err := disk.WriteFile(f.disk, filepath.Join(f.path, catalogName(c.Generation)), c.Encode()); err != nil {
		return err
	}
	if err := f.disk.SyncDir(filepath.Join(f.path, dirCatalog)); err != nil {
		return err
	}
	if err := f.putCurrent(c.Generation); err != nil {
		return err
	}
	return f.sweepGenerations()
}

// putCurrent writes CURRENT and makes it durable.
func (f *folder) putCurrent(generation uint64) error {
	if err := disk.WriteFile(f.disk, filepath.Join(f.path, fileCurrent), currentLine(generation)); err != nil {
		return err
	}
	return f.disk.SyncDir(f.path)
}

func describeIndex(path, name string) (catalog.IndexFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return catalog.IndexFile{}, err
	}
	defer f.Close()
	return catalog.DescribeIndex(name, f)
}

// moveIn renames synced files to their places and makes the names durable.
func (f *folder) moveIn(moves [][2]string) error {
	dirs := make(map[string]bool)
	for _, m := range moves {
		dir := filepath.Join(f.path, filepath.Dir(m[1]))
		if !dirs[dir] {
			dirs[dir] = true
			if err := disk.Mkdir(f.disk, dir); err != nil {
				return err
			}
		}
		to := filepath.Join(f.path, m[1])
		if _, err := os.Stat(to); err == nil {
			return fmt.Errorf("%s is there already: the archive's numbering was tampered with", to)
		}
		if err := f.disk.Rename(m[0], to); err != nil {
			return err
		}
	}
	for d := range dirs {
		if err := f.disk.SyncDir(d); err != nil {
			return err
		}
	}
	return nil
}

// readRemoval reads the file that info describes, and checks that it is that file.
func (f *folder) readRemoval(info *catalog.RemovalFile) (*catalog.Removal, error) {
	b, err := os.ReadFile(filepath.Join(f.path, info.Name))
	if err != nil {
		return nil, err
	}
	return info.Decode(b)
}

// removedFile returns the path of the file of a removal, by number.
func removedFile(number uint32) string { return filepath.Join(dirRemoved, fmt.Sprintf("%06d", number)) }
