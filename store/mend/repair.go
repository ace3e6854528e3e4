package mend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/crc32c"
	"infomall/store/disk"
	"infomall/store/record/task"
	"infomall/store/segment"
)

// Repair repairs the files of a pool with another copy of the archive. If a file is damaged or
// missing, and the copy has it as the catalogue describes it, Repair takes the file of the
// copy. If both files are damaged, Repair makes an undamaged file from the two, if that is
// possible. Each file is made under another name, checked and renamed, so readers see either
// the old file or the new one. Repair returns one result for each file. If it also returns an
// error, the results say what was done before the error. If there is no such pool, the error is
// a *task.NoPoolError.
func (m *Maintenance) Repair(ctx context.Context, o task.RepairOptions) ([]task.RepairResult, error) {
	p, err := m.folder.Pin()
	if err != nil {
		return nil, err
	}
	defer p.Release()
	pools, err := p.Pools([]string{o.Pool})
	if err != nil {
		return nil, err
	}
	var files []catalog.File
	for i := range pools {
		if pools[i].Name == o.Pool {
			files = append(pools[i].Files, p.CommonFiles()...)
		}
	}
	r := &repair{m: m, o: o}
	if r.there, err = m.open(o.Dir); err != nil {
		return nil, fmt.Errorf("repair from %s: %w", o.Dir, err)
	}
	if r.same, err = m.sameFiles(r.there, o.Dir); err != nil {
		return nil, err
	}
	for _, f := range files {
		r.total += f.Bytes
	}
	if !o.Dry {
		if r.w, err = m.folder.NewWriter(ctx); err != nil {
			return nil, err
		}
	}
	var results []task.RepairResult
	for _, f := range files {
		res, err := r.file(ctx, f)
		if err != nil {
			if r.w != nil {
				err = errors.Join(err, r.w.Close())
			}
			return results, fmt.Errorf("repair %s: %w", f.Name, err)
		}
		results = append(results, res)
		r.done += f.Bytes
		if o.Progress != nil {
			o.Progress(f.Name, r.done, r.total)
		}
	}
	if r.w != nil {
		err = r.w.Close()
	}
	return results, err
}

// repair is the state of one Repair.
type repair struct {
	m           *Maintenance
	o           task.RepairOptions
	w           *commit.Writer // nil for a dry run
	done, total int64          // bytes of files: checked so far, and in all
	// same has the db-files that the catalogue of the copy names. If the archive's catalogue
	// names the same file with the same checksum, Repair may take from the copy even parts
	// that have no checksum of their own.
	same  map[catalog.File]bool
	there *commit.Folder // the copy
}

// sameFiles returns the db-files that the catalogue of a copy names, with sizes and checksums. The
// result is empty if that catalogue cannot be read. copied is the folder of the copy, and place is
// its path or URL as the user wrote it. If copied does not exist, or is the archive's own folder,
// sameFiles returns an error.
func (m *Maintenance) sameFiles(copied *commit.Folder, place string) (map[catalog.File]bool, error) {
	if _, err := copied.Files().Stat("."); err != nil && !copied.Remote() {
		return nil, err
	}
	if copied.Remote() && !copied.Exists() {
		return nil, fmt.Errorf("repair from %s: there is no archive; name a copy of this one", place)
	}
	if m.isOwn(copied) {
		return nil, fmt.Errorf("repair from %s: that is the archive itself; name the folder of a copy", place)
	}
	same := make(map[catalog.File]bool)
	p, err := copied.Pin()
	if err != nil {
		return same, passing(err)
	}
	defer p.Release()
	for _, s := range p.Segments {
		same[catalog.File{Name: s.File, Bytes: s.Bytes, CRC: s.CRC}] = true
	}
	return same, nil
}

// file repairs file f of the archive if it is damaged. The State of the result says
// what was done.
func (r *repair) file(ctx context.Context, f catalog.File) (task.RepairResult, error) {
	res := task.RepairResult{File: f.Name, Bytes: f.Bytes}
	if !filepath.IsLocal(f.Name) {
		return res, errors.New("the catalogue names a file outside the archive: somebody has tampered with the catalogue")
	}
	if good, err := r.good(ctx, r.m.folder, f); good || err != nil {
		return res, err
	}
	good, err := r.good(ctx, r.there, f)
	switch {
	case err != nil:
		return res, err
	case good:
		res.State = task.RepairTaken
		if r.o.Dry {
			return res, nil
		}
		c := &copying{m: r.m.at(r.there), to: r.m, o: task.CopyOptions{Dir: r.m.folder.Path}, w: r.w}
		tmp, err := c.fetch(ctx, f)
		if err != nil {
			return res, err
		}
		return res, r.m.replace(ctx, tmp, f)
	case filepath.Ext(f.Name) == ".raw":
		return res, r.mend(ctx, f, &res)
	}
	return res, r.choose(ctx, f, &res)
}

// good reports whether the file f in an archive's folder has the size and checksum that f has, as
// the catalogue's entry for it. It returns false for a file that cannot be read. The error is set if
// ctx ended, or if a later read may succeed (see disk.MayPass).
func (r *repair) good(ctx context.Context, folder *commit.Folder, f catalog.File) (bool, error) {
	file, err := folder.Files().Open(f.Name)
	if err != nil {
		return false, passing(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() != f.Bytes {
		return false, passing(err)
	}
	crc, err := sumOf(ctx, file)
	return err == nil && crc == f.CRC, passing(err)
}

// passing returns err if it may pass (see disk.MayPass), and otherwise nil.
func passing(err error) error {
	if disk.MayPass(err) {
		return err
	}
	return nil
}

// damagedFile is one of the two damaged db-files from which the method mend makes an undamaged one.
type damagedFile struct {
	io.ReaderAt
	io.Closer
}

// openDamagedFile opens the db-file at the path name in an archive's folder. A missing file
// counts as empty. The caller closes the result.
func openDamagedFile(folder *commit.Folder, name string) (damagedFile, error) {
	f, err := folder.Files().Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return damagedFile{bytes.NewReader(nil), io.NopCloser(nil)}, nil
	}
	return damagedFile{f, f}, err
}

// mend makes an undamaged db-file f from two damaged files: that of the archive and that of the
// copy. It sets the State of res, and how many records are lost.
func (r *repair) mend(ctx context.Context, f catalog.File, res *task.RepairResult) error {
	one, err := openDamagedFile(r.m.folder, f.Name)
	if err != nil {
		return err
	}
	defer one.Close()
	two, err := openDamagedFile(r.there, f.Name)
	if err != nil {
		return err
	}
	defer two.Close()
	var tmp string
	var file disk.File
	sum := crc32c.New()
	out := &summing{sum: sum}
	if !r.o.Dry {
		tmp = r.w.File(filepath.Base(f.Name))
		if file, err = disk.Create(r.m.folder.Files(), tmp); err != nil {
			return err
		}
		defer file.Close()
		out.w = file
	}
	m, err := segment.Mend(ctx, out, one, two, f.Bytes)
	if err != nil {
		return err
	}
	res.Lost = m.Lost
	switch {
	case sum.Sum32() == f.CRC:
		res.State = task.RepairMended
	case m.Lost < m.Bad && r.same[f]:
		res.State = task.RepairPartly
	default:
		res.State, res.Lost = task.RepairDamaged, m.Bad
		return nil
	}
	if r.o.Dry {
		return nil
	}
	// Not every system can rename an open file.
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	return r.m.replace(ctx, tmp, f)
}

// indexBytesMax is the greatest size in bytes of a file that the method choose combines
// from two. It reads both into memory, and computes a checksum for each combination.
const indexBytesMax = 64 << 20

// choose makes an undamaged file f from two damaged files of equal size, that of the archive and
// that of the copy, if that is possible. f is not a db-file. choose sets the State of res.
func (r *repair) choose(ctx context.Context, f catalog.File, res *task.RepairResult) error {
	res.State = task.RepairDamaged
	if f.Bytes > indexBytesMax {
		return nil
	}
	one, err := disk.ReadFile(r.m.folder.Files(), f.Name)
	if err != nil {
		return passing(err) // a missing file cannot be read; the result says so
	}
	two, err := disk.ReadFile(r.there.Files(), f.Name)
	if err != nil || len(one) != len(two) {
		return passing(err)
	}
	b := segment.Choose(one, two, func(b []byte) bool {
		return ctx.Err() == nil && crc32c.Sum(b) == f.CRC
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	if b == nil || int64(len(b)) != f.Bytes {
		return nil
	}
	res.State = task.RepairMended
	if r.o.Dry {
		return nil
	}
	tmp := r.w.File(filepath.Base(f.Name))
	if err := disk.WriteFile(r.m.folder.Files(), tmp, b); err != nil {
		return err
	}
	return r.m.replace(ctx, tmp, f)
}

// replace puts the synced file tmp, a path in the archive's folder, in the place of the file f of
// the archive. If the catalogue in force no longer names f, it returns an error.
func (m *Maintenance) replace(ctx context.Context, tmp string, f catalog.File) error {
	err := m.folder.Locked(ctx, func(disk.File) error {
		c, err := m.folder.InForce()
		if err != nil {
			return err
		}
		if !slices.Contains(c.Files(), f.Name) {
			return errors.New("another process removed the file from the archive meanwhile: run the statement again")
		}
		files, dir := m.folder.Files(), filepath.Dir(f.Name)
		if err := disk.Mkdir(files, dir); err != nil {
			return err
		}
		if err := files.Rename(tmp, f.Name); err != nil {
			return err
		}
		m.files.ForgetIndex(f.Name)
		return files.SyncDir(dir)
	})
	if err != nil {
		return err
	}
	return m.folder.Renewed(ctx, f.Name)
}

// summing is a writer that adds all bytes written to it to the checksum sum. It passes the bytes on
// to w, unless w is nil.
type summing struct {
	sum interface{ Write([]byte) (int, error) }
	w   disk.File
}

func (s *summing) Write(p []byte) (int, error) {
	s.sum.Write(p) // writing to a hash cannot fail
	if s.w == nil {
		return len(p), nil
	}
	return s.w.Write(p)
}
