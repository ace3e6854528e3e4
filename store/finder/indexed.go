package finder

import (
	"context"

	"infomall/store/body"
	"infomall/store/search"
	"infomall/store/search/index"
	"infomall/store/segment"
	"infomall/store/words/match"
)

// indexed answers one search query from the indexes of words.
type indexed struct {
	v     *Finder
	q     *match.Query
	files *wordFiles
	of    map[uint32]*indexedSegment // by ID of a segment; only segments that have an index

	group groupOf // the pages that were read last
	sums  sumsOf  // the matches that were computed last
}

// indexedSegment is the index of a segment, and the matches of the query in that index.
// Segments that share an index have the same hits.
type indexedSegment struct {
	wordFile
	hits *index.Hits
}

// groupOf has what an index says of the pages of consecutive runs.
type groupOf struct {
	file  *index.File
	first uint32 // the first of the runs, as an index in file.Runs
	pages *index.Pages
}

// sumsOf has the matches of the query in the captures of some consecutive runs of an index.
type sumsOf struct {
	block *index.UsersBlock // says which runs, and which leaves each capture has
	sums  *search.Sums      // of the captures; nil if the query matches nothing in them
}

// openIndexed opens the indexes of all segments and looks up the search query q in each.
// It leaves out an index that is missing or damaged. It opens no further index when the
// matches so far take more than half of q.Memory bytes.
func openIndexed(ctx context.Context, v *Finder, q search.Question) (*indexed, error) {
	x := &indexed{v: v, q: q.Query, of: make(map[uint32]*indexedSegment)}
	var err error
	if x.files, err = v.wordFiles(); err != nil {
		return nil, err
	}
	memory := q.Memory
	if memory == 0 {
		memory = search.MemoryDefault
	}
	found, held := make(map[*index.File]*index.Hits), int64(0)
	parts := q.Query.Parts()
	for _, s := range v.Pin.Segments {
		f, ok := x.files.file(s)
		if !ok {
			continue
		}
		hits, known := found[f.File]
		if !known {
			hits, err = f.Find(ctx, q.Query, parts, q.Rank != nil, func(run, block uint32, as index.Reading) (string, error) {
				return x.text(f.File, run, block, as)
			})
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				v.Warn(err)
				hits = nil
			}
			if found[f.File] = hits; hits != nil {
				held += hits.Bytes()
			}
		}
		if held+parts.Bytes() > memory/2 {
			break
		}
		if hits != nil {
			x.of[s.ID] = &indexedSegment{f, hits}
		}
	}
	return x, nil
}

// text returns the text of one block, read in the way that the parameter as says. run is
// the block's run, as an index in f.Runs, and block is the number of the block in the run.
func (x *indexed) text(f *index.File, run, block uint32, as index.Reading) (string, error) {
	for _, s := range x.v.Whole().Segments {
		if w, ok := x.files.file(s); ok && w.File == f && run >= w.first && run-w.first < uint32(s.Runs) {
			return x.v.LeafText(search.LeafRef{RunRef: segment.RunRef{Segment: s.ID, Run: run - w.first}, N: block}, as)
		}
	}
	return "", body.ErrMissing
}

// known returns the matches of the query in the leaves of a run, from the index of the
// run's segment. The leaves are read in the way that the parameter as says. none is true
// if the query matches nothing in them. The function list returns the matches of each
// leaf. list is nil if the segment has no index.
func (x *indexed) known(run segment.RunRef, as index.Reading) (list func() *index.Matches, none bool) {
	f := x.of[run.Segment]
	if f == nil || run.Run >= f.runs {
		return nil, false
	}
	n := f.first + run.Run
	list = func() *index.Matches {
		found, err := f.Matches(x.q, f.hits, n, as)
		if err != nil {
			x.v.Warn(err)
		}
		return found // without them, the leaves are read
	}
	return list, f.Knows(n, as) && !f.Any(f.hits, n)
}

// run returns the entry for run n in the index of the segment id, or nil if the index has
// none. sums has the matches of the query in all leaves of captures; first is the number in sums of
// the first capture of the run. sums is nil if the query matches nothing in the run.
func (x *indexed) run(ctx context.Context, m *search.Maker, id, n uint32) (u *index.Run, sums *search.Sums, first uint32, err error) {
	f := x.of[id]
	if f == nil || n >= f.runs || f.Runs[f.first+n].Lost {
		return nil, nil, 0, nil
	}
	n += f.first
	u = &f.Runs[n]
	b := f.UsersOf(n)
	if b == nil {
		return nil, nil, 0, nil
	}
	if x.sums.block != b {
		if x.sums, err = x.sumsOf(ctx, m, f, b); err != nil {
			return nil, nil, 0, err
		}
	}
	if x.sums.sums == nil {
		return u, nil, 0, nil
	}
	for i := b.First; i < int(n); i++ {
		first += uint32(f.Runs[i].Pages)
	}
	if !x.sums.sums.Any(first, u.Pages) {
		return u, nil, 0, nil
	}
	return u, x.sums.sums, first, nil
}

// page returns the entry for the page of capture i of run n in the index of the segment id.
// ok is false if the index has none. Several captures of a run may have the same page: the
// result at is the number of the first of them, which may be i.
func (x *indexed) page(id, n uint32, i int) (p index.Page, at int, ok bool) {
	pages, run := x.pages(segment.RunRef{Segment: id, Run: n})
	if pages == nil || i >= pages.Len(run) {
		return p, i, false
	}
	at = pages.Same(run, i)
	return pages.Page(run, at), at, true
}

// pages returns the entries for the pages of a run in the index of its segment: the run has the number n in the
// result of. That is nil if the index is damaged.
func (x *indexed) pages(run segment.RunRef) (of *index.Pages, n int) {
	f := x.of[run.Segment]
	in := f.first + run.Run
	if g := &x.group; g.file != f.File || in < g.first || int(in-g.first) >= g.pages.Runs() {
		pages, first, err := f.PagesOf(in)
		if err != nil {
			x.v.Warn(err)
			return nil, 0
		}
		x.group = groupOf{f.File, first, pages}
	}
	return x.group.pages, int(in - x.group.first)
}

// sumsOf computes the matches of the query in the captures that b describes. If the index
// cannot say them, for example because it is damaged, the sums say that the captures must
// be read. The only error is that of ctx.
func (x *indexed) sumsOf(ctx context.Context, m *search.Maker, f *indexedSegment, b *index.UsersBlock) (sumsOf, error) {
	if !x.may(f, b) {
		return sumsOf{block: b}, nil
	}
	users, err := f.ReadUsers(b)
	if err != nil {
		x.v.Warn(err)
	}
	if err != nil || !x.whole(f.File) {
		return sumsOf{b, search.Unknown(b.Captures)}, nil
	}
	sums, err := m.Sums(ctx, f.File, f.hits, b, users)
	return sumsOf{b, sums}, err
}

// whole reports whether the snapshot has all segments that the index f is of. If not, f
// has texts of leaves that belong to no page of the snapshot.
func (x *indexed) whole(f *index.File) bool {
	n := 0
	for _, of := range x.of {
		if of.File == f {
			n++
		}
	}
	return n == len(f.Segments)
}

// may reports whether the query may match something in the leaves of the captures that b
// describes. b belongs to the index f.
func (x *indexed) may(f *indexedSegment, b *index.UsersBlock) bool {
	if f.hits.Len() > 0 {
		return true
	}
	for _, named := range b.Named {
		of := x.of[named.Segment]
		if of == nil || !of.has(f.File, named) || of.Any(of.hits, of.first+named.Run) {
			return true
		}
	}
	return false
}
