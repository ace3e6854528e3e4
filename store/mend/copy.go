package mend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"infomall/store/body"
	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/crc32c"
	"infomall/store/disk"
	"infomall/store/record/task"
	"infomall/store/segment"
)

// Copy copies pools, and the pools whose bodies they use, into another folder, which
// is then an archive of its own. Files that an earlier Copy brought there are
// checked, and copied again only if they are damaged. Every file is read back and
// checked against the catalogue before the copy's catalogue names it. Pools come
// into force one after another, each complete. If a Copy was stopped, the next Copy
// into that folder continues where it stopped.
//
// If all pools are copied, Copy also copies the stored results, such as rankings and
// graphs, and the definitions of views, metadata and saved queries whose names the
// copy lacks. A damaged result is reported and left out.
//
// Copy refuses a folder that has captures of its own.
func (m *Maintenance) Copy(ctx context.Context, o task.CopyOptions) ([]task.CopyResult, error) {
	from, err := m.folder.Pin()
	if err != nil {
		return nil, err
	}
	defer from.Release()
	if _, err := from.Pools(o.Pools); err != nil {
		return nil, err
	}
	target, err := m.open(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("copy to %s: %w", o.Dir, err)
	}
	if err := m.checkTarget(target, o.Dir); err != nil {
		return nil, err
	}
	to := m.at(target)
	there, err := to.folder.Pin()
	if err != nil {
		return nil, err
	}
	there.Release()
	if err := there.CheckCopyOf(from.Catalog); err != nil {
		return nil, fmt.Errorf("copy to %s: %w", o.Dir, err)
	}
	all := o.Pools == nil
	if all {
		from.WarnMisnamed(m.files.Warn)
	} else {
		o.Pools = append(slices.Clone(o.Pools), there.Outdated(from.Catalog)...)
	}
	pools, err := from.Pools(o.Pools)
	if err != nil {
		return nil, err
	}
	if len(pools) == 0 {
		pools = []catalog.Pool{{}} // it has no name, and only the common files
	}
	pools[0].Files = append(pools[0].Files, from.CommonFiles()...)
	c := &copying{m: m, to: to, from: from.Catalog, o: o}
	if target.Remote() {
		if c.known, err = filesOf(there.Catalog); err != nil {
			return nil, err
		}
		c.briefs = m.briefs(from.Catalog)
	}
	for i := range pools {
		for _, f := range pools[i].Files {
			c.total += f.Bytes
		}
	}
	if o.Dry {
		return c.pools(ctx, pools)
	}
	if c.w, err = to.folder.NewWriter(ctx); err != nil {
		return nil, err
	}
	results, err := c.pools(ctx, pools)
	if err == nil {
		err = c.derived(ctx)
	}
	if err == nil && all {
		err = m.notes.CopyDefinitions(ctx, to.notes)
	}
	if err == nil && all {
		err = c.results(ctx)
	}
	if e := c.w.Close(); err == nil {
		err = e
	}
	return results, err
}

// checkTarget returns an error if target, the folder of a copy, is a file or is the
// archive's own folder, under any path. It accepts a folder that does not exist. place
// is the path or URL of the target as the user wrote it.
func (m *Maintenance) checkTarget(target *commit.Folder, place string) error {
	there, err := target.Files().Stat(".")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !there.IsDir() {
		return fmt.Errorf("copy to %s: it is a file; name a folder", place)
	}
	if m.isOwn(target) {
		return fmt.Errorf("copy to %s: that is the archive itself; name another folder", place)
	}
	return nil
}

// isOwn reports whether f is the archive's own folder, under any path.
func (m *Maintenance) isOwn(f *commit.Folder) bool {
	if f == m.folder {
		return true
	}
	there, err := f.Files().Stat(".")
	if err != nil {
		return false
	}
	own, err := m.folder.Files().Stat(".")
	return err == nil && os.SameFile(own, there)
}

// copying is the state of one Copy.
type copying struct {
	m, to       *Maintenance     // of the archive, and of the copy
	from        *catalog.Catalog // of the archive
	o           task.CopyOptions
	w           *commit.Writer // writes to the copy; nil for a dry run
	done, total int64          // bytes of files: copied or found in the copy so far, and in all
	// known is set if the copy is in a bucket. It has the files that the catalogue of the copy
	// names already. They were checked when they were copied, and the bucket keeps them
	// unchanged. So only their sizes are compared, and they are not read again.
	known map[catalog.File]bool
	// briefs are the Briefs (extracts of the indexes of small segments) for the catalogue of a
	// copy in a bucket, by segment number.
	briefs map[uint32]*segment.Brief
}

// briefs reads the indexes of the segments of c, and returns the Brief (an extract of the index)
// of each small segment, by segment number.
func (m *Maintenance) briefs(c *catalog.Catalog) map[uint32]*segment.Brief {
	m.files.Pin() // keeps the index files open
	defer m.files.Unpin(c)
	runs := body.NewRuns(m.files, c)
	defer runs.Close() // it was only read
	out := make(map[uint32]*segment.Brief)
	for _, s := range c.Segments {
		if b := runs.Reader(s).Brief(); b != nil {
			out[s.ID] = b
		}
	}
	return out
}

// filesOf returns the set of all files that a catalogue names.
func filesOf(c *catalog.Catalog) (map[catalog.File]bool, error) {
	pools, err := c.Pools(nil)
	if err != nil {
		return nil, err
	}
	files := make(map[catalog.File]bool)
	for _, p := range append(pools, catalog.Pool{Files: c.CommonFiles()}) {
		for _, f := range p.Files {
			files[f] = true
		}
	}
	return files, nil
}

// copyPublish says how often Copy puts copied pools in force: each time that the files copied since
// the last time are copyPublish times as large as the catalogue. Writing the catalogue then takes
// little time compared with the copying.
const copyPublish = 16

// pools copies the files of these pools to the copy, and puts the pools in force there.
// Files that the copy has already are not copied. It returns one result for each pool. In a dry run
// it changes nothing, and the results say what it would copy.
func (c *copying) pools(ctx context.Context, pools []catalog.Pool) ([]task.CopyResult, error) {
	var results []task.CopyResult
	dirs := make(map[string]bool)
	waiting := int64(0)
	catalogBytes := int64(len(c.from.Encode()))
	for i, p := range pools {
		r := task.CopyResult{Pool: p.Name, Files: len(p.Files)}
		for _, f := range p.Files {
			// Sync the folder of an existing file too: the process that copied it
			// may have been killed before it did.
			dir := filepath.Dir(f.Name)
			dirs[dir], dirs[filepath.Dir(dir)] = true, true
			there, err := c.there(ctx, f)
			if err != nil {
				return results, err
			}
			if !there {
				if !c.o.Dry {
					if err := c.file(ctx, f); err != nil {
						return results, err
					}
				}
				r.Copied++
				r.Bytes += f.Bytes
			}
			c.done += f.Bytes
			if c.o.Progress != nil {
				c.o.Progress(f.Name, c.done, c.total)
			}
		}
		if p.Name != "" {
			results = append(results, r)
		}
		waiting += r.Bytes
		if c.o.Dry || i < len(pools)-1 && waiting < copyPublish*catalogBytes {
			continue
		}
		for d := range dirs {
			if err := c.to.folder.Files().SyncDir(d); err != nil {
				return results, err
			}
		}
		if err := c.publish(ctx, catalog.Complete(pools[:i+1]), i == len(pools)-1); err != nil {
			return results, err
		}
		clear(dirs)
		waiting = 0
	}
	return results, nil
}

// there reports whether the copy has file f, complete and undamaged. In a dry run it compares
// only the sizes.
func (c *copying) there(ctx context.Context, f catalog.File) (bool, error) {
	info, err := c.to.folder.Files().Stat(f.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || info.Size() != f.Bytes {
		return false, err
	}
	if c.o.Dry || c.known[f] {
		return true, nil
	}
	crc, err := checksum(ctx, c.to.folder.Files(), f.Name)
	return crc == f.CRC, err
}

// file copies the file f of the archive to the copy. It writes the file under another
// name first, and renames it when it is complete.
func (c *copying) file(ctx context.Context, f catalog.File) error {
	if !filepath.IsLocal(f.Name) {
		return &segment.Error{File: f.Name, Offset: -1, Err: errors.New("the catalogue names a file outside the archive: somebody has tampered with the catalogue")}
	}
	tmp, err := c.fetch(ctx, f)
	if err != nil {
		return err
	}
	if err := disk.Mkdir(c.to.folder.Files(), filepath.Dir(f.Name)); err != nil {
		return err
	}
	if err := c.to.folder.Files().Rename(tmp, f.Name); err != nil || !c.to.folder.Remote() {
		return err
	}
	// Only tmp was read back.
	crc, err := checksum(ctx, c.to.folder.Files(), f.Name)
	if err == nil && crc != f.CRC {
		err = fmt.Errorf("copy %s to %s: it was read back with the crc32c %08x, the catalogue says %08x: run the statement again", f.Name, c.o.Dir, crc, f.CRC)
	}
	return err
}

// results copies the stored results, such as rankings, that the copy does not have or that are
// damaged there. It leaves out a result that is damaged in the archive, with a warning.
func (c *copying) results(ctx context.Context) error {
	names, err := c.m.notes.ResultFiles()
	if err != nil {
		return err
	}
	for _, name := range names {
		err := c.m.notes.CheckResult(ctx, name)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
			continue // it was dropped meanwhile
		case err != nil:
			c.m.files.Warn(err)
			continue
		}
		if c.to.notes.CheckResult(ctx, name) == nil {
			continue
		}
		if err := c.result(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// result copies a file that the catalogue does not name: that of a stored result, or a derived file
// such as an index of words. name is the path of the file in the archive's folder.
func (c *copying) result(ctx context.Context, name string) error {
	info, err := c.m.folder.Files().Stat(name)
	if err != nil {
		return err
	}
	crc, err := checksum(ctx, c.m.folder.Files(), name)
	if err != nil {
		return err
	}
	tmp, err := c.fetch(ctx, catalog.File{Name: name, Bytes: info.Size(), CRC: crc})
	if err != nil {
		return err
	}
	to := c.to.folder.Files()
	if err := disk.MkdirAll(to, filepath.Dir(name)); err != nil {
		return err
	}
	if err := to.Rename(tmp, name); err != nil {
		return err
	}
	return to.SyncDir(filepath.Dir(name))
}

// fetch copies one file of the archive into the folder of the copy's writer, syncs it,
// reads it back, and compares its size and checksum with f. It returns the path of the
// new file in the folder of the copy.
func (c *copying) fetch(ctx context.Context, f catalog.File) (tmp string, err error) {
	from, err := c.m.folder.Files().Open(f.Name)
	if err != nil {
		return "", err
	}
	defer from.Close()
	tmp = c.w.File(filepath.Base(f.Name))
	to, err := disk.Create(c.to.folder.Files(), tmp)
	if err != nil {
		return "", err
	}
	defer to.Close()
	n, err := io.Copy(to, &stoppable{ctx, from})
	if err == nil {
		err = to.Sync()
	}
	if err != nil {
		return "", fmt.Errorf("copy %s to %s: %w", f.Name, c.o.Dir, err)
	}
	crc, err := checksum(ctx, c.to.folder.Files(), tmp)
	if err != nil {
		return "", err
	}
	if n != f.Bytes || crc != f.CRC {
		return "", &segment.Error{File: f.Name, Offset: -1, Err: fmt.Errorf(
			"its copy has %d bytes and crc32c %08x, the catalogue says %d and %08x: the file is damaged, and its pool was not put in force in %s", n, crc, f.Bytes, f.CRC, c.o.Dir)}
	}
	return tmp, nil
}

// publish puts copied pools in force in the copy. They replace the pools of the copy with the same
// names; its other pools stay. If a segment of the copy would then use a segment or pool that the
// copy lacks, publish changes nothing, and the next call, with more pools, tries again. If last is
// set, there is no next call, and publish returns an error instead.
func (c *copying) publish(ctx context.Context, pools []catalog.Pool, last bool) error {
	return c.to.folder.Locked(ctx, func(disk.File) error {
		there, err := c.to.folder.InForce()
		if err != nil {
			return err
		}
		// Another process may have written to the copy meanwhile.
		if err := there.CheckCopyOf(c.from); err != nil {
			return fmt.Errorf("copy to %s: %w", c.o.Dir, err)
		}
		next := c.from.AddPools(there, pools)
		next.Briefs = c.briefs
		if there.Generation > 0 && slices.Equal(next.Files(), there.Files()) && slices.EqualFunc(next.Removals, there.Removals, catalog.RemovalFile.Equal) {
			return nil
		}
		switch err := next.Check(there, catalog.Change{}); {
		case err == nil:
			return c.to.folder.Put(next)
		case last:
			return fmt.Errorf("copy to %s: a pool in that folder, which the archive no longer has, uses segments that the archive has merged since: choose another folder", c.o.Dir)
		}
		return nil
	})
}

// checksum returns the crc32c of the file at a path of d. It stops with an error when ctx
// ends.
func checksum(ctx context.Context, d disk.FS, path string) (uint32, error) {
	f, err := d.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return sumOf(ctx, f)
}

// sumOf reads r to its end and returns the crc32c of the bytes. It stops with an error when ctx
// ends.
func sumOf(ctx context.Context, r io.Reader) (uint32, error) {
	sum := crc32c.New()
	_, err := io.Copy(sum, &stoppable{ctx, r})
	return sum.Sum32(), err
}

// stoppable is an io.Reader that reads from r, and returns ctx's error when ctx has ended.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}
