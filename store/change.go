package store

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"infomall/store/segment"
)

// change is what one publication does to the catalogue. All of it comes into force,
// or nothing.
type change struct {
	// out are the segments that go out of force.
	out []*segment.Info
	// in are new segments that come into force. apply sets their Born, Seen, Apart,
	// Fresh and Follows.
	in []*segment.Info
	// rewritten are segments in force that are replaced by another form of the same
	// captures and blocks.
	rewritten []rewritten
	// index, if not nil, is the index file of in and of the new forms.
	index *indexInfo
	// names, if not nil, is the file that says where in the segments in the blocks of
	// out are.
	names *namesInfo
	// dropped are the segments of out some of whose blocks were not stored again,
	// because nothing used them when the change was planned.
	dropped map[uint32]bool
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
}

// rewritten is a segment in force, and the new form that replaces it. Both have the
// same ID. apply sets Born, Seen, Apart, Fresh and Follows of the new form.
type rewritten struct {
	old, now *segment.Info
}

// errStale is returned by apply if the archive has changed since the change was
// planned: another process was faster, and segments that the change takes out or
// uses are gone. Planned again on a new snapshot, the change may succeed.
var errStale = errors.New("another process changed the archive meanwhile")

// apply returns the next generation: c without the segments that go out, and with
// those that come in and their index file. It returns errStale if a segment that
// goes out is not in force, or if a segment would use something that is not.
func (c *catalog) apply(ch change) (*catalog, error) {
	next := &catalog{generation: c.generation + 1, id: c.id}
	if c.copied || c.id == "" {
		next.id = newID() // from now on it is an archive of its own, no longer a copy
	}
	out := make(map[uint32]bool, len(ch.out))
	for _, s := range ch.out {
		out[s.ID] = true
	}
	anew := make(map[uint32]rewritten, len(ch.rewritten))
	for _, r := range ch.rewritten {
		anew[r.old.ID] = r
	}
	for _, s := range c.segments {
		if r, ok := anew[s.ID]; ok && r.old.File == s.File {
			r.now.Born, r.now.Seen, r.now.Apart, r.now.Fresh, r.now.Follows = s.Born, s.Seen, s.Apart, s.Fresh, s.Follows
			s = r.now
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
	for _, s := range ch.in {
		s.Born, s.Seen, s.Apart = born, ch.seen, apart
		if ch.seen == c.generation {
			s.Seen = next.generation // no other generation came between
		}
		next.segments = append(next.segments, s)
	}
	next.static, next.parts = slices.Clone(c.static), slices.Clone(c.parts)
	for _, s := range ch.in {
		if c.isStatic(s.Pool) && s.Pool != ch.whole {
			return nil, errStale // the pool was sealed meanwhile
		}
		if ch.seal {
			next.static = append(next.static, s.Pool)
		}
	}
	if err := next.divide(c, ch); err != nil {
		return nil, err
	}
	next.indexes, next.names = slices.Clone(c.indexes), slices.Clone(c.names)
	if ch.index != nil {
		next.indexes = append(next.indexes, *ch.index)
	}
	if ch.names != nil {
		next.names = append(next.names, *ch.names)
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
	for _, in := range ch.in {
		in.Follows, in.Fresh = follows, fresh
		switch {
		case !slices.ContainsFunc(c.segments, func(s *segment.Info) bool { return s.Pool == in.Pool && !out[s.ID] }):
			in.Fresh = in.URLs
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
	for _, s := range ch.in {
		if s.Captures > 0 && (!next.takes(s.Pool, s.FirstKey) || !next.takes(s.Pool, s.LastKey)) {
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
	for _, s := range ch.in {
		for _, id := range s.Uses {
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
			if ch.dropped[id] && s.Born > ch.seen {
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

// rebuild makes a catalogue of segments and files, without removals. Older
// catalogues say when a segment was born; segments that none of them names count as
// born one after the other, without knowing the captures of others. last is the
// number of the newest generation that there was.
func rebuild(segments []*segment.Info, indexes []indexInfo, names []namesInfo, older []*catalog, last uint64) *catalog {
	next := &catalog{generation: last, id: newID(), indexes: indexes, names: names}
	old := make(map[uint32]*segment.Info)
	for _, c := range older {
		for _, s := range c.segments {
			old[s.ID] = s
		}
		next.static = append(next.static, c.static...)
		next.setParts(c.parts)
	}
	for _, s := range segments {
		if o := old[s.ID]; o != nil && o.CRC == s.CRC {
			s.Born, s.Seen, s.Apart, s.Fresh, s.Follows = o.Born, o.Seen, o.Apart, o.Fresh, o.Follows
			next.generation = max(next.generation, o.Born, o.Seen)
		}
	}
	for _, s := range segments {
		if s.Born == 0 {
			next.generation++
			s.Born = next.generation
		}
		next.segments = append(next.segments, s)
		if s.Packed {
			next.static = append(next.static, s.Pool)
		}
	}
	next.generation++
	next.tidy()
	next.dependOnAllParts(old)
	return next
}

// reindexed returns the next generation: c with the indexes of infos, for those
// segments that are still in force.
func (c *catalog) reindexed(infos []*segment.Info, files []indexInfo) *catalog {
	next := &catalog{generation: c.generation + 1, id: c.id, copied: c.copied, names: c.names, static: c.static, parts: c.parts, removals: c.removals}
	indexed := make(map[uint32]*segment.Info, len(infos))
	for _, i := range infos {
		indexed[i.ID] = i
	}
	for _, s := range c.segments {
		if i := indexed[s.ID]; i != nil && i.CRC == s.CRC {
			again := *s
			again.Index, again.IndexBytes = i.Index, i.IndexBytes
			s = &again
		}
		next.segments = append(next.segments, s)
	}
	next.indexes = next.inUse(append(slices.Clone(c.indexes), files...))
	return next
}
