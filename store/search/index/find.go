package index

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"sort"
	"strings"

	"infomall/store/packed"
	"infomall/store/words/match"
)

// Hits holds the findings of a question in the documents of an index. It never changes after
// Find has returned it.
type Hits struct {
	of    []uint32 // by document: 1 + the index in parts; 0 if the question finds nothing in it. nil if it finds nothing in any
	parts []*match.Part
	n     int
}

const (
	// recentParts is how many elements at the end of Hits.parts are compared with the next
	// one. Most texts that are like each other share a Part, see match.Query.PartOf.
	recentParts = 8
	// hitBytes is about how much memory a Part takes.
	hitBytes = 158
)

// Bytes returns about how much memory h takes, at most.
func (h *Hits) Bytes() int64 { return int64(len(h.of))*4 + int64(len(h.parts))*hitBytes }

// add adds what the question finds in a document.
func (h *Hits) add(doc int, p *match.Part) {
	h.n++
	for i := len(h.parts) - 1; i >= max(0, len(h.parts)-recentParts); i-- {
		if h.parts[i] == p {
			h.of[doc] = uint32(i) + 1
			return
		}
	}
	h.parts = append(h.parts, p)
	h.of[doc] = uint32(len(h.parts))
}

// Len returns the number of documents in which the question finds something.
func (h *Hits) Len() int { return h.n }

// Part returns what the question finds in a document, or nil.
func (h *Hits) Part(doc int) *match.Part {
	if h.of == nil || h.of[doc] == 0 {
		return nil
	}
	return h.parts[h.of[doc]-1]
}

// Find returns what the question finds in the documents of the index. exact returns the
// text of a document, which is needed if the question asks for exact letters. The parameter
// run of exact is an index in f.Runs.
func (f *File) Find(ctx context.Context, q *match.Query, exact func(run, block uint32, as Reading) (string, error)) (*Hits, error) {
	out := &Hits{}
	for _, part := range f.parts {
		list, err := f.postingsOf(q, part)
		if err != nil {
			return nil, err
		}
		if err := f.join(ctx, q, list, out, exact); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Terms calls each for every term of the index, in order within each part, with the
// number of documents that have it. The term is valid until each returns. A term is
// passed once for each part.
func (f *File) Terms(each func(term []byte, docs int)) error {
	for _, part := range f.parts {
		for _, b := range part {
			if err := f.terms(b, func(term []byte, docs int, _ bool, _, _ int) { each(term, docs) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// terms calls each for every term of a block: with the number of documents that have it,
// whether it is a letter of a run, and where its postings are in the block of postings.
func (f *File) terms(b termBlock, each func(term []byte, docs int, letter bool, at, size int)) error {
	content, err := f.content(b.terms)
	if err != nil {
		return err
	}
	r := packed.Reader{B: content}
	var term []byte
	for at := 0; len(r.B) > 0; {
		same := r.Number()
		if same > len(term) {
			return f.fault(errDamaged)
		}
		term = append(term[:same], r.Sized()...)
		docs := r.Number()
		size := r.Number()
		if r.Bad {
			return f.fault(errDamaged)
		}
		each(term, docs>>1, docs&1 != 0, at, size)
		at += size
	}
	return nil
}

// cursor reads the postings of one term, document by document.
type cursor struct {
	b      []byte // the rest
	doc    int    // the current document
	bits   uint64 // terms of the question that the term equals
	letter bool
}

// next goes to the next document. It returns false at the end.
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

// postingsOf returns cursors for all terms of a part that are terms of the question.
func (f *File) postingsOf(q *match.Query, part []termBlock) ([]*cursor, error) {
	terms, begins := q.Spellings()
	var out []*cursor
	for _, b := range chosen(part, terms, begins) {
		var postings []byte
		var err error
		fail := f.terms(b, func(term []byte, _ int, letter bool, at, size int) {
			bits := q.Bits(term)
			if bits == 0 || err != nil {
				return
			}
			if postings == nil {
				if postings, err = f.content(b.postings); err != nil {
					return
				}
			}
			if at+size > len(postings) {
				err = f.fault(errDamaged)
				return
			}
			out = append(out, &cursor{b: postings[at : at+size : at+size], bits: bits, letter: letter})
		})
		if err = cmp.Or(fail, err); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// chosen returns the blocks of a part that may have one of the terms, or a term with one
// of the beginnings.
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

// join puts the postings of several terms together, document by document, and adds what
// the question finds in each to out.
func (f *File) join(ctx context.Context, q *match.Query, list []*cursor, out *Hits, exact func(run, block uint32, as Reading) (string, error)) error {
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
		for next < len(of.doc) && int(of.doc[next]) != doc && (int(of.doc[next])+1 != doc || of.links[next]&shapeLinks == 0) {
			next++
		}
		if next == len(of.doc) {
			return f.fault(errDamaged)
		}
		shape := of.of[next]
		links := int(of.doc[next]) != doc // the document has the texts of links
		if last := words[len(words)-1].N; links {
			shape = match.Shape{Terms: last + 1}
		} else if last >= shape.Terms {
			return f.fault(errDamaged)
		}
		p, ok := q.PartOf(shape, words)
		if !ok {
			if links {
				continue // the links of the block must be read
			}
			block, reading := of.blockOf(next)
			text, err := exact(uint32(run), uint32(block), f.Readings[f.Runs[run].Readings[reading]])
			if err != nil {
				return err
			}
			p = q.Part(text)
		}
		if !p.Plain() {
			if out.of == nil {
				out.of = make([]uint32, f.docs)
			}
			out.add(doc, p)
		}
	}
	return nil
}

// blockOf returns the block to which a shape of the run belongs, and to which of the
// readings of the run.
func (r *runShapes) blockOf(shape int) (block, reading int) {
	for n, first := range r.at {
		if first >= 0 && int(first) <= shape {
			block = n
		}
	}
	return block, shape - int(r.at[block])
}

// heap is cursors, of which the first has the least document.
type heap []*cursor

// down puts element i to its place; all others are in their places.
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
