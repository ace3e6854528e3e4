package mend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/disk/tier"
	"infomall/store/record/task"
	"infomall/store/segment"
)

// fileTierLock is the file, in the archive's folder, that is locked while db-files are
// moved.
const fileTierLock = "TIER.LOCK"

// Move moves db-files of pools to another place, the tier (a second folder or a bucket), or
// back to the archive's folder. Readers find them in both places. A db-file is removed from its
// old place only after it was read back at the new place and had the checksum of the catalogue.
// Move returns one result for each pool that it looked at. If it was stopped, the next Move
// continues.
//
// An archive has at most one tier, and a tier belongs to one archive. Move to the tier also
// removes from the tier the db-files that no generation names. When all db-files are back, the
// archive has no tier any more.
func (m *Maintenance) Move(ctx context.Context, o task.MoveOptions) (results []task.MoveResult, err error) {
	over, ok := m.folder.Disk.(*tier.FS)
	if !ok {
		return nil, errors.New("an archive in a bucket has no tier: MOVE POOL is for an archive in a folder")
	}
	p, err := m.folder.Pin()
	if err != nil {
		return nil, err
	}
	release := func() { p.Release() }
	defer func() { release() }()
	v := &moving{m: m, o: o, over: over, c: p.Catalog}
	if err := v.choose(); err != nil {
		return nil, err
	}
	if err := v.find(); err != nil || v.far == nil {
		return v.none(), err
	}
	if o.Dry {
		return v.run(ctx)
	}
	err = m.folder.LockedBy(ctx, fileTierLock, func(disk.File) error {
		if o.To != "" {
			if err := v.claim(ctx); err != nil {
				return err
			}
			if results, err = v.run(ctx); err != nil {
				return err
			}
			return m.sweepTier(ctx)
		}
		if v.w, err = m.folder.NewWriter(ctx); err != nil {
			return err
		}
		results, err = v.run(ctx)
		if err = errors.Join(err, v.w.Close()); err != nil {
			return err
		}
		release()
		release = func() {}
		return v.leave(ctx)
	})
	return results, err
}

// moving is the state of one Move.
type moving struct {
	m           *Maintenance
	o           task.MoveOptions
	over        *tier.FS
	c           *catalog.Catalog
	w           *commit.Writer // for files that come back; nil otherwise
	pools       []catalog.Pool // the chosen pools, with only their db-files
	place       string         // path or URL of the tier
	far         *commit.Folder // the folder of the tier; nil if the archive has none
	back        []catalog.File // the files that were moved back
	done, total int64          // bytes of files: looked at so far, and in all
}

// choose sets v.pools to the pools that the statement names, or to all pools. If db-files are moved
// to the tier, it leaves out months that have not ended before v.o.Ended.
func (v *moving) choose() error {
	names := v.c.PoolNames()
	for _, name := range v.o.Pools {
		if !slices.Contains(names, name) {
			return &task.NoPoolError{Name: name, Pools: names}
		}
	}
	if v.o.Pools != nil {
		names = v.o.Pools
	}
	for _, name := range names {
		if _, end := catalog.Month(name); v.o.To != "" && end > v.o.Ended {
			continue
		}
		p := catalog.Pool{Name: name}
		for _, s := range v.c.PoolSegments(name) {
			if !filepath.IsLocal(s.File) {
				return &segment.Error{File: s.File, Offset: -1, Err: errors.New("the catalogue names a file outside the archive: somebody has tampered with the catalogue")}
			}
			p.Files = append(p.Files, catalog.File{Name: s.File, Bytes: s.Bytes, CRC: s.CRC})
			v.total += s.Bytes
		}
		v.pools = append(v.pools, p)
	}
	return nil
}

// none returns one result for each chosen pool, which says that nothing was moved.
func (v *moving) none() []task.MoveResult {
	var out []task.MoveResult
	for _, p := range v.pools {
		out = append(out, task.MoveResult{Pool: p.Name, Files: len(p.Files)})
	}
	return out
}

// find opens the tier of the archive. If the archive has none, and the statement does not name
// one to move to, v.far stays nil.
func (v *moving) find() error {
	link, far, root, err := v.over.Tier()
	if err != nil {
		return err
	}
	v.place = link.Place
	if far != nil {
		v.far = commit.Open(root, far)
	}
	if v.o.To == "" {
		return nil
	}
	if v.place, err = placeOf(v.o.To); err != nil {
		return err
	}
	if link.Place != "" && link.Place != v.place {
		return fmt.Errorf("move to %s: db-files of this archive are in %s already, and an archive has one such place; MOVE POOL ALL BACK brings them back", v.o.To, link.Place)
	}
	if far, root, err = v.over.At(v.place); err != nil {
		return err
	}
	v.far = commit.Open(root, far)
	return nil
}

// placeOf returns the place of a tier as it is stored. to is the place as the user wrote it. A URL
// stays unchanged, and the path of a folder becomes absolute.
func placeOf(to string) (string, error) {
	if commit.IsURL(to) {
		return to, nil
	}
	return filepath.Abs(to)
}

// claim makes the place v.place the tier of the archive. It writes two files TIER: the one in the
// tier names the archive, and the one in the archive's folder names the tier. It returns an error
// if the place belongs to another archive.
func (v *moving) claim(ctx context.Context) error {
	if v.c.Generation == 0 || v.c.Copied {
		return errors.New("this archive is an unchanged copy of another: db-files of a copy are moved once something was written to it")
	}
	f := v.m.folder
	if v.m.isOwn(v.far) {
		return fmt.Errorf("move to %s: that is the archive itself; name another folder", v.o.To)
	}
	if err := disk.MkdirAll(v.far.Disk, v.far.Path); err != nil {
		return fmt.Errorf("move to %s: %w", v.o.To, err)
	}
	if b, err := disk.ReadFile(v.far.Files(), commit.FileCurrent); err == nil || !errors.Is(err, fs.ErrNotExist) {
		if b != nil {
			err = errors.New("there is an archive; name a place of its own for the db-files")
		}
		return fmt.Errorf("move to %s: %w", v.o.To, err)
	}
	l := tier.Link{Place: v.place, ID: v.c.ID}
	if err := v.put(l); err != nil {
		return fmt.Errorf("move to %s: %w", v.o.To, err)
	}
	if err := v.owned(); err != nil {
		return err
	}
	return f.Locked(ctx, func(disk.File) error {
		if err := disk.WriteFile(f.Files(), tier.FileName, l.Encode()); err != nil {
			return err
		}
		return f.Files().SyncDir(".")
	})
}

// put creates the file TIER in the tier, with the content l. If the file exists already, put leaves
// it as it is.
func (v *moving) put(l tier.Link) error {
	far, tmp := v.far.Files(), "."+tier.FileName+"-"+l.ID
	file, err := disk.Create(far, tmp)
	if err != nil {
		return err
	}
	_, err = file.Write(l.Encode())
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		if err = far.Link(tmp, tier.FileName); errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	if err = errors.Join(err, far.Remove(tmp)); err != nil {
		return err
	}
	return far.SyncDir(".")
}

// owned returns an error if the file TIER in the tier names another archive.
func (v *moving) owned() error {
	l, err := tier.ReadLink(v.far.Disk, v.far.Path)
	if err != nil {
		return fmt.Errorf("the tier %s: %w", v.place, err)
	}
	if l.ID != v.c.ID {
		return fmt.Errorf("the place %s has the db-files of another archive, with the ID %s; this archive has the ID %s: name another place", v.place, l.ID, v.c.ID)
	}
	return nil
}

// run moves the chosen pools, or counts what it would move.
func (v *moving) run(ctx context.Context) ([]task.MoveResult, error) {
	there, err := tier.Files(v.far.Files())
	if err != nil {
		return nil, fmt.Errorf("list the tier %s: %w", v.place, err)
	}
	var results []task.MoveResult
	for _, p := range v.pools {
		r := task.MoveResult{Pool: p.Name, Files: len(p.Files)}
		for _, f := range p.Files {
			moved, err := v.file(ctx, f, slices.Contains(there, f.Name))
			if err != nil {
				return results, fmt.Errorf("move %s: %w", f.Name, err)
			}
			if moved {
				r.Moved, r.Bytes = r.Moved+1, r.Bytes+f.Bytes
			}
			v.done += f.Bytes
			if v.o.Progress != nil {
				v.o.Progress(f.Name, v.done, v.total)
			}
		}
		results = append(results, r)
	}
	return results, nil
}

// file moves the db-file f to the tier or back, unless it is in the right place already. It reports
// whether it moved the file. there is set if the tier has a file with this name.
func (v *moving) file(ctx context.Context, f catalog.File, there bool) (moved bool, err error) {
	files := v.m.folder.Files()
	_, err = files.Stat(f.Name) // Stat does not look into the tier
	local := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if v.o.To == "" {
		if !there {
			return false, nil
		}
		if !v.o.Dry {
			if err := v.fetch(ctx, f, local); err != nil {
				return false, err
			}
		}
		v.back = append(v.back, f)
		return true, nil
	}
	if !local || v.o.Dry {
		return local, nil
	}
	if crc, err := checksum(ctx, files, f.Name); err != nil {
		return false, err
	} else if crc != f.CRC {
		return false, &segment.Error{File: f.Name, Offset: -1, Err: fmt.Errorf("crc32c is %08x, the catalogue says %08x: the file is damaged and stays where it is; REPAIR POOL repairs it from a copy", crc, f.CRC)}
	}
	if err := v.upload(ctx, f); err != nil {
		return false, err
	}
	if err := files.Remove(f.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return true, files.SyncDir(filepath.Dir(f.Name))
}

// upload copies the db-file f to the tier, reads the copy back, and compares its checksum with the
// catalogue.
func (v *moving) upload(ctx context.Context, f catalog.File) error {
	far := v.far.Files()
	if err := disk.MkdirAll(far, filepath.Dir(f.Name)); err != nil {
		return err
	}
	// In a bucket, a link is an upload. In another folder of the same disk it is no copy.
	err := v.far.LinkFrom(v.m.folder, f.Name)
	if errors.Is(err, fs.ErrExist) {
		if crc, e := checksum(ctx, far, f.Name); e == nil && crc == f.CRC {
			return v.syncAt(f.Name)
		}
	}
	if err != nil && (!v.far.Remote() || errors.Is(err, fs.ErrExist)) {
		err = v.copy(ctx, f.Name)
	}
	if err != nil {
		return err
	}
	if err := v.syncAt(f.Name); err != nil {
		return err
	}
	crc, err := checksum(ctx, far, f.Name)
	if err == nil && crc != f.CRC {
		err = fmt.Errorf("it was written to %s and read back with the crc32c %08x, the catalogue says %08x", v.place, crc, f.CRC)
	}
	return err
}

// copy copies the file with this name from the archive's folder to the tier. It replaces a file
// that exists there.
func (v *moving) copy(ctx context.Context, name string) error {
	from, err := v.m.folder.Files().Open(name)
	if err != nil {
		return err
	}
	defer from.Close()
	far, tmp := v.far.Files(), filepath.Join(filepath.Dir(name), "."+filepath.Base(name))
	file, err := disk.Create(far, tmp)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, &stoppable{ctx, from})
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = far.Rename(tmp, name)
	}
	if err != nil {
		_ = far.Remove(tmp) // the next Move writes it again
	}
	return err
}

// syncAt makes the name of a new file in the tier durable: it syncs all folders from that of the
// file up to the tier's own. name is the path of the file in the tier.
func (v *moving) syncAt(name string) error {
	for name != "." {
		name = filepath.Dir(name)
		if err := v.far.Files().SyncDir(name); err != nil {
			return err
		}
	}
	return nil
}

// fetch copies the db-file f back from the tier to the archive's folder. local is set if the folder
// already has a file with this name; if that is undamaged, fetch does nothing.
func (v *moving) fetch(ctx context.Context, f catalog.File, local bool) error {
	if local {
		crc, err := checksum(ctx, v.m.folder.Files(), f.Name)
		if err == nil && crc == f.CRC || ctx.Err() != nil {
			return ctx.Err()
		}
	}
	c := &copying{m: v.m.at(v.far), to: v.m, o: task.CopyOptions{Dir: v.m.folder.Path}, w: v.w}
	tmp, err := c.fetch(ctx, f)
	if err != nil {
		return err
	}
	return v.m.replace(ctx, tmp, f)
}

// leave removes the db-files that were moved back from the tier. If a snapshot may still read them
// there, it returns an error and removes nothing. If no db-file is left in the tier, leave also
// removes both files TIER, and the archive then has no tier.
func (v *moving) leave(ctx context.Context) error {
	if err := v.owned(); err != nil {
		return err
	}
	folder := v.m.folder
	err := folder.Locked(ctx, func(disk.File) error {
		if len(v.back) == 0 {
			return nil
		}
		// A process that has pinned this generation may have opened files in the tier. A process
		// that pins the next one finds them in the folder.
		c, err := folder.InForce()
		if err != nil {
			return err
		}
		next := *c
		next.Generation++
		if err := folder.Put(&next); err != nil {
			return err
		}
		numbers, err := folder.Generations()
		if err != nil {
			return err
		}
		if len(numbers) > 1 {
			return fmt.Errorf("the db-files are in the archive's folder again, and are still read in %s by another statement: run MOVE POOL … BACK once more to remove them there", v.place)
		}
		for _, f := range v.back {
			if err := v.far.Files().Remove(f.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := v.m.sweepTier(ctx); err != nil {
		return err
	}
	left, err := tier.Files(v.far.Files())
	if err != nil || len(left) > 0 {
		return err
	}
	if err := folder.Files().Remove(tier.FileName); err != nil {
		return err
	}
	if err := v.far.Files().Remove(tier.FileName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return folder.Files().SyncDir(".")
}

// SweepTier removes the db-files in the tier that no generation names. It does nothing
// if the archive has no tier.
func (m *Maintenance) SweepTier(ctx context.Context) error {
	over, ok := m.folder.Disk.(*tier.FS)
	if !ok {
		return nil
	}
	if l, err := tier.ReadLink(over.FS, m.folder.Path); err != nil || l.Place == "" {
		return err
	}
	return m.folder.LockedBy(ctx, fileTierLock, func(disk.File) error { return m.sweepTier(ctx) })
}

// sweepTier does the work of SweepTier. The caller holds the lock fileTierLock.
func (m *Maintenance) sweepTier(ctx context.Context) error {
	v := &moving{m: m, over: m.folder.Disk.(*tier.FS)}
	if err := v.find(); err != nil || v.far == nil {
		return err
	}
	files, err := tier.Files(v.far.Files())
	if err != nil {
		return fmt.Errorf("list the tier %s: %w", v.place, err)
	}
	return m.folder.Locked(ctx, func(disk.File) error {
		if v.c, err = m.folder.InForce(); err != nil {
			return err
		}
		if err := v.owned(); err != nil {
			return err
		}
		named, err := m.folder.NamedFiles()
		if err != nil {
			return err
		}
		for _, name := range files {
			if named[name] {
				continue
			}
			if err := v.far.Files().Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove %s from the tier %s: %w", name, v.place, err)
			}
		}
		return nil
	})
}

// movedFiles returns the db-files in the tier, each with its path and size. It is called when the
// catalogue is lost and is made again.
func (m *Maintenance) movedFiles() ([]catalog.File, error) {
	over, ok := m.folder.Disk.(*tier.FS)
	if !ok {
		return nil, nil
	}
	link, far, root, err := over.Tier()
	if err != nil || link.Place == "" {
		return nil, err
	}
	files := disk.Inside(far, root)
	names, err := tier.Files(files)
	if err != nil {
		return nil, fmt.Errorf("list the tier %s: %w", link.Place, err)
	}
	var out []catalog.File
	for _, name := range names {
		info, err := files.Stat(name)
		if err != nil {
			return nil, err
		}
		out = append(out, catalog.File{Name: name, Bytes: info.Size()})
	}
	return out, nil
}
