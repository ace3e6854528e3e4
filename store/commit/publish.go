package commit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"infomall/store/catalog"
	"infomall/store/crc32c"
	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/segment/indexfile"
)

// Publication is a change of the catalogue, together with the new files that belong
// to it. These files are complete and synced, and are in the writer's folder.
type Publication struct {
	catalog.Change
	// Made are the segments that come into force: new segments, and existing segments that were
	// written again. Publish adds them to Change.In and Change.Rewritten, and sets Change.Index.
	Made []Made
	// Unfinished, if not nil, is an index file to which the caller has added some of the
	// segments. Publish adds the others and completes the file.
	Unfinished *indexfile.Builder
	// Removal, if not nil, comes into force together with the change. It is the
	// removal of a pool if Change.Out is set, otherwise the removal of captures.
	Removal *catalog.Removal
	// Block, if not nil, changes the block-list in the same publication. Its arguments
	// are the catalogue in force and the block-list of that catalogue, and it returns the
	// new list. If it returns an error, nothing is published, and Publish returns that
	// error.
	Block func(c *catalog.Catalog, now *task.BlockList) (*task.BlockList, error)
}

// Made is a new segment whose db-file is complete and synced in the writer's
// folder.
type Made struct {
	Info   *segment.Info
	Writer *segment.Writer // has the entries for the index; nil if Publication.Unfinished has them already
	// Old is the segment in force that this segment replaces, if both have the same
	// captures and blocks. Otherwise Old is nil.
	Old *segment.Info
	// Number is the number of this db-file if Old is not nil. The ID of the segment is then
	// the number of an older db-file. If Old is nil, Number is 0.
	Number uint32
}

// staleTries is how often Retry calls its function before it gives up. A call fails if another
// process published meanwhile, which is normal if many processes write. But if this many calls
// fail, the change will never fit the catalogue, for example because somebody has restored an
// older catalogue file.
const staleTries = 100

// Retry calls f, and calls it again while it returns catalog.ErrStale, at most
// staleTries times in all. It returns the result of the last call. If all calls
// returned ErrStale, the error wraps ErrStale.
func Retry(ctx context.Context, f func() error) error {
	for range staleTries {
		if err := f(); !errors.Is(err, catalog.ErrStale) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w, %d times in a row: try again when fewer processes write to it; VERIFY reports whether it is damaged", catalog.ErrStale, staleTries)
}

// Publish puts the change p in force. It moves the files from the writer's folder to their places,
// writes the new catalogue, and then CURRENT; each step is durable before the next. Afterwards it
// removes the files that are out of force and that no snapshot uses. If the error is
// catalog.ErrStale, the archive is unchanged and the new files are deleted.
func (w *Writer) Publish(ctx context.Context, p Publication) error {
	var moved []string
	if len(p.Made) > 0 {
		var err error
		if moved, err = w.moveIn(&p); err != nil {
			return err
		}
	}
	var gone *catalog.RemovalFile
	if p.Removal != nil {
		var err error
		if gone, err = w.moveInRemoval(ctx, p.Removal); err != nil {
			return err
		}
		moved = append(moved, gone.Name)
	}
	number := uint32(0)
	if p.Block != nil {
		var err error
		if number, err = w.Allocate(ctx, 1); err != nil {
			return err
		}
	}
	err := w.Folder.Locked(ctx, func(disk.File) error {
		c, err := w.Folder.InForce()
		if err != nil {
			return err
		}
		p.Now = record.At(w.Folder.Now())
		next, err := c.Apply(p.Change)
		if err != nil {
			return err
		}
		if gone != nil {
			if err := next.AddRemoval(p.Removal, gone); err != nil {
				return err
			}
		}
		if p.Block != nil {
			if i := slices.IndexFunc(moved, func(name string) bool { return filepath.Dir(name) == DirBlocked }); i >= 0 {
				// This is another try in a bucket. No catalogue names the list of the try before.
				if err := w.Folder.remove(moved[i]); err != nil {
					return err
				}
				moved = slices.Delete(moved, i, i+1)
			}
			if next.Blocked, err = w.moveInBlockList(c, number, p.Block); err != nil {
				return err
			}
			moved = append(moved, next.Blocked.Name)
		}
		if err := w.Folder.Put(next); err != nil {
			return err
		}
		// A names file that nothing uses is not in force. If it stays, the next writer removes it.
		kept := next.Files()
		_ = w.Folder.removeAll(slices.DeleteFunc(moved, func(name string) bool { return slices.Contains(kept, name) }))
		return nil
	})
	if errors.Is(err, catalog.ErrStale) {
		if err := w.Folder.removeAll(moved); err != nil {
			return err
		}
	}
	return err
}

// moveIn writes the index of the segments in p.Made, and moves their db-files, the
// index and the names file to their places in the archive. It adds the segments and the
// index to p.Change. It returns the new paths of all these files, relative to the
// archive's folder.
func (w *Writer) moveIn(p *Publication) ([]string, error) {
	name := indexName(p.Made[0].Info.ID, p.Made[0].Number)
	index, tmp := filepath.Join(DirIndex, name), w.File(name)
	for _, m := range p.Made {
		m.Info.File = filepath.Join(DirPools, m.Info.Pool, segment.FileName(m.Info.ID, m.Number))
		m.Info.Index = index
		if m.Old != nil {
			p.Rewritten = append(p.Rewritten, catalog.Rewritten{Old: m.Old, Now: m.Info})
		} else {
			p.In = append(p.In, m.Info)
		}
	}
	if err := w.writeIndex(p.Unfinished, name, p.Made); err != nil {
		return nil, err
	}
	x, err := DescribeIndex(w.Folder.Files(), tmp, index)
	if err != nil {
		return nil, err
	}
	p.Index = &x
	moves := [][2]string{{tmp, index}}
	for _, m := range p.Made {
		moves = append(moves, [2]string{w.segmentFile(cmp.Or(m.Number, m.Info.ID)), m.Info.File})
	}
	if p.Names != nil {
		p.Names.Name = strings.TrimSuffix(p.Made[0].Info.File, ".raw") + ".names"
		moves = append(moves, [2]string{w.File(fileNames), p.Names.Name})
	}
	files := make([]string, len(moves))
	for i, m := range moves {
		files[i] = m[1]
	}
	return files, w.Folder.MoveIn(moves)
}

// indexName returns the name of an index file, such as "000012.idx". id is the ID of
// its first segment. If the db-file of that segment has another number than id, number
// is that number; otherwise it is 0.
func indexName(id, number uint32) string { return fmt.Sprintf("%06d.idx", max(id, number)) }

// writeIndex completes an index file. It adds to the index x those segments of the list in that x
// does not have yet, and finishes x. If x is nil, writeIndex creates an index with this name.
func (w *Writer) writeIndex(x *indexfile.Builder, name string, in []Made) (err error) {
	if x == nil {
		if x, err = w.createIndex(name); err != nil {
			return err
		}
	}
	for _, m := range in {
		if m.Writer == nil {
			continue
		}
		if err := m.Writer.AddTo(x, m.Info); err != nil {
			return errors.Join(err, x.Abandon())
		}
	}
	return x.Finish()
}

// moveInRemoval writes the file of the removal r and moves it to its place in the archive. It
// returns the catalogue's entry for the file, in which the caller sets the fields Generation and
// Segments.
func (w *Writer) moveInRemoval(ctx context.Context, r *catalog.Removal) (*catalog.RemovalFile, error) {
	number, err := w.Allocate(ctx, 1)
	if err != nil {
		return nil, err
	}
	info := &catalog.RemovalFile{Name: removedFile(number)}
	tmp := w.File(filepath.Base(info.Name))
	b := r.Encode()
	if err := disk.WriteFile(w.Folder.Files(), tmp, b); err != nil {
		return nil, err
	}
	info.Bytes, info.CRC = int64(len(b)), crc32c.Sum(b)
	return info, w.Folder.MoveIn([][2]string{{tmp, info.Name}})
}

// moveInBlockList changes the block-list. It calls the function change with the catalogue c,
// which is in force, and its block-list, and writes the list that change returns to a file with
// the given number. It moves the file to its place in the archive, and returns the catalogue's
// entry for it. The caller holds the archive's lock.
func (w *Writer) moveInBlockList(c *catalog.Catalog, number uint32, change func(*catalog.Catalog, *task.BlockList) (*task.BlockList, error)) (catalog.File, error) {
	now, err := w.Folder.ReadBlockList(c)
	if err != nil {
		return catalog.File{}, err
	}
	next, err := change(c, now)
	if err != nil {
		return catalog.File{}, err
	}
	b := catalog.EncodeBlockList(next)
	if len(b) > catalog.BlockListBytesMax {
		return catalog.File{}, fmt.Errorf("the block-list would take %d bytes; the limit is %d MB: block scopes, which need no digests", len(b), catalog.BlockListBytesMax>>20)
	}
	f := catalog.File{Name: filepath.Join(DirBlocked, fmt.Sprintf("%06d", number)), Bytes: int64(len(b)), CRC: crc32c.Sum(b)}
	tmp := w.File("blocked")
	if err := disk.WriteFile(w.Folder.Files(), tmp, b); err != nil {
		return catalog.File{}, err
	}
	return f, w.Folder.MoveIn([][2]string{{tmp, f.Name}})
}

// ReadBlockList reads the block-list that the catalogue c names. It returns an error if
// the size or the checksum of the file differs from that in c. If c names no block-list,
// the result is empty.
func (f *Folder) ReadBlockList(c *catalog.Catalog) (*task.BlockList, error) {
	if c.Blocked.Name == "" {
		return &task.BlockList{Next: 1}, nil
	}
	b, err := disk.ReadFile(f.Disk, filepath.Join(f.Path, c.Blocked.Name))
	if err != nil {
		return nil, err
	}
	l, err := c.Blocked.BlockList(b)
	if err != nil {
		return nil, segment.Damage(c.Blocked.Name, -1, err)
	}
	return l, nil
}

// InForce loads the current catalogue. It returns an empty catalogue if there is
// none yet. The caller holds the archive's lock, so the catalogue stays current.
func (f *Folder) InForce() (*catalog.Catalog, error) {
	n, err := f.current()
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return &catalog.Catalog{}, nil
	}
	return f.Load(n)
}

// Put writes the catalogue c and puts it in force. It then removes older generations
// that nobody pins. If it returns no error, c is in force. The caller holds the archive's lock.
func (f *Folder) Put(c *catalog.Catalog) error {
	if f.bucket != nil {
		return f.bucket.put(c)
	}
	if err := disk.WriteFile(f.Disk, filepath.Join(f.Path, f.CatalogFile(c.Generation)), c.Encode()); err != nil {
		return err
	}
	if err := f.Disk.SyncDir(filepath.Join(f.Path, DirCatalog)); err != nil {
		return err
	}
	if err := f.putCurrent(c.Generation); err != nil {
		return err
	}
	// c is in force, so a failed sweep is no error of Put. The next writer sweeps again, and returns
	// the error.
	_ = f.sweepGenerations()
	return nil
}

// putCurrent writes the file CURRENT with the number of a generation, and makes it
// durable.
func (f *Folder) putCurrent(generation uint64) error {
	if err := disk.WriteFile(f.Disk, filepath.Join(f.Path, FileCurrent), currentLine(fmt.Sprintf("%06d", generation))); err != nil {
		return err
	}
	return f.Disk.SyncDir(f.Path)
}

// DescribeIndex reads the index file at a path of d, and returns an entry for it, as a
// catalogue has it: name is the Name of the entry, and size and checksum are those of
// the file.
func DescribeIndex(d disk.FS, path, name string) (catalog.IndexFile, error) {
	f, err := d.Open(path)
	if err != nil {
		return catalog.IndexFile{}, err
	}
	defer f.Close()
	sum := crc32c.New()
	b := checkBuffers.Get().(*[128 << 10]byte)
	defer checkBuffers.Put(b)
	n, err := io.CopyBuffer(struct{ io.Writer }{sum}, struct{ io.Reader }{f}, b[:])
	return catalog.IndexFile{Name: name, Bytes: n, CRC: sum.Sum32()}, err
}

// checkBuffers has buffers for DescribeIndex. io.Copy alone makes one for each file, a quarter as large: to
// check 61 files with 30 MB it then takes twice the CPU time, 38 ms instead of 18.
var checkBuffers = sync.Pool{New: func() any { return new([128 << 10]byte) }}

// MoveIn renames synced files and makes their new names durable. Each element of
// moves has the present path and the new path of a file, both in the archive's
// folder. It returns an error if a file exists at a new path.
func (f *Folder) MoveIn(moves [][2]string) error {
	if f.bucket != nil {
		return f.bucket.moveIn(moves)
	}
	dirs := make(map[string]bool)
	for _, m := range moves {
		dir := filepath.Join(f.Path, filepath.Dir(m[1]))
		if !dirs[dir] {
			dirs[dir] = true
			if err := disk.Mkdir(f.Disk, dir); err != nil {
				return err
			}
		}
		to := filepath.Join(f.Path, m[1])
		if _, err := f.Disk.Stat(to); err == nil {
			return existsError(to)
		}
		if err := f.Disk.Rename(filepath.Join(f.Path, m[0]), to); err != nil {
			return err
		}
	}
	for d := range dirs {
		if err := f.Disk.SyncDir(d); err != nil {
			return err
		}
	}
	return nil
}

// existsError returns the error for a new file that cannot be moved to path because a file is
// there already.
func existsError(path string) error {
	return fmt.Errorf("%s exists already: somebody has tampered with the archive's numbering", path)
}

// ReadRemoval reads the removal file that info describes. It returns an error if the size
// or the checksum of the file differs from that in info.
func (f *Folder) ReadRemoval(info *catalog.RemovalFile) (*catalog.Removal, error) {
	b, err := disk.ReadFile(f.Disk, filepath.Join(f.Path, info.Name))
	if err != nil {
		return nil, err
	}
	return info.Decode(b)
}

// removedFile returns the path, in the archive's folder, of the removal file with
// this number.
func removedFile(number uint32) string { return filepath.Join(DirRemoved, fmt.Sprintf("%06d", number)) }
