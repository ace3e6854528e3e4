package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"infomall/store/disk"
	"infomall/store/disk/lines"
	"infomall/store/segment"
)

// change is what one publication does to the archive. All of it comes into force,
// or nothing.
type change struct {
	// out are the segments that go out of force.
	out []*segment.Info
	// in are new segments, in the writer's folder, that come into force.
	in []made
	// index, if not nil, is an index that already has some of the new segments.
	// publish finishes it.
	index *segment.IndexBuilder
	// again are segments in force that are replaced by a rewritten form of the same
	// captures and blocks.
	again []again
	// names, if not nil, says where in the segments in the blocks of out are.
	names *madeNames
	// seen is the generation of the snapshot on which the change was planned. The
	// hints of in take all captures up to it into account.
	seen uint64
	// on is the catalogue of that snapshot.
	on *catalog
	// whole, if not "", is a pool of which out must be all segments.
	whole string
	// seal makes the pools of in static.
	seal bool
	// parts says which keys the pools of the month take from now on.
	parts []partInfo
	// depends says, for each segment that depends on whole, on which of its new
	// parts it depends.
	depends map[uint32][]string
	// gone, if not nil, is a removal: of a pool if out is set, otherwise of
	// captures.
	gone *removal
}

// madeNames is a complete, synced names file in the writer's folder.
type madeNames struct {
	info namesInfo
	path string
	// gone are the segments some of whose blocks were not stored again, because
	// nothing used them when the change was planned.
	gone map[uint32]bool
}

// errStale is returned by publish if the archive has changed since the change was
// planned: another process was faster, and segments that the change takes out or
// uses are gone. Planned again on a new snapshot, the change may succeed.
var errStale = errors.New("another process changed the archive meanwhile")

// staleTries is how often a change is planned in a row. Each failure means that
// another process published meanwhile. Some failures are normal if many processes
// write; this many mean that the plan never fits the catalogue, for example because
// its file was replaced by an older one.
const staleTries = 100

// retryStale calls f until it returns anything but errStale, at most staleTries
// times.
func retryStale(ctx context.Context, f func() error) error {
	for range staleTries {
		if err := f(); !errors.Is(err, errStale) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return fmt.Errorf("%w, %d times in a row: try again when fewer processes write to it; VERIFY tells whether it is damaged", errStale, staleTries)
}

// publish puts a change in force. The order of its steps matters, and each step is
// durable before the next: files in the writer's folder, files in their places, the
// new catalogue, CURRENT. Afterwards it removes the files that are out of force and
// that no snapshot uses. If it returns errStale, the archive is unchanged and the
// new files are deleted.
func (w *writer) publish(ctx context.Context, ch change) error {
	var x *indexInfo
	var moved []string
	if len(ch.in)+len(ch.again) > 0 {
		var err error
		if x, moved, err = w.moveIn(ch); err != nil {
			return err
		}
	}
	var gone *removalInfo
	if ch.gone != nil {
		var err error
		if gone, err = w.moveInRemoval(ctx, ch.gone); err != nil {
			return err
		}
		moved = append(moved, gone.file)
	}
	err := w.a.locked(ctx, func(disk.File) error {
		c, err := w.a.inForce()
		if err != nil {
			return err
		}
		next, err := c.apply(ch, x)
		if err != nil {
			return err
		}
		if gone != nil {
			if err := next.remove(ch.gone, gone); err != nil {
				return err
			}
		}
		if err := w.a.putCatalog(next); err != nil {
			return err
		}
		// A names file that nothing uses is not in force.
		kept := next.files()
		return w.a.removeAll(slices.DeleteFunc(moved, func(name string) bool { return slices.Contains(kept, name) }))
	})
	if errors.Is(err, errStale) {
		if err := w.a.removeAll(moved); err != nil {
			return err
		}
	}
	return err
}

// moveIn writes the index of new segments, and moves the segment files, the index
// and the names file to their places. It returns the index and the paths of all
// files.
func (w *writer) moveIn(ch change) (*indexInfo, []string, error) {
	in := slices.Clone(ch.in)
	for _, a := range ch.again {
		in = append(in, a.made)
	}
	name := indexName(in[0])
	index, tmp := filepath.Join(dirIndex, name), filepath.Join(w.dir, name)
	for _, m := range in {
		m.info.File = filepath.Join(dirPools, m.info.Pool, segment.FileName(m.info.ID, m.number))
		m.info.Index = index
	}
	if err := w.writeIndex(ch.index, tmp, in); err != nil {
		return nil, nil, err
	}
	x, err := describeIndex(tmp, index)
	if err != nil {
		return nil, nil, err
	}
	moves := [][2]string{{tmp, index}}
	for _, m := range in {
		moves = append(moves, [2]string{m.path, m.info.File})
	}
	if ch.names != nil {
		ch.names.info.name = strings.TrimSuffix(in[0].info.File, ".raw") + ".names"
		moves = append(moves, [2]string{ch.names.path, ch.names.info.name})
	}
	files := make([]string, len(moves))
	for i, m := range moves {
		files[i] = m[1]
	}
	return &x, files, w.a.moveIn(moves)
}

// indexName returns the name of the index file whose first segment is first.
func indexName(first made) string {
	return fmt.Sprintf("%06d.idx", max(first.info.ID, first.number))
}

// writeIndex adds those of the segments to an index that it lacks, and finishes it.
// If x is nil, it creates the index at tmp.
func (w *writer) writeIndex(x *segment.IndexBuilder, tmp string, in []made) (err error) {
	if x == nil {
		if x, err = segment.NewIndexBuilder(w.a.opts.Disk, tmp); err != nil {
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
func (w *writer) moveInRemoval(ctx context.Context, r *removal) (*removalInfo, error) {
	number, err := w.allocate(ctx, 1)
	if err != nil {
		return nil, err
	}
	info := &removalInfo{file: removedFile(number)}
	tmp := filepath.Join(w.dir, filepath.Base(info.file))
	b := r.encode()
	if err := disk.WriteFile(w.a.opts.Disk, tmp, b); err != nil {
		return nil, err
	}
	info.bytes, info.crc = int64(len(b)), lines.Sum(b)
	return info, w.a.moveIn([][2]string{{tmp, info.file}})
}

// inForce loads the current catalogue; an empty one if there is none yet. The
// caller holds the archive's lock, so it stays current.
func (a *Archive) inForce() (*catalog, error) {
	n, err := readCurrent(a.dir)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return &catalog{}, nil
	}
	return loadCatalog(a.dir, n)
}

// apply returns the next generation: c without the segments that go out, and with
// those that come in and their index file x. It returns errStale if a segment that
// goes out is not in force, or if a segment would use something that is not.
func (c *catalog) apply(ch change, x *indexInfo) (*catalog, error) {
	next := &catalog{generation: c.generation + 1, id: c.id}
	if c.copied || c.id == "" {
		next.id = newID() // from now on it is an archive of its own, no longer a copy
	}
	out := make(map[uint32]bool, len(ch.out))
	for _, s := range ch.out {
		out[s.ID] = true
	}
	anew := make(map[uint32]again, len(ch.again))
	for _, a := range ch.again {
		anew[a.old.ID] = a
	}
	for _, s := range c.segments {
		if a, ok := anew[s.ID]; ok && a.old.File == s.File {
			a.info.Born, a.info.Seen, a.info.Apart, a.info.Fresh, a.info.Follows = s.Born, s.Seen, s.Apart, s.Fresh, s.Follows
			s = a.info
			delete(anew, s.ID)
		}
		if !out[s.ID] {
			next.segments = append(next.segments, s)
		}
		delete(out, s.ID)
	}
	if len(out)+len(anew) > 0 {
		return nil, errStale
	}
	for _, r := range c.removals {
		kept := r
		kept.segments = nil
		for _, id := range r.segments {
			switch {
			case !slices.ContainsFunc(ch.out, func(s *segment.Info) bool { return s.ID == id }):
				kept.segments = append(kept.segments, id)
			case r.generation > ch.seen && len(ch.in) > 0:
				return nil, errStale // captures that were deleted meanwhile would come back
			}
		}
		next.removals = append(next.removals, kept)
	}
	born, apart := next.generation, ch.seen
	if len(ch.out) > 0 {
		born = next.bornOf(ch.out)
		for _, s := range ch.out {
			apart = min(apart, s.Apart) // duplicates between two segments remain
		}
		c.sumFresh(ch)
	}
	for _, m := range ch.in {
		m.info.Born, m.info.Seen, m.info.Apart = born, ch.seen, apart
		if ch.seen == c.generation {
			m.info.Seen = next.generation // no other generation came between
		}
		next.segments = append(next.segments, m.info)
	}
	next.static, next.parts = slices.Clone(c.static), slices.Clone(c.parts)
	for _, m := range ch.in {
		if c.isStatic(m.info.Pool) && m.info.Pool != ch.whole {
			return nil, errStale // the pool was sealed meanwhile
		}
		if ch.seal {
			next.static = append(next.static, m.info.Pool)
		}
	}
	if err := next.divide(c, ch); err != nil {
		return nil, err
	}
	next.indexes, next.names = slices.Clone(c.indexes), slices.Clone(c.names)
	if x != nil {
		next.indexes = append(next.indexes, *x)
	}
	if ch.names != nil {
		next.names = append(next.names, ch.names.info)
	}
	next.tidy()
	return next, next.whole(c, ch)
}

// sumFresh sets Fresh and Follows of the merged segments of ch. If their pool has
// no other segments, Fresh is all their URLs; otherwise it is the sum over the
// segments that were merged.
func (c *catalog) sumFresh(ch change) {
	out := make(map[uint32]bool, len(ch.out))
	follows := true
	for _, s := range ch.out {
		out[s.ID] = true
		follows = follows && s.Follows
	}
	fresh := int64(0)
	for i, s := range ch.out {
		hides := slices.ContainsFunc(c.removals, func(r removalInfo) bool { return slices.Contains(r.segments, s.ID) })
		mixed := slices.ContainsFunc(ch.out[:i], func(o *segment.Info) bool { return !s.IsApart(o) })
		if s.Fresh == segment.FreshUnknown || fresh == segment.FreshUnknown || hides || mixed {
			fresh = segment.FreshUnknown
			continue
		}
		fresh += s.Fresh
	}
	for _, m := range ch.in {
		m.info.Follows, m.info.Fresh = follows, fresh
		switch {
		case !slices.ContainsFunc(c.segments, func(s *segment.Info) bool { return s.Pool == m.info.Pool && !out[s.ID] }):
			m.info.Fresh = m.info.URLs
		case fresh > 0:
			fresh = 0 // the first of them counts for all
		}
	}
}

// divide sets the parts as the change says. It returns errStale if a capture that
// was added meanwhile would be in the wrong part, or if a new part's name is taken.
func (next *catalog) divide(c *catalog, ch change) error {
	if ch.whole != "" && len(c.poolSegments(ch.whole)) != len(ch.out) {
		return errStale
	}
	for _, p := range ch.parts {
		if p.pool != ch.whole && (c.freePart(monthOf(p.pool)) > p.pool) {
			return errStale // another part has the name
		}
	}
	next.setParts(ch.parts)
	next.dependOnParts(ch)
	next.tidyParts()
	for _, m := range ch.in {
		if m.info.Captures == 0 {
			continue
		}
		if !next.takes(m.info.Pool, m.info.FirstKey) || !next.takes(m.info.Pool, m.info.LastKey) {
			return errStale
		}
	}
	return nil
}

// tidy sorts a catalogue, and drops index files and names that its segments do not
// use.
func (next *catalog) tidy() {
	next.sort()
	next.tidyParts()
	next.indexes = next.inUse(next.indexes)
	slices.SortFunc(next.names, func(a, b namesInfo) int { return strings.Compare(a.name, b.name) })
	next.names = slices.CompactFunc(next.names, func(a, b namesInfo) bool { return a.name == b.name })
	next.dropNames()
	pools := next.poolNames()
	slices.Sort(next.static)
	next.static = slices.DeleteFunc(slices.Compact(next.static), func(p string) bool { return !slices.Contains(pools, p) })
}

// sort sorts the segments by pool and number.
func (c *catalog) sort() {
	slices.SortFunc(c.segments, func(a, b *segment.Info) int {
		return cmp.Or(strings.Compare(a.Pool, b.Pool), cmp.Compare(a.ID, b.ID))
	})
}

// indexFile returns what the catalogue says of the index file with this name.
func (c *catalog) indexFile(name string) indexInfo {
	i, _ := slices.BinarySearchFunc(c.indexes, name, func(x indexInfo, name string) int { return strings.Compare(x.name, name) })
	if i < len(c.indexes) && c.indexes[i].name == name {
		return c.indexes[i]
	}
	return indexInfo{name: name} // Unreachable unless the catalogue is wrong: no file matches this.
}

// inUse returns those index files that segments of c use, sorted by name.
func (c *catalog) inUse(files []indexInfo) []indexInfo {
	used := make(map[string]bool)
	for _, s := range c.segments {
		used[s.Index] = true
	}
	files = slices.DeleteFunc(files, func(i indexInfo) bool { return !used[i.name] })
	slices.SortFunc(files, func(a, b indexInfo) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(files, func(a, b indexInfo) bool { return a.name == b.name })
}

// bornOf returns the generation with which the captures of merged segments count as
// added: the last of theirs. Segments of one generation are assumed to know each
// other's captures. If a segment of next has that generation but does not know the
// captures, the merged segment counts as new.
func (next *catalog) bornOf(merged []*segment.Info) uint64 {
	born := uint64(0)
	for _, s := range merged {
		born = max(born, s.Born)
	}
	for _, s := range next.segments {
		if s.Born == born && s.Seen < born {
			return next.generation
		}
	}
	return born
}

// dropNames drops the names files that no segment uses, directly or through other
// names files.
func (next *catalog) dropNames() {
	used := make(map[uint32]bool)
	for _, s := range next.segments {
		for _, id := range s.Uses {
			used[id] = true
		}
	}
	by := make(map[uint32]*namesInfo)
	for i := range next.names {
		for _, id := range next.names[i].of {
			by[id] = &next.names[i]
		}
	}
	kept := make(map[*namesInfo]bool)
	for waiting := slices.Collect(maps.Keys(used)); len(waiting) > 0; waiting = waiting[1:] {
		if n := by[waiting[0]]; n != nil && !kept[n] {
			kept[n] = true
			waiting = append(waiting, n.to...)
		}
	}
	var names []namesInfo
	for i := range next.names {
		if kept[&next.names[i]] {
			names = append(names, next.names[i])
		}
	}
	next.names = names
}

// remove adds a removal to a generation that is about to come into force. It
// returns errStale if the generation lacks a segment whose captures are to be
// hidden, or still has captures of a dropped pool.
func (next *catalog) remove(r *removal, info *removalInfo) error {
	have := next.holdings()
	info.generation = next.generation
	for id := range r.hidden {
		if !have.segments[id] {
			return errStale
		}
		info.segments = append(info.segments, id)
	}
	slices.Sort(info.segments)
	if r.drop && have.pools[r.pools[0]] {
		return errStale
	}
	next.removals = append(next.removals, *info)
	return nil
}

// whole returns errStale if a segment of next uses something that next does not
// have. What a segment already lacked in c, the generation before, is no fault of
// the change.
func (next *catalog) whole(c *catalog, ch change) error {
	before, after := c.holdings(), next.holdings()
	for _, m := range ch.in {
		for _, id := range m.info.Uses {
			if ch.on.has(id) && !next.has(id) {
				return errStale // merged meanwhile, without the blocks that nothing seemed to use
			}
		}
	}
	for _, s := range next.segments {
		old := before.segments[s.ID]
		for _, id := range s.Uses {
			if !after.segments[id] && (!old || before.segments[id]) {
				return errStale
			}
			if ch.names != nil && ch.names.gone[id] && s.Born > ch.seen {
				return errStale // it may use blocks that nothing seemed to use
			}
		}
		for _, pool := range s.Depends {
			if !after.pools[pool] && (!old || before.pools[pool]) {
				return errStale
			}
		}
	}
	return nil
}

// has reports whether a segment is in force itself, not merged into another.
func (c *catalog) has(id uint32) bool {
	return slices.ContainsFunc(c.segments, func(s *segment.Info) bool { return s.ID == id })
}

// holdings are the segments and pools of a catalogue that other segments may use.
// Segments that names files replace count too.
type holdings struct {
	segments map[uint32]bool
	pools    map[string]bool
}

func (c *catalog) holdings() holdings {
	h := holdings{make(map[uint32]bool, len(c.segments)), make(map[string]bool)}
	for _, s := range c.segments {
		h.segments[s.ID], h.pools[s.Pool] = true, true
	}
	for _, n := range c.names {
		for _, id := range n.of {
			h.segments[id] = true
		}
	}
	return h
}

// sweepGenerations removes older generations that no reader pins, and the files
// that only these name. A file that is out of force never comes back. A generation
// newer than the current one is left by a killed writer, and the next writer
// overwrites it; or CURRENT is damaged. The caller holds the archive's lock.
func (a *Archive) sweepGenerations() error {
	current, err := readCurrent(a.dir)
	if err != nil {
		return err
	}
	numbers, err := a.generations()
	if err != nil {
		return err
	}
	var files *fileUse // loaded if there is something to remove
	for _, n := range numbers {
		if n >= current {
			continue
		}
		name := filepath.Join(a.dir, catalogName(n))
		f, err := os.Open(name)
		if err != nil {
			continue // another process was faster
		}
		free, err := disk.TryExclusive(f)
		if err == nil && free {
			if files == nil {
				files = a.fileUse(numbers)
			}
			// The files first. If the process were killed after it had removed the
			// generation, nothing would name the files any more.
			if err = a.removeAll(files.only(n)); err == nil {
				err = a.opts.Disk.Remove(name)
			}
		}
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// generations returns the numbers of the catalogue files that exist, ascending.
func (a *Archive) generations() ([]uint64, error) {
	entries, err := os.ReadDir(filepath.Join(a.dir, dirCatalog))
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

// removeAll removes files of the archive. A file that does not exist is no error.
func (a *Archive) removeAll(names []string) error {
	for _, name := range names {
		if err := a.opts.Disk.Remove(filepath.Join(a.dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// fileUse counts how many generations name each file.
type fileUse struct {
	names map[uint64][]string
	users map[string]int
	// unknown is set if a generation cannot be read: it may name any file.
	unknown bool
}

func (a *Archive) fileUse(generations []uint64) *fileUse {
	u := &fileUse{names: make(map[uint64][]string), users: make(map[string]int)}
	for _, n := range generations {
		c, err := loadCatalog(a.dir, n)
		if err != nil {
			u.unknown = true
			continue
		}
		u.names[n] = c.files()
		for _, name := range u.names[n] {
			u.users[name]++
		}
	}
	return u
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

// only removes a generation from the counts, and returns the files that no other
// generation names.
func (u *fileUse) only(generation uint64) (out []string) {
	for _, name := range u.names[generation] {
		if u.users[name]--; u.users[name] == 0 && !u.unknown {
			out = append(out, name)
		}
	}
	return out
}

// files returns the paths of all files that the catalogue names.
func (c *catalog) files() []string {
	out := make([]string, 0, len(c.segments)+len(c.indexes))
	for _, s := range c.segments {
		out = append(out, s.File)
	}
	for _, x := range c.indexes {
		out = append(out, x.name)
	}
	for _, r := range c.removals {
		out = append(out, r.file)
	}
	for _, n := range c.names {
		out = append(out, n.name)
	}
	return out
}
