package commit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"infomall/store/catalog"
	"infomall/store/disk"
	"infomall/store/disk/lines"
	"infomall/store/segment"
)

// The names of the objects that only an archive in a bucket has.
const (
	fileNumber = "NUMBER" // has the next free number for a file
	dirLeases  = "leases" // one object per writer; its time is when the writer last renewed its lease
	dirProbe   = "probe"  // objects with which disk.Shared.Check tests the bucket
)

const (
	// leaseEvery is how often a writer renews its lease.
	leaseEvery = 10 * time.Second
	// leaseDefault is how old the lease of a writer may become before another writer ends its
	// right to publish.
	leaseDefault = 2 * time.Minute
	// graceDefault is how long files stay after they went out of force, because snapshots may
	// still use them.
	graceDefault = 24 * time.Hour
	// removedAtOnce is how many files one publication removes at most.
	removedAtOnce = 200
	// movesAtOnce is how many files are uploaded at once.
	movesAtOnce = 4
)

// ErrExpelled is wrapped by the error of a publication by a writer that has lost its right to
// publish. The writer did not renew its lease in time, and another writer has removed its name
// from the catalogue.
var ErrExpelled = errors.New("this process did not renew its lease in time, and another process has ended its right to write")

// PlaceOf returns where a file of an archive in a bucket is kept: in the bucket, or only on this
// machine. rel is the path of the file in the archive's folder, with slashes.
func PlaceOf(rel string) disk.Place {
	top, _, below := strings.Cut(rel, "/")
	if base := rel[strings.LastIndexByte(rel, '/')+1:]; base == FileLock {
		return disk.Local
	}
	switch top {
	case DirIndex:
		return disk.Paged
	case DirCatalog:
		return disk.Whole
	case DirPools, DirRemoved, DirBlocked, dirLeases, dirProbe, Words.Dir, Documents.Dir, "results":
		return disk.Fixed
	case FileCurrent, FileFormat, fileNumber, "definitions":
		if !below {
			return disk.Changing
		}
	}
	return disk.Local
}

// bucket does for an archive in a bucket what locks do for an archive in a folder.
//
// A commit is one conditional write of CURRENT. A generation is an object with a unique name,
// which nobody overwrites:
//
//	catalog/000012.5f0c1d2e3a4b5c6d   the new catalogue; it names 000011.… as the one before
//	CURRENT  000012.5f0c1d2e3a4b5c6d 1b2c3d4e      written if CURRENT is as it was read
//
// A writer registers by a generation that lists its name. If a later generation does not list
// it, the writer may not publish any more: each publication looks up the names of this
// process's writers in the generation before. A lease (a file that a writer renews every few
// seconds) only says when another writer may leave out a name.
type bucket struct {
	f    *Folder
	disk disk.Shared
	// lease is how old a writer's lease may become before another writer ends its right to
	// publish. grace is how long files stay after they went out of force.
	lease, grace time.Duration

	mu      sync.Mutex
	names   map[uint64]string // names of catalogue files, by generation
	content map[string][]byte // content of the catalogue files read last, by name
	live    map[string]bool   // names of the writers of this process
	pinned  *catalog.Catalog  // the catalogue that the method pin returned last
	name    string            // name of its file
}

func newBucket(f *Folder, d disk.Shared) *bucket {
	return &bucket{f: f, disk: d, lease: leaseDefault, grace: graceDefault,
		names: make(map[uint64]string), content: make(map[string][]byte), live: make(map[string]bool)}
}

// SetGrace sets how long the files of an archive in a bucket stay after they went out of force.
// 0 means 24 hours. Call it before the first use. It does nothing for an archive in a folder, which
// keeps files as long as a snapshot uses them.
func (f *Folder) SetGrace(d time.Duration) {
	if f.bucket != nil && d > 0 {
		f.bucket.grace = d
	}
}

// SetLease sets how old the lease of a writer of an archive in a bucket may become. After that,
// another writer may end its right to publish. Call SetLease before the first use. It does nothing
// for an archive in a folder.
func (f *Folder) SetLease(d time.Duration) {
	if f.bucket != nil && d > 0 {
		f.bucket.lease = d
	}
}

func (b *bucket) path(name string) string { return filepath.Join(b.f.Path, name) }

// remember records the name of the catalogue file of generation n.
func (b *bucket) remember(n uint64, name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.names[n] = name
}

// learn records the names of the catalogue files of earlier generations that are written in c.
func (b *bucket) learn(c *catalog.Catalog) {
	for _, name := range append(goneCatalogs(c), c.Before) {
		digits, _, _ := strings.Cut(name, ".")
		if n, err := strconv.ParseUint(digits, 10, 64); err == nil {
			b.remember(n, name)
		}
	}
}

// goneCatalogs returns the names of the catalogue files in c.Gone, the list of files that are no
// longer in force.
func goneCatalogs(c *catalog.Catalog) (names []string) {
	for _, g := range c.Gone {
		if filepath.Dir(g.Name) == DirCatalog {
			names = append(names, filepath.Base(g.Name))
		}
	}
	return names
}

// nameOf returns the name of the catalogue file of generation n. If this process does not know the
// name, the result is n in six digits, which is the name of such a file in a folder.
func (b *bucket) nameOf(n uint64) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if name, ok := b.names[n]; ok {
		return name
	}
	return fmt.Sprintf("%06d", n)
}

// generations returns the numbers of the generations that have a catalogue file in the bucket.
func (b *bucket) generations() ([]uint64, error) {
	entries, err := b.disk.ReadDir(b.path(DirCatalog))
	if err != nil {
		return nil, err
	}
	numbers := make(map[uint64]bool)
	for _, e := range entries {
		digits, _, ok := strings.Cut(e.Name(), ".")
		n, err := strconv.ParseUint(digits, 10, 64)
		if !ok || err != nil {
			continue
		}
		numbers[n] = true
		b.mu.Lock()
		if _, known := b.names[n]; !known {
			b.names[n] = e.Name()
		}
		b.mu.Unlock()
	}
	return slices.Sorted(maps.Keys(numbers)), nil
}

// readCatalog returns the content of the catalogue file of generation n. Because these files never
// change, it keeps the last few in memory.
func (b *bucket) readCatalog(n uint64) ([]byte, error) {
	name := b.nameOf(n)
	b.mu.Lock()
	content, ok := b.content[name]
	b.mu.Unlock()
	if ok {
		return content, nil
	}
	content, err := b.f.readCatalog(n)
	if err == nil {
		b.keep(name, content)
	}
	return content, err
}

// keepSealed remembers the content of a catalogue file, as keep does. It first checks that the
// content is complete, and otherwise returns an error.
func (b *bucket) keepSealed(name string, content []byte) error {
	b.mu.Lock()
	_, ok := b.content[name]
	b.mu.Unlock()
	if ok {
		return nil
	}
	if _, err := lines.OpenList(content, errors.New("the catalogue that it should hold is damaged")); err != nil {
		return err
	}
	b.keep(name, content)
	return nil
}

// keep remembers the content of the catalogue file with this name, and forgets older ones.
func (b *bucket) keep(name string, content []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.content) >= 4 {
		clear(b.content)
	}
	b.content[name] = content
}

// createArchive makes the folders on this machine. If there is no archive in the bucket yet, it
// publishes an empty generation there.
func (b *bucket) createArchive() error {
	if err := b.create(); err != nil || b.f.Exists() {
		return err
	}
	ctx := context.Background()
	if err := b.disk.Check(ctx); err != nil {
		return err
	}
	return b.locked(ctx, b.f.begin)
}

// create makes the folders of the archive on this machine.
func (b *bucket) create() error {
	for _, dir := range []string{DirCatalog, DirPools, DirIndex, dirWriters} {
		if err := disk.MkdirAll(b.disk, b.path(dir)); err != nil {
			return fmt.Errorf("make the working folder %s: %w", b.f.Path, err)
		}
	}
	return nil
}

// locked calls the function do, which may change CURRENT. A bucket has no lock: if another writer
// has changed CURRENT meanwhile, the change fails, and locked calls do again. If that happens too often, the error
// wraps catalog.ErrStale.
func (b *bucket) locked(ctx context.Context, do func() error) error {
	err := b.disk.Attempt(ctx, do)
	if errors.Is(err, disk.ErrCondition) {
		return fmt.Errorf("%w (%w)", catalog.ErrStale, err)
	}
	return err
}

// pin returns the catalogue in force. It locks nothing: if the files go out of force, they stay for
// the grace period.
func (b *bucket) pin() (*Pin, error) {
	for {
		n, err := b.f.current()
		if err != nil {
			return nil, err
		}
		if n == 0 {
			if err := b.f.lostCurrent(); err != nil {
				return nil, err
			}
			return &Pin{Catalog: &catalog.Catalog{}}, nil
		}
		name := b.nameOf(n)
		b.mu.Lock()
		c := b.pinned
		same := c != nil && b.name == name
		b.mu.Unlock()
		if same {
			return &Pin{Catalog: c}, nil
		}
		c, err = b.f.Load(n)
		if errors.Is(err, os.ErrNotExist) {
			if again, e := b.f.current(); e == nil && again != n {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		b.mu.Lock()
		b.pinned, b.name = c, name
		b.mu.Unlock()
		b.disk.Expect(c.ID, expected(c))
		return &Pin{Catalog: c}, nil
	}
}

// Prefetch reads the beginnings and ends of files of an archive in a bucket into the cache of
// this machine, all at once. names are paths in the archive's folder. For an archive in a
// folder, Prefetch does nothing.
func (f *Folder) Prefetch(names []string) {
	if f.bucket == nil {
		return
	}
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	for i := range names {
		names[i] = f.bucket.path(names[i])
	}
	f.bucket.disk.Prefetch(names)
}

// expected returns the size and the edition of each file that c names, by name. The edition of a
// file is a text that changes when REPAIR replaces the file.
func expected(c *catalog.Catalog) map[string]disk.Expected {
	files := make(map[string]disk.Expected)
	for _, s := range c.Segments {
		files[s.File] = disk.Expected{Bytes: s.Bytes}
	}
	for _, x := range c.Indexes {
		files[x.Name] = disk.Expected{Bytes: x.Bytes}
	}
	for _, f := range c.CommonFiles() {
		files[f.Name] = disk.Expected{Bytes: f.Bytes}
	}
	for _, n := range c.Names {
		files[n.Name] = disk.Expected{Bytes: n.Bytes}
	}
	for _, r := range c.Renewed {
		files[r.Name] = disk.Expected{Bytes: files[r.Name].Bytes, Edition: r.Edition}
	}
	return files
}

// Renewed announces that a file was replaced by another file of the same name and size, for
// example by REPAIR. name is the path of the file in the archive's folder; the catalogue in force
// must name it. Renewed publishes a generation which tells other machines that the bytes of the
// earlier file in their caches are no longer valid. For an archive in a folder, Renewed does
// nothing.
func (f *Folder) Renewed(ctx context.Context, name string) error {
	if f.bucket == nil {
		return nil
	}
	return f.bucket.locked(ctx, func() error {
		c, err := f.InForce()
		if err != nil || c.Generation == 0 {
			return err
		}
		n := next(c)
		n.Renewed = []catalog.Renewal{{Name: name, Edition: fmt.Sprintf("%016x", rand.Uint64())}}
		return f.bucket.put(n)
	})
}

// renewedAfter returns the list Renewed for the new catalogue c: a Renewal for each file of c that
// was ever replaced. before is the generation before c. If both have a Renewal of a file, the one
// in c counts.
func renewedAfter(c, before *catalog.Catalog) []catalog.Renewal {
	editions := make(map[string]string)
	for _, r := range slices.Concat(before.Renewed, c.Renewed) {
		editions[r.Name] = r.Edition
	}
	if len(editions) == 0 {
		return nil
	}
	var out []catalog.Renewal
	for _, name := range slices.Compact(slices.Sorted(slices.Values(c.Files()))) {
		if e := editions[name]; e != "" {
			out = append(out, catalog.Renewal{Name: name, Edition: e})
		}
	}
	return out
}

// briefsMost is the greatest size, in bytes, of all Briefs (extracts of the indexes of small
// segments) in a catalogue together. It is small because every change of the archive writes the
// catalogue again.
const briefsMost = 256 << 10

// briefsAfter returns the Briefs (extracts of the indexes of small segments) for the new catalogue
// c, by segment number. If a segment was just written, it has its Brief itself; otherwise the Brief
// comes from c, or from the catalogue before it. If all Briefs together have more than briefsMost
// bytes, the largest are left out.
func briefsAfter(c, before *catalog.Catalog) map[uint32]*segment.Brief {
	all := make(map[uint32]*segment.Brief)
	for _, s := range c.Segments {
		b := cmp.Or(s.Brief, c.Briefs[s.ID])
		if b == nil && before != nil {
			b = before.Briefs[s.ID]
		}
		if b != nil {
			all[s.ID] = b
		}
	}
	left := briefsMost
	for _, id := range slices.SortedFunc(maps.Keys(all), func(a, b uint32) int {
		return cmp.Or(cmp.Compare(all[a].Size(), all[b].Size()), cmp.Compare(a, b))
	}) {
		if left -= all[id].Size(); left < 0 {
			delete(all, id)
		}
	}
	return all
}

// put makes c the catalogue in force, in place of the one that CURRENT names. It keeps the list of
// writers. Only functions that are passed to the method locked call it.
func (b *bucket) put(c *catalog.Catalog) error {
	before, err := b.before()
	if err != nil {
		return err
	}
	if err := b.expelled(before); err != nil {
		return err
	}
	if before != nil {
		c.Writers = before.Writers
	}
	return b.putAfter(c, before)
}

// expelled returns an error that wraps ErrExpelled if a writer of this process is not listed in the
// catalogue c, so that it may not publish any more. If c is nil, it returns nil.
func (b *bucket) expelled(c *catalog.Catalog) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range slices.Sorted(maps.Keys(b.live)) {
		if c != nil && !slices.Contains(c.Writers, w) {
			return fmt.Errorf("%w (writer %s): run the statement again", ErrExpelled, w)
		}
	}
	return nil
}

// before returns the catalogue in force, which a new catalogue will follow. It returns nil if there
// is none, or if it is damaged or missing.
func (b *bucket) before() (*catalog.Catalog, error) {
	n, err := b.f.current()
	if err == nil && n == 0 || err != nil && isDamage(err) {
		return nil, nil // REINDEX replaces a damaged CURRENT
	}
	if err != nil {
		return nil, err
	}
	c, err := b.f.Load(n)
	if errors.Is(err, os.ErrNotExist) || err != nil && isDamage(err) {
		return nil, nil
	}
	return c, err
}

// putAfter writes the catalogue c and makes CURRENT name it. before is the catalogue that CURRENT
// names now, or nil if there is none.
func (b *bucket) putAfter(c, before *catalog.Catalog) error {
	now := b.disk.Now()
	if before != nil {
		c.Before = b.nameOf(before.Generation)
		c.Gone = b.goneAfter(c, before, now)
		c.Renewed = renewedAfter(c, before)
	}
	c.Briefs = briefsAfter(c, before)
	name := fmt.Sprintf("%06d.%016x", c.Generation, rand.Uint64())
	content := c.Encode()
	path := b.path(filepath.Join(DirCatalog, name))
	if err := disk.WriteFile(b.disk, path, content); err != nil {
		return err
	}
	// CURRENT has the catalogue too, so that a reader does not wait for a second answer.
	err := disk.WriteFile(b.disk, b.path(FileCurrent), append(currentLine(name), content...))
	if errors.Is(err, disk.ErrUnsure) {
		var found bool
		if found, err = b.inChain(c.Generation, name); err == nil && !found {
			err = disk.ErrCondition
		}
	}
	if errors.Is(err, disk.ErrCondition) {
		_ = b.disk.Remove(path) // if this fails, the next sweep removes it
	}
	if err != nil {
		return err
	}
	b.remember(c.Generation, name)
	b.keep(name, content)
	return nil
}

// inChain reports whether a catalogue file was ever in force, as the present generation or as one
// before it. name is the name of the file and n its generation. inChain is called if the answer to
// a write of CURRENT was lost, so that this process does not know whether the write succeeded.
func (b *bucket) inChain(n uint64, name string) (bool, error) {
	b.disk.Forget(b.path(FileCurrent))
	at, err := b.f.current()
	for err == nil && at > n {
		var c *catalog.Catalog
		if c, err = b.f.Load(at); err == nil {
			digits, _, _ := strings.Cut(c.Before, ".")
			if at, err = strconv.ParseUint(digits, 10, 64); err == nil {
				b.remember(at, c.Before)
			}
		}
	}
	if err != nil {
		return false, fmt.Errorf("nobody can say whether the change is in force: %w", err)
	}
	return at == n && b.nameOf(at) == name, nil
}

// goneAfter returns the list Gone for the new catalogue c: the files that are no longer in force
// and not removed yet. before is the catalogue before c, and now is the time of the bucket. Files
// that have been out of force for longer than the grace period are removed, and left out of the
// result. That does no harm if c does not come into force, because a file never comes back into
// force.
func (b *bucket) goneAfter(c, before *catalog.Catalog, now time.Time) (gone []catalog.GoneFile) {
	var old []string
	for _, g := range before.Gone {
		if now.Sub(time.Unix(g.At, 0)) > b.grace && len(old) < removedAtOnce {
			old = append(old, g.Name)
		} else {
			gone = append(gone, g)
		}
	}
	if len(old) > 0 && b.f.removeAll(old) != nil {
		gone = before.Gone // the next publication tries again
	}
	kept := c.Files()
	gone = slices.Clip(gone)
	for _, name := range append(before.Files(), b.f.CatalogFile(before.Generation)) {
		if !slices.Contains(kept, name) {
			gone = append(gone, catalog.GoneFile{Name: name, At: now.Unix()})
		}
	}
	return gone
}

// sweep removes the files that have been out of force for longer than the grace period.
func (b *bucket) sweep(ctx context.Context) error {
	return b.locked(ctx, func() error {
		c, err := b.f.InForce()
		if err != nil || c.Generation == 0 {
			return err
		}
		now := b.disk.Now()
		if !slices.ContainsFunc(c.Gone, func(g catalog.GoneFile) bool { return now.Sub(time.Unix(g.At, 0)) > b.grace }) {
			return nil
		}
		return b.put(next(c))
	})
}

// next returns a copy of the catalogue c with the number of the next generation.
func next(c *catalog.Catalog) *catalog.Catalog {
	n := *c
	n.Generation++
	return &n
}

// moveIn uploads files, several at once. Each element of moves has the present path of a
// file, which is on this machine, and its new path, both in the archive's folder. The files on
// this machine are then removed.
func (b *bucket) moveIn(moves [][2]string) error {
	var g errgroup.Group
	g.SetLimit(movesAtOnce)
	for _, m := range moves {
		g.Go(func() error {
			to := b.path(m[1])
			err := b.disk.Link(b.path(m[0]), to)
			if errors.Is(err, os.ErrExist) {
				return existsError(to)
			}
			if err != nil {
				return err
			}
			return b.disk.Remove(b.path(m[0]))
		})
	}
	err := g.Wait()
	// Who expels a writer also removes its files, perhaps while they are uploaded. If an answer of
	// the store was lost too, the upload finds them gone.
	if errors.Is(err, disk.ErrUnsure) || errors.Is(err, os.ErrNotExist) {
		if c, e := b.before(); e == nil {
			return cmp.Or(b.expelled(c), err)
		}
	}
	return err
}

// allocate reserves n consecutive numbers for new files, and returns the first. It writes the next
// free number to the file NUMBER, together with a random number. If the answer to that write is
// lost, this process can tell its own content from that of another writer.
func (b *bucket) allocate(ctx context.Context, n int) (first uint32, err error) {
	err = b.locked(ctx, func() error {
		free, err := b.freeNumber()
		if err != nil {
			return err
		}
		if free == 0 { // the archive is new, or NUMBER was lost
			if free, err = b.f.NextByNames(); err != nil {
				return err
			}
		}
		c, err := b.f.InForce()
		if err != nil {
			return err
		}
		// REINDEX of an archive that has lost its catalogue does not use NUMBER.
		for _, name := range c.Files() {
			free = max(free, numberAfter(name))
		}
		first = uint32(free)
		return disk.WriteFile(b.disk, b.path(fileNumber), fmt.Appendf(nil, "%d %016x\n", free+uint64(n), rand.Uint64()))
	})
	return first, err
}

// freeNumber reads the next free number from the file NUMBER. It returns 0 if there is no such
// file, or if it is damaged.
func (b *bucket) freeNumber() (uint64, error) {
	text, err := disk.ReadFile(b.disk, b.path(fileNumber))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	digits, _, _ := strings.Cut(string(text), " ")
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil {
		return 0, nil // damaged: NextByNames says more
	}
	return n, nil
}
