package opendocument

import (
	"bytes"
	"fmt"

	"infomall/store/document"
)

// cells collects the rows of a sheet. Rows that follow each other without an empty row
// are one part.
type cells struct {
	on    bool // inside of a sheet
	depth int  // of tables inside of each other
	rows  []byte
	line  []byte
	empty int // empty cells since the last one with text
}

// gapMax is how many empty cells in a row are kept.
const gapMax = 32

func (c *cells) beginRow() {
	if c.on && c.depth == 1 {
		c.line, c.empty = c.line[:0], 0
	}
}

// skip goes beyond n cells without text.
func (c *cells) skip(n int) { c.empty += min(n, gapMax) }

// table begins a table: a sheet, or a table of a text or slide.
func (r *reader) table() error {
	if r.body != sheets {
		r.flow.BeginTable()
		return nil
	}
	if r.cells.depth++; r.cells.depth > 1 {
		return nil
	}
	s := r.s
	if r.hidden("table", "table:style-name") || s.Attr("table:display") == "false" {
		r.cells.depth--
		s.Skip()
		return nil
	}
	if r.shown >= r.b.Limits().Pages {
		return fmt.Errorf("more than %d sheets: the rest is not read", r.shown)
	}
	r.shown++
	r.cells.on = true
	return r.b.Begin(document.Sheet, s.Attr("table:name"))
}

// inCell reports whether the current paragraph is in a cell of a sheet, and not in a box
// or note of the cell.
func (r *reader) inCell() bool { return r.cells.on && r.flow.Depth() == 0 }

// skipCells goes beyond n cells without text.
func (r *reader) skipCells(n int) {
	if r.body == sheets {
		r.cells.skip(n)
		return
	}
	for range min(n, gapMax) {
		r.flow.EndCell()
	}
}

// endCell ends a cell, which the sheet has repeat times in a row.
func (r *reader) endCell(repeat int) {
	if r.body != sheets {
		r.flow.EndCell()
		r.skipCells(repeat - 1) // the text of a repeated cell of a text is kept once
		return
	}
	c := &r.cells
	if !c.on || c.depth > 1 {
		return
	}
	text := r.flow.Take()
	if len(text) == 0 {
		c.skip(repeat)
		return
	}
	most := r.b.Limits().Text
	for range min(repeat, repeatMost) {
		if len(c.line) > most {
			break
		}
		for range min(c.empty, gapMax) {
			c.line = append(c.line, '\t')
		}
		c.line = append(c.line, text...)
		c.empty = 1
	}
}

// endRow ends a row, which the sheet has repeat times.
func (r *reader) endRow(repeat int) {
	if r.body != sheets {
		r.flow.EndRow()
		return
	}
	c := &r.cells
	if !c.on || c.depth > 1 {
		return
	}
	if len(bytes.TrimSpace(c.line)) == 0 {
		r.flush()
		return
	}
	most := r.b.Limits().Text
	for range min(repeat, repeatMost) {
		if len(c.rows) > most {
			break
		}
		if len(c.rows) > 0 {
			c.rows = append(c.rows, '\n')
		}
		c.rows = append(c.rows, c.line...)
	}
}

// endTable ends a table.
func (r *reader) endTable() {
	if r.body != sheets {
		r.flow.EndTable()
		return
	}
	if r.cells.depth = max(0, r.cells.depth-1); r.cells.depth > 0 || !r.cells.on {
		return
	}
	r.flush()
	r.cells.on = false
	_ = r.flow.EndSection() // the caller asks the flow for its error
}

// flush adds the rows so far as one part.
func (r *reader) flush() {
	r.flow.Add(document.Table, string(r.cells.rows))
	r.cells.rows = r.cells.rows[:0]
}
