package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unsafe"

	"infomall/store/block/facts"
	"infomall/store/block/label"
	"infomall/store/packed"
	"infomall/store/segment"
)

// pageGroup is the pages of consecutive runs, column by column.
type pageGroup struct {
	cols  [pageCols][]byte
	bytes int

	title string // of the page before
	cut   []byte // the same
}

// The columns of a pageGroup.
const (
	colPages   = iota // of each run: number of captures
	colKind           // of each capture
	colSame           // of PageSame: number of the capture
	colHolder         // of PageHeld: segment, run and number of the capture
	colReading        // of PageOwn and PageHeld: number of the reading
	colTitle          // of these: 0 the title of the page before, otherwise 1 and a text
	colCut            // of these: 0 the cut of the page before, otherwise 1 + number of blocks, and for each its leaves times 16 and its label
	colPrint          // of these: 0 no fingerprint of the main text, otherwise 1 and its 8 bytes
	pageCols
)

// add adds the pages of the next run.
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
		cut := binary.AppendUvarint(nil, uint64(len(p.Cut))+1)
		for _, c := range p.Cut {
			cut = binary.AppendUvarint(cut, uint64(c.Leaves)<<4|uint64(c.Label))
		}
		if bytes.Equal(cut, g.cut) {
			put(colCut, 0)
		} else {
			g.cols[colCut] = append(g.cols[colCut], cut...)
			g.cut = cut
		}
		if !p.Printed {
			put(colPrint, 0)
		} else {
			put(colPrint, 1)
			g.cols[colPrint] = binary.LittleEndian.AppendUint64(g.cols[colPrint], p.Print)
		}
	}
	g.bytes += g.size() - before
}

func (g *pageGroup) size() (n int) {
	for _, c := range g.cols {
		n += len(c)
	}
	return n
}

// encode returns the columns, each with its length before it.
func (g *pageGroup) encode() []byte {
	var out []byte
	for _, c := range g.cols {
		out = packed.AppendSized(out, c)
	}
	return out
}

// errPages is the error for pages that are damaged in a way that a checksum does not show.
var errPages = errors.New("the pages are not as they were written")

// decodePages decodes a group of runs, and returns the pages of each run, and about how many
// bytes of memory they take.
func (f *File) decodePages(b []byte, runs int) (_ [][]Page, bytes int64, err error) {
	r := packed.Reader{B: b}
	var cols [pageCols]packed.Reader
	for i := range cols {
		cols[i].B = r.Sized()
	}
	out := make([][]Page, runs)
	title, cut := "", []facts.OutlineBlock(nil)
	for i := range out {
		n := cols[colPages].Number()
		if n > len(cols[colKind].B) {
			return nil, 0, errPages
		}
		out[i] = make([]Page, n)
		bytes += int64(n) * int64(unsafe.Sizeof(Page{}))
		for k := range out[i] {
			p := &out[i][k]
			switch p.Kind = PageKind(cols[colKind].Byte()); p.Kind {
			case PageUnknown, PageNone, PageEmpty, PageOwn:
			case PageSame:
				if p.Same = uint32(cols[colSame].Number()); int(p.Same) >= k {
					return nil, 0, errPages
				}
			case PageHeld:
				h := &cols[colHolder]
				p.Holder = Holder{segment.RunRef{Segment: uint32(h.Number()), Run: uint32(h.Number())}, uint32(h.Number())}
			default:
				return nil, 0, errPages
			}
			if !p.HasLeaves() {
				continue
			}
			reading := cols[colReading].Number()
			if reading >= len(f.Readings) {
				return nil, 0, errPages
			}
			p.Reading = f.Readings[reading]
			if cols[colTitle].Number() != 0 {
				title = cols[colTitle].Text()
				bytes += int64(len(title))
			}
			p.Title = title
			if n := cols[colCut].Number(); n > len(cols[colCut].B)+1 {
				return nil, 0, errPages
			} else if n > 0 {
				cut = make([]facts.OutlineBlock, n-1)
				bytes += int64(n-1) * int64(unsafe.Sizeof(facts.OutlineBlock{}))
				for c := range cut {
					x := cols[colCut].Number()
					cut[c] = facts.OutlineBlock{Leaves: x >> 4, Label: label.Label(x & 15)}
					if cut[c].Label > label.Other {
						return nil, 0, errPages
					}
				}
			}
			p.Cut = cut
			if p.Printed = cols[colPrint].Number() != 0; p.Printed {
				if print := cols[colPrint].Take(8); print != nil {
					p.Print = binary.LittleEndian.Uint64(print)
				}
			}
		}
	}
	for i := range cols {
		if cols[i].Bad {
			return nil, 0, errPages
		}
	}
	return out, bytes, nil
}
