package show

import (
	"context"
	"slices"

	"infomall/exec/relation"
	"infomall/store/block/blame"
	"infomall/store/block/divide"
	"infomall/store/block/life"
	"infomall/store/record"
	"infomall/store/search"
)

// storedBlame follows the text of a page by what the archive stores of its versions: the
// leaves, and the fold, which says which blocks of earlier versions the blocks continue. It
// reads only leaves that changed, and the bodies of pages that are not stored in leaves.
// For 600 versions of 28 KB this takes a quarter of the CPU time of reading and dividing
// all bodies.
type storedBlame struct {
	snap relation.Snapshot
	page blame.Page
	last storedVersion // the version that was added last
	// Memory that is used again.
	spare   storedVersion
	refs    []search.LeafRef
	at      []int
	stays   []bool            // of the leaves of the last version, whether the next has them
	place   map[life.Life]int // of the leaves of the last version; filled when first needed
	matches []life.Match
}

// storedVersion is one version as it is stored.
type storedVersion struct {
	capture // the first of the version
	fold    *life.Fold
	as      search.Reading
	leaves  []storedLeaf
	read    *life.Revision // the version as its body says; nil if the body was not read
}

// storedLeaf is a leaf of a version. block is its index in the tree of blocks. The LeafRef is
// zero if the body of the version was read.
type storedLeaf struct {
	search.LeafRef
	life  life.Life
	block int
}

// traceStored does what trace does, and reads as few bodies as it can. It returns nil if the
// fold of a version is missing or not valid, for example because a capture came late, or if
// the archive no longer has the body of a version.
func (b *blaming) traceStored(ctx context.Context, snap relation.Snapshot, to record.Time) (*traced, error) {
	if b.s.Settings().Division() != (divide.Options{}) {
		return nil, nil // the blocks are stored as by default
	}
	s := &storedBlame{snap: snap, page: blame.Page{Unit: b.unit()}, place: make(map[life.Life]int)}
	t := new(traced)
	seen := record.NoTime // when the page was captured last
	scan := b.asked.scan(to)
	scan.Columns |= record.ColBytes
	for batch, err := range snap.Scan(ctx, scan) {
		if err != nil {
			return nil, err
		}
		for i := range batch.N {
			t.asked = captureAt(batch, i)
			if seen == record.NoTime || batch.Change[i] != record.ChangeSame {
				if batch.Bytes[i] < 0 {
					return nil, nil
				}
				if ok, err := s.add(ctx, t.asked, batch.Key[i], seen); !ok {
					return nil, err
				}
			}
			seen = t.asked.time
		}
	}
	if s.last.fold == nil {
		return nil, nil
	}
	if t.revision = s.last.read; t.revision == nil {
		var err error
		if t.revision, err = s.body(ctx, &s.last); t.revision == nil || !s.last.fits(t.revision.Tree) {
			return nil, err
		}
	}
	t.leaves = s.page.Leaves()
	return t, nil
}

// body reads the body of the version v. It returns nil if v has no body, or if its fold is
// that of another page.
func (s *storedBlame) body(ctx context.Context, v *storedVersion) (*life.Revision, error) {
	p, err := s.snap.Payload(ctx, v.ref)
	if err != nil || p.NoBody != "" || p.Document != nil {
		return nil, err
	}
	version, err := versionOf(nil, v.capture, &p, divide.Options{})
	if err != nil {
		return nil, err
	}
	return new(life.History).Resume(version, v.fold), nil
}

// fits reports whether the leaves of v are the leaves of the tree t.
func (v *storedVersion) fits(t *divide.Tree) bool {
	return slices.EqualFunc(v.leaves, t.Cut(0), func(l storedLeaf, n int) bool { return l.block == n })
}

// add adds to s the version that begins with the capture c of the URL with this key. seen is when
// the page was captured before c. add returns false if what is stored does not suffice.
func (s *storedBlame) add(ctx context.Context, c capture, key string, seen record.Time) (bool, error) {
	v := storedVersion{capture: c, fold: s.spare.fold, leaves: s.spare.leaves[:0]}
	if v.fold == nil {
		v.fold = new(life.Fold)
	}
	if ok, err := s.read(ctx, &v, key); !ok {
		return false, err
	}
	var unread error
	s.page.Add(&blame.Version{
		Time: c.time, NotBefore: seen, Changes: s.changes(&v), Rereads: v.as != s.last.as,
		Text: func(block int) string {
			if v.read != nil {
				return v.read.Text(block)
			}
			i, _ := slices.BinarySearchFunc(v.leaves, block, func(l storedLeaf, block int) int { return l.block - block })
			text, err := s.snap.LeafText(v.leaves[i].LeafRef, v.as)
			if err != nil {
				unread = err
			}
			return text
		},
	})
	s.spare, s.last = s.last, v
	return unread == nil, ctx.Err()
}

// read reads what is stored of the version v. It returns false if v was not compared with the
// last version. Damage is not an error here: if all bodies are read, they report it.
func (s *storedBlame) read(ctx context.Context, v *storedVersion, key string) (bool, error) {
	kept, err := s.snap.Kept(ctx, v.ref)
	if err != nil || kept.Fold == nil {
		return false, ctx.Err()
	}
	previous := record.NoTime
	if s.last.fold != nil {
		previous = s.last.time
	}
	if v.fold.Read(kept.Fold, v.time) != nil || v.fold.Previous != previous {
		return false, nil
	}
	if knew, err := s.snap.Knew(ctx, v.ref, key, v.time); !knew || err != nil {
		return false, ctx.Err()
	}
	if v.kind != record.KindPage {
		return true, nil // it shows no block
	}
	if ok, err := s.takeLeaves(ctx, v); ok || err != nil {
		return ok, err
	}
	if v.read, _ = s.body(ctx, v); v.read == nil {
		return false, ctx.Err()
	}
	for _, n := range v.read.Tree.Cut(0) {
		v.leaves = append(v.leaves, storedLeaf{life: v.read.Life[n], block: n})
	}
	return true, nil
}

// takeLeaves sets v.leaves to the stored leaves of the version. It returns false if the
// version is not stored in leaves, or if its fold is that of another page.
func (s *storedBlame) takeLeaves(ctx context.Context, v *storedVersion) (ok bool, err error) {
	if s.refs, v.as, ok, err = s.snap.Leaves(ctx, s.refs[:0], v.ref); !ok || err != nil {
		return false, err
	}
	layout, err := s.snap.Layout(ctx, v.ref)
	if err != nil {
		return false, ctx.Err()
	}
	blocks := 2
	if s.at = append(s.at[:0], 1); layout != nil {
		s.at, blocks, err = divide.AppendLeaves(s.at[:0], layout)
	}
	lives := v.fold.Lives()
	if err != nil || len(s.at) != len(s.refs) || blocks != len(lives) {
		return false, nil
	}
	for i, n := range s.at {
		v.leaves = append(v.leaves, storedLeaf{s.refs[i], lives[n], n})
	}
	return true, nil
}

// changes returns the change of each leaf of v since the last version. A leaf is edited if
// another leaf is stored for it. Two stored leaves may have the same bytes; then no word
// of the leaf changes.
func (s *storedBlame) changes(v *storedVersion) []life.Match {
	old := s.last.leaves
	out := slices.Grow(s.matches[:0], len(v.leaves))
	s.stays = slices.Grow(s.stays[:0], len(old))[:len(old)]
	clear(s.stays)
	clear(s.place)
	for i := range v.leaves {
		l := &v.leaves[i]
		m := life.Match{Op: life.Added, Old: -1, New: l.block}
		if o := s.before(l, i); o >= 0 {
			s.stays[o] = true
			if m.Op, m.Old = life.Edited, old[o].block; old[o].LeafRef == l.LeafRef && v.read == nil {
				m.Op = life.Same
			}
		}
		out = append(out, m)
	}
	for i, stays := range s.stays {
		if !stays {
			out = append(out, life.Match{Op: life.Removed, Old: old[i].block, New: -1})
		}
	}
	s.matches = out
	return out
}

// before returns the index of the leaf of the last version that l continues, or -1. The index
// of l is i, and mostly that of the other leaf too.
func (s *storedBlame) before(l *storedLeaf, i int) int {
	old := s.last.leaves
	if i < len(old) && old[i].life == l.life {
		return i
	}
	if len(s.place) == 0 {
		for i := range old {
			s.place[old[i].life] = i
		}
	}
	if o, ok := s.place[l.life]; ok {
		return o
	}
	return -1
}
