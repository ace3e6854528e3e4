package msxls

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"infomall/store/document"
	"infomall/store/document/cellformat"
	"infomall/store/document/ole"
)

// cell is one cell with text, which is a range of sheet.text. A sheet can have millions
// of cells.
type cell struct {
	row, col uint16
	from, to uint32
}

// sheet collects what one sheet has.
type sheet struct {
	*book
	cells   []cell
	text    []byte // of the cells
	links   []link
	parts   []part // text boxes and notes
	pending *cell  // a formula whose text is in the next record
	object  uint16 // type of the last object
}

// part is a text box or a note. It is a slice of bytes because a note may continue in many records.
type part struct {
	kind document.PartKind
	text []byte
}

const (
	objectNote = 0x19 // type of an object that is a comment of a cell
	notesMore  = 0xffff
)

// sheet reads a sheet whose records begin at an offset. It adds a section.
func (w *book) sheet(name string, at int) error {
	s := &sheet{book: w}
	if err := w.b.Begin(document.Sheet, name); err != nil {
		return err
	}
	var full error
	for depth := 0; w.budget > 0; {
		r, ok := recordAt(w.stream, at)
		if !ok {
			break
		}
		w.budget -= r.next - at
		at = r.next
		if _, begins := isBegin(r.code, r.data); begins {
			depth++ // a chart in the sheet
			continue
		}
		if r.code == recEOF {
			if depth--; depth < 0 {
				break
			}
			continue
		}
		if depth > 0 {
			continue
		}
		if w.version < 5 {
			if err := w.global(&r); err != nil {
				return err
			}
		}
		if r.code == recFilePass {
			return errEncrypted
		}
		s.record(&r)
		if w.room <= 0 {
			full = document.ErrLimit
			break
		}
	}
	if w.budget <= 0 {
		full = document.ErrLimit
	}
	if err := s.emit(); err != nil {
		return err
	}
	return full
}

// record reads one record of the sheet.
func (s *sheet) record(r *record) {
	d := r.data
	switch r.code {
	case recLabelSST:
		if n := int64(ole.U32(d, 6)); n < int64(len(s.shared)) && len(d) >= 10 {
			s.add(d, s.shared[n])
		}
	case recLabel, recRString:
		s.add(d, s.book.text(r, 6, 2))
	case recLabel2:
		s.add(d, s.book.text(r, 7, 1))
	case recNumber:
		s.number(d, ole.U16(d, 4), float(d, 6))
	case recNumber2:
		s.number2(d, float(d, 7))
	case recInteger2:
		s.number2(d, float64(ole.U16(d, 7)))
	case recRK:
		s.number(d, ole.U16(d, 4), rk(ole.U32(d, 6)))
	case recMulRK:
		for at, col := 4, int(ole.U16(d, 2)); at+8 <= len(d); at, col = at+6, col+1 {
			s.put(int(ole.U16(d, 0)), col, s.show(rk(ole.U32(d, at+2)), ole.U16(d, at)))
		}
	case recBoolErr:
		s.add(d, truth(d, 6))
	case recBoolErr2:
		s.add(d, truth(d, 7))
	case recFormula, recFormula3, recFormula4:
		s.formula(d)
	case recString, recString2:
		if s.pending != nil {
			bytes := 2
			if r.code == recString2 {
				bytes = 1
			}
			s.put(int(s.pending.row), int(s.pending.col), s.book.text(r, 0, bytes))
			s.pending = nil
		}
	case recHeader, recFooter:
		if len(d) > 0 {
			bytes := 1
			if s.version >= 8 {
				bytes = 2
			}
			s.note(document.Note, marginText(s.book.text(r, 0, bytes)))
		}
	case recObject:
		s.object = ole.U16(d, 4)
	case recText:
		in := r.reader()
		in.skip(len(d))
		kind := document.Paragraph
		if s.object == objectNote {
			kind = document.Note
		}
		s.note(kind, in.chars(int(ole.U16(d, 10)), false))
	case recNote:
		// BIFF8 has the text in another record.
		if s.version < 8 && len(d) > 6 {
			text := ole.Text(d[6:min(len(d), 6+int(ole.U16(d, 4)))], s.page)
			if n := len(s.parts); ole.U16(d, 0) == notesMore && n > 0 {
				s.room -= len(text)
				s.parts[n-1].text = append(s.parts[n-1].text, text...)
			} else {
				s.note(document.Note, text)
			}
		}
	case recLink:
		if l, ok := readLink(d); ok && len(s.links) < s.b.Limits().Links {
			s.links = append(s.links, l)
		}
	}
}

// add adds a cell with text. Its row and column are at the start of the data.
func (s *sheet) add(d []byte, text string) { s.put(int(ole.U16(d, 0)), int(ole.U16(d, 2)), text) }

// put adds a cell with text.
func (s *sheet) put(row, col int, text string) {
	if text = document.Clean(text); text != "" && s.room > 0 {
		s.room -= len(text) + 1
		from := len(s.text)
		s.text = append(s.text, text...)
		s.cells = append(s.cells, cell{uint16(row), uint16(col), uint32(from), uint32(len(s.text))})
	}
}

func (s *sheet) number(d []byte, style uint16, v float64) { s.add(d, s.show(v, style)) }

// textOf returns the text of a cell.
func (s *sheet) textOf(c cell) string { return string(s.text[c.from:c.to]) }

// number2 adds a cell of Excel 2 with the number v. The record d of the cell itself says which
// number format the cell has.
func (s *sheet) number2(d []byte, v float64) {
	if len(d) >= 7 {
		s.add(d, s.showAs(v, int(d[5]&0x3f)))
	}
}

// note adds a text that is not in a cell.
func (s *sheet) note(kind document.PartKind, text string) {
	if text != "" && s.room > 0 {
		s.room -= len(text) + 1
		s.parts = append(s.parts, part{kind, []byte(text)})
	}
}

// formula adds the value that a formula had when the workbook was saved.
func (s *sheet) formula(d []byte) {
	style, at := ole.U16(d, 4), 6
	if s.version == 2 {
		style, at = 0, 7
	}
	if len(d) < at+8 {
		return
	}
	v := d[at : at+8]
	if ole.U16(v, 6) != 0xffff {
		if s.version == 2 {
			s.number2(d, float(v, 0))
		} else {
			s.number(d, style, float(v, 0))
		}
		return
	}
	switch v[0] {
	case 0:
		s.pending = &cell{row: ole.U16(d, 0), col: ole.U16(d, 2)}
	case 1:
		s.add(d, truth([]byte{v[2], 0}, 0))
	case 2:
		s.add(d, truth([]byte{v[2], 1}, 0))
	}
}

// show returns the number v as a cell with the given style shows it.
func (s *sheet) show(v float64, style uint16) string {
	number := 0
	if int(style) < len(s.styles) {
		number = s.styles[style]
	}
	return s.showAs(v, number)
}

// showAs returns v as it is shown by the number format with the given number.
func (s *sheet) showAs(v float64, number int) string {
	f, ok := s.parsed[number]
	if !ok {
		pattern, ok := s.formats[number]
		if !ok {
			pattern = cellformat.BuiltIn(number)
		}
		f = cellformat.Parse(pattern)
		s.parsed[number] = f
	}
	return f.Show(v, s.since1904)
}

// float returns the number of 64 bits at an offset, or 0.
func float(d []byte, at int) float64 {
	if at+8 > len(d) {
		return 0
	}
	return math.Float64frombits(uint64(ole.U32(d, at)) | uint64(ole.U32(d, at+4))<<32)
}

// rk returns the number that x encodes (RK in [MS-XLS]): the upper half of a floating-point
// number, or an integer; either may be divided by 100.
func rk(x uint32) float64 {
	v := math.Float64frombits(uint64(x&^3) << 32)
	if x&2 != 0 {
		v = float64(int32(x) >> 2)
	}
	if x&1 != 0 {
		v /= 100
	}
	return v
}

// errorNames are the values of cells whose formula failed.
var errorNames = map[byte]string{
	0x00: "#NULL!", 0x07: "#DIV/0!", 0x0f: "#VALUE!", 0x17: "#REF!", 0x1d: "#NAME?", 0x24: "#NUM!", 0x2a: "#N/A",
}

// truth returns the text of a truth value or error at an offset.
func truth(d []byte, at int) string {
	switch {
	case at+2 > len(d):
		return ""
	case d[at+1] != 0:
		return errorNames[d[at]]
	case d[at] != 0:
		return "TRUE"
	}
	return "FALSE"
}

// marginText returns the text of the header or footer of a page without its codes: &L,
// &C and &R begin its parts, &P is the number of the page, &"Arial" a font, &10 a size. A
// part with the number of the page is left out.
func marginText(s string) string {
	var out, part strings.Builder
	numbered := false
	end := func() {
		if !numbered {
			out.WriteString(part.String() + " ")
		}
		part.Reset()
		numbered = false
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '&' || i+1 == len(s) {
			part.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; {
		case c == '&':
			part.WriteByte('&')
		case c == '"':
			if n := strings.IndexByte(s[i+1:], '"'); n >= 0 {
				i += n + 1
			}
		case c >= '0' && c <= '9':
			for i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' {
				i++
			}
		case c == 'P' || c == 'N':
			numbered = true
		case strings.IndexByte("LCR", c) >= 0:
			end()
		}
	}
	end()
	return document.Clean(out.String())
}

// emit adds the parts of the sheet: a table for the rows between two empty rows, then
// text boxes and notes, and the links.
func (s *sheet) emit() error {
	slices.SortStableFunc(s.cells, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col))
	})
	for from := 0; from < len(s.cells); {
		to := from + 1
		for to < len(s.cells) && int(s.cells[to].row) <= int(s.cells[to-1].row)+1 {
			to++
		}
		if err := s.table(s.cells[from:to]); err != nil {
			return err
		}
		from = to
	}
	for _, p := range s.parts {
		if err := s.b.Add(p.kind, string(p.text)); err != nil {
			return err
		}
	}
	for _, l := range s.links {
		anchor := ""
		at, ok := slices.BinarySearchFunc(s.cells, l, func(c cell, l link) int {
			return cmp.Or(cmp.Compare(c.row, l.row), cmp.Compare(c.col, l.col))
		})
		if ok && len(l.target)+int(s.cells[at].to-s.cells[at].from) <= s.b.LinkLeft() {
			anchor = s.textOf(s.cells[at])
		}
		s.b.Link(l.target, anchor)
	}
	return nil
}

// table adds a table of the cells of some rows. Columns in which no cell has text are
// left out.
func (s *sheet) table(cells []cell) error {
	used := make(map[uint16]int)
	for _, c := range cells {
		used[c.col] = 0
	}
	columns := make([]uint16, 0, len(used))
	for col := range used {
		columns = append(columns, col)
	}
	slices.Sort(columns)
	for i, col := range columns {
		used[col] = i
	}
	var out strings.Builder
	limit := s.b.Limits().Text
	row, col := cells[0].row, 0
	for i, c := range cells {
		if i+1 < len(cells) && cells[i+1].row == c.row && cells[i+1].col == c.col {
			continue // a later record has replaced the cell
		}
		if c.row != row {
			out.WriteByte('\n')
			row, col = c.row, 0
		}
		for ; col < used[c.col]; col++ {
			out.WriteByte('\t')
		}
		out.Write(s.text[c.from:c.to])
		if out.Len() > limit {
			break // the text of the part is cut to the limit
		}
	}
	return s.b.Add(document.Table, out.String())
}
