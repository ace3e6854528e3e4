package msdoc

import (
	"sort"

	"infomall/store/document/office"
	"infomall/store/document/ole"
)

// formats are the properties of the runs of characters, or of the paragraphs, of a
// document. They lie in pages of 512 bytes of the stream.
type formats struct {
	main    []byte
	offsets []uint32 // where the runs of each page begin, and where those of the last end
	pages   []uint32
	sizes   func(grpprl []byte) (code uint16, value, rest []byte)
	wide    bool // of Word 97 and later
}

const pageBytes = 512

// formatsOf reads the table of the pages. pageSize is the number of bytes of the number
// of a page.
func formatsOf(main, table []byte, pageSize int, sizes func([]byte) (uint16, []byte, []byte)) formats {
	n := (len(table) - 4) / (4 + pageSize)
	if n <= 0 {
		return formats{}
	}
	f := formats{main: main, offsets: u32s(table, 0, n+1), pages: make([]uint32, n), sizes: sizes, wide: pageSize == 4}
	for i := range n {
		at := 4*(n+1) + pageSize*i
		if f.pages[i] = uint32(ole.U16(table, at)); f.wide {
			f.pages[i] = ole.U32(table, at) & 0x3fffff
		}
	}
	return f
}

// run finds the run of characters or paragraph that contains offset. page is the page of the table
// that describes the run, and entry its entry there, of entrySize bytes. end is the offset, after
// the given one, at which the run ends. ok is false if no page describes the offset.
func (f *formats) run(offset uint32, entrySize int) (page, entry []byte, end uint32, ok bool) {
	end = ^uint32(0)
	i := sort.Search(len(f.pages), func(i int) bool { return f.offsets[i+1] > offset })
	if i == len(f.pages) {
		return nil, nil, end, false
	}
	if f.offsets[i] > offset {
		return nil, nil, f.offsets[i], false
	}
	from := uint64(f.pages[i]) * pageBytes
	if from+pageBytes > uint64(len(f.main)) {
		return nil, nil, max(f.offsets[i+1], offset+1), false
	}
	page = f.main[from : from+pageBytes]
	runs := int(page[pageBytes-1])
	if 4*(runs+1)+entrySize*runs > pageBytes-1 {
		return nil, nil, max(f.offsets[i+1], offset+1), false
	}
	j := sort.Search(runs, func(j int) bool { return ole.U32(page, 4*j+4) > offset })
	if j < runs && ole.U32(page, 4*j) > offset {
		return nil, nil, ole.U32(page, 4*j), false
	}
	if j == runs {
		return nil, nil, max(f.offsets[i+1], offset+1), false
	}
	at := 4*(runs+1) + entrySize*j
	return page, page[at : at+entrySize], ole.U32(page, 4*j+4), true
}

// charFormat holds the properties of a run of characters that the reader uses.
type charFormat struct {
	hidden  bool
	deleted bool // by a tracked change
	symbol  bool // a character of a symbol font, which is not text
	font    int  // index of the font; -1 if unknown
	langs   office.Languages
}

// charsAt returns the properties of the character at an offset, and the offset where
// they end.
func (f *formats) charsAt(offset uint32) (charFormat, uint32) {
	c := charFormat{font: -1}
	page, entry, end, ok := f.run(offset, 1)
	if !ok || entry[0] == 0 {
		return c, end
	}
	at := 2 * int(entry[0])
	list := page[at+1 : min(pageBytes, at+1+int(page[at]))]
	for len(list) > 0 {
		var code uint16
		var value []byte
		if code, value, list = f.sizes(list); len(value) == 0 {
			continue
		}
		// Of a switch, 1 is on, and 0x81 the opposite of the style, which is off.
		on := value[0] == 1 || value[0] == 0x81
		switch code {
		case 0x083c, 92:
			c.hidden = on
		case 0x0800, 65:
			c.deleted = on
		case 0x6a09, 74:
			c.symbol = true
		case 0x4a4f, 93:
			c.font = int(ole.U16(value, 0))
		default:
			addLanguage(&c.langs, code, value)
		}
	}
	return c, end
}

// paraFormat holds the properties of a paragraph that the reader uses.
type paraFormat struct {
	known   bool
	heading bool
	table   bool // in a table
	rowEnd  bool // the mark ends a row
	inner   bool // the mark ends a cell or row of a table inside of a cell
}

// headingStyles are how many styles of headings there are. They have the numbers from 1.
const headingStyles = 9

// paraAt returns the properties of the paragraph whose mark is at an offset.
func (f *formats) paraAt(offset uint32) paraFormat {
	entrySize := 7
	if f.wide {
		entrySize = 13
	}
	page, entry, _, ok := f.run(offset, entrySize)
	if !ok {
		return paraFormat{}
	}
	p := paraFormat{known: true}
	at := 2 * int(entry[0])
	if at == 0 {
		return p
	}
	size := 2 * int(page[at])
	if f.wide {
		if size--; size < 0 {
			at++
			size = 2 * int(page[min(at, pageBytes-1)])
		}
	}
	list := page[min(at+1, pageBytes):min(pageBytes, at+1+size)]
	if len(list) < 2 {
		return p
	}
	style := ole.U16(list, 0)
	p.heading = style >= 1 && style <= headingStyles
	for list = list[2:]; len(list) > 0; {
		var code uint16
		var value []byte
		if code, value, list = f.sizes(list); len(value) == 0 {
			continue
		}
		switch code {
		case 0x2416, 24:
			p.table = value[0] != 0
		case 0x2417, 25:
			p.rowEnd = value[0] != 0
		case 0x244b, 0x244c:
			p.inner = value[0] != 0
		}
	}
	return p
}

// newSizes splits off the first property of a list of Word 97 and later.
func newSizes(list []byte) (code uint16, value, rest []byte) {
	if len(list) < 3 {
		return 0, nil, nil
	}
	code, list = ole.U16(list, 0), list[2:]
	n := [8]int{1, 1, 2, 4, 2, 2, 0, 3}[code>>13]
	switch {
	case code == 0xd608: // the definition of a table row has a longer length
		n = 1 + int(ole.U16(list, 0))
	case code == 0xc615 && list[0] == 255 && len(list) > 1:
		// A change of many tab stops: the deleted ones, and the added ones.
		n = 2 + 4*int(list[1])
		if n < len(list) {
			n += 1 + 3*int(list[n])
		}
	case code>>13 == 6:
		n = 1 + int(list[0])
	}
	n = min(n, len(list))
	return code, list[:n], list[n:]
}

// oldSizes splits off the first property of a list of Word 6 and 95.
func oldSizes(list []byte) (code uint16, value, rest []byte) {
	code, list = uint16(list[0]), list[1:]
	n := 1
	switch code {
	case 0, 83:
		n = 0
	case 2, 16, 17, 18, 19, 21, 22, 26, 27, 28, 30, 31, 32, 33, 34, 35, 36, 38, 39, 40, 41, 42, 43, 45, 46, 47, 48, 49, 69, 72, 80, 93, 96, 97, 99, 101:
		n = 2
	case 73, 95:
		n = 3
	case 20, 70:
		n = 4
	case 3, 12, 15, 23, 68, 74, 81, 82, 103, 105, 106, 107, 108, 109:
		if n = 1; len(list) > 0 {
			n += int(list[0])
		}
	case 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 24, 25, 29, 37, 44, 50, 51, 65, 66, 67, 71, 75, 85, 86, 87, 88, 89, 90, 91, 92, 94, 98, 100, 102, 104, 117, 118:
	default:
		return 0, nil, nil // the size is unknown, so the rest cannot be read
	}
	n = min(n, len(list))
	return code, list[:n], list[n:]
}

// oldFonts returns the code page of each font of a document of Word 6 and 95.
func oldFonts(table []byte) []int {
	var out []int
	for at := 2; at+5 < len(table); at += 1 + int(table[at]) {
		out = append(out, fontPage(table[at+4]))
	}
	return out
}

const symbolPage = -1 // the code page of a symbol font

// fontPage returns the code page for the charset number of a font, or 0 if text in that font uses
// the code page of the document.
func fontPage(charset byte) int {
	switch charset {
	case 2:
		return symbolPage
	case 77:
		return 10000
	case 128:
		return 932
	case 129:
		return 949
	case 134:
		return 936
	case 136:
		return 950
	case 161:
		return 1253
	case 162:
		return 1254
	case 163:
		return 1258
	case 177:
		return 1255
	case 178:
		return 1256
	case 186:
		return 1257
	case 204:
		return 1251
	case 222:
		return 874
	case 238:
		return 1250
	}
	return 0
}
