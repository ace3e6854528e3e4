package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
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
	// seen is the newest generation whose captures the hints of in take into
	// account: that of the snapshot which the change was planned on.
	seen uint64
	// gone, if not nil, is what is removed: with out a pool, else captures.
	gone *removal
}

// errStale is returned by publish when the archive is no longer as the change
// was planned on: what it takes out or uses is gone, as another process was
// faster. Planned anew on a new snapshot, it may succeed.
var errStale = errors.New("another process changed the archive meanwhile")

// publish puts a change in force. Order matters, and each step is durable
// before the next: files under the writer's folder, files under their names,
// the new catalogue, CURRENT. What went out is then removed, as soon as no
// snapshot has it. On errStale the archive is as it was, and what was made is
// gone.
func (w *writer) publish(ctx context.Context, ch change) error {
	var x *indexInfo
	var names []string
	if len(ch.in) > 0 {
		var err error
		if x, names, err = w.moveIn(ch.in); err != nil {
			return err
		}
	}
	var gone *removalInfo
	if ch.gone != nil {
		var err error
		if gone, err = w.moveInRemoval(ctx, ch.gone); err != nil {
			return err
		}
		names = append(names, gone.file)
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
		return w.a.putCatalog(next)
	})
	if errors.Is(err, errStale) {
		for _, name := range names {
			if err := w.a.opts.Disk.Remove(filepath.Join(w.a.dir, name)); err != nil {
				return err
			}
		}
	}
	return err
}

// moveIn writes the index of new segments and moves their files to their
// places. It gives the index and the names of all files.
func (w *writer) moveIn(in []made) (*indexInfo, []string, error) {
	infos := make([]*segment.Info, len(in))
	writers := make([]*segment.Writer, len(in))
	index := filepath.Join(dirIndex, fmt.Sprintf("%06d.idx", in[0].info.ID))
	for i, m := range in {
		infos[i], writers[i] = m.info, m.w
		m.info.File = filepath.Join(dirPools, m.info.Pool, fmt.Sprintf("%06d.raw", m.info.ID))
		m.info.Index = index
	}
	tmp := filepath.Join(w.dir, filepath.Base(index))
	if err := segment.WriteIndex(w.a.opts.Disk, tmp, infos, writers); err != nil {
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
	names := make([]string, len(moves))
	for i, m := range moves {
		names[i] = m[1]
	}
	return &x, names, w.a.moveIn(moves)
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
	next := &catalog{generation: c.generation + 1}
	out := make(map[uint32]bool, len(ch.out))
	for _, s := range ch.out {
		out[s.ID] = true
	}
	for _, s := range c.segments {
		if !out[s.ID] {
			next.segments = append(next.segments, s)
		}
		delete(out, s.ID)
	}
	if len(out) > 0 {
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
	for _, m := range ch.in {
		m.info.Born, m.info.Seen = next.generation, ch.seen
		if ch.seen == c.generation {
			m.info.Seen = next.generation // nothing came between
		}
		next.segments = append(next.segments, m.info)
	}
	next.sort()
	files := slices.Clone(c.indexes)
	if x != nil {
		files = append(files, *x)
	}
	next.indexes = next.inUse(files)
	return next, next.whole(c)
}

// sort puts the segments in order of pool and number.
func (c *catalog) sort() {
	slices.SortFunc(c.segments, func(a, b *segment.Info) int {
		return cmp.Or(strings.Compare(a.Pool, b.Pool), cmp.Compare(a.ID, b.ID))
	})
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
	return files
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
func (next *catalog) whole(c *catalog) error {
	before, after := c.holdings(), next.holdings()
	for _, s := range next.segments {
		old := before.segments[s.ID]
		for _, id := range s.Uses {
			if !after.segments[id] && (!old || before.segments[id]) {
				return errStale
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
	return out
}
