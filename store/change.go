package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"infomall/store/disk"
	"infomall/store/segment"
)

// change is what one publication does to the archive. It comes into force
// whole or not at all.
type change struct {
	// out are segments in force that no longer are to be.
	out []*segment.Info
	// in are segments in the writer's folder that are to be in force.
	in []made
	// index, if not nil, is where some of these are in the index already. Whoever
	// publishes the change ends it.
	index *segment.IndexBuilder
	// again are segments that are in force in another form from then on.
	again []again
	// names, if not nil, tells where the blocks of out are in in.
	names *madeNames
	// seen is the newest generation whose captures the hints of in take into
	// account: that of the snapshot which the change was planned on.
	seen uint64
	// on is the catalogue of that snapshot.
	on *catalog
	// whole is a pool that out must be all of; "" is none.
	whole string
	// seal makes the pools of in static.
	seal bool
	// parts are what pools take from then on.
	parts []partInfo
	// depends tells of the segments that depend on whole which of its new parts
	// they depend on.
	depends map[uint32][]string
	// gone, if not nil, is what is removed: with out a pool, else captures.
	gone *removal
}

// madeNames is a file of names that lies complete and synced in the writer's
// folder.
type madeNames struct {
	info namesInfo
	path string
	// gone are the segments of which some blocks are nowhere, since nobody used
	// them when the change was planned.
	gone map[uint32]bool
}

// errStale is returned by publish when the archive is no longer as the change
// was planned on: what it takes out or uses is gone, as another process was
// faster. Planned anew on a new snapshot, it may succeed.
var errStale = errors.New("another process changed the archive meanwhile")

// staleTries is how often a change is planned in a row. Each try that fails means
// that another process published a change while this one was planned. With many
// processes at work some tries fail, but so many in a row mean that the plan never
// fits the catalogue, as when its file was replaced by an older one.
const staleTries = 100

// retryStale calls f until it does not return errStale, at most staleTries times.
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

// publish puts a change in force. Order matters, and each step is durable
// before the next: files under the writer's folder, files under their names,
// the new catalogue, CURRENT. What went out is then removed, as soon as no
// snapshot has it. On errStale the archive is as it was, and what was made is
// gone.
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
		// Names that nobody uses are not in force.
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

// moveIn writes the index of new segments and moves their files, and that of
// the names, to their places. It gives the index and what all are called.
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

// indexName is what the index file is called in which a segment comes first.
func indexName(first made) string {
	return fmt.Sprintf("%06d.idx", max(first.info.ID, first.number))
}

// writeIndex puts those of the segments into an index that are not in it, and
// ends it. With nil it makes it at tmp.
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
	info.bytes, info.crc = int64(len(b)), crc32.Checksum(b, castagnoli)
	return info, w.a.moveIn([][2]string{{tmp, info.file}})
}

// inForce loads the catalogue in force; an empty one if there is none yet. The
// archive's lock is held, so it stays in force.
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

// apply gives the next generation: c without what goes out, with what comes in
// and its index file x. It is errStale if something of what goes out is not in
// force, or if then a segment would use what is not.
func (c *catalog) apply(ch change, x *indexInfo) (*catalog, error) {
	next := &catalog{generation: c.generation + 1, id: c.id}
	if c.copied || c.id == "" {
		next.id = newID() // from now on it is an archive of its own
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
				return nil, errStale // what was deleted meanwhile would come back
			}
		}
		next.removals = append(next.removals, kept)
	}
	born, apart := next.generation, ch.seen
	if len(ch.out) > 0 {
		born = next.bornOf(ch.out)
		for _, s := range ch.out {
			apart = min(apart, s.Apart) // what was in two segments still is
		}
		c.sumFresh(ch)
	}
	for _, m := range ch.in {
		m.info.Born, m.info.Seen, m.info.Apart = born, ch.seen, apart
		if ch.seen == c.generation {
			m.info.Seen = next.generation // nothing came between
		}
		next.segments = append(next.segments, m.info)
	}
	next.static, next.parts = slices.Clone(c.static), slices.Clone(c.parts)
	for _, m := range ch.in {
		if c.isStatic(m.info.Pool) && m.info.Pool != ch.whole {
			return nil, errStale // it was sealed meanwhile
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

// sumFresh counts the fresh URLs of segments that others of c were merged into: all
// of theirs where their pool has no other segments, else as many as those that
// were merged had together.
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
			fresh = 0 // the first of them has it
		}
	}
}

// divide lets pools take what the change says. It is errStale if captures came
// in meanwhile that are not in the right one then, or were to go to another.
func (next *catalog) divide(c *catalog, ch change) error {
	if ch.whole != "" && len(c.poolSegments(ch.whole)) != len(ch.out) {
		return errStale
	}
	for _, p := range ch.parts {
		if p.pool != ch.whole && (c.freePart(monthOf(p.pool)) > p.pool) {
			return errStale // another has the name
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

// tidy puts a catalogue in order, and drops the index files and names that its
// segments have no use for.
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

// sort puts the segments in order of pool and number.
func (c *catalog) sort() {
	slices.SortFunc(c.segments, func(a, b *segment.Info) int {
		return cmp.Or(strings.Compare(a.Pool, b.Pool), cmp.Compare(a.ID, b.ID))
	})
}

// indexFile gives what c says of an index file.
func (c *catalog) indexFile(name string) indexInfo {
	i, _ := slices.BinarySearchFunc(c.indexes, name, func(x indexInfo, name string) int { return strings.Compare(x.name, name) })
	if i < len(c.indexes) && c.indexes[i].name == name {
		return c.indexes[i]
	}
	return indexInfo{name: name} // Unreachable unless the catalogue is wrong: no file is so.
}

// inUse gives the index files that segments of c have theirs in, in order of
// name.
func (c *catalog) inUse(files []indexInfo) []indexInfo {
	used := make(map[string]bool)
	for _, s := range c.segments {
		used[s.Index] = true
	}
	files = slices.DeleteFunc(files, func(i indexInfo) bool { return !used[i.name] })
	slices.SortFunc(files, func(a, b indexInfo) int { return strings.Compare(a.name, b.name) })
	return slices.CompactFunc(files, func(a, b indexInfo) bool { return a.name == b.name })
}

// bornOf gives the generation that captures of merged segments came in with:
// the last of theirs. next has what stays beside them, and segments of one
// generation are taken to know each other: where that would not be so with the
// merged one, it counts as new.
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

// dropNames drops the names that no segment uses, by itself or through other
// names.
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

// remove adds a removal to a generation that is about to come into force. It is
// errStale if captures are to be hidden that it does not have, or captures of a
// dropped pool are left.
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

// whole reports, as errStale, a segment of next that uses what next does not
// have. What a segment of c, the generation before it, lacked already is no
// fault of the change.
func (next *catalog) whole(c *catalog, ch change) error {
	before, after := c.holdings(), next.holdings()
	for _, m := range ch.in {
		for _, id := range m.info.Uses {
			if ch.on.has(id) && !next.has(id) {
				return errStale // merged meanwhile, without what seemed to be of no use
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
				return errStale // it may use what seemed to be of no use
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

// has reports whether a segment is in force, as it was written.
func (c *catalog) has(id uint32) bool {
	return slices.ContainsFunc(c.segments, func(s *segment.Info) bool { return s.ID == id })
}

// holdings is what a catalogue has that segments may use.
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

// sweepGenerations removes the generations before the one in force that no
// reader pins, and the files that none but these name: a published file that is
// out of force never comes back. A later generation is what a killed writer
// left, and is written over by the next; or else CURRENT is damaged. The
// archive's lock is held.
func (a *Archive) sweepGenerations() error {
	current, err := readCurrent(a.dir)
	if err != nil {
		return err
	}
	numbers, err := a.generations()
	if err != nil {
		return err
	}
	var files *fileUse // made when there is something to remove
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
			// The files first: were the generation removed and then the process
			// killed, nobody would know of them.
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

// generations lists the numbers of the catalogues that are there, sorted.
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

// removeAll removes files of the archive. What is gone already is no error.
func (a *Archive) removeAll(names []string) error {
	for _, name := range names {
		if err := a.opts.Disk.Remove(filepath.Join(a.dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// fileUse knows how many generations name each file.
type fileUse struct {
	names map[uint64][]string
	users map[string]int
	// unknown: a generation can't be read, and may name any file.
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

// inFolder reports whether a generation names a file in a folder.
func (u *fileUse) inFolder(dir string) bool {
	for name, users := range u.users {
		if users > 0 && filepath.Dir(name) == dir {
			return true
		}
	}
	return false
}

// only takes a generation away, and gives the files that none of the others
// names.
func (u *fileUse) only(generation uint64) (out []string) {
	for _, name := range u.names[generation] {
		if u.users[name]--; u.users[name] == 0 && !u.unknown {
			out = append(out, name)
		}
	}
	return out
}

// files lists the files that a generation names, each once.
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
