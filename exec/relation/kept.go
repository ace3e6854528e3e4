package relation

import (
	"cmp"
	"context"
	"encoding/hex"
	"iter"
	"slices"

	"infomall/exec/value"
	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/block/life"
	"infomall/store/record"
)

// changedBlocks yields, for each version that n chooses, the rows of the blocks
// that were added or edited in it, as one slice. If the stored fold of a
// version (how its blocks relate to those of earlier versions) is valid,
// changedBlocks reads no bodies for this version.
func (r *Reader) changedBlocks(ctx context.Context, n *Request) iter.Seq2[[]blockRow, error] {
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
			i := 0
			for kept, err := range r.allBelieved(ctx, b) {
				if err == nil && kept.Fold != nil && !kept.document && (kept.Page != nil || len(kept.Fold.Changed) == 0) {
					r.keptLast = kept
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
				i++
			}
		}
	}
}

// keptCut reports whether n divides pages as the stored facts do: down to the
// same level, with the default algorithm. Only then can facts replace reading a
// page.
func keptCut(n *Request) bool {
	return n.Level == facts.KeptLevel && keptTree(n)
}

// keptTree reports whether n divides pages with the default algorithm, as the stored
// facts do.
func keptTree(n *Request) bool { return options(n) == divide.Options{} }

// keptVersion is what the archive stores about one version, to spare reading
// its body. Page holds facts read from the page, and Fold says how its blocks
// relate to those of earlier versions. Each is nil if it is not stored. The
// method believed also sets Fold to nil if it is not valid.
type keptVersion struct {
	ref  record.Ref
	at   record.Time // the time that kept was called with
	Page *facts.Kept
	Fold *life.Fold
	// document reports that the body is a document. Fold then does not have its blocks.
	document bool

	places  []int           // the blocks whose digests were read
	digests []record.Digest // their digests; nil if the body is not stored in blocks

	leaves [][]byte // the facts of the leaves; see firstLeaf
	first  []int    // the first leaf of each block of the cut; nil if leaves were not read
}

// These constants bound how a goroutine reads the facts of a batch of versions
// ahead of their use.
const (
	// keptAheadLeast is how many versions a batch must have at least to be read
	// ahead. For smaller batches, only the versions that the caller reaches are
	// read.
	keptAheadLeast = 64
	// keptBundle is how many versions are sent over the channel at once,
	// because each send wakes the receiver. keptBundles is how many bundles the
	// channel holds.
	keptBundle  = 16
	keptBundles = 2
)

// allBelieved yields what is stored about each version of b, in order: its
// facts, and its fold if that is valid. For a large batch, a goroutine reads
// ahead; it has ended when the iteration has.
func (r *Reader) allBelieved(ctx context.Context, b *spanBatch) iter.Seq2[*keptVersion, error] {
	return func(yield func(*keptVersion, error) bool) {
		if b.N >= keptAheadLeast {
			r.believedAhead(ctx, b, yield)
			return
		}
		for i := range b.N {
			if k, err := r.believed(ctx, b, i); !yield(k, err) || err != nil {
				return
			}
		}
	}
}

// believedAhead passes to yield what is stored about each version of b, in
// order, or an error. A goroutine reads ahead of yield. It has ended when
// believedAhead returns.
func (r *Reader) believedAhead(ctx context.Context, b *spanBatch, yield func(*keptVersion, error) bool) {
	within, cancel := context.WithCancel(ctx)
	bundles := make(chan []*keptVersion, keptBundles)
	var err error
	go func() {
		defer close(bundles)
		for i := 0; i < b.N && err == nil; {
			bundle := make([]*keptVersion, 0, keptBundle)
			for ; i < b.N && len(bundle) < keptBundle; i++ {
				var k *keptVersion
				if k, err = r.believed(within, b, i); err != nil {
					break
				}
				bundle = append(bundle, k)
			}
			select {
			case bundles <- bundle:
			case <-within.Done():
				return
			}
		}
	}()
	defer func() {
		cancel()
		for range bundles {
		}
	}()
	for bundle := range bundles {
		for _, k := range bundle {
			if !yield(k, nil) {
				return
			}
		}
	}
	if err = cmp.Or(err, ctx.Err()); err != nil {
		yield(nil, err)
	}
}

// believed returns what is stored about the version at row i of b. Its Fold is
// nil if the fold is not valid: the program that made it did not know all
// earlier captures of the URL, or compared with another version than the one
// before. believed may run while other methods of the Reader run.
func (r *Reader) believed(ctx context.Context, b *spanBatch, i int) (*keptVersion, error) {
	k, err := r.readKept(ctx, b.Ref[i], b.Time[i])
	if err != nil || k.Fold == nil {
		return k, err
	}
	holds := k.Fold.Previous == b.PreviousVersion[i]
	if holds {
		holds, err = r.Snapshot.Knew(ctx, b.Ref[i], b.Key[i], b.Time[i])
	}
	if !holds {
		k = &keptVersion{ref: k.ref, at: k.at, Page: k.Page, document: k.document}
	}
	return k, err
}

// anyTime is the argument at of Reader.kept if the time of the version does not
// matter: for callers that do not read since when the blocks of the version exist.
const anyTime record.Time = 0

// kept returns what is stored about the version whose first capture is ref. at
// is the time of this capture, or anyTime. The fold is not checked for
// validity. kept caches the last result, because the late columns of a block
// are read right after the block was found.
func (r *Reader) kept(ctx context.Context, ref record.Ref, at record.Time) (*keptVersion, error) {
	if k := r.keptLast; k != nil && k.ref == ref && (at == k.at || at == anyTime) {
		return k, nil
	}
	k, err := r.readKept(ctx, ref, at)
	if err == nil {
		r.keptLast = k
	}
	return k, err
}

// readKept returns what is stored about the version whose first capture is ref,
// taken at the time at. Facts and folds that another version of the program
// stored are left out. The fold is not checked for validity.
func (r *Reader) readKept(ctx context.Context, ref record.Ref, at record.Time) (*keptVersion, error) {
	encoded, err := r.Snapshot.Kept(ctx, ref)
	if err != nil {
		return nil, err
	}
	k := &keptVersion{ref: ref, at: at}
	if encoded.Page != nil {
		if p, err := facts.Read(encoded.Page); err == nil {
			k.Page = p
		}
	}
	if encoded.Fold != nil {
		if f, err := life.ReadFold(encoded.Fold, at); err == nil {
			k.Fold = f
		}
	}
	if encoded.Page == nil && encoded.Fold != nil {
		reading, err := r.Snapshot.Document(ctx, ref)
		if err != nil {
			return nil, err
		}
		k.document = reading != nil
	}
	return k, nil
}

// brought yields the batches that in yields, after it has set NewBlocks and
// StoredBytes in them: how many blocks and bytes each version added to the
// archive. It takes both from the stored fold of the version if that is valid,
// and otherwise computes them from bodies. They depend on how the archive
// stores bodies, so the profile of n has no influence. A span of a version that
// began before the window gets 0.
func (r *Reader) brought(ctx context.Context, n *Request, in iter.Seq2[*spanBatch, error]) iter.Seq2[*spanBatch, error] {
	return func(yield func(*spanBatch, error) bool) {
		f := &follower{r: r, ctx: ctx, to: n.Window.To}
		defer f.close()
		var last record.Ref // with EACH, a version may have several rows, which share its values
		var known life.Brought
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

// broughtBy returns how many blocks and bytes the version at row i of b added
// to the archive, or -1 for both if the archive does not have its body. If
// there is no valid fold, the follower f reads the versions of the URL up to
// this one.
func (r *Reader) broughtBy(ctx context.Context, f *follower, b *spanBatch, i int) (life.Brought, error) {
	if b.Change[i] == record.ChangeSame {
		return life.Brought{}, nil
	}
	kept, err := r.believed(ctx, b, i)
	if err != nil {
		return life.Brought{}, err
	}
	if kept.Fold != nil {
		return kept.Fold.Brought, nil
	}
	rev, err := f.find(b, i)
	if err != nil || rev == nil {
		return life.Brought{Blocks: -1, Bytes: -1}, err
	}
	return rev.Brought(), nil
}

// appendKept appends to list one row for each added or edited block of the
// version at row i of b, and returns list. It takes the blocks from the stored
// facts and fold that kept holds, neither of which is nil if there are such
// blocks.
func appendKept(list []blockRow, b *spanBatch, i int, kept *keptVersion) []blockRow {
	for _, c := range kept.Fold.Changed {
		if c.Ordinal >= len(kept.Page.Cut) {
			continue // Unreachable unless the facts and the fold are of different pages.
		}
		p := &kept.Page.Cut[c.Ordinal]
		list = append(list, blockRow{
			url: b.URLs()[i], time: b.Time[i], asOf: b.AsOf[i], ref: b.Ref[i], path: p.Path, parent: p.Parent(), depth: p.Depth(),
			ordinal: c.Ordinal + 1, bytes: c.Bytes, life: c.Life, op: c.Op,
		})
	}
	return list
}

// cut appends to list one row for each block of the version at row i of b, and
// returns list. It reads the stored bodies. If the archive does not have the
// body of the version, it appends nothing. Each call must be for a later
// version than the calls before.
func (f *follower) cut(list []blockRow, b *spanBatch, i, level int) ([]blockRow, error) {
	rev, err := f.find(b, i)
	if err != nil || rev == nil {
		return list, err
	}
	return appendCut(list, &revision{Revision: rev, span: b, row: i, old: f.old, new: b.Ref[i]}, level), nil
}

// block returns the response that contains the block of the current row, a row
// of the relation blocks, and the index of the block in the response's list of
// blocks.
func (l *LateRow) block() (*response, int, error) {
	res, err := l.response()
	if err != nil {
		return nil, 0, err
	}
	return res, res.inCut(l.request.Level, l.number(2)-1), nil
}

// ofBlock returns the code of a late column (one that needs the stored page) of
// the relation blocks. f computes the value for block n from the stored
// response r.
func ofBlock(f func(r *response, n int) value.Value) lateCode {
	return func(l *LateRow) (value.Value, error) {
		res, n, err := l.block()
		if err != nil {
			return value.Value{}, err
		}
		return f(res, n), nil
	}
}

// kept returns what is stored about the version of the current row, a row of
// the relation blocks, and the place of the block in the version, from 0. It
// returns nil if the request divides pages otherwise than the stored facts do.
func (l *LateRow) kept() (*keptVersion, int, error) {
	if !keptCut(l.request) {
		return nil, 0, nil
	}
	k, err := l.reader.kept(l.ctx, l.ref(0), anyTime)
	return k, l.number(2) - 1, err
}

// ofChanged returns the code of a late column (one that needs the stored page)
// of the relation blocks. For a block that was added or edited, stored takes
// the value from the stored fold of the version (what is known of its changed
// blocks). For other blocks, or without a fold, f computes the value from the
// stored response r.
func ofChanged(stored func(*life.Changed) value.Value, f func(r *response, n int) value.Value) lateCode {
	return func(l *LateRow) (value.Value, error) {
		k, ordinal, err := l.kept()
		if err != nil {
			return value.Value{}, err
		}
		if k != nil && k.Fold != nil {
			byOrdinal := func(c life.Changed, ordinal int) int { return cmp.Compare(c.Ordinal, ordinal) }
			if i, found := slices.BinarySearchFunc(k.Fold.Changed, ordinal, byOrdinal); found {
				return stored(&k.Fold.Changed[i]), nil
			}
		}
		return ofBlock(f)(l)
	}
}

// blockLabel returns the label of the block that the current row of l is about,
// such as "nav". It takes the label from the stored facts if it can, and
// otherwise from the page.
func blockLabel(l *LateRow) (value.Value, error) {
	k, ordinal, err := l.kept()
	if err != nil {
		return value.Value{}, err
	}
	if k != nil && k.Page != nil && ordinal < len(k.Page.Cut) {
		return value.OfText(k.Page.Cut[ordinal].Label.String()), nil
	}
	return ofBlock(func(r *response, n int) value.Value { return value.OfText(r.label(n).String()) })(l)
}

// blockSimhash returns the simhash of the text of the block that the current
// row of l is about: a fingerprint, as an Int, that differs in few bits between
// similar texts. It takes the simhash from the stored facts if it can.
func blockSimhash(l *LateRow) (value.Value, error) {
	k, ordinal, err := l.kept()
	if err == nil && k != nil {
		var print uint64
		var ok bool
		if print, ok, err = l.reader.fingerprint(l.ctx, k, ordinal); ok {
			return value.OfInt(int64(print)), err
		}
	}
	if err != nil {
		return value.Value{}, err
	}
	return ofBlock(simhashOf)(l)
}

// blockDigest returns the SHA-256 of the block that the current row of l is
// about, in hexadecimal. It takes the digest from the store, without reading
// the page, if it can.
func blockDigest(l *LateRow) (value.Value, error) {
	k, ordinal, err := l.kept()
	if err == nil && k != nil {
		var digest string
		var ok bool
		if digest, ok, err = l.reader.keptDigest(l.ctx, k, ordinal); ok {
			return value.OfText(digest), err
		}
	}
	if err != nil {
		return value.Value{}, err
	}
	return ofBlock(digestOf)(l)
}

// fingerprint returns the stored simhash of the block at the place ordinal,
// from 0, of the version k. It reports false if none is stored: only blocks
// that are not divided further and have a long enough text have one.
func (r *Reader) fingerprint(ctx context.Context, k *keptVersion, ordinal int) (uint64, bool, error) {
	if k.Page == nil || ordinal >= len(k.Page.Cut) || k.Page.Cut[ordinal].Leaves > 0 || k.Page.Inline() {
		return 0, false, nil
	}
	leaf, err := r.firstLeaf(ctx, k, ordinal)
	if leaf == nil || err != nil {
		return 0, false, err
	}
	print, ok := k.Page.Fingerprint(leaf)
	return print, ok, nil
}

// firstLeaf returns the stored facts of the first leaf of the block at the place ordinal, from 0, of
// the version k, or nil if there are none. It reads the facts of all leaves once and keeps them in k.
func (r *Reader) firstLeaf(ctx context.Context, k *keptVersion, ordinal int) ([]byte, error) {
	if k.first == nil {
		leaves, err := r.Snapshot.LeafFacts(ctx, k.ref)
		if err != nil {
			return nil, err
		}
		k.leaves, k.first = leaves, make([]int, len(k.Page.Cut))
		for i := range len(k.first) - 1 {
			k.first[i+1] = k.first[i] + max(1, k.Page.Cut[i].Leaves)
		}
	}
	if leaf := k.first[ordinal]; leaf < len(k.leaves) {
		return k.leaves[leaf], nil
	}
	return nil, nil
}

// keptDigest returns the stored digest, in hexadecimal, of the block at the
// place ordinal, from 0, of the version k. It reports false if the page is not
// stored in blocks. It reads digests in groups and keeps the last group in k:
// if the block was added or edited, all such blocks, otherwise all blocks of
// the version.
func (r *Reader) keptDigest(ctx context.Context, k *keptVersion, ordinal int) (string, bool, error) {
	if k.Page == nil || k.Page.Inline() || ordinal >= len(k.Page.Cut) {
		return "", false, nil
	}
	i, asked := slices.BinarySearch(k.places, ordinal)
	if !asked {
		k.places = k.changedPlaces()
		if i, asked = slices.BinarySearch(k.places, ordinal); !asked {
			k.places, i = upTo(len(k.Page.Cut)), ordinal
		}
		var err error
		if k.digests, err = r.Snapshot.Digests(ctx, k.ref, facts.KeptLevel, k.places); err != nil {
			return "", false, err
		}
	}
	if k.digests == nil {
		return "", false, nil
	}
	return hex.EncodeToString(k.digests[i][:]), true, nil
}

// changedPlaces returns the places, from 0, of the blocks that were added or
// edited in the version k, in ascending order. It returns nil if k has no fold.
func (k *keptVersion) changedPlaces() []int {
	if k.Fold == nil {
		return nil
	}
	places := make([]int, len(k.Fold.Changed))
	for i := range places {
		places[i] = k.Fold.Changed[i].Ordinal
	}
	return places
}

// upTo returns the numbers from 0 to n-1.
func upTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
