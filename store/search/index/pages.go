package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"unsafe"

	"infomall/store/block/facts"
	"infomall/store/block/label"
	"infomall/store/packed"
	"infomall/store/segment"
)

// pageGroup encodes the pages of consecutive runs, each property in a column of its own.
type pageGroup struct {
	cols  [pageCols][]byte
	bytes int

	terms int    // Page.Terms of the last page added
	title string // title of the last page added
	cut   []byte // encoded cut of the last page added
	next  []byte // memory for the next cut
}

// The columns of a pageGroup. The cut of a page is its division into blocks of the
// outline.
const (
	colPages   = iota // for each run: number of captures
	colKind           // for each capture: its PageKind
	colSame           // for PageSame: number of the capture with the same page
	colHolder         // for PageHeld: segment, run and number of the capture that has the body
	colReading        // for PageOwn and PageHeld, as the columns below: number of the reading
	colTitle          // 0: the title of the page before; 1: the title follows
	colCut            // 0: the cut of the page before; otherwise 1 + number of blocks, and for each block its number of leaves times 16 plus its label
	colPrint          // 0: no fingerprint of the main text; 1: its 8 bytes follow
	colTerms          // number of terms, less that of the page before
	pageCols
)

// add adds the pages of the next run to the columns of g. b gives each reading its number.
func (g *pageGroup) add(b *Builder, pages []Page) {
	before := g.size()
	put := func(col int, x uint64) { g.cols[col] = binary.AppendUvarint(g.cols[col], x) }
	put(colPages, uint64(len(pages)))
	for i := range pages {
		p := &pages[i]
		g.cols[colKind] = append(g.cols[colKind], byte(p.Kind))
		switch p.Kind {
		case PageSame:
			put(colSame, uint64(p.Same))
		case PageHeld:
			put(colHolder, uint64(p.Holder.Segment))
			put(colHolder, uint64(p.Holder.Run))
			put(colHolder, uint64(p.Holder.N))
		}
		if !p.HasLeaves() {
			continue
		}
		put(colReading, uint64(b.readings.number(p.Reading)))
		if p.Title == g.title {
			put(colTitle, 0)
		} else {
			put(colTitle, 1)
			g.cols[colTitle] = packed.AppendSized(g.cols[colTitle], p.Title)
			g.title = p.Title
		}
		cut := binary.AppendUvarint(g.next[:0], uint64(len(p.Cut))+1)
		for _, c := range p.Cut {
			cut = binary.AppendUvarint(cut, uint64(c.Leaves)<<4|uint64(c.Label))
		}
		if bytes.Equal(cut, g.cut) {
			put(colCut, 0)
		} else {
			g.cols[colCut] = append(g.cols[colCut], cut...)
			cut, g.cut = g.cut, cut
		}
		g.next = cut
		if !p.Printed {
			put(colPrint, 0)
		} else {
			put(colPrint, 1)
			g.cols[colPrint] = binary.LittleEndian.AppendUint64(g.cols[colPrint], p.Print)
		}
		g.cols[colTerms] = binary.AppendVarint(g.cols[colTerms], int64(p.Terms-g.terms))
		g.terms = p.Terms
	}
	g.bytes += g.size() - before
}

func (g *pageGroup) size() (n int) {
	for _, c := range g.cols {
		n += len(c)
	}
	return n
}

// appendTo appends all columns to dst, each after its length, and returns the longer slice.
func (g *pageGroup) appendTo(dst []byte) []byte {
	for _, c := range g.cols {
		dst = packed.AppendSized(dst, c)
	}
	return dst
}

// reset removes all pages, and keeps the memory for the next ones.
func (g *pageGroup) reset() {
	for i := range g.cols {
		g.cols[i] = g.cols[i][:0]
	}
	g.bytes, g.title, g.cut, g.terms = 0, "", g.cut[:0], 0
}

// errPages is returned if the pages are damaged although the checksum of their block is
// right.
var errPages = errors.New("the pages are not as they were written")

// Pages has the pages of consecutive runs, decoded from one block of an index. Its methods
// count these runs from 0. It never changes.
type Pages struct {
	readings []Reading
	first    []int32 // for each run the index of its first page in all, and at the end len(all)
	all      []keptPage
	holders  []Holder // for the pages that are PageHeld
	titles   string   // all titles, concatenated
	ends     []uint32 // offset in titles at which each title ends
	cuts     [][]facts.OutlineBlock
}

// keptPage is one page of Pages. It has no pointers, because a million of them may be in
// memory and the garbage collector would follow each.
type keptPage struct {
	print      uint64
	of         uint32 // for PageSame: Page.Same; for PageHeld: an index in Pages.holders
	reading    int32  // index in the readings of the index; reading, title and cut are set only for pages with leaves
	title, cut int32  // indexes in Pages.ends and Pages.cuts
	terms      int32
	kind       PageKind
	printed    bool
}

// Runs returns the number of runs.
func (g *Pages) Runs() int { return len(g.first) - 1 }

// Len returns the number of captures of a run.
func (g *Pages) Len(run int) int { return int(g.first[run+1] - g.first[run]) }

// At returns a number for the page of capture i of a run, for the methods below. ok is false if the leaves of the
// page are not known, or if the run has no such capture.
func (g *Pages) At(run, i int) (at int, ok bool) {
	if i >= g.Len(run) {
		return 0, false
	}
	at = int(g.first[run]) + g.Same(run, i)
	return at, (&Page{Kind: g.all[at].kind}).HasLeaves()
}

// Title returns the title of a page. The parameter is a result of At.
func (g *Pages) Title(at int) string {
	k, from := g.all[at].title, uint32(0)
	if k > 0 {
		from = g.ends[k-1]
	}
	return g.titles[from:g.ends[k]]
}

// Print returns Page.Print and Page.Printed of a page. The parameter is a result of At.
func (g *Pages) Print(at int) (print uint64, printed bool) { return g.all[at].print, g.all[at].printed }

// Terms returns Page.Terms of a page. The parameter is a result of At.
func (g *Pages) Terms(at int) int { return int(g.all[at].terms) }

// Cut returns Page.Cut of a page, and a number for it: pages with the same number have the same cut. The parameter
// is a result of At.
func (g *Pages) Cut(at int) (cut []facts.OutlineBlock, number int) {
	number = int(g.all[at].cut)
	return g.cuts[number], number
}

// Page returns the page of capture i of a run.
func (g *Pages) Page(run, i int) Page {
	at := int(g.first[run]) + i
	k := &g.all[at]
	p := Page{Kind: k.kind}
	switch k.kind {
	case PageSame:
		p.Same = k.of
	case PageHeld:
		p.Holder = g.holders[k.of]
	}
	if p.HasLeaves() {
		p.Reading, p.Cut, p.Print, p.Printed = g.readings[k.reading], g.cuts[k.cut], k.print, k.printed
		p.Terms, p.Title = int(k.terms), g.Title(at)
	}
	return p
}

// Same returns the number of the first capture in the run that has the same page as
// capture i. It returns i if no earlier capture has it.
func (g *Pages) Same(run, i int) int {
	for of := g.all[g.first[run]:]; of[i].kind == PageSame; {
		i = int(of[i].of)
	}
	return i
}

// bytes returns an estimate of the memory that g takes, in bytes.
func (g *Pages) bytes() int64 {
	n := int64(unsafe.Sizeof(*g)) + int64(len(g.titles)) + 4*int64(cap(g.first)+cap(g.ends)) + int64(cap(g.all))*int64(unsafe.Sizeof(keptPage{}))
	n += int64(cap(g.holders)) * int64(unsafe.Sizeof(Holder{}))
	for _, c := range g.cuts {
		n += int64(unsafe.Sizeof(c)) + int64(len(c))*int64(unsafe.Sizeof(facts.OutlineBlock{}))
	}
	return n
}

// decodePages decodes b, a block with the pages of as many runs as the parameter runs
// says.
func (f *File) decodePages(b []byte, runs int) (*Pages, error) {
	r := packed.Reader{B: b}
	var cols [pageCols]packed.Reader
	for i := range cols {
		cols[i].B = r.Sized()
	}
	g := &Pages{readings: f.Readings, first: make([]int32, 1, runs+1), all: make([]keptPage, 0, len(cols[colKind].B))}
	// Before the first title and the first cut, pages have none.
	g.ends, g.cuts = []uint32{0}, [][]facts.OutlineBlock{nil}
	titles := make([]byte, 0, len(cols[colTitle].B))
	terms := int64(0) // of the last page
	for range runs {
		n := cols[colPages].Number()
		if n > len(cols[colKind].B) {
			return nil, errPages
		}
		for i := range n {
			k := keptPage{kind: PageKind(cols[colKind].Byte())}
			switch k.kind {
			case PageUnknown, PageNone, PageEmpty, PageOwn:
			case PageSame:
				if k.of = uint32(cols[colSame].Number()); int(k.of) >= i {
					return nil, errPages
				}
			case PageHeld:
				h := &cols[colHolder]
				k.of = uint32(len(g.holders))
				g.holders = append(g.holders, Holder{segment.RunRef{Segment: uint32(h.Number()), Run: uint32(h.Number())}, uint32(h.Number())})
			default:
				return nil, errPages
			}
			if (&Page{Kind: k.kind}).HasLeaves() {
				reading := cols[colReading].Number()
				if reading >= len(f.Readings) {
					return nil, errPages
				}
				k.reading = int32(reading)
				if cols[colTitle].Number() != 0 {
					titles = append(titles, cols[colTitle].Sized()...)
					g.ends = append(g.ends, uint32(len(titles)))
				}
				if err := g.readCut(&cols[colCut]); err != nil {
					return nil, err
				}
				k.title, k.cut = int32(len(g.ends)-1), int32(len(g.cuts)-1)
				if k.printed = cols[colPrint].Number() != 0; k.printed {
					if print := cols[colPrint].Take(8); print != nil {
						k.print = binary.LittleEndian.Uint64(print)
					}
				}
				if terms += cols[colTerms].Varint(); terms < 0 || terms > math.MaxInt32 {
					return nil, errPages
				}
				k.terms = int32(terms)
			}
			g.all = append(g.all, k)
		}
		g.first = append(g.first, int32(len(g.all)))
	}
	for i := range cols {
		if cols[i].Bad {
			return nil, errPages
		}
	}
	g.titles = string(titles)
	return g, nil
}

// readCut decodes the cut of the next page from col and appends it to g.cuts. It appends
// nothing if the page has the same cut as the page before.
func (g *Pages) readCut(col *packed.Reader) error {
	n := col.Number()
	if n == 0 {
		return nil
	}
	if n > len(col.B)+1 {
		return errPages
	}
	cut := make([]facts.OutlineBlock, n-1)
	for c := range cut {
		x := col.Number()
		cut[c] = facts.OutlineBlock{Leaves: x >> 4, Label: label.Label(x & 15)}
		if cut[c].Label > label.Other {
			return errPages
		}
	}
	g.cuts = append(g.cuts, cut)
	return nil
}
