package mend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/crc32c"
	"infomall/store/disk"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/segment/indexfile"
)

// Reindex rebuilds the indexes of the pool o.Pool, or of all pools, from the db-files. It returns
// one result for each pool. Readers and Reindex do not disturb each other: the new indexes come
// into force together, and the old indexes are deleted when nobody reads them. If a db-file
// differs from its entry in the catalogue, its segment keeps the old index.
//
// If CURRENT or the current catalogue is lost or damaged, and no pool is named, Reindex
// rebuilds the catalogue too. Readable older catalogues supply what no other file records.
// Without an older catalogue, a segment's hints (how a capture differs from the one before it)
// are checked against all other segments whenever they are read, until its pool is merged.
//
// If o.Derived is set, Reindex only calls the function derive, which carries out REINDEX
// DERIVED. If o.Words is set, Reindex only makes the indexes of words. If o.Documents is set,
// it only reads documents.
func (m *Maintenance) Reindex(ctx context.Context, o task.ReindexOptions, derive func(context.Context, task.ReindexOptions) ([]task.ReindexResult, error)) ([]task.ReindexResult, error) {
	r := &reindex{m: m, o: o, results: make(map[string]*task.ReindexResult)}
	c, err := m.readable()
	if err != nil {
		return nil, err
	}
	if c != nil && o.Pool == "" {
		c.WarnMisnamed(m.files.Warn)
	}
	if c != nil && o.Derived {
		return derive(ctx, o)
	}
	if c != nil && o.Words {
		return m.reindexWords(ctx, o)
	}
	if c != nil && o.Documents {
		return m.reindexDocuments(ctx, o)
	}
	if c == nil {
		if o.Derived || o.Words || o.Documents {
			return nil, errors.New("the catalogue is lost and must be made again first: write REINDEX alone")
		}
		if o.Pool != "" {
			return nil, errors.New("the catalogue is lost, and without it all pools must be indexed again: write REINDEX alone")
		}
		err = r.lost(ctx)
	} else {
		err = r.known(ctx, c)
	}
	return r.list(), err
}

// ShareIndexes puts the small indexes of static pools into common files, one for each
// year. This saves space, because each index file takes at least 32 KB.
func (m *Maintenance) ShareIndexes(ctx context.Context) error {
	p, err := m.folder.Pin()
	if err != nil {
		return err
	}
	p.Release() // so that the replaced files can be deleted
	apart := p.Unshared()
	if len(apart) == 0 {
		return nil
	}
	r := &reindex{m: m, results: make(map[string]*task.ReindexResult)}
	return r.rebuild(ctx, apart)
}

// readable returns the current catalogue, or nil if the catalogue or CURRENT is lost
// or damaged.
func (m *Maintenance) readable() (*catalog.Catalog, error) {
	p, err := m.folder.Pin()
	var damage *segment.Error
	switch {
	case errors.As(err, &damage), errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	defer p.Release()
	return p.Catalog, nil
}

// reindex is the state of one Reindex.
type reindex struct {
	m           *Maintenance
	o           task.ReindexOptions
	w           *commit.Writer                 // nil for a dry run
	results     map[string]*task.ReindexResult // by name of the pool
	done, total int64                          // bytes of db-files: read so far, and in all
	infos       []*segment.Info                // the segments that have new indexes
	files       []catalog.IndexFile            // the new index files
	moves       [][2]string                    // for each new index file: its path, and its path in the archive's folder
}

// result returns the result for a pool, so that the caller can add to it. The first call for a
// pool creates the result.
func (r *reindex) result(pool string) *task.ReindexResult {
	res := r.results[pool]
	if res == nil {
		res = &task.ReindexResult{Pool: pool}
		r.results[pool] = res
	}
	return res
}

func (r *reindex) list() []task.ReindexResult {
	var out []task.ReindexResult
	for _, res := range r.results {
		out = append(out, *res)
	}
	slices.SortFunc(out, func(a, b task.ReindexResult) int { return strings.Compare(a.Pool, b.Pool) })
	return out
}

// known rebuilds the indexes of the pool that the statement names, or of all pools, in an archive
// whose catalogue c is undamaged.
func (r *reindex) known(ctx context.Context, c *catalog.Catalog) error {
	var chosen []*segment.Info
	none := &task.NoPoolError{Name: r.o.Pool}
	for _, s := range c.Segments {
		if r.o.Pool == "" || s.Pool == r.o.Pool {
			chosen = append(chosen, s)
			r.total += s.Bytes
		}
		if n := len(none.Pools); n == 0 || none.Pools[n-1] != s.Pool {
			none.Pools = append(none.Pools, s.Pool)
		}
	}
	if chosen == nil && r.o.Pool != "" {
		return none
	}
	if chosen == nil {
		return nil
	}
	if r.o.Dry {
		for _, s := range chosen {
			r.count(s)
		}
		return nil
	}
	return r.rebuild(ctx, chosen)
}

// rebuild rebuilds the indexes of the chosen segments, which are in force, and puts
// the new indexes in force.
func (r *reindex) rebuild(ctx context.Context, chosen []*segment.Info) error {
	return r.write(ctx, r.m.folder.NewWriter, func() error {
		if err := r.build(ctx, chosen, true); err != nil {
			return err
		}
		return r.publish(ctx, func() (*catalog.Catalog, error) {
			now, err := r.m.folder.InForce()
			if err != nil {
				return nil, err
			}
			return now.WithIndexes(r.infos, r.files), nil
		})
	})
}

// write calls the function open, which returns a writer, sets r.w to that writer, calls f, and then
// closes the writer.
func (r *reindex) write(ctx context.Context, open func(context.Context) (*commit.Writer, error), f func() error) (err error) {
	if r.w, err = open(ctx); err != nil {
		return err
	}
	err = f()
	if e := r.w.Close(); err == nil {
		err = e
	}
	return err
}

// lost rebuilds the catalogue and all indexes from the db-files.
func (r *reindex) lost(ctx context.Context) error {
	infos, err := r.m.dbFiles()
	if err != nil {
		return err
	}
	for _, i := range infos {
		r.total += i.Bytes
	}
	if r.o.Dry {
		for _, i := range infos {
			r.count(i)
			r.result(i.Pool).Catalogue = true
		}
		return nil
	}
	return r.write(ctx, r.m.folder.NewWriterWithoutCatalog, func() error {
		if err := r.build(ctx, infos, false); err != nil {
			return err
		}
		for _, i := range r.infos {
			r.result(i.Pool).Catalogue = true
		}
		return r.publish(ctx, func() (*catalog.Catalog, error) {
			if c, err := r.m.readable(); err != nil || c != nil {
				return nil, errors.Join(err, errors.New("the catalogue was restored meanwhile: run the statement again"))
			}
			return r.m.catalogOf(r.infos, r.files)
		})
	})
}

// dbFiles finds the db-files of the archive, in the pools' folders and in the tier. It
// returns one Info for each segment, sorted by number, with what the path and the size
// of the db-file say. If a segment has several db-files, dbFiles takes the newest,
// which was in force.
func (m *Maintenance) dbFiles() ([]*segment.Info, error) {
	names, err := disk.Glob(m.folder.Files(), ".", filepath.Join(commit.DirPools, "*", "*.raw"))
	if err != nil {
		return nil, err
	}
	var out []*segment.Info
	for _, name := range names {
		info, err := m.folder.Files().Stat(name)
		if err != nil {
			return nil, err
		}
		i := &segment.Info{Fresh: segment.FreshUnknown, Pool: filepath.Base(filepath.Dir(name)), File: name, Bytes: info.Size()}
		var ok bool
		if i.ID, _, ok = segment.ParseName(filepath.Base(name)); !ok {
			return nil, fmt.Errorf("%s does not have the name of a db-file: move it out of the folder %s", name, commit.DirPools)
		}
		out = append(out, i)
	}
	moved, err := m.movedFiles()
	if err != nil {
		return nil, err
	}
	for _, f := range moved {
		if id, _, ok := segment.ParseName(filepath.Base(f.Name)); ok && !slices.ContainsFunc(out, func(i *segment.Info) bool { return i.File == f.Name }) {
			out = append(out, &segment.Info{ID: id, Fresh: segment.FreshUnknown, Pool: filepath.Base(filepath.Dir(f.Name)), File: f.Name, Bytes: f.Bytes})
		}
	}
	// If a segment has several db-files, the newest was in force.
	slices.SortFunc(out, func(a, b *segment.Info) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(b.Number(), a.Number()))
	})
	return slices.CompactFunc(out, func(a, b *segment.Info) bool { return a.ID == b.ID }), nil
}

// catalogOf returns a new catalogue for an archive that has lost its own. infos are the segments
// of all db-files, and files are the new index files. The result also names the files that exist
// of these kinds: names files (which say where the blocks of merged segments are now), files of
// removals, and the newest block-list.
func (m *Maintenance) catalogOf(infos []*segment.Info, files []catalog.IndexFile) (*catalog.Catalog, error) {
	numbers, err := m.folder.Generations()
	if err != nil {
		return nil, err
	}
	last := uint64(0)
	var older []*catalog.Catalog
	removed := make(map[string]catalog.RemovalFile)
	for _, n := range numbers {
		last = max(last, n)
		if c, err := m.folder.Load(n); err == nil {
			older = append(older, c)
			for _, r := range c.Removals {
				removed[r.Name] = r
			}
		}
	}
	names, err := m.namesFiles()
	if err != nil {
		return nil, err
	}
	next := catalog.Rebuild(infos, files, names, older, last)
	if next.Removals, err = m.removalsOf(next, removed); err != nil {
		return nil, err
	}
	next.Blocked, err = m.blockListFile()
	return next, err
}

// blockListFile describes the newest block-list in the archive's folder, for a rebuilt
// catalogue. If there is none, the Name of the result is "".
func (m *Maintenance) blockListFile() (catalog.File, error) {
	names, err := disk.Glob(m.folder.Files(), ".", filepath.Join(commit.DirBlocked, "[0-9]*"))
	if err != nil || len(names) == 0 {
		return catalog.File{}, err
	}
	newest := slices.MaxFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) })
	b, err := disk.ReadFile(m.folder.Files(), newest)
	if err != nil {
		return catalog.File{}, err
	}
	f := catalog.File{Name: newest, Bytes: int64(len(b)), CRC: crc32c.Sum(b)}
	if _, err := catalog.DecodeBlockList(b); err != nil {
		return f, segment.Damage(f.Name, -1, err)
	}
	return f, nil
}

// removalsOf returns an entry for each removal (one DELETE or DROP) whose file exists, for c, a
// rebuilt catalogue. known has the entries in older catalogues, by file name; they say in which
// generation a removal came into force. A removal that is not in known counts as later than all
// segments.
func (m *Maintenance) removalsOf(c *catalog.Catalog, known map[string]catalog.RemovalFile) ([]catalog.RemovalFile, error) {
	names, err := disk.Glob(m.folder.Files(), ".", filepath.Join(commit.DirRemoved, "[0-9]*"))
	if err != nil {
		return nil, err
	}
	have := c.Holdings()
	var out []catalog.RemovalFile
	for _, name := range names {
		b, err := disk.ReadFile(m.folder.Files(), name)
		if err != nil {
			return nil, err
		}
		info := catalog.RemovalFile{Name: name, Bytes: int64(len(b)), CRC: crc32c.Sum(b)}
		r, err := catalog.DecodeRemoval(b)
		if err != nil {
			return nil, segment.Damage(info.Name, -1, err)
		}
		info.Generation = c.Generation
		if k, ok := known[info.Name]; ok && k.CRC == info.CRC {
			info.Generation = k.Generation
		}
		for id := range r.Hidden {
			if have.Segments[id] {
				info.Segments = append(info.Segments, id)
			}
		}
		slices.Sort(info.Segments)
		out = append(out, info)
	}
	slices.SortStableFunc(out, func(a, b catalog.RemovalFile) int { return cmp.Compare(a.Generation, b.Generation) })
	return out, nil
}

// build makes new index files for the given segments: one for each large index, and one for the
// small indexes of each year. If checked is set, infos come from an undamaged catalogue, and build
// leaves out a segment whose db-file differs from its info. Otherwise the catalogue is lost, and
// build takes everything from the db-files.
func (r *reindex) build(ctx context.Context, infos []*segment.Info, checked bool) error {
	byYear := make(map[string][]*segment.Info)
	for _, i := range infos {
		group := i.Year()
		if checked && i.IndexBytes > catalog.IndexLarge || !checked && i.Bytes > 16*catalog.IndexLarge {
			group = i.File
		}
		byYear[group] = append(byYear[group], i)
	}
	var groups []string
	for g := range byYear {
		groups = append(groups, g)
	}
	slices.Sort(groups)
	first, err := r.numbers(ctx, len(groups), checked)
	if err != nil {
		return err
	}
	for n, g := range groups {
		if err := r.indexFile(ctx, first+uint32(n), byYear[g], checked); err != nil {
			return err
		}
	}
	return nil
}

// numbers reserves n consecutive numbers for new files, and returns the first. checked is false if
// the catalogue is lost. No other process can then reserve numbers, and the names of the existing
// files show which are free.
func (r *reindex) numbers(ctx context.Context, n int, checked bool) (uint32, error) {
	if checked {
		return r.w.Allocate(ctx, n)
	}
	first, err := r.m.folder.NextByNames()
	return uint32(first), err
}

// indexFile makes one index file for the given segments, in the writer's folder. number is
// the number in its name. checked is set if infos come from
// an undamaged catalogue.
func (r *reindex) indexFile(ctx context.Context, number uint32, infos []*segment.Info, checked bool) error {
	base := fmt.Sprintf("%06d.idx", number)
	tmp, name := r.w.File(base), filepath.Join(commit.DirIndex, base)
	x, err := r.w.CreateIndex(number)
	if err != nil {
		return err
	}
	used := false
	for _, i := range infos {
		info, err := r.segment(ctx, x, i, checked)
		if err != nil {
			return errors.Join(err, x.Abandon())
		}
		r.done += i.Bytes
		if info != nil {
			info.Index = name
			r.infos = append(r.infos, info)
			r.count(info)
			used = true
		}
	}
	if !used {
		return x.Abandon()
	}
	if err := x.Finish(); err != nil {
		return err
	}
	file, err := commit.DescribeIndex(r.m.folder.Files(), tmp, name)
	if err != nil {
		return err
	}
	r.files = append(r.files, file)
	r.moves = append(r.moves, [2]string{tmp, name})
	return nil
}

// segment writes the index of segment i to the index file x, and returns the segment's new
// Info. If checked is set and the db-file differs from i, the result is nil, and the segment
// keeps its old index.
func (r *reindex) segment(ctx context.Context, x *indexfile.Builder, i *segment.Info, checked bool) (*segment.Info, error) {
	if checked {
		crc, err := checksum(ctx, r.m.folder.Files(), i.File)
		if disk.MayPass(err) {
			return nil, err
		}
		if err != nil || crc != i.CRC {
			r.result(i.Pool).Damaged++
			return nil, nil
		}
	}
	f, err := r.m.folder.Files().Open(i.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var info *segment.Info
	size, err := x.Add(i.Bucket(), func(put func(k, v []byte) error) (err error) {
		info, err = segment.Rebuild(ctx, i.File, &watched{f, r}, i.Bytes, put)
		return err
	})
	var damage *segment.Error
	switch {
	case errors.As(err, &damage) && !checked:
		return nil, fmt.Errorf("%w. Without a catalogue all db-files must be undamaged: restore this one from a copy of the archive; or RECOVER '%s' TO 'saved.warc', move the db-file away, REINDEX, and IMPORT 'saved.warc'", damage, f.Name())
	case err != nil:
		return nil, err
	case info.ID != i.ID || info.Pool != i.Pool:
		return nil, &segment.Error{File: i.File, Offset: -1, Err: fmt.Errorf("it is the db-file of segment %d of pool %s: rename it accordingly, or move it away", info.ID, info.Pool)}
	}
	info.File, info.IndexBytes = i.File, size
	return info, nil
}

// watched is a db-file that reports how much of it was read to the Progress function of
// Reindex.
type watched struct {
	io.ReaderAt
	r *reindex
}

func (t *watched) ReadAt(p []byte, off int64) (int, error) {
	if t.r.o.Progress != nil {
		t.r.o.Progress(t.r.done+off, t.r.total)
	}
	return t.ReaderAt.ReadAt(p, off)
}

func (r *reindex) count(i *segment.Info) {
	res := r.result(i.Pool)
	res.Segments++
	res.Captures += i.Captures
	res.Bytes += i.Bytes
	res.IndexBytes += i.IndexBytes
}

// publish moves the new index files to their places, and puts in force the catalogue
// that the function next returns.
func (r *reindex) publish(ctx context.Context, next func() (*catalog.Catalog, error)) error {
	if err := r.m.folder.MoveIn(r.moves); err != nil {
		return err
	}
	return r.m.folder.Locked(ctx, func(disk.File) error {
		c, err := next()
		if err != nil {
			return err
		}
		return r.m.folder.Put(c)
	})
}

// namesFiles reads the names files in the pools' folders, and returns an entry for each,
// as a catalogue has it. A names file says where the blocks of merged segments are now.
func (m *Maintenance) namesFiles() ([]catalog.NamesFile, error) {
	names, err := disk.Glob(m.folder.Files(), ".", filepath.Join(commit.DirPools, "*", "*.names"))
	if err != nil {
		return nil, err
	}
	var out []catalog.NamesFile
	for _, name := range names {
		b, err := disk.ReadFile(m.folder.Files(), name)
		if err != nil {
			return nil, err
		}
		info := catalog.NamesFile{Name: name, Bytes: int64(len(b)), CRC: crc32c.Sum(b)}
		list, err := segment.ReadNames(b)
		if err != nil {
			return nil, segment.Damage(name, -1, err)
		}
		for _, n := range list {
			info.Of = append(info.Of, n.Segment)
			info.To = append(info.To, n.To()...)
		}
		slices.Sort(info.Of)
		slices.Sort(info.To)
		info.To = slices.Compact(info.To)
		out = append(out, info)
	}
	return out, nil
}
