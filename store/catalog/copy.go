package catalog

import (
	"fmt"
	"path/filepath"
	"slices"

	"infomall/store/record/task"
	"infomall/store/segment"
)

// FilesOnlyOf counts the db-files and index files that only the given segments of c use. bytes is
// the size of these files together.
func (c *Catalog) FilesOnlyOf(segments []*segment.Info) (files int, bytes int64) {
	others := make(map[string]bool)
	for _, s := range c.Segments {
		if !slices.Contains(segments, s) {
			others[s.Index] = true
		}
	}
	own := make(map[string]bool)
	for _, s := range segments {
		files, bytes = files+1, bytes+s.Bytes
		own[s.Index] = !others[s.Index]
	}
	for _, x := range c.Indexes {
		if own[x.Name] {
			files, bytes = files+1, bytes+x.Bytes
		}
	}
	return files, bytes
}

// Pool is a pool with its segments and all files that a copy of the pool needs.
type Pool struct {
	Name     string
	Segments []*segment.Info
	Files    []File
}

// File is a file named by the catalogue, with its size and its crc32c.
type File struct {
	Name  string // path relative to the archive
	Bytes int64
	CRC   uint32
}

// Pools returns the pools with these names, and the pools on which they depend,
// sorted by name. If names is nil, it returns all pools. If there is no pool with
// one of the names, the error is a *task.NoPoolError.
func (c *Catalog) Pools(names []string) ([]Pool, error) {
	all := make(map[string][]*segment.Info)
	for _, s := range c.Segments {
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
	indexes := make(map[string]IndexFile, len(c.Indexes))
	for _, x := range c.Indexes {
		indexes[x.Name] = x
	}
	var out []Pool
	for _, name := range there {
		if !chosen[name] {
			continue
		}
		p := Pool{Name: name, Segments: all[name]}
		for _, s := range p.Segments {
			p.Files = append(p.Files, File{s.File, s.Bytes, s.CRC})
			if x, ok := indexes[s.Index]; ok {
				p.Files = append(p.Files, File(x))
				delete(indexes, s.Index)
			}
		}
		for _, n := range c.Names {
			if filepath.Base(filepath.Dir(n.Name)) == name {
				p.Files = append(p.Files, File{n.Name, n.Bytes, n.CRC})
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// CommonFiles returns the files that belong to no single pool: those of the removals
// (each DELETE or DROP), and the block-list.
func (c *Catalog) CommonFiles() []File {
	var out []File
	for _, r := range c.Removals {
		out = append(out, File{r.Name, r.Bytes, r.CRC})
	}
	if c.Blocked.Name != "" {
		out = append(out, c.Blocked)
	}
	return out
}

// CheckCopyOf returns an error if c cannot be the catalogue of a copy of original, because c has a
// segment, removal or block-list that original does not have. It always accepts a catalogue that
// is marked as a copy of original: that may be a copy of an earlier state, and have things that
// original no longer has.
func (c *Catalog) CheckCopyOf(original *Catalog) error {
	if c.Copied && c.ID != "" && c.ID == original.ID {
		return nil
	}
	has := original.byID()
	for _, s := range c.Segments {
		if o := has[s.ID]; o == nil || o.CRC != s.CRC || o.File != s.File {
			return fmt.Errorf("%s in that folder does not belong to this archive and would be lost: choose another folder", s.File)
		}
	}
	for _, f := range c.CommonFiles() {
		if !slices.Contains(original.CommonFiles(), f) {
			return fmt.Errorf("captures were removed or blocked in that copy and not in this archive, and copying would undo that: choose another folder")
		}
	}
	return nil
}

// Outdated returns the names of the pools that were merged or rewritten in the
// original after they were copied. c is the catalogue of the copy.
func (c *Catalog) Outdated(original *Catalog) []string {
	has, pools := original.byID(), original.Holdings().Pools
	var out []string
	for _, s := range c.Segments {
		if o := has[s.ID]; (o == nil || o.File != s.File) && pools[s.Pool] {
			out = append(out, s.Pool)
		}
	}
	return slices.Compact(out)
}

// AddPools returns the next catalogue of a copy of the archive. c is the catalogue of
// the original, and the parameter there is the present catalogue of the copy. The
// result has the given pools as c has them, and all other pools as there has them.
func (c *Catalog) AddPools(there *Catalog, pools []Pool) *Catalog {
	copied := make(map[string]bool, len(pools))
	for _, p := range pools {
		copied[p.Name] = true
	}
	// Segments refer to the original's generations, so the copy continues to count
	// from there.
	next := &Catalog{Generation: max(there.Generation+1, c.Generation), ID: c.ID, Copied: true, Removals: c.Removals, Blocked: c.Blocked}
	for _, s := range there.Segments {
		if !copied[s.Pool] {
			kept := *s
			kept.Lasting = c.lasts(s)
			next.Segments = append(next.Segments, &kept)
		}
	}
	for _, s := range c.Segments {
		if copied[s.Pool] {
			next.Segments = append(next.Segments, s)
		}
	}
	next.Indexes = append(slices.Clone(there.Indexes), c.Indexes...)
	next.Names = append(slices.Clone(there.Names), c.Names...)
	for _, pool := range c.Static {
		if copied[pool] {
			next.Static = append(next.Static, pool)
		}
	}
	for _, p := range c.Parts {
		if copied[p.Pool] {
			next.Parts = append(next.Parts, p)
		}
	}
	for _, p := range there.Parts {
		if !copied[p.Pool] {
			next.Parts = append(next.Parts, p)
		}
	}
	for _, pool := range there.Static {
		if !copied[pool] {
			next.Static = append(next.Static, pool)
		}
	}
	next.tidy()
	return next
}

// lasts returns the field Lasting of s, a segment of an older copy of the archive c. Segments that the
// archive has got since may have changed which captures of s begin a version.
func (c *Catalog) lasts(s *segment.Info) bool {
	for _, o := range c.Segments {
		if o.ID == s.ID && o.File == s.File {
			return o.Lasting
		}
	}
	return s.Lasting && !slices.ContainsFunc(c.Segments, func(o *segment.Info) bool { return o.MayChange(s) })
}

// Complete returns those of the given pools that can be used without any other pool. It leaves
// out each pool that depends on a pool which is not given or which it leaves out.
func Complete(pools []Pool) []Pool {
	for {
		has := make(map[string]bool, len(pools))
		for _, p := range pools {
			has[p.Name] = true
		}
		kept := slices.DeleteFunc(slices.Clone(pools), func(p Pool) bool {
			return slices.ContainsFunc(p.Segments, func(s *segment.Info) bool {
				return slices.ContainsFunc(s.Depends, func(d string) bool { return !has[d] })
			})
		})
		if len(kept) == len(pools) {
			return kept
		}
		pools = kept
	}
}
