package op

import (
	"context"
	"iter"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/store/block"
	"infomall/store/record"
)

// changedBlocks yields the blocks that were added or edited, of each version
// chosen: of what is kept, where that can be believed, so that neither the
// version's body need be read nor those before it.
func (r *Runner) changedBlocks(ctx context.Context, n *plan.Source) iter.Seq2[[]blockRow, error] {
	return func(yield func([]blockRow, error) bool) {
		f := r.follow(ctx, n)
		defer f.close()
		var list []blockRow
		scan := r.Snapshot.Scan(ctx, n.Scan(record.ColChange|record.ColPrevious))
		for b, err := range r.spans(ctx, scan, n, false) {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range b.N {
				kept, err := r.believed(ctx, b, i)
				if err == nil && kept.Fold != nil && (kept.Page != nil || len(kept.Fold.Changed) == 0) {
					list = appendKept(list[:0], b, i, kept)
				} else if err == nil {
					list, err = f.cut(list[:0], b, i, n.Level)
				}
				if err != nil {
					yield(nil, err)
					return
				}
				if len(list) > 0 && !yield(list, nil) {
					return
				}
			}
		}
	}
}

// keptCut reports whether n asks for the cut of which something is kept.
func keptCut(n *plan.Source) bool {
	return n.Level == block.KeptLevel && options(n) == block.Options{}
}

// keptVersion is what is kept of one version, as far as it is.
type keptVersion struct {
	ref  record.Ref
	at   record.Time // as kept was told
	Page *block.Kept
	Fold *block.Fold
}

// believed gives what is kept of the version at row i of b. Without a Fold it
// does not tell what changed.
func (r *Runner) believed(ctx context.Context, b *spanBatch, i int) (*keptVersion, error) {
	k, err := r.kept(ctx, b.Ref[i], b.Time[i])
	if err != nil || k.Fold == nil {
		return k, err
	}
	holds := k.Fold.Previous == b.PreviousVersion[i]
	if holds {
		holds, err = r.Snapshot.Knew(ctx, b.Ref[i], b.Key[i], b.Time[i])
	}
	if !holds {
		k = &keptVersion{ref: k.ref, at: k.at, Page: k.Page}
	}
	return k, err
}

// anyTime stands for the time of a capture where that is of no matter: that of
// the lives of blocks.
const anyTime record.Time = 0

// kept reads what is kept of the version that begins at a capture of that time.
// What another version of the program kept is passed over. Columns of a block are
// asked for right after the block was found, so the last one is remembered.
func (r *Runner) kept(ctx context.Context, ref record.Ref, at record.Time) (*keptVersion, error) {
	if k := r.keptLast; k != nil && k.ref == ref && (at == k.at || at == anyTime) {
		return k, nil
	}
	facts, err := r.Snapshot.Kept(ctx, ref)
	if err != nil {
		return nil, err
	}
	k := &keptVersion{ref: ref, at: at}
	if facts.Page != nil {
		if p, err := block.ReadFacts(facts.Page); err == nil {
			k.Page = p
		}
	}
	if facts.Fold != nil {
		if f, err := block.ReadFold(facts.Fold, at); err == nil {
			k.Fold = f
		}
	}
	r.keptLast = k
	return k, nil
}

// brought fills in what the versions brought: of what is kept, where that can be
// believed. Versions are stored by the profile modern, whatever n asks for.
func (r *Runner) brought(ctx context.Context, n *plan.Source, in iter.Seq2[*spanBatch, error]) iter.Seq2[*spanBatch, error] {
	return func(yield func(*spanBatch, error) bool) {
		f := &follower{r: r, ctx: ctx, to: n.Window.To}
		defer f.close()
		var last record.Ref // EACH gives a version more than once
		var known block.Brought
		for b, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			b.NewBlocks, b.StoredBytes = b.NewBlocks[:0], b.StoredBytes[:0]
			for i := range b.N {
				if b.Ref[i] != last {
					if known, err = r.broughtBy(ctx, f, b, i); err != nil {
						yield(nil, err)
						return
					}
					last = b.Ref[i]
				}
				b.NewBlocks, b.StoredBytes = append(b.NewBlocks, int64(known.Blocks)), append(b.StoredBytes, known.Bytes)
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

// broughtBy tells what the version at row i of b brought, -1 where the archive
// has no body of it. f goes through the versions.
func (r *Runner) broughtBy(ctx context.Context, f *follower, b *spanBatch, i int) (block.Brought, error) {
	kept, err := r.believed(ctx, b, i)
	if err != nil {
		return block.Brought{}, err
	}
	if kept.Fold != nil {
		return kept.Fold.Brought, nil
	}
	rev, err := f.find(b, i)
	if err != nil || rev == nil {
		return block.Brought{Blocks: -1, Bytes: -1}, err
	}
	return rev.Brought(), nil
}

// appendKept appends the changed blocks of the version at row i of b.
func appendKept(list []blockRow, b *spanBatch, i int, kept *keptVersion) []blockRow {
	for _, c := range kept.Fold.Changed {
		if c.Ordinal >= len(kept.Page.Cut) {
			continue // Unreachable unless the facts are of two pages.
		}
		p := &kept.Page.Cut[c.Ordinal]
		list = append(list, blockRow{
			url: b.URL[i], time: b.Time[i], ref: b.Ref[i], path: p.Path, parent: p.Parent(), depth: p.Depth(),
			ordinal: c.Ordinal + 1, bytes: c.Bytes, life: c.Life, op: c.Op,
		})
	}
	return list
}

// cut appends the blocks of the version at row i of b, which is behind those
// asked for before.
func (f *follower) cut(list []blockRow, b *spanBatch, i, level int) ([]blockRow, error) {
	rev, err := f.find(b, i)
	if err != nil || rev == nil {
		return list, err
	}
	return appendCut(list, &revision{Revision: rev, span: b, row: i, old: f.old, new: b.Ref[i]}, level), nil
}

// lateBlock gives a function that computes the late columns of a block.
func (r *Runner) lateBlock(ctx context.Context, n *plan.Source, hidden []*value.Vector, row int) (lateColumn, error) {
	ref, ordinal := unpackRef(hidden, row), int(hidden[2].Ints[row])-1
	kept := func(string) (value.Value, bool) { return value.Value{}, false }
	if keptCut(n) {
		var err error
		if kept, err = r.keptBlock(ctx, ref, ordinal); err != nil {
			return nil, err
		}
	}
	return func(name string) (value.Value, error) {
		if v, ok := kept(name); ok {
			return v, nil
		}
		if f := senseFields[name]; f != nil {
			sense, ok, err := r.sense(ctx, n, ref, ordinal)
			if err != nil || !ok {
				return value.Value{}, err
			}
			return f(sense), nil
		}
		if name == "simhash" && keptCut(n) {
			if print, ok, err := r.fingerprint(ctx, r.keptLast, ordinal); ok || err != nil {
				return value.OfInt(int64(print)), err
			}
		}
		res, err := r.response(ctx, ref, options(n))
		if err != nil {
			return value.Value{}, err
		}
		at := res.inCut(n.Level, ordinal)
		if f := siteFields[name]; f != nil {
			site, err := r.inSite(ctx, res)
			if err != nil {
				return value.Value{}, err
			}
			return f(site, at), nil
		}
		return blockFields[name](res, at), nil
	}, nil
}

// fingerprint gives the fingerprint that is kept of a block of the kept cut,
// false where there is none: that it is a leaf, and long enough.
func (r *Runner) fingerprint(ctx context.Context, k *keptVersion, ordinal int) (uint64, bool, error) {
	if k.Page == nil || ordinal >= len(k.Page.Cut) || k.Page.Cut[ordinal].Leaves > 0 || k.Page.Inline() {
		return 0, false, nil
	}
	leaf := 0
	for i := range ordinal {
		leaf += max(1, k.Page.Cut[i].Leaves)
	}
	leaves, err := r.Snapshot.LeafFacts(ctx, k.ref)
	if err != nil || leaf >= len(leaves) {
		return 0, false, err
	}
	print, ok := k.Page.Fingerprint(leaves[leaf])
	return print, ok, nil
}

// keptBlock gives a function that computes late columns of a block of the kept
// cut, by what is kept of it; the function is false where that does not say.
func (r *Runner) keptBlock(ctx context.Context, ref record.Ref, ordinal int) (func(name string) (value.Value, bool), error) {
	k, err := r.kept(ctx, ref, anyTime)
	if err != nil {
		return nil, err
	}
	return func(name string) (value.Value, bool) {
		if name == "label" && k.Page != nil && ordinal < len(k.Page.Cut) {
			return value.OfText(k.Page.Cut[ordinal].Label.String()), true
		}
		if k.Fold == nil {
			return value.Value{}, false
		}
		for i := range k.Fold.Changed {
			if c := &k.Fold.Changed[i]; c.Ordinal == ordinal {
				return keptColumn(c, name)
			}
		}
		return value.Value{}, false
	}, nil
}

// keptColumn computes a late column of a changed block.
func keptColumn(c *block.Changed, name string) (value.Value, bool) {
	switch name {
	case "topic":
		return textOrNull(c.Topic), true
	case "words":
		return value.OfInt(int64(c.Words)), true
	case "link_count":
		return value.OfInt(int64(c.Links)), true
	}
	return value.Value{}, false
}
