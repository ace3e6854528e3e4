package index

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"sort"
	"strings"

	"infomall/store/words/match"
)

// Find returns what the search query q matches in the documents of the index. It adds what
// it finds to parts, a Parts of q that may be used for several indexes. Find calls
// exact for the text of a document if q asks for exact letters. The parameter run of exact
// is an index in f.Runs.
//
// If counts is false, the caller does not need to know how often a document has each atom of q, or
// how many terms it has. For a query of one word, Find then only notes which documents have the
// word.
func (f *File) Find(ctx context.Context, q *match.Query, parts *match.Parts, counts bool, exact func(run, block uint32, as Reading) (string, error)) (*Hits, error) {
	out := &Hits{parts: parts}
	if !counts {
		out.one, _ = q.OneWord()
	}
	for _, part := range f.parts {
		list, err := f.postingsOf(q, part)
		if err != nil {
			return nil, err
		}
		if out.one != nil {
			err = f.note(ctx, list, out)
		} else {
			err = f.join(ctx, list, out, exact)
		}
		if err != nil {
			return nil, err
		}
	}
	out.end()
	return out, nil
}

// cursor reads the postings of one term, document by document.
type cursor struct {
	b      []byte // the postings that were not read yet
	doc    int    // the current document
	bits   uint64 // which terms of the query the term equals
	letter bool
}

// next moves to the next document. It returns false if there is none.
func (c *cursor) next() bool {
	if len(c.b) == 0 {
		return false
	}
	c.doc += int(c.uvarint())
	return true
}

func (c *cursor) uvarint() uint64 {
	if len(c.b) > 0 && c.b[0] < 0x80 {
		x := c.b[0]
		c.b = c.b[1:]
		return uint64(x)
	}
	x, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.b = nil
		return 0
	}
	c.b = c.b[n:]
	return x
}

// note adds the documents of all cursors in list to out, and forgets where in a document the terms
// are. The documents of different terms need not be brought into one order, as join does. With this and
// Maker.withWord of package search, a count of a word that half of a million pages have takes 15 ms
// of CPU time instead of 75.
func (f *File) note(ctx context.Context, list []*cursor, out *Hits) error {
	if len(list) > 0 && out.some == nil {
		out.some = make([]uint64, (f.docs+63)/64)
	}
	for i, c := range list {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !c.note(out.some, f.docs) {
			return f.fault(errDamaged)
		}
	}
	return nil
}

// note sets the bits of all documents of c in some. It returns false if the postings are damaged. docs
// is the number of documents of the index.
func (c *cursor) note(some []uint64, docs int) bool {
	last := byte(1) // the bit of a place that says whether it is the last in its document
	if c.letter {
		last = 2
	}
	doc := uint64(0)
	for b := c.b; len(b) > 0; {
		if b[0] < 0x80 {
			doc += uint64(b[0])
			b = b[1:]
		} else {
			x, n := binary.Uvarint(b)
			if n <= 0 {
				return false
			}
			doc += x
			b = b[n:]
		}
		if doc >= uint64(docs) {
			return false
		}
		some[doc/64] |= 1 << (doc % 64)
		for len(b) > 0 {
			end := b[0]&last != 0
			for len(b) > 1 && b[0] >= 0x80 {
				b = b[1:]
			}
			if b = b[1:]; end {
				break
			}
		}
	}
	return true
}

// words appends the places of the term in the current document to dst.
func (c *cursor) words(dst []match.Word) []match.Word {
	place := -1
	for len(c.b) > 0 {
		x := c.uvarint()
		w := match.Word{Bits: c.bits}
		if c.letter {
			w.Joined = x&1 != 0
			x >>= 1
		}
		place += int(x>>1) + 1
		w.N = place
		dst = append(dst, w)
		if x&1 != 0 {
			break
		}
	}
	return dst
}

// postingsOf returns one cursor for each term of the part that equals a term of the query.
func (f *File) postingsOf(q *match.Query, part []termBlock) ([]*cursor, error) {
	terms, begins := q.Spellings()
	var out []*cursor
	for _, b := range chosen(part, terms, begins) {
		list, err := f.termsOf(b)
		if err != nil {
			return nil, err
		}
		var postings []byte
		for t := range list.among(terms, begins) {
			bits := q.Bits(t.letters)
			if bits == 0 {
				continue
			}
			if postings == nil {
				if postings, err = f.content(b.postings); err != nil {
					return nil, err
				}
			}
			if t.at+t.size > len(postings) {
				return nil, f.fault(errDamaged)
			}
			out = append(out, &cursor{b: postings[t.at : t.at+t.size : t.at+t.size], bits: bits, letter: t.letter})
		}
	}
	return out, nil
}

// chosen returns the blocks of part that may have one of the terms, or a term that starts
// with one of the prefixes in begins.
func chosen(part []termBlock, terms, begins []string) []termBlock {
	want := make([]bool, len(part))
	first := func(t string) int { return sort.Search(len(part), func(i int) bool { return part[i].last >= t }) }
	for _, t := range terms {
		if i := first(t); i < len(part) {
			want[i] = true
		}
	}
	for _, t := range begins {
		for i := first(t); i < len(part); i++ {
			want[i] = true
			if !strings.HasPrefix(part[i].last, t) {
				break
			}
		}
	}
	var out []termBlock
	for i, w := range want {
		if w {
			out = append(out, part[i])
		}
	}
	return out
}

// join reads the postings of all cursors in list in the order of their documents. It adds
// to out what the query matches in each document. Find says what exact does.
func (f *File) join(ctx context.Context, list []*cursor, out *Hits, exact func(run, block uint32, as Reading) (string, error)) error {
	list = slices.DeleteFunc(list, func(c *cursor) bool { return !c.next() })
	h := heap(list)
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
	var words []match.Word
	run, next := 0, 0 // next is where the shape of a next document in the run may be
	var s *shapes
	for n := 0; len(h) > 0; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		doc, several := h[0].doc, false
		words = words[:0]
		for len(h) > 0 && h[0].doc == doc {
			several = several || len(words) > 0
			words = h[0].words(words)
			if !h[0].next() {
				h[0] = h[len(h)-1]
				h = h[:len(h)-1]
			}
			if len(h) > 0 {
				h.down(0)
			}
		}
		if several {
			slices.SortFunc(words, func(a, b match.Word) int { return cmp.Compare(a.N, b.N) })
		}
		for run < len(f.Runs) && doc >= f.Runs[run].first+f.Runs[run].docs {
			run, next = run+1, 0
		}
		if run == len(f.Runs) || doc < f.Runs[run].first {
			return f.fault(errDamaged)
		}
		if s == nil || run >= s.end {
			var err error
			if s, err = f.shapesOf(run); err != nil {
				return err
			}
		}
		of := &s.runs[run-s.first]
		next = of.seek(next, doc)
		for next < len(of.of) && of.docOf(next) != doc && (of.docOf(next)+1 != doc || of.of[next]&shapeLinks == 0) {
			next++
		}
		if next == len(of.of) {
			return f.fault(errDamaged)
		}
		shape := of.shape(next)
		links := of.docOf(next) != doc // the document has the texts of links
		if last := words[len(words)-1].N; links {
			shape = match.Shape{Terms: last + 1}
		} else if last >= shape.Terms {
			return f.fault(errDamaged)
		}
		p, ok := out.parts.Of(shape, words)
		if !ok {
			if links {
				continue // the links of the block must be read
			}
			block, reading := of.blockOf(next)
			text, err := exact(uint32(run), uint32(block), f.Readings[f.Runs[run].Readings[reading]])
			if err != nil {
				return err
			}
			p = out.parts.Read(text)
		}
		if !out.parts.At(p).Plain() && !out.add(doc, p, f.docs) {
			return f.fault(errDamaged)
		}
	}
	return nil
}

// seek returns the index of a shape from which on a reader finds the shape of document doc. The shape
// is at index from or after it. If the documents of the run ascend, it is the shape of the last
// document up to doc: to go through all shapes took a quarter of the time of a count of a word that
// 1 % of a million pages have.
func (r *runShapes) seek(from, doc int) int {
	if from >= len(r.of) {
		return from
	}
	if r.doc == nil {
		return max(from, min(len(r.of)-1, doc-int(r.first)))
	}
	if !r.ascending || doc <= int(r.doc[from]) {
		return from
	}
	at := min(len(r.doc)-1, from+doc-int(r.doc[from])) // not before the shape, because no two documents are equal
	if int(r.doc[at]) == doc {
		return at
	}
	n, ok := slices.BinarySearch(r.doc[from:at+1], int32(doc))
	if !ok {
		n--
	}
	return from + n
}

// blockOf finds out what a shape of the run belongs to, given the index of the shape. block is the
// number of a block of the run. reading is an index in Run.Readings: read in that way, the block
// has this shape.
func (r *runShapes) blockOf(shape int) (block, reading int) {
	for n := range r.blocks {
		if first, _ := r.at(n); first >= 0 && first <= shape {
			block, reading = n, shape-first
		}
	}
	return block, reading
}

// heap is a binary heap of cursors. The cursor with the lowest document is first.
type heap []*cursor

// down restores the heap after element i has grown: it moves that element down to its
// position.
func (h heap) down(i int) {
	for {
		k := 2*i + 1
		if k >= len(h) {
			return
		}
		if k+1 < len(h) && h[k+1].doc < h[k].doc {
			k++
		}
		if h[i].doc <= h[k].doc {
			return
		}
		h[i], h[k] = h[k], h[i]
		i = k
	}
}
