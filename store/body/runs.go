package body

import (
	"errors"
	"slices"
	"sync"

	"infomall/store/block/facts"
	"infomall/store/catalog"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// Runs reads the runs (neighbouring captures compressed together) of one state of the archive:
// of the segments that the catalogue of that state names. It keeps the runs read last in
// memory. Several goroutines may use a Runs; all must have finished when one of them calls Close.
type Runs struct {
	files   *Files
	catalog *catalog.Catalog

	mu      sync.Mutex
	readers map[uint32]*segment.Reader
	byID    map[uint32]*segment.Info // filled when first needed
	pools   map[string]bool          // pools of the segments in seen, for Stats
	seen    map[uint32]bool          // numbers of the segments that were read or looked up, for Stats
	stats   record.ReadStats
	noCache bool
	recent  recentRuns
	shelf   *shelf                    // if not nil, keeps decoded runs instead of recent and the shared cache, see Shelve
	lent    recentRun                 // the run that Lend returned last, if Lend has read it
	gathers int                       // number of calls of gathered
	names   map[uint32]*segment.Names // by number of a merged segment: where its blocks are now; loaded when needed
	bad     map[uint64]error          // by runKey: the errors of damaged runs, see badRun
}

// NewRuns returns a reader of the segments in a catalogue. The caller closes it.
func NewRuns(f *Files, c *catalog.Catalog) *Runs {
	return &Runs{files: f, catalog: c, readers: make(map[uint32]*segment.Reader), pools: make(map[string]bool), seen: make(map[uint32]bool)}
}

// Close closes the db-files that r opened. If r read runs from disk, Close waits
// until the shared cache has stored them.
func (r *Runs) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, s := range r.readers {
		errs = append(errs, s.Close())
	}
	clear(r.readers)
	if r.stats.CacheMisses > 0 {
		r.files.settleCache()
	}
	return errors.Join(errs...)
}

// SetCache sets the size limit in bytes of the cache of decoded runs, which all
// snapshots of the archive share. If bytes is 0, r no longer uses the cache, and the
// limit stays as it is.
func (r *Runs) SetCache(bytes int64) {
	r.mu.Lock()
	r.noCache = bytes == 0
	r.mu.Unlock()
	if bytes > 0 {
		r.files.boundCache(bytes)
	}
}

// Shelve makes r keep decoded runs in memory of its own, up to the given number of bytes,
// and no longer in the cache that it shares with others. The last runs stay in memory even
// if they have more bytes; least is their number.
func (r *Runs) Shelve(bytes int64, least int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shelf, r.noCache = newShelf(bytes, least), true
}

// Stats returns how much r has read so far, such as numbers of runs and bytes.
func (r *Runs) Stats() record.ReadStats {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.stats
	s.Segments = len(r.seen)
	for p := range r.pools {
		s.Pools = append(s.Pools, p)
	}
	slices.Sort(s.Pools)
	return s
}

// Reader returns the reader of a segment of the catalogue. The first call for a
// segment creates the reader.
func (r *Runs) Reader(i *segment.Info) *segment.Reader {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.readerOf(i)
}

// readerOf returns the reader of a segment of the catalogue, and creates it if
// needed. The caller holds r.mu.
func (r *Runs) readerOf(i *segment.Info) *segment.Reader {
	s := r.readers[i.ID]
	if s == nil {
		s = segment.NewReader(r.files.Folder.Files(), i, r.files.index(r.catalog.IndexFile(i.Index)), r.files.Warn)
		s.Others, s.Long = r.other, facts.Long
		s.Learn(r.catalog.Briefs[i.ID])
		r.readers[i.ID] = s
	}
	return s
}

// ReadAlone makes r read a segment without its index from now on. The caller has found
// that the index is damaged.
func (r *Runs) ReadAlone(i *segment.Info) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.readers[i.ID]; old != nil {
		_ = old.Close() // it was only read
	}
	s := segment.NewReader(r.files.Folder.Files(), i, nil, nil)
	s.Others = r.other
	r.readers[i.ID] = s
}

// Info returns the Info of the segment with this number, or nil if the segment is not in
// force (the catalogue does not name it). It opens no file.
func (r *Runs) Info(id uint32) *segment.Info {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.inForce()[id]
}

// Segment returns the reader of the segment with this number, or nil if the segment
// is not in force.
func (r *Runs) Segment(id uint32) *segment.Reader {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := r.inForce()[id]
	if i == nil {
		return nil
	}
	return r.readerOf(i)
}

// inForce returns the segments in force (named by the catalogue), by their numbers.
// The caller holds r.mu.
func (r *Runs) inForce() map[uint32]*segment.Info {
	if r.byID == nil {
		r.byID = make(map[uint32]*segment.Info, len(r.catalog.Segments))
		for _, i := range r.catalog.Segments {
			r.byID[i.ID] = i
		}
	}
	return r.byID
}

// ReadChunk records for Stats that one chunk of the index of a segment was read. size
// is the size of the chunk in bytes.
func (r *Runs) ReadChunk(s *segment.Reader, size int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Chunks++
	r.stats.IndexBytes += int64(size)
	r.open(s.Info)
}

// Looked records for Stats that a segment was looked up, even if nothing of it was read.
func (r *Runs) Looked(i *segment.Info) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open(i)
}

// open records for Stats that a segment is used. Only the first call for a segment counts. The
// caller holds r.mu.
func (r *Runs) open(i *segment.Info) {
	if !r.seen[i.ID] {
		r.seen[i.ID] = true
		r.pools[i.Pool] = true
	}
}

// Meta reads from disk the meta of run n of a segment: the entries of the run's captures
// without their bodies. Stats counts the read.
func (r *Runs) Meta(s *segment.Reader, n uint32) (*segment.Meta, error) { return r.metaIn(s, n, nil) }

// metaIn does what Meta does, in the memory mem, see segment.Reader.MetaIn.
func (r *Runs) metaIn(s *segment.Reader, n uint32, mem *segment.RunMemory) (*segment.Meta, error) {
	m, size, err := s.MetaIn(n, mem)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Runs++
	r.stats.Bytes += int64(size)
	r.open(s.Info)
	return m, nil
}

// CachedMeta returns the same as Meta. If the run is in memory, it reads nothing. Otherwise it reads
// into the memory mem, see segment.Reader.MetaIn.
func (r *Runs) CachedMeta(s *segment.Reader, n uint32, mem *segment.RunMemory) (*segment.Meta, error) {
	run, err := r.inMemory(s, n)
	switch {
	case err != nil:
		return nil, err
	case run != nil:
		return run.Meta, nil
	}
	return r.metaIn(s, n, mem)
}

// OpenedMeta returns the same as Meta, but reads the whole run, for a caller that will soon call
// Run for it. If the run is damaged outside of its meta, OpenedMeta reads only the meta.
func (r *Runs) OpenedMeta(s *segment.Reader, n uint32) (*segment.Meta, error) {
	if run, err := r.opened(s, n); err == nil {
		return run.Meta, nil
	}
	return r.Meta(s, n)
}

// Run returns run n of a segment (neighbouring captures compressed together), with
// its blocks and facts decompressed. It reads the run from disk only if the run is
// not in memory.
func (r *Runs) Run(s *segment.Reader, n uint32) (*segment.Run, error) {
	return r.loaded(s, n, true)
}

// loaded returns run n of a segment with its blocks decompressed. If whole is set, the
// facts of the run are decompressed too.
func (r *Runs) loaded(s *segment.Reader, n uint32, whole bool) (*segment.Run, error) {
	run, err := r.opened(s, n)
	if err == nil {
		err = s.Load(run, whole)
	}
	if err != nil {
		return nil, err
	}
	return run, nil
}

// opened returns run n of a segment to a caller that needs only the entries of the run.
// Its blocks and facts are not always decompressed.
func (r *Runs) opened(s *segment.Reader, n uint32) (*segment.Run, error) {
	run, err := r.inMemory(s, n)
	if run != nil || err != nil {
		return run, err
	}
	if run, err = r.read(s, n, nil); err != nil {
		return nil, err
	}
	key := runKey(s, n)
	r.mu.Lock()
	useCache := !r.noCache
	if r.shelf != nil {
		r.shelf.put(key, run, run.Bytes())
	} else {
		r.recent.put(s.Info.ID, n, run)
	}
	r.mu.Unlock()
	if useCache {
		cache, err := r.files.runCache()
		if err != nil {
			return nil, err
		}
		cache.Set(key, run, run.Bytes())
	}
	return run, nil
}

// read reads run n of a segment from disk into the memory m (see segment.Reader.OpenIn). If the run
// was found damaged before, read does not read it again, and returns the same error.
func (r *Runs) read(s *segment.Reader, n uint32, m *segment.RunMemory) (*segment.Run, error) {
	key := runKey(s, n)
	if err := r.badRun(key); err != nil {
		return nil, err
	}
	run, err := s.OpenIn(n, m)
	if err != nil {
		r.noteBadRun(key, err)
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.countRead(run.Stored, run.Unpacked())
	return run, nil
}

// once returns run n of a segment, with its blocks decompressed, to a caller that needs the run only
// once. If whole is set, the facts of the run are decompressed too. If the run is not in memory,
// once reads it into the memory m, and does not keep it. The run is valid until the next call with
// m.
func (r *Runs) once(s *segment.Reader, n uint32, whole bool, m *segment.RunMemory) (*segment.Run, error) {
	run, err := r.inMemory(s, n)
	if run == nil && err == nil {
		run, err = r.read(s, n, m)
	}
	if err == nil {
		err = s.Load(run, whole)
	}
	if err != nil {
		return nil, err
	}
	return run, nil
}

// Lend returns run n of a segment, with its blocks and facts decompressed. If the run is not in memory,
// Lend reads it into the memory m. The run is then valid, and r finds it in memory, until the next call
// of Lend. Only one goroutine may use r meanwhile.
func (r *Runs) Lend(s *segment.Reader, n uint32, m *segment.RunMemory) (*segment.Run, error) {
	r.lend(recentRun{})
	run, err := r.once(s, n, true, m)
	if err != nil {
		return nil, err
	}
	r.lend(recentRun{s.Info.ID, n, run})
	return run, nil
}

func (r *Runs) lend(run recentRun) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lent = run
}

// runKey returns the key of run n of a segment in the caches of runs.
func runKey(s *segment.Reader, n uint32) uint64 { return uint64(s.Info.Number())<<32 | uint64(n) }

// countRead records for Stats that one run was read from disk. stored is its size on
// disk and unpacked its decompressed size, in bytes. The caller holds r.mu.
func (r *Runs) countRead(stored, unpacked int) {
	r.stats.Runs++
	r.stats.Bytes += int64(stored)
	r.stats.Decoded += int64(unpacked)
	if !r.noCache {
		r.stats.CacheMisses++
	}
}

// inMemory returns run n of a segment if it is in memory, otherwise nil. An error
// means that the cache could not be created.
func (r *Runs) inMemory(s *segment.Reader, n uint32) (*segment.Run, error) {
	r.mu.Lock()
	lent, useCache, shelf := r.lent, !r.noCache, r.shelf
	recent := r.recent.get(s.Info.ID, n)
	r.open(s.Info)
	r.mu.Unlock()
	if lent.run != nil && lent.segment == s.Info.ID && lent.n == n {
		return lent.run, nil
	}
	if recent != nil {
		return recent, nil
	}
	key := runKey(s, n)
	if shelf != nil {
		if run := shelf.get(key); run != nil {
			return run, nil
		}
	}
	if !useCache {
		return nil, nil
	}
	cache, err := r.files.runCache()
	if err != nil {
		return nil, err
	}
	run, ok := cache.Get(key)
	if !ok {
		return nil, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.CacheHits++
	r.recent.put(s.Info.ID, n, run)
	return run, nil
}

// Remember keeps run n of the segment s in memory, so that r need not read it. The caller
// has read the run without r.
func (r *Runs) Remember(s *segment.Reader, n uint32, run *segment.Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recent.put(s.Info.ID, n, run)
}

// badRunsMost is how many damaged runs a Runs remembers. When there are more, it
// forgets all.
const badRunsMost = 1 << 16

// badRun returns the error that noteBadRun has stored for the run with this runKey, or
// nil. A damaged run is therefore read only once, however many of its captures the
// callers ask for.
func (r *Runs) badRun(key uint64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bad[key]
}

// noteBadRun remembers err, the error of the run with this runKey, if it means that the
// run is damaged (see IsDamage).
func (r *Runs) noteBadRun(key uint64, err error) {
	if !IsDamage(err) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bad == nil || len(r.bad) >= badRunsMost {
		r.bad = make(map[uint64]error)
	}
	r.bad[key] = err
}

// Entry returns the complete entry of the capture that is stored at the place p.
func (r *Runs) Entry(p timeline.Place) (*segment.Stored, error) {
	run, err := r.opened(p.Seg, p.Run)
	if err != nil {
		return nil, err
	}
	return run.Meta.Entry(p.N)
}

// Recipe returns the recipe (the list of a body's blocks) of the body that the entry at the place
// p stores. own is false if the entry does not store its body itself.
func (r *Runs) Recipe(p timeline.Place) (recipe segment.Recipe, own bool, err error) {
	run, err := r.opened(p.Seg, p.Run)
	if err != nil {
		return segment.Recipe{}, false, err
	}
	return run.Meta.Recipe(p.N)
}

// Facts returns the facts in run n of a segment: what was computed about its pages
// and blocks when they were stored.
func (r *Runs) Facts(s *segment.Reader, n uint32) (*segment.Facts, error) {
	run, err := r.Run(s, n)
	if err != nil {
		return nil, err
	}
	return factsOf(s, run)
}

// factsOf returns the facts in a run of segment s. They must be decompressed already,
// see loaded.
func factsOf(s *segment.Reader, run *segment.Run) (*segment.Facts, error) {
	f, err := run.Facts()
	if err != nil {
		return nil, segment.Damage(s.Info.File, -1, err)
	}
	return f, nil
}

// other returns the run ref to the reader of another segment. That reader needs the
// content of ref to decompress a run that was compressed with it.
func (r *Runs) other(ref segment.RunRef) (*segment.Run, error) {
	s := r.Segment(ref.Segment)
	if s == nil {
		return nil, ErrMissing
	}
	return r.opened(s, ref.Run)
}

// Dict returns the run ref as a dictionary with which new runs of the given pool can be
// compressed. It returns nil if the run may not be used, because its pool is not static
// (it may change) or is later than the given pool. It also returns nil if the run cannot
// be read.
func (r *Runs) Dict(ref segment.RunRef, pool string) *segment.Dict {
	s := r.Segment(ref.Segment)
	if s == nil || !r.catalog.IsStatic(s.Info.Pool) || s.Info.Pool > pool {
		return nil
	}
	run, err := r.Run(s, ref.Run)
	if err != nil {
		return nil
	}
	d := &segment.Dict{Behind: run.Dictionary()}
	if d.Content, err = run.Content(); err != nil {
		return nil
	}
	for _, further := range run.Dictionary() {
		of := r.Dict(further, pool)
		if of == nil {
			return nil
		}
		for _, n := range of.Needs {
			if !slices.Contains(d.Needs, n) {
				d.Needs = append(d.Needs, n)
			}
		}
	}
	d.Needs = append(d.Needs, segment.Need{RunRef: ref, Bytes: len(d.Content)})
	return d
}
