package snapshot

import (
	"context"
	"errors"

	"infomall/store/body"
	"infomall/store/search"
	"infomall/store/search/index"
	"infomall/store/segment"
	"infomall/store/words/match"
)

// indexed is what the indexes of words say of one question.
type indexed struct {
	v     *Snapshot
	q     *match.Query
	files *wordFiles
	of    map[uint32]*indexedSegment // by segment; of segments that have an index

	group groupOf // the pages that were read last
}

// indexedSegment is the index of a segment, and what the question finds in it. Segments of
// one index share both.
type indexedSegment struct {
	wordFile
	hits *index.Hits
}

// groupOf is the pages of consecutive runs of an index.
type groupOf struct {
	file  *index.File
	first uint32
	pages [][]index.Page
}

// hitBytes is about how much memory a document takes in which a question finds something.
const hitBytes = 150

// openIndexed opens the indexes of all segments and puts the question to them. An index
// that is missing or damaged is left out, and so are all further ones if what they find
// takes half of the memory of the question. The caller closes the result.
func openIndexed(ctx context.Context, v *Snapshot, q search.Question) (*indexed, error) {
	x := &indexed{v: v, q: q.Query, of: make(map[uint32]*indexedSegment)}
	var err error
	if x.files, err = v.wordFiles(); err != nil {
		return nil, err
	}
	memory := q.Memory
	if memory == 0 {
		memory = search.MemoryDefault
	}
	found := make(map[*index.File]*index.Hits)
	for _, s := range v.Pin.Segments {
		f, ok := x.files.file(s)
		if !ok {
			continue
		}
		hits, known := found[f.File]
		if !known {
			hits, err = f.Find(ctx, q.Query, func(run, block uint32, as index.Reading) (string, error) {
				return x.text(f.File, run, block, as)
			})
			if ctx.Err() != nil {
				return nil, errors.Join(ctx.Err(), x.files.close())
			}
			if err != nil {
				v.Warn(err)
				hits = nil
			}
			if found[f.File] = hits; hits != nil {
				memory -= int64(hits.Len()) * 2 * hitBytes
			}
		}
		if memory < 0 {
			break
		}
		if hits != nil {
			x.of[s.ID] = &indexedSegment{f, hits}
		}
	}
	return x, nil
}

// text returns the text of a block. run is an index in f.Runs.
func (x *indexed) text(f *index.File, run, block uint32, as index.Reading) (string, error) {
	for _, s := range x.v.Pin.Segments {
		if w, ok := x.files.file(s); ok && w.File == f && run >= w.first && run-w.first < uint32(s.Runs) {
			return x.v.textOf(search.LeafRef{RunRef: segment.RunRef{Segment: s.ID, Run: run - w.first}, N: block}, as)
		}
	}
	return "", body.ErrMissing
}

// known returns what the index of a segment says of the leaves of a run in a reading: none
// reports that the question finds nothing in them, and list returns what it finds in each.
func (x *indexed) known(run segment.RunRef, as index.Reading) (list func() ([]index.Leaf, error), none bool) {
	f := x.of[run.Segment]
	if f == nil || run.Run >= f.runs {
		return nil, false
	}
	n := f.first + run.Run
	list = func() ([]index.Leaf, error) {
		leaves, err := f.Leaves(x.q, f.hits, n, as)
		if err != nil {
			x.v.Warn(err)
		}
		return leaves, nil // without them, the leaves are read
	}
	return list, f.Knows(n, as) && !f.Any(f.hits, n)
}

// pages returns what the index of a segment says of run n: u is nil if it says nothing,
// and pages are nil if the question finds nothing in any leaf of them.
func (x *indexed) pages(id, n uint32) (pages []index.Page, u *index.Run) {
	f := x.of[id]
	if f == nil || n >= f.runs || f.Runs[f.first+n].Lost {
		return nil, nil
	}
	n += f.first
	u = &f.Runs[n]
	if !x.may(f, u) {
		return nil, u
	}
	if g := &x.group; g.file != f.File || n < g.first || int(n-g.first) >= len(g.pages) {
		pages, first, err := f.PagesOf(n)
		if err != nil {
			x.v.Warn(err)
			return nil, nil
		}
		x.group = groupOf{f.File, first, pages}
	}
	return x.group.pages[n-x.group.first], u
}

// may reports whether the question may find something in a leaf of the pages of a run.
func (x *indexed) may(f *indexedSegment, u *index.Run) bool {
	for _, named := range u.Named {
		of, as := x.of[named.Segment], f.Readings[named.Reading]
		if of == nil || named.Run >= of.runs || f.Seen(named) != of.number ||
			!of.Knows(of.first+named.Run, as) || of.Any(of.hits, of.first+named.Run) {
			return true
		}
	}
	return false
}
