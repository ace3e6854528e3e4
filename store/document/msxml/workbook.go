package msxml

import (
	"strconv"
	"strings"

	"infomall/store/document"
	"infomall/store/document/cellformat"
	"infomall/store/document/table"
	"infomall/store/document/xmlscan"
)

// columnsMax is how many columns a sheet can have.
const columnsMax = 1 << 14

// namedFormats are the number formats that a style can name instead of writing them.
var namedFormats = map[string]string{
	"Percent": "0.00%", "Fixed": "0.00", "Standard": "#,##0.00", "Currency": "#,##0.00", "Scientific": "0.00E+00",
}

// workbookReader reads a workbook of Excel 2003.
type workbookReader struct {
	properties
	b       *document.Builder
	formats map[string]cellformat.Format // of the styles, by their identifiers
	style   string                       // the style that is being declared
	rows    *table.Writer
	cells   []string
	col     int // of the current cell, from 0
	span    int // how many more columns the current cell covers
	format  string
	href    string
	kind    string // type of the data that is open; "" outside of data
	data    strings.Builder
	comment bool
	notes   []string // comments of the sheet
	visible int64    // sheets that are shown
	hides   bool     // the current sheet is hidden
	in      bool     // a sheet is open
}

// readWorkbook reads a workbook. Its Pages are the sheets that are not hidden.
func readWorkbook(b *document.Builder, in *document.Input) error {
	r := &workbookReader{properties: properties{doc: b.Doc}, b: b, formats: make(map[string]cellformat.Format), rows: table.NewWriter(b)}
	s := xmlscan.New(in)
	for s.Next() {
		var err error
		switch t := s.Token(); t.Kind {
		case xmlscan.Start:
			err = r.start(t)
		case xmlscan.End:
			err = r.end(t)
		case xmlscan.Text:
			switch {
			case r.kind != "":
				r.data.WriteString(t.Text)
			case r.name == "Visible":
				r.hides = r.hides || strings.HasPrefix(strings.TrimSpace(t.Text), "SheetHidden") || strings.HasPrefix(strings.TrimSpace(t.Text), "SheetVeryHidden")
			default:
				r.properties.text(t.Text)
			}
		}
		if err != nil {
			return err
		}
	}
	if r.visible > 0 {
		b.Doc.Pages = r.visible
	}
	return s.Fault()
}

func (r *workbookReader) start(t *xmlscan.Token) error {
	if r.properties.start(t) {
		return nil
	}
	if t.Local == "Visible" && r.in { // in the namespace of Excel
		r.name = t.Local
	}
	if t.Space != excelSpace {
		return nil
	}
	switch t.Local {
	case "Style":
		r.style = t.Attr("ID")
	case "NumberFormat":
		if format := t.Attr("Format"); format != "" && len(r.formats) < 10_000 {
			if named := namedFormats[format]; named != "" {
				format = named
			}
			r.formats[r.style] = cellformat.Parse(format)
		}
	case "Worksheet":
		r.in, r.hides = true, false
		return r.b.Begin(document.Sheet, t.Attr("Name"))
	case "Row":
		r.cells, r.col, r.span = r.cells[:0], -1, 0
	case "Cell":
		r.col += 1 + r.span
		if n, err := strconv.Atoi(t.Attr("Index")); err == nil && n > r.col && n <= columnsMax {
			r.col = n - 1
		}
		r.span, _ = strconv.Atoi(t.Attr("MergeAcross"))
		r.span = min(max(0, r.span), columnsMax)
		r.format, r.href = t.Attr("StyleID"), t.Attr("HRef")
	case "Comment":
		r.comment = true
	case "Data":
		r.kind = t.Attr("Type")
		if r.kind == "" {
			r.kind = "String"
		}
		r.data.Reset()
	}
	return nil
}

func (r *workbookReader) end(t *xmlscan.Token) error {
	r.name = ""
	if t.Space != excelSpace {
		return nil
	}
	switch t.Local {
	case "Data":
		r.endData()
	case "Comment":
		r.comment = false
	case "Row":
		return r.rows.Add(r.cells...)
	case "Worksheet":
		return r.endSheet()
	}
	return nil
}

// endData takes the data of a cell, or of its comment.
func (r *workbookReader) endData() {
	text := r.data.String()
	kind := r.kind
	r.kind = ""
	if r.comment {
		r.notes = append(r.notes, text)
		return
	}
	if r.col < 0 || r.col >= columnsMax {
		return
	}
	for len(r.cells) <= r.col {
		r.cells = append(r.cells, "")
	}
	r.cells[r.col] = r.show(kind, text)
	if r.href != "" {
		r.b.Link(r.href, text)
	}
}

// show returns the data of a cell as the cell shows it. A date is shown as it is written,
// without a time of midnight.
func (r *workbookReader) show(kind, text string) string {
	switch kind {
	case "Number":
		format, ok := r.formats[r.format]
		if v, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil && ok {
			return format.Show(v, false)
		}
	case "DateTime":
		text = strings.TrimSuffix(strings.TrimSuffix(text, ".000"), "T00:00:00")
		return strings.TrimPrefix(strings.Replace(text, "T", " ", 1), "1899-12-31 ")
	case "Boolean":
		if text == "1" {
			return "TRUE"
		}
		return "FALSE"
	}
	return text
}

// endSheet ends a sheet. Its comments come after its rows.
func (r *workbookReader) endSheet() error {
	r.in = false
	if !r.hides {
		r.visible++
	}
	if err := r.rows.Flush(); err != nil {
		return err
	}
	for _, note := range r.notes {
		if err := r.b.Add(document.Note, note); err != nil {
			return err
		}
	}
	r.notes = r.notes[:0]
	return nil
}
