package msxls

import (
	"infomall/store/document"
	"infomall/store/document/cellformat"
	"infomall/store/document/ole"
)

// book is one workbook.
type book struct {
	b         *document.Builder
	stream    []byte
	version   int
	page      int  // code page of texts in bytes
	since1904 bool // dates are counted from 1904
	shared    []string
	formats   map[int]string            // number formats by number
	parsed    map[int]cellformat.Format // by number, also of the built-in formats
	styles    []int                     // number of the number format of each style of cells
	sheets    []sheetEntry
	name      string // of the next sheet of a workbook of Excel 4
	room      int    // bytes of text of cells that may be kept
	budget    int    // bytes of records that may be read
}

// sheetEntry is the entry of a sheet in the workbook.
type sheetEntry struct {
	at     int
	name   string
	hidden bool
	kind   byte // 0 worksheet, 1 macros, 2 chart
}

func newBook(stream []byte, b *document.Builder) *book {
	// The substreams of a damaged workbook may overlap; the budget ends that.
	return &book{b: b, stream: stream, page: 1252, formats: map[int]string{}, parsed: map[int]cellformat.Format{}, room: b.Limits().Text, budget: 2*len(stream) + 64}
}

// read reads the workbook as a whole, then its sheets.
func (w *book) read() error {
	first, ok := recordAt(w.stream, 0)
	if ok {
		w.version, ok = isBegin(first.code, first.data)
	}
	if !ok {
		return errFormat
	}
	if w.version < 5 || ole.U16(first.data, 2) != kindGlobals {
		return w.inOrder()
	}
	if err := w.globals(first.next); err != nil {
		return err
	}
	count := int64(0)
	for _, s := range w.sheets {
		if s.hidden || s.kind != 0 {
			continue
		}
		r, ok := recordAt(w.stream, s.at)
		if !ok {
			continue
		}
		if w.budget -= r.next - s.at; w.budget <= 0 {
			return document.ErrLimit
		}
		if _, begins := isBegin(r.code, r.data); !begins {
			continue
		}
		count++
		if err := w.sheet(s.name, r.next); err != nil {
			return err
		}
	}
	if len(w.sheets) == 0 {
		return w.inOrder()
	}
	w.b.Doc.Pages = count
	return nil
}

// inOrder reads the sheets of a workbook that has no list of them.
func (w *book) inOrder() error {
	count := int64(0)
	for at := 0; ; {
		r, ok := recordAt(w.stream, at)
		if !ok {
			break
		}
		at = r.next
		if _, begins := isBegin(r.code, r.data); !begins {
			if err := w.global(&r); err != nil {
				return err
			}
			continue
		}
		if kind := ole.U16(r.data, 2); kind != kindSheet {
			continue
		}
		count++
		if err := w.sheet(w.name, r.next); err != nil {
			return err
		}
		at = w.end(r.next)
	}
	if count > 0 {
		w.b.Doc.Pages = count
	}
	return nil
}

// end returns the offset of the end of a substream. at is the offset of the first record
// of the substream.
func (w *book) end(at int) int {
	for depth := 0; ; {
		r, ok := recordAt(w.stream, at)
		if !ok {
			return len(w.stream)
		}
		at = r.next
		if _, begins := isBegin(r.code, r.data); begins {
			depth++
		} else if r.code == recEOF {
			if depth--; depth < 0 {
				return at
			}
		}
	}
}

// globals reads the records of the workbook as a whole.
func (w *book) globals(at int) error {
	for {
		r, ok := recordAt(w.stream, at)
		if !ok || r.code == recEOF {
			return nil
		}
		at = r.next
		if err := w.global(&r); err != nil {
			return err
		}
	}
}

// stylesMax is how many styles and number formats a workbook has at most. Their numbers
// have 16 bits.
const stylesMax = 1 << 16

// global reads one record of the workbook as a whole.
func (w *book) global(r *record) error {
	if len(w.styles) >= stylesMax || len(w.formats) >= stylesMax {
		return document.ErrLimit
	}
	switch r.code {
	case recFilePass:
		return errEncrypted
	case recCodePage:
		switch page := int(ole.U16(r.data, 0)); page {
		case 0x8000:
			w.page = 10000
		case 0x8001:
			w.page = 1252
		default:
			w.page = page
		}
	case recDate1904:
		w.since1904 = ole.U16(r.data, 0) != 0
	case recFormat:
		if w.version == 4 {
			w.formats[len(w.formats)] = w.text(r, 2, 1)
		} else if w.version >= 8 {
			w.formats[int(ole.U16(r.data, 0))] = w.text(r, 2, 2)
		} else {
			w.formats[int(ole.U16(r.data, 0))] = w.text(r, 2, 1)
		}
	case recFormat2:
		w.formats[len(w.formats)] = w.text(r, 0, 1)
	case recXF:
		w.styles = append(w.styles, int(ole.U16(r.data, 2)))
	case recXF3, recXF4:
		w.styles = append(w.styles, int(ole.U16(r.data, 0)>>8))
	case recBoundSheet:
		if len(r.data) >= 7 && len(w.sheets) < w.b.Limits().Pages {
			w.sheets = append(w.sheets, sheetEntry{int(ole.U32(r.data, 0)), w.text(r, 6, 1), r.data[4]&3 != 0, r.data[5]})
		}
	case recSheetName:
		w.name = w.text(r, 4, 1)
	case recSST:
		w.readShared(r)
	}
	return nil
}

// stringBytes is how much memory in bytes a text takes besides its bytes.
const stringBytes = 16

// readShared reads the shared texts.
func (w *book) readShared(r *record) {
	in := r.reader()
	in.skip(4)
	count := in.number(4)
	room := 4 * w.b.Limits().Text
	for n := uint32(0); n < count && room > 0 && !in.ended(); n++ {
		s := document.Clean(in.text(2)) // once, because many cells may refer to it
		w.shared = append(w.shared, s)
		room -= len(s) + stringBytes
	}
}
