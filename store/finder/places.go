package finder

import (
	"cmp"
	"slices"
	"sync"
	"unsafe"

	"infomall/store/memo"
	"infomall/store/search/index"
	"infomall/store/segment"
)

// leafPlaces finds where the leaves of pages are stored. Each goroutine needs one of its own.
type leafPlaces struct {
	of     *Finder
	leaves []segment.Span
	metas  []*readMeta // the last results of metaOf, see there
	single bool        // metaOf remembers its result for one run only
	kept   int64       // the bytes of the leaves that at has put into the cache or found there
}

// metasMost is the number of runs for which metaOf remembers its result. Captures that are
// stored together have their bodies in a few runs.
const metasMost = 8

// now returns the spans in which the leaves of a body with this recipe are stored now.
// ok is false if a leaf is no longer stored.
func (l *leafPlaces) now(recipe *segment.Recipe) (_ []segment.Span, ok bool) {
	spans, err := l.of.Runs.Spans(*recipe)
	if err != nil {
		return nil, false
	}
	l.leaves = appendLeaves(l.leaves[:0], spans, recipe.Layout)
	return l.leaves, true
}

// leavesKey is the key, in the cache Finder.kept, of the result of leafPlaces.at. It has the
// generation of the catalogue, because leaves may be elsewhere in another generation.
type leavesKey struct {
	archive    string // ID of the archive
	generation uint64
	at         index.Holder
}

// at returns the leaves of the body that the entry at this place stores. It
// returns nil if they are not known, for example because a leaf is no longer stored. The
// result is valid until the next call.
//
// at keeps leaves in the cache only as long as those of this search take at most a
// quarter of it. The leaves of a million pages would push each other out before the next
// search could use them, and would push out the pages of indexes too.
func (l *leafPlaces) at(place index.Holder) []segment.Span {
	keep := l.kept < l.of.kept.Room()
	key := leavesKey{l.of.Pin.Catalog.ID, l.of.Pin.Catalog.Generation, place}
	if keep {
		if known, ok := memo.Get[[]segment.Span](l.of.kept, key); ok {
			l.kept += leavesBytes(known) + memo.ItemBytes
			return known
		}
	}
	meta := l.metaOf(place.RunRef)
	if meta == nil {
		return nil
	}
	recipe, own, err := meta.Recipe(place.N)
	if err != nil || !own {
		return nil
	}
	leaves, ok := l.now(&recipe)
	if !ok {
		return nil
	}
	if !keep {
		return leaves
	}
	leaves = append(make([]segment.Span, 0, len(leaves)), leaves...)
	l.of.kept.Put(key, leaves, leavesBytes(leaves))
	l.kept += leavesBytes(leaves) + memo.ItemBytes
	return leaves
}

// leavesBytes returns the bytes of memory that a list of spans takes.
func leavesBytes(spans []segment.Span) int64 {
	return int64(len(spans)) * int64(unsafe.Sizeof(segment.Span{}))
}

// readMeta is the result of metaOf for a run.
type readMeta struct {
	run    segment.RunRef
	meta   *segment.Meta // nil if the run cannot be read
	memory segment.RunMemory
}

// metaOf returns the meta of a run (its entries without bodies), or nil if it cannot be read. The
// result is valid until the next call.
//
// metaOf uses the memory of the result that it has not returned for longest. With new memory for
// each run, the pages of a common word touched 17 MB more, and a search took a tenth more CPU time.
func (l *leafPlaces) metaOf(run segment.RunRef) *segment.Meta {
	at := slices.IndexFunc(l.metas, func(m *readMeta) bool { return m.run == run })
	var m *readMeta
	if at >= 0 {
		m = l.metas[at]
	} else {
		if len(l.metas) == 0 || len(l.metas) < metasMost && !l.single {
			l.metas = append(l.metas, new(readMeta))
		}
		at = len(l.metas) - 1
		m = l.metas[at]
		m.run, m.meta = run, nil
		if s := l.of.Runs.Segment(run.Segment); s != nil {
			m.meta, _ = l.of.Runs.CachedMeta(s, run.Run, &m.memory) // the page is read, and its reader meets the error
		}
	}
	copy(l.metas[1:at+1], l.metas[:at])
	l.metas[0] = m
	return m.meta
}

// keepAllMost is the greatest number of places for which keepAll does something. The leaves of more
// pages may not fit into the cache, and would then be looked up twice.
const keepAllMost = 256

// keepAll calls at for each of these places, in two goroutines. It looks at one run after the other.
func (l *leafPlaces) keepAll(places []index.Holder) {
	if len(places) < 2 || len(places) > keepAllMost {
		return
	}
	slices.SortFunc(places, func(a, b index.Holder) int {
		return cmp.Or(cmp.Compare(a.Segment, b.Segment), cmp.Compare(a.Run, b.Run), cmp.Compare(a.N, b.N))
	})
	half := len(places) / 2
	for half < len(places)-1 && places[half].RunRef == places[half-1].RunRef {
		half++
	}
	var wait sync.WaitGroup
	var parts [2]leafPlaces
	for i, part := range [2][]index.Holder{places[:half], places[half:]} {
		parts[i] = leafPlaces{of: l.of, single: true, kept: l.kept}
		wait.Go(func() {
			for _, p := range part {
				parts[i].at(p)
			}
		})
	}
	wait.Wait()
}
