package finder

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"

	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/memo"
	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/search/index"
	"infomall/store/segment"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// Words answers the search query q for the captures with a key in ranges and a time in
// from <= time < to. ranges are sorted and disjoint; nil means all keys. If a segment has
// an index of words, Words uses the index. For other segments it reads each leaf of the
// pages once. It reads no bodies. A capture that cannot be read, for example because of
// damage, gets the answer Maybe, which means that the caller must read the body. The result
// is nil if q cannot be answered from the texts of single leaves.
func (v *Finder) Words(ctx context.Context, q search.Question, ranges []urlkey.Range, from, to record.Time) (*search.Words, error) {
	f := &wordFinder{v: v, ctx: ctx, seed: maphash.MakeSeed(), ranges: ranges, leafPlaces: leafPlaces{of: v}}
	if f.maker = search.NewMaker(q, f); f.maker == nil {
		return nil, nil
	}
	var err error
	if f.index, err = openIndexed(ctx, v, q); err != nil {
		return nil, err
	}
	var segments []*segment.Info
	for _, s := range v.Pin.Segments {
		if s.First < to && s.Last >= from {
			segments = append(segments, s)
		}
	}
	// A segment uses bodies of its own pool and of earlier ones, and within a pool of
	// segments with lower numbers, but for merged ones.
	slices.SortFunc(segments, func(a, b *segment.Info) int {
		return cmp.Or(cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.ID, b.ID))
	})
	whole := true
	for _, s := range segments {
		runs, err := v.runsIn(s, ranges)
		if err != nil {
			whole = false // reading the pages returns the error
			continue
		}
		f.maker.Begin(s.Runs)
		for _, n := range runs {
			if f.maker.Full() {
				whole = false
				break
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			done, err := f.indexed(ctx, s.ID, n)
			if err != nil {
				return nil, err
			}
			if !done && f.run(v.Runs.Reader(s), n) != nil {
				whole = false // the same
			}
		}
	}
	words := f.maker.Words(whole)
	words.PagesBy(f.index.pages)
	if q.Rank != nil {
		words.RankBy(f.rank, f.ready)
	}
	return words, ctx.Err()
}

// runsIn returns the numbers of the runs of segment s that may have entries with a key in
// ranges. If ranges is nil, it returns the numbers of all runs.
func (v *Finder) runsIn(s *segment.Info, ranges []urlkey.Range) ([]uint32, error) {
	var out []uint32
	if ranges == nil {
		for n := range uint32(s.Runs) {
			out = append(out, n)
		}
		return out, nil
	}
	c := v.Runs.Reader(s).Chunks(0)
	defer c.Close()
	for _, in := range ranges {
		chunk, err := c.Seek(in.From)
		for ; err == nil && chunk != nil; chunk, err = c.Next() {
			if keys, _ := chunk.Keys(); in.To != "" && len(keys) > 0 && keys[0] >= in.To {
				break
			}
			if len(out) == 0 || out[len(out)-1] != chunk.Run {
				out = append(out, chunk.Run)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// wordFinder reads the leaves and bodies of a snapshot for a search.Maker.
type wordFinder struct {
	v       *Finder
	ctx     context.Context
	maker   *search.Maker
	index   *indexed
	seed    maphash.Seed
	ranges  []urlkey.Range
	outline facts.Outline
	entries []search.Entry
	state   string // state of v; empty until it is first needed
	leafPlaces
}

// run passes the entries of run n of the segment r to f.maker, which reads their leaves.
func (f *wordFinder) run(r *segment.Reader, n uint32) error {
	run, err := f.v.Runs.Run(r, n)
	if err != nil {
		return err
	}
	if run.Meta.Len() == 0 {
		return nil
	}
	bodies, err := run.Meta.Bodies()
	if err != nil {
		return err
	}
	digests, err := run.Meta.Digests()
	if err != nil {
		return err
	}
	pages, err := run.Meta.Pages(record.ColTitle | record.ColCharset)
	if err != nil {
		return err
	}
	keys, counts, mimes, err := run.Meta.Keys()
	if err != nil {
		return err
	}
	kept, err := f.v.Runs.Facts(r, n)
	if err != nil {
		return err
	}
	f.entries = f.entries[:0]
	for k, key := range keys {
		asked := f.asked(key)
		for range counts[k] {
			i := len(f.entries)
			e := search.Entry{BodyAt: bodies[i]}
			if e.NoPage = e.Form != segment.BodyNone && !isPage(mimes[i]); e.NoPage && asked {
				e.Document = f.v.DocumentText(f.ctx, timeline.Place{Seg: r, Run: n, N: uint32(i)}, digests[i])
			}
			if asked && e.Form != segment.BodyNone {
				e.As = f.reading(pages.Of(uint32(i)), mimes[i])
			}
			f.entries = append(f.entries, e)
		}
	}
	own := func(i int) ([]segment.Span, *facts.Outline, bool) {
		return f.leavesOf(&bodies[i].Recipe, kept.Page(uint32(i)))
	}
	title := func(i int) string { return pages.Of(uint32(i)).Title }
	return f.maker.Add(segment.RunRef{Segment: r.Info.ID, Run: n}, f.entries, own, title)
}

// asked reports whether key is in the ranges of the search.
func (f *wordFinder) asked(key string) bool {
	if f.ranges == nil {
		return true
	}
	i, found := slices.BinarySearchFunc(f.ranges, key, func(r urlkey.Range, key string) int { return cmp.Compare(r.From, key) })
	return found || i > 0 && f.ranges[i-1].Contains(key)
}

// reading returns a hash of the way in which page p was read: of its charset and its media
// type. It returns 0 if the page has no text, or if only the first part of the page was
// read.
func (f *wordFinder) reading(p segment.Page, mime string) uint64 {
	if p.Charset == "" || p.ReadBytes != 0 {
		return 0
	}
	var h maphash.Hash
	h.SetSeed(f.seed)
	h.WriteString(p.Charset)
	h.WriteByte(0)
	h.WriteString(mime)
	return max(1, h.Sum64())
}

// leavesOf returns the spans of the leaves of the body with this recipe, and the outline
// of its page, which it decodes from encoded, the facts of the body. ok is false if the
// body is not stored in leaves, or if the facts have another number of leaves.
func (f *wordFinder) leavesOf(recipe *segment.Recipe, encoded []byte) (_ []segment.Span, _ *facts.Outline, ok bool) {
	if f.outline.Read(encoded) != nil || f.outline.Inline {
		return nil, nil, false
	}
	leaves, ok := f.now(recipe)
	if !ok || !inLeaves(recipe, leaves, f.outline.Leaves) {
		return nil, nil, false
	}
	return leaves, &f.outline, true
}

// Text returns the text of a leaf, read in the way that the parameter as says.
func (f *wordFinder) Text(l search.LeafRef, as index.Reading) (string, error) {
	return f.v.LeafText(l, as)
}

// Anchors returns the texts of those links in a leaf that lead to other URLs. The parameter
// as says how the leaf is read.
func (f *wordFinder) Anchors(l search.LeafRef, as index.Reading) ([]string, error) {
	b, err := f.v.leaf(l)
	if err != nil {
		return nil, err
	}
	return (&divide.Body{Plain: as.Plain, Charset: as.Charset}).AnchorsOf(b), nil
}

// Known asks the index of words of the run's segment what the query matches in the leaves of a
// run. The parameter as is the reading of the leaves. list returns the matches for each leaf; it
// is nil if the segment has no index. none says that the query matches nothing in any leaf.
func (f *wordFinder) Known(run segment.RunRef, as index.Reading) (list func() *index.Matches, none bool) {
	return f.index.known(run, as)
}

// indexed answers the query for the captures of run n of the segment id, from the index of
// that segment. done is false if the index cannot answer the query; the caller must then
// read the run. The only error is that of ctx.
func (f *wordFinder) indexed(ctx context.Context, id, n uint32) (done bool, err error) {
	u, sums, first, err := f.index.run(ctx, f.maker, id, n)
	if u == nil {
		return false, err
	}
	ref := segment.RunRef{Segment: id, Run: n}
	return f.maker.AddPages(ref, u, sums, first, func(i int) (as index.Reading, leaves []segment.Span, at int, ok bool) {
		p, at, ok := f.index.page(id, n, i)
		if !ok || !p.HasLeaves() {
			return as, nil, at, false
		}
		if at < i {
			return p.Reading, nil, at, true
		}
		of := f.at(holder(&p, ref, i))
		if of == nil {
			return as, nil, at, false
		}
		return p.Reading, of, at, true
	}, f.documents(id, n, u.Special)) == nil, nil
}

// holder returns the place of the capture that stores the body of page p. p is the page of
// capture i of the run.
func holder(p *index.Page, run segment.RunRef, i int) index.Holder {
	if p.Kind == index.PageHeld {
		return p.Holder
	}
	return index.Holder{RunRef: run, N: uint32(i)}
}

// rank returns the rank of the page of capture ref among the answers of the query. It uses
// the index of the capture's segment. ok is false if the index does not have enough; the
// caller must then read the page.
func (f *wordFinder) rank(ref record.Ref) (best search.Best, ok bool) {
	p, at, ok := f.index.page(ref.Segment, ref.Run, int(ref.N))
	if !ok || !p.HasLeaves() {
		return best, false
	}
	leaves := f.at(holder(&p, segment.RunRef{Segment: ref.Segment, Run: ref.Run}, at))
	if leaves == nil {
		return best, false
	}
	best, err := f.maker.RankOf(&p, leaves)
	return best, err == nil
}

// ready looks up the leaves of the pages of these captures, for later calls of rank. It uses two
// cores, and one run after the other, so that it needs memory for few of them. With that, the
// ranking of a word's findings takes half the time.
func (f *wordFinder) ready(refs []record.Ref) {
	var at []index.Holder
	for _, ref := range refs {
		if p, n, ok := f.index.page(ref.Segment, ref.Run, int(ref.N)); ok && p.HasLeaves() {
			at = append(at, holder(&p, segment.RunRef{Segment: ref.Segment, Run: ref.Run}, n))
		}
	}
	f.keepAll(at)
}

// textsKey is the key, in the cache Finder.kept, of the result of documentTexts for a run.
type textsKey struct {
	state string // of the snapshot
	run   segment.RunRef
}

// documents returns a function for the entries of run n of the segment id that are listed in
// special, which are not pages. The function returns whether entry i is a document, such as
// a PDF, and whether the document has text. documents returns nil if the archive has no
// texts of documents.
func (f *wordFinder) documents(id, n uint32, special []index.Special) func(i int) search.DocumentText {
	if len(special) == 0 || !f.v.HasDocuments() {
		return nil
	}
	if f.state == "" {
		f.state = f.v.State()
	}
	key := textsKey{f.state, segment.RunRef{Segment: id, Run: n}}
	texts, ok := memo.Get[[]search.DocumentText](f.v.kept, key)
	if !ok {
		if texts = f.documentTexts(id, n, special); texts == nil {
			return func(int) search.DocumentText { return search.FullDocument } // the query meets the same error when it reads the body
		}
		if f.ctx.Err() == nil {
			f.v.kept.Put(key, texts, int64(len(texts)))
		}
	}
	return func(i int) search.DocumentText {
		k, _ := slices.BinarySearchFunc(special, uint32(i), func(s index.Special, n uint32) int { return cmp.Compare(s.N, n) })
		return texts[k]
	}
}

// documentTexts returns, for each entry of run n of the segment id that is listed in special,
// whether it is a document, such as a PDF, and whether the document has text. These entries
// are not pages. documentTexts returns nil if the run cannot be read.
func (f *wordFinder) documentTexts(id, n uint32, special []index.Special) (texts []search.DocumentText) {
	at := timeline.Place{Seg: f.v.Runs.Segment(id), Run: n}
	meta, err := f.v.Runs.Meta(at.Seg, n)
	if err != nil {
		return nil
	}
	digests, err := meta.Digests()
	if err != nil {
		return nil
	}
	texts = make([]search.DocumentText, len(special))
	for k, s := range special {
		if at.N = s.N; s.NoText {
			texts[k] = f.v.DocumentText(f.ctx, at, digests[s.N])
		}
	}
	return texts
}
