package ooxml

import (
	"fmt"
	"strconv"
	"strings"

	"infomall/store/document"
	"infomall/store/document/cellformat"
	"infomall/store/document/xmlpull"
)

// bookReader reads a workbook.
type bookReader struct {
	p       *parts
	b       *document.Builder
	shared  sharedStrings
	formats []cellformat.Format // of the cells' styles, by their number
	since04 bool                // days are counted from 1904
}

// sharedStrings are the strings that the cells of all sheets share.
type sharedStrings struct {
	text []byte
	ends []uint32 // where each string ends in text
}

// at returns a string by its number, and "" if there is none.
func (s *sharedStrings) at(n int) []byte {
	if n < 0 || n >= len(s.ends) {
		return nil
	}
	from := uint32(0)
	if n > 0 {
		from = s.ends[n-1]
	}
	return s.text[from:s.ends[n]]
}

// sheet is a sheet as the workbook names it.
type sheet struct {
	name   string
	part   string
	hidden bool
}

// readWorkbook reads a workbook. Its Pages are the sheets that are not hidden.
func readWorkbook(p *parts, b *document.Builder, main string) error {
	s, err := p.scan(main)
	if err != nil {
		return err
	}
	list := p.relations(main)
	rels := byID(list)
	r := &bookReader{p: p, b: b}
	var sheets []sheet
	for s.Next() && len(sheets) < b.Limits().Pages {
		if s.Kind != xmlpull.Start {
			continue
		}
		switch s.Name {
		case "x:workbookPr":
			r.since04 = s.Attr("date1904") == "1" || s.Attr("date1904") == "true"
		case "x:sheet":
			rel, ok := rels[s.Attr("r:id")]
			state := s.Attr("state")
			if ok && !rel.external && rel.kind != "xlMacrosheet" {
				sheets = append(sheets, sheet{s.Attr("name"), rel.target, state == "hidden" || state == "veryHidden"})
			}
		}
	}
	err = s.Err()
	keep := func(failed error) {
		if err == nil {
			err = failed
		}
	}
	if part := ofKind(list, "sharedStrings"); part != "" {
		keep(r.readShared(part))
	}
	r.readFormats(ofKind(list, "styles"))
	shown := int64(0)
	for _, sh := range sheets {
		if sh.hidden {
			continue
		}
		shown++
		if err := b.Begin(document.Sheet, sh.name); err != nil {
			return err
		}
		failed := r.sheet(sh.part)
		if failed == document.ErrLimit {
			return failed
		}
		if failed != nil {
			keep(fmt.Errorf("sheet %q: %w", document.Clean(sh.name), failed))
		}
	}
	if b.Doc.Pages = shown; len(sheets) == 0 {
		b.Doc.Pages = -1
	}
	return err
}

// readShared reads the shared strings.
func (r *bookReader) readShared(part string) error {
	s, err := r.p.scan(part)
	if err != nil {
		return err
	}
	for s.Next() {
		if s.Kind == xmlpull.Start && s.Name == "x:si" {
			r.shared.text = appendRich(r.shared.text, s)
			r.shared.ends = append(r.shared.ends, uint32(len(r.shared.text)))
		}
	}
	return s.Err()
}

// appendRich appends the text of the element that has just started, which consists of
// runs, and goes to its end. Readings of Japanese characters are left out.
func appendRich(dst []byte, s *xmlpull.Scanner) []byte {
	inText := false
	for depth := s.Depth(); s.Depth() >= depth && s.Next(); {
		switch s.Kind {
		case xmlpull.Start:
			if s.Name == "x:rPh" {
				s.Skip()
			} else {
				inText = s.Name == "x:t"
			}
		case xmlpull.End:
			inText = false
		case xmlpull.Text:
			if inText {
				from := len(dst)
				dst = s.AppendText(dst)
				dst = append(dst[:from], unescape(dst[from:])...)
			}
		}
	}
	return dst
}

// unescape returns text with the escapes of characters that XML cannot have, such as
// _x000D_, resolved. Control characters become blanks.
func unescape(text []byte) []byte {
	if !strings.Contains(string(text), "_x") {
		return text
	}
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] == '_' && i+6 < len(text) && text[i+1] == 'x' && text[i+6] == '_' {
			if n, err := strconv.ParseUint(string(text[i+2:i+6]), 16, 16); err == nil {
				if n < ' ' {
					n = ' '
				}
				out = append(out, string(rune(n))...)
				i += 6
				continue
			}
		}
		out = append(out, text[i])
	}
	return out[:min(len(out), len(text))]
}

// sheet reads the cells of one sheet, then its drawings, comments and links.
func (r *bookReader) sheet(part string) error {
	s, err := r.p.scan(part)
	if err != nil {
		return err
	}
	list := r.p.relations(part)
	rels := byID(list)
	t := sheetTable{b: r.b}
	c := cellReader{r: r, s: s}
	for s.Next() {
		switch {
		case s.Kind == xmlpull.Start && s.Name == "x:row":
			row, failed := strconv.Atoi(s.Attr("r"))
			if failed != nil {
				row = t.row + 1
			}
			t.beginRow(row)
		case s.Kind == xmlpull.Start && s.Name == "x:c":
			t.cell(c.read())
		case s.Kind == xmlpull.End && s.Name == "x:row":
			t.endRow()
		case s.Kind == xmlpull.End && s.Name == "x:sheetData":
			t.flush()
		case s.Kind == xmlpull.Start && s.Name == "x:hyperlink":
			if rel := rels[s.Attr("r:id")]; rel.external {
				r.b.Link(rel.target, s.Attr("display"))
			}
		}
		if t.err != nil {
			return t.err
		}
	}
	if t.flush(); t.err != nil {
		return t.err
	}
	if drawing := ofKind(list, "drawing"); drawing != "" {
		for _, text := range drawingTexts(r.p, drawing) {
			if err := r.b.Add(document.Paragraph, text); err != nil {
				return err
			}
		}
	}
	if err := r.comments(ofKind(list, "comments")); err != nil {
		return err
	}
	return s.Err()
}

// comments adds the comments of a sheet.
func (r *bookReader) comments(part string) error {
	if part == "" {
		return nil
	}
	s, err := r.p.scan(part)
	if err != nil {
		return nil // a missing part does not spoil the sheet
	}
	for s.Next() {
		if s.Kind == xmlpull.Start && s.Name == "x:text" {
			if err := r.b.Add(document.Note, string(appendRich(nil, s))); err != nil {
				return err
			}
		}
	}
	return nil
}

// cellReader reads the cells of one sheet.
type cellReader struct {
	r     *bookReader
	s     *xmlpull.Scanner
	value []byte
}

// read reads the cell that has just started. It returns the column, from 1, and the text that the
// cell shows. The column is 0 if the cell does not state it. The text is valid until the next
// call.
func (c *cellReader) read() (column int, text []byte) {
	s := c.s
	column = columnOf(s.Attr("r"))
	kind, styleAttr := s.Attr("t"), s.Attr("s")
	c.value = c.value[:0]
	inValue, inline := false, false
	for depth := s.Depth(); s.Depth() >= depth && s.Next(); {
		switch s.Kind {
		case xmlpull.Start:
			switch s.Name {
			case "x:v":
				inValue = true
			case "x:is":
				c.value, inline = appendRich(c.value, s), true
			}
		case xmlpull.End:
			inValue = false
		case xmlpull.Text:
			if inValue {
				c.value = s.AppendText(c.value)
			}
		}
	}
	if inline || len(c.value) == 0 {
		return column, c.value
	}
	switch kind {
	case "s":
		n, err := strconv.Atoi(strings.TrimSpace(string(c.value)))
		if err != nil {
			return column, nil
		}
		return column, c.r.shared.at(n)
	case "b":
		if c.value[0] == '0' {
			return column, []byte("FALSE")
		}
		return column, []byte("TRUE")
	case "str":
		return column, unescape(c.value)
	case "", "n":
		return column, []byte(c.r.number(strings.TrimSpace(string(c.value)), styleAttr))
	}
	return column, c.value // errors such as #REF!, and dates in ISO form
}

// columnOf returns the column of a cell such as "AB12", from 1, or 0.
func columnOf(ref string) int {
	n := 0
	for i := 0; i < len(ref) && i < 3; i++ {
		c := ref[i] | 0x20
		if c < 'a' || c > 'z' {
			break
		}
		n = n*26 + int(c-'a') + 1
	}
	return n
}

// gapMax is how many empty cells between two cells of a row are kept. Without this limit, a cell
// far to the right would become thousands of tabs.
const gapMax = 32

// sheetTable collects the rows of a sheet. Rows without an empty row between them become one part.
type sheetTable struct {
	b      *document.Builder
	text   []byte
	line   []byte
	row    int  // number of the current row
	last   int  // number of the last row with text
	column int  // of the last cell of the current row
	any    bool // the current row has text
	err    error
}

func (t *sheetTable) beginRow(row int) {
	t.row, t.line, t.column, t.any = row, t.line[:0], 0, false
}

func (t *sheetTable) cell(column int, text []byte) {
	if column <= t.column {
		column = t.column + 1
	}
	line := document.Clean(string(text))
	if line == "" {
		return
	}
	if len(t.text)+len(t.line) > t.b.Limits().Text { // flush reports that
		t.endRow()
		t.flush()
		t.beginRow(t.row)
		return
	}
	gap := column - max(1, t.column)
	for range min(gap, gapMax) {
		t.line = append(t.line, '\t')
	}
	t.column, t.any = column, true
	t.line = append(t.line, line...)
}

func (t *sheetTable) endRow() {
	if !t.any {
		return
	}
	if t.row != t.last+1 {
		t.flush()
	}
	t.last = t.row
	if len(t.text) > 0 {
		t.text = append(t.text, '\n')
	}
	t.text = append(t.text, t.line...)
}

// flush adds the rows so far as one part.
func (t *sheetTable) flush() {
	if len(t.text) > 0 && t.err == nil {
		t.err = t.b.Add(document.Table, string(t.text))
	}
	t.text = t.text[:0]
}
