package catalog

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"infomall/store/record"
	"infomall/store/segment"
)

// Change is what one publication does to the catalogue. All of it comes into force,
// or nothing.
type Change struct {
	// Out are the segments that go out of force.
	Out []*segment.Info
	// In are new segments that come into force. Apply sets their fields Born, Seen, Apart,
	// Fresh, Follows and Lasting, and if Imports is set, AddedFirst and AddedLast.
	In []*segment.Info
	// Rewritten are segments in force that are replaced by another form of the same
	// captures and blocks.
	Rewritten []Rewritten
	// Index, if not nil, is the index file of the segments in In and of the new
	// forms in Rewritten.
	Index *IndexFile
	// Names, if not nil, is the names file of a merge: it says where in the segments
	// of In the blocks of the segments of Out are now.
	Names *NamesFile
	// Dropped has the numbers of those segments of Out that lost blocks: some of
	// their blocks were not stored again, because nothing used them when the change
	// was planned.
	Dropped map[uint32]bool
	// Seen is the generation of the snapshot on which the change was planned. The hints of
	// the segments in In take all captures of that generation into account, unless Alone is set.
	Seen uint64
	// On is the catalogue of that snapshot.
	On *Catalog
	// Alone is set if a merge has read no other segments than those in Out. The hints of the
	// segments in In then take only those captures into account that the hints of all segments
	// in Out do, and the captures in Out.
	Alone bool
	// Imports is set if In has captures that are new to the archive. The caller has checked
	// them against the block-list of the catalogue On.
	Imports bool
	// Now is the present time. It is needed only if Imports is set: Apply records it as the
	// time at which the captures of In were added. If it is not later than the time of the
	// previous publication, Apply records that time plus one millisecond.
	Now record.Time
	// Whole, if not "", is the name of a pool that is replaced as a whole. Out must then
	// have all segments of that pool.
	Whole string
	// Seal is set if the pools of In become static.
	Seal bool
	// Parts is set if the change splits the pool Whole. It says which URLs Whole and its
	// new parts take from now on.
	Parts []Part
	// Depends is used with Parts. It has, for the number of each segment that depends on
	// the pool Whole, the new parts of Whole from which the segment uses bodies.
	Depends map[uint32][]string
}

// Rewritten says that the segment Now replaces the segment Old, which is in force. Now is the new
// form of Old, with the same ID, captures and blocks. Apply copies the fields Born, Seen, Apart,
// Fresh, Follows, Lasting, AddedFirst and AddedLast from Old to Now.
type Rewritten struct {
	Old, Now *segment.Info
}

// ErrStale is returned by Apply if another process has published a change since the caller's
// change was planned, and the two do not fit together. For example, a segment that the caller's
// change takes out or uses is gone. The caller may plan the change again on a new snapshot.
var ErrStale = errors.New("another process changed the archive meanwhile")

// Apply returns the generation that follows c after the change ch: without the
// segments in ch.Out, and with the segments in ch.In and their index file. c stays
// unchanged. Apply returns ErrStale if a segment in ch.Out is not in force, if a
// segment would use something that is not in force, or if a change that was published
// after ch was planned does not fit together with ch.
func (c *Catalog) Apply(ch Change) (*Catalog, error) {
	next := &Catalog{Generation: c.Generation + 1, ID: c.ID, Blocked: c.Blocked}
	if c.Copied || c.ID == "" {
		next.ID = NewID() // from now on it is an archive of its own, no longer a copy
	}
	if ch.Imports && ch.On.Blocked != c.Blocked {
		return nil, ErrStale // a capture may be kept out now
	}
	out := make(map[uint32]bool, len(ch.Out))
	for _, s := range ch.Out {
		out[s.ID] = true
	}
	anew := make(map[uint32]Rewritten, len(ch.Rewritten))
	for _, r := range ch.Rewritten {
		anew[r.Old.ID] = r
	}
	lasting := true // of all segments that go out of force
	for _, s := range c.Segments {
		if r, ok := anew[s.ID]; ok && r.Old.File == s.File {
			r.Now.Born, r.Now.Seen, r.Now.Apart, r.Now.Fresh, r.Now.Follows = s.Born, s.Seen, s.Apart, s.Fresh, s.Follows
			r.Now.Lasting = s.Lasting
			r.Now.AddedFirst, r.Now.AddedLast = s.AddedFirst, s.AddedLast
			s = r.Now
			delete(anew, s.ID)
		}
		if !out[s.ID] {
			next.Segments = append(next.Segments, s)
		} else {
			lasting = lasting && s.Lasting
		}
		delete(out, s.ID)
	}
	if len(out)+len(anew) > 0 {
		return nil, ErrStale
	}
	for _, r := range c.Removals {
		kept := r
		kept.Segments = nil
		for _, id := range r.Segments {
			switch {
			case !slices.ContainsFunc(ch.Out, func(s *segment.Info) bool { return s.ID == id }):
				kept.Segments = append(kept.Segments, id)
			case r.Generation > ch.Seen && len(ch.In) > 0:
				return nil, ErrStale // captures that were deleted meanwhile would come back
			}
		}
		next.Removals = append(next.Removals, kept)
	}
	born, apart := next.Generation, ch.Seen
	if len(ch.Out) > 0 {
		born = bornOf(ch.Out)
		for _, s := range ch.Out {
			apart = min(apart, s.Apart) // duplicates between two segments remain
		}
		c.sumFresh(ch)
	}
	added := max(ch.Now, c.LastAdded()+1)
	for _, s := range ch.In {
		if ch.Imports {
			s.AddedFirst, s.AddedLast = added, added
		}
		s.Born, s.Seen, s.Apart = born, ch.Seen, apart
		if ch.Seen == c.Generation {
			s.Seen = next.Generation // no other generation came between
		}
		if ch.Alone {
			s.Seen = ch.Out[0].Seen
			for _, o := range ch.Out {
				s.Seen = min(s.Seen, o.Seen)
			}
		}
		next.Segments = append(next.Segments, s)
	}
	next.setLasting(ch, len(ch.Out) > 0 && lasting)
	next.Static, next.Parts = slices.Clone(c.Static), slices.Clone(c.Parts)
	for _, s := range ch.In {
		if c.IsStatic(s.Pool) && s.Pool != ch.Whole {
			return nil, ErrStale // the pool was sealed meanwhile
		}
		if ch.Seal {
			next.Static = append(next.Static, s.Pool)
		}
	}
	if err := next.divide(c, ch); err != nil {
		return nil, err
	}
	next.Indexes, next.Names = slices.Clone(c.Indexes), slices.Clone(c.Names)
	if ch.Index != nil {
		next.Indexes = append(next.Indexes, *ch.Index)
	}
	if ch.Names != nil {
		next.Names = append(next.Names, *ch.Names)
	}
	next.tidy()
	return next, next.Check(c, ch)
}

// setLasting sets the field Lasting of the segments of c, to which the change ch was applied. merged
// says that ch takes segments out of force and that all of these were Lasting: the segments in ch.In
// then are, too. A merge for which no statement asked does not read other segments, so that nothing
// else says this of its result.
func (c *Catalog) setLasting(ch Change, merged bool) {
	for i, s := range c.Segments {
		changes := func(o *segment.Info) bool { return o.MayChange(s) }
		if slices.Contains(ch.In, s) {
			s.Lasting = merged || !slices.ContainsFunc(c.Segments, changes)
		} else if ch.Imports && s.Lasting && slices.ContainsFunc(ch.In, changes) {
			changed := *s // catalogues of earlier generations have s
			changed.Lasting = false
			c.Segments[i] = &changed
		}
	}
}

// LastAdded returns the last time at which captures were added to the archive, or
// record.MinTime if c has no segment.
func (c *Catalog) LastAdded() record.Time {
	last := record.MinTime
	for _, s := range c.Segments {
		last = max(last, s.AddedLast)
	}
	return last
}

// sumFresh sets the fields Follows and Fresh of the segments in ch.In, into which the segments in
// ch.Out were merged. Fresh is the number of a segment's URLs that were new in its pool. If the
// pool has no segments besides those in ch.In, Fresh of each is the number of its URLs. Otherwise
// the first segment gets the sum of Fresh over ch.Out, and the others get 0. If that sum is not
// known, all get FreshUnknown.
func (c *Catalog) sumFresh(ch Change) {
	out := make(map[uint32]bool, len(ch.Out))
	follows := true
	for _, s := range ch.Out {
		out[s.ID] = true
		follows = follows && s.Follows
	}
	fresh := int64(0)
	for i, s := range ch.Out {
		hides := slices.ContainsFunc(c.Removals, func(r RemovalFile) bool { return slices.Contains(r.Segments, s.ID) })
		mixed := slices.ContainsFunc(ch.Out[:i], func(o *segment.Info) bool { return !s.IsApart(o) })
		if s.Fresh == segment.FreshUnknown || fresh == segment.FreshUnknown || hides || mixed {
			fresh = segment.FreshUnknown
			continue
		}
		fresh += s.Fresh
	}
	for _, in := range ch.In {
		in.Follows, in.Fresh = follows, fresh
		switch {
		case !slices.ContainsFunc(c.Segments, func(s *segment.Info) bool { return s.Pool == in.Pool && !out[s.ID] }):
			in.Fresh = in.URLs
		case fresh > 0:
			fresh = 0 // the first of them counts for all
		}
	}
}

// divide adds to next the parts into which the change ch splits a pool. c is the generation
// before next. The error is ErrStale if captures were added to the pool since ch was planned, if
// a new part has a name that is in use, or if a segment in ch.In has captures that its pool does
// not take.
func (next *Catalog) divide(c *Catalog, ch Change) error {
	if ch.Whole != "" && len(c.PoolSegments(ch.Whole)) != len(ch.Out) {
		return ErrStale
	}
	for _, p := range ch.Parts {
		if p.Pool != ch.Whole && (c.FreePart(MonthOf(p.Pool)) > p.Pool) {
			return ErrStale // another part has the name
		}
	}
	next.setParts(ch.Parts)
	next.dependOnParts(ch)
	next.tidyParts()
	for _, s := range ch.In {
		if s.Captures > 0 && (!next.Takes(s.Pool, s.FirstKey) || !next.Takes(s.Pool, s.LastKey)) {
			return ErrStale
		}
	}
	return nil
}

// tidy sorts the lists of a catalogue. It removes the entries of index files and names
// files that no segment uses, and of static pools and parts that no longer exist.
func (next *Catalog) tidy() {
	next.sort()
	next.tidyParts()
	next.Indexes = next.inUse(next.Indexes)
	slices.SortFunc(next.Names, func(a, b NamesFile) int { return strings.Compare(a.Name, b.Name) })
	next.Names = slices.CompactFunc(next.Names, func(a, b NamesFile) bool { return a.Name == b.Name })
	next.dropNames()
	pools := next.PoolNames()
	slices.Sort(next.Static)
	next.Static = slices.DeleteFunc(slices.Compact(next.Static), func(p string) bool { return !slices.Contains(pools, p) })
}

// bornOf returns the field Born for the segments into which the given segments were merged: the
// generation that counts as the first with their captures. It is the greatest Born of the merged
// segments.
func bornOf(merged []*segment.Info) uint64 {
	born := uint64(0)
	for _, s := range merged {
		born = max(born, s.Born)
	}
	return born
}

// dropNames removes from next the names files (which say where the blocks of merged
// segments are now) that no segment uses, directly or through other names files.
func (next *Catalog) dropNames() {
	used := make(map[uint32]bool)
	for _, s := range next.Segments {
		for _, id := range s.Uses {
			used[id] = true
		}
	}
	by := make(map[uint32]*NamesFile)
	for i := range next.Names {
		for _, id := range next.Names[i].Of {
			by[id] = &next.Names[i]
		}
	}
	kept := make(map[*NamesFile]bool)
	for waiting := slices.Collect(maps.Keys(used)); len(waiting) > 0; waiting = waiting[1:] {
		if n := by[waiting[0]]; n != nil && !kept[n] {
			kept[n] = true
			waiting = append(waiting, n.To...)
		}
	}
	var names []NamesFile
	for i := range next.Names {
		if kept[&next.Names[i]] {
			names = append(names, next.Names[i])
		}
	}
	next.Names = names
}

// AddRemoval adds the removal r (one DELETE or DROP) to next, a generation that is
// about to come into force. info is the catalogue's entry for the file of r;
// AddRemoval sets its Generation and Segments. It returns ErrStale if next lacks a
// segment with captures that r hides, or still has segments of a pool that r drops.
func (next *Catalog) AddRemoval(r *Removal, info *RemovalFile) error {
	have := next.Holdings()
	info.Generation = next.Generation
	for id := range r.Hidden {
		if !have.Segments[id] {
			return ErrStale
		}
		info.Segments = append(info.Segments, id)
	}
	slices.Sort(info.Segments)
	if r.Drop && have.Pools[r.Pools[0]] {
		return ErrStale
	}
	next.Removals = append(next.Removals, *info)
	return nil
}

// Check returns ErrStale if a segment of next uses a segment or a pool that next lacks. next is
// the generation that the change ch made from c. Check accepts that a segment or pool is missing
// if it was already missing in c, and a segment of c used it.
func (next *Catalog) Check(c *Catalog, ch Change) error {
	before, after := c.Holdings(), next.Holdings()
	for _, s := range ch.In {
		for _, id := range s.Uses {
			if ch.On.has(id) && !next.has(id) {
				return ErrStale // merged meanwhile, without the blocks that nothing seemed to use
			}
		}
	}
	for _, s := range next.Segments {
		old := before.Segments[s.ID]
		for _, id := range s.Uses {
			if !after.Segments[id] && (!old || before.Segments[id]) {
				return ErrStale
			}
			if ch.Dropped[id] && s.Born > ch.Seen {
				return ErrStale // it may use blocks that nothing seemed to use
			}
		}
		for _, pool := range s.Depends {
			if !after.Pools[pool] && (!old || before.Pools[pool]) {
				return ErrStale
			}
		}
	}
	return nil
}

// Rebuild makes a catalogue, without removals, from the segments and files that were found in
// the archive's folder. older are catalogues that can still be read. They say in which
// generation a segment came into force. A segment that none of them names counts as published
// alone, in a generation of its own. last is the number of the newest generation that existed;
// the result has a higher number.
func Rebuild(segments []*segment.Info, indexes []IndexFile, names []NamesFile, older []*Catalog, last uint64) *Catalog {
	next := &Catalog{Generation: last, ID: NewID(), Indexes: indexes, Names: names}
	old := make(map[uint32]*segment.Info)
	for _, c := range older {
		for _, s := range c.Segments {
			old[s.ID] = s
		}
		next.Static = append(next.Static, c.Static...)
		next.setParts(c.Parts)
	}
	for _, s := range segments {
		if o := old[s.ID]; o != nil && o.CRC == s.CRC {
			s.Born, s.Seen, s.Apart, s.Fresh, s.Follows = o.Born, o.Seen, o.Apart, o.Fresh, o.Follows
			s.AddedFirst, s.AddedLast = o.AddedFirst, o.AddedLast
			next.Generation = max(next.Generation, o.Born, o.Seen)
		}
	}
	for _, s := range segments {
		if s.Born == 0 {
			next.Generation++
			s.Born = next.Generation
		}
		next.Segments = append(next.Segments, s)
		if s.Packed {
			next.Static = append(next.Static, s.Pool)
		}
	}
	for _, s := range segments {
		s.Lasting = !slices.ContainsFunc(segments, func(o *segment.Info) bool { return o.MayChange(s) })
	}
	next.Generation++
	next.tidy()
	next.dependOnAllParts(old)
	return next
}

// WithIndexes returns the next generation: c with new indexes for the segments in
// infos. It ignores an element of infos whose segment is no longer in force. files are
// the index files that have the new indexes.
func (c *Catalog) WithIndexes(infos []*segment.Info, files []IndexFile) *Catalog {
	next := &Catalog{Generation: c.Generation + 1, ID: c.ID, Copied: c.Copied, Names: c.Names, Static: c.Static, Parts: c.Parts, Removals: c.Removals, Blocked: c.Blocked}
	indexed := make(map[uint32]*segment.Info, len(infos))
	for _, i := range infos {
		indexed[i.ID] = i
	}
	for _, s := range c.Segments {
		if i := indexed[s.ID]; i != nil && i.CRC == s.CRC {
			again := *s
			again.Index, again.IndexBytes, again.Brief = i.Index, i.IndexBytes, i.Brief
			s = &again
		}
		next.Segments = append(next.Segments, s)
	}
	next.Indexes = next.inUse(append(slices.Clone(c.Indexes), files...))
	return next
}
