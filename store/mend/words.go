package mend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/finder"
	"infomall/store/record/task"
	"infomall/store/search/index"
	"infomall/store/segment"
)

// wordsShelf is how many bytes of decoded runs are kept in memory while an index of words is made
// or documents are read. To decode a run of a static pool, the content of a few other runs is
// needed.
const wordsShelf = 32 << 20

// IndexWords makes the missing indexes of words of those segments for which the function of returns
// true. If progress is not nil, IndexWords calls it with the number of bytes of db-files that are
// indexed so far, and the number of all bytes to index.
func (m *Maintenance) IndexWords(ctx context.Context, of func(*segment.Info) bool, progress func(done, total int64)) error {
	_, err := m.indexWords(ctx, of, false, task.ReindexOptions{Progress: progress})
	return err
}

// reindexWords carries out REINDEX SEARCH: it makes all indexes of words of a pool, or of all
// pools, again.
func (m *Maintenance) reindexWords(ctx context.Context, o task.ReindexOptions) ([]task.ReindexResult, error) {
	p, err := m.folder.Pin()
	if err != nil {
		return nil, err
	}
	p.Release() // the segments are chosen below
	if pools := p.PoolNames(); o.Pool != "" && !slices.Contains(pools, o.Pool) {
		return nil, &task.NoPoolError{Name: o.Pool, Pools: pools}
	}
	return m.indexWords(ctx, func(s *segment.Info) bool { return o.Pool == "" || s.Pool == o.Pool }, true, o)
}

// indexWords makes the indexes of words of those segments in force for which the function of
// returns true. It makes only missing indexes, or all of them if again is set. Because small
// segments share an index, a segment that has an index may get a new one together with another
// segment. The result has one element for each pool with a new index.
func (m *Maintenance) indexWords(ctx context.Context, of func(*segment.Info) bool, again bool, o task.ReindexOptions) ([]task.ReindexResult, error) {
	snap, err := m.snapshots.Open(ctx)
	if err != nil {
		return nil, err
	}
	v := m.indexes.Finder(snap)
	defer v.Close()
	v.Runs.Shelve(wordsShelf, 2)
	has, _, err := v.HasWords(v.Pin.Segments)
	if err != nil {
		return nil, err
	}
	var all []*segment.Info
	for _, s := range v.Pin.Segments {
		if of(s) || has[s.ID] {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b *segment.Info) int { return cmp.Or(cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.ID, b.ID)) })
	var due [][]*segment.Info
	var keep []string
	r := &reindex{m: m, o: o, results: make(map[string]*task.ReindexResult)}
	for _, group := range finder.WordGroups(all) {
		keep = append(keep, commit.Words.File(group))
		_, whole, err := v.HasWords(group)
		if err != nil {
			return nil, err
		}
		if whole && !(again && slices.ContainsFunc(group, of)) {
			continue
		}
		due = append(due, group)
		for _, s := range group {
			r.total += s.Bytes
			r.count(s)
			r.result(s.Pool).IndexBytes -= s.IndexBytes // it stays
		}
	}
	if len(due) == 0 || o.Dry {
		return r.list(), nil
	}
	err = r.write(ctx, m.folder.NewWriter, func() error {
		x := v.WordIndexer()
		for _, group := range due {
			if err := r.words(ctx, x, group); err != nil {
				return err
			}
		}
		return m.folder.RemoveDerived(commit.Words, keep)
	})
	return r.list(), err
}

// words makes one index of words for a group of segments, and moves it to its place in the archive.
// x reads the segments.
func (r *reindex) words(ctx context.Context, x *finder.WordIndexer, group []*segment.Info) (err error) {
	files := r.m.folder.Files()
	tmp, name := r.w.File("words"), commit.Words.File(group)
	bytes, runs := int64(0), 0
	for _, s := range group {
		bytes, runs = bytes+s.Bytes, runs+s.Runs
	}
	f, err := disk.Create(files, tmp)
	if err != nil {
		return err
	}
	counted := &countingWriter{w: f}
	err = x.Index(ctx, group, counted, func(done int) {
		if r.o.Progress != nil {
			r.o.Progress(r.done+bytes*int64(done)/int64(runs), r.total)
		}
	})
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := disk.Mkdir(files, filepath.Dir(name)); err != nil {
		return err
	}
	if err := files.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // a file that is open cannot be replaced on every system
	}
	if err := files.Rename(tmp, name); err != nil {
		return err
	}
	r.done += bytes
	r.result(group[0].Pool).IndexBytes += counted.n
	return files.SyncDir(filepath.Dir(name))
}

// countingWriter writes to the file w, and counts the bytes.
type countingWriter struct {
	w disk.File
	n int64 // number of bytes written
}

// Write implements io.Writer.
func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// checkWords reads a whole index of words, and returns an error if it is damaged. name is its
// path in the archive's folder.
func checkWords(ctx context.Context, folder *commit.Folder, name string) error {
	f, err := index.Open(folder.Files(), name, nil)
	if errors.Is(err, index.ErrOther) {
		err = fmt.Errorf("%w: it is not used, and REINDEX SEARCH makes it again", err)
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Check(ctx), f.Close())
}
