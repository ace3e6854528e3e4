package store

import (
	"fmt"
	"path/filepath"
	"slices"

	"infomall/store/record/task"
	"infomall/store/segment"
)

// alone returns the number of the files that only the given segments need, and
// their bytes.
func (c *catalog) alone(segments []*segment.Info) (files int, bytes int64) {
	others := make(map[string]bool)
	for _, s := range c.segments {
		if !slices.Contains(segments, s) {
			others[s.Index] = true
		}
	}
	own := make(map[string]bool)
	for _, s := range segments {
		files, bytes = files+1, bytes+s.Bytes
		own[s.Index] = !others[s.Index]
	}
	for _, x := range c.indexes {
		if own[x.name] {
			files, bytes = files+1, bytes+x.bytes
		}
	}
	return files, bytes
}

// poolCopy is a pool that is being copied.
type poolCopy struct {
	name     string
	segments []*segment.Info
	files    []copyFile
}

// copyFile is a file that is being copied.
type copyFile struct {
	name  string // path relative to the archive
	bytes int64
	crc   uint32
}

// poolsToCopy returns the named pools, or all, together with the pools they depend
// on, sorted by name.
func (c *catalog) poolsToCopy(names []string) ([]poolCopy, error) {
	all := make(map[string][]*segment.Info)
	for _, s := range c.segments {
		all[s.Pool] = append(all[s.Pool], s)
	}
	there := make([]string, 0, len(all))
	for name := range all {
		there = append(there, name)
	}
	slices.Sort(there)
	if names == nil {
		names = there
	}
	chosen := make(map[string]bool)
	for waiting := slices.Clone(names); len(waiting) > 0; waiting = waiting[1:] {
		name := waiting[0]
		if chosen[name] {
			continue
		}
		if all[name] == nil {
			return nil, &task.NoPoolError{Name: name, Pools: there}
		}
		chosen[name] = true
		for _, s := range all[name] {
			waiting = append(waiting, s.Depends...)
		}
	}
	indexes := make(map[string]indexInfo, len(c.indexes))
	for _, x := range c.indexes {
		indexes[x.name] = x
	}
	var out []poolCopy
	for _, name := range there {
		if !chosen[name] {
			continue
		}
		p := poolCopy{name: name, segments: all[name]}
		for _, s := range p.segments {
			p.files = append(p.files, copyFile{s.File, s.Bytes, s.CRC})
			if x, ok := indexes[s.Index]; ok {
				p.files = append(p.files, copyFile(x))
				delete(indexes, s.Index)
			}
		}
		for _, n := range c.names {
			if filepath.Base(filepath.Dir(n.name)) == name {
				p.files = append(p.files, copyFile{n.name, n.bytes, n.crc})
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// removalFiles returns the files of removals. They belong to no single pool.
func (c *catalog) removalFiles() []copyFile {
	var out []copyFile
	for _, r := range c.removals {
		out = append(out, copyFile{r.file, r.bytes, r.crc})
	}
	return out
}

// copyOf returns an error if c, the catalogue of a copy, has something that the
// original never had. A copy of an earlier state may have things that the original
// no longer has.
func (c *catalog) copyOf(original *catalog) error {
	if c.copied && c.id != "" && c.id == original.id {
		return nil
	}
	has := original.byID()
	for _, s := range c.segments {
		if o := has[s.ID]; o == nil || o.CRC != s.CRC || o.File != s.File {
			return fmt.Errorf("%s there is not of this archive, and would be lost: choose another folder", s.File)
		}
	}
	for _, f := range c.removalFiles() {
		if !slices.Contains(original.removalFiles(), f) {
			return fmt.Errorf("captures were removed there that are in this archive, and would come back: choose another folder")
		}
	}
	return nil
}

// outdated returns the pools of a copy that the original now has in another form,
// because segments were merged or rewritten.
func (c *catalog) outdated(original *catalog) []string {
	has, pools := original.byID(), original.holdings().pools
	var out []string
	for _, s := range c.segments {
		if o := has[s.ID]; (o == nil || o.File != s.File) && pools[s.Pool] {
			out = append(out, s.Pool)
		}
	}
	return slices.Compact(out)
}

// part returns the catalogue of a copy that gets pools from c and keeps what it has
// of other pools.
func (c *catalog) part(there *catalog, pools []poolCopy) *catalog {
	copied := make(map[string]bool, len(pools))
	for _, p := range pools {
		copied[p.name] = true
	}
	// Segments refer to the original's generations, so the copy continues to count
	// from there.
	next := &catalog{generation: max(there.generation+1, c.generation), id: c.id, copied: true, removals: c.removals}
	for _, s := range there.segments {
		if !copied[s.Pool] {
			next.segments = append(next.segments, s)
		}
	}
	for _, s := range c.segments {
		if copied[s.Pool] {
			next.segments = append(next.segments, s)
		}
	}
	next.indexes = append(slices.Clone(there.indexes), c.indexes...)
	next.names = append(slices.Clone(there.names), c.names...)
	for _, pool := range c.static {
		if copied[pool] {
			next.static = append(next.static, pool)
		}
	}
	for _, p := range c.parts {
		if copied[p.pool] {
			next.parts = append(next.parts, p)
		}
	}
	for _, p := range there.parts {
		if !copied[p.pool] {
			next.parts = append(next.parts, p)
		}
	}
	for _, pool := range there.static {
		if !copied[pool] {
			next.static = append(next.static, pool)
		}
	}
	next.tidy()
	return next
}

// complete removes the pools that depend on a pool that is not among them.
func complete(pools []poolCopy) []poolCopy {
	for {
		has := make(map[string]bool, len(pools))
		for _, p := range pools {
			has[p.name] = true
		}
		kept := slices.DeleteFunc(slices.Clone(pools), func(p poolCopy) bool {
			return slices.ContainsFunc(p.segments, func(s *segment.Info) bool {
				return slices.ContainsFunc(s.Depends, func(d string) bool { return !has[d] })
			})
		})
		if len(kept) == len(pools) {
			return kept
		}
		pools = kept
	}
}
