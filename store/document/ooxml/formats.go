package ooxml

import (
	"strconv"

	"infomall/store/document/cellformat"
	"infomall/store/document/xmlpull"
)

// readFormats reads the number formats of the cells' styles.
func (r *bookReader) readFormats(part string) {
	s, err := r.p.scan(part)
	if err != nil {
		return
	}
	codes := make(map[int]string)
	parsed := make(map[int]cellformat.Format)
	inCells := false
	for s.Next() {
		switch {
		case s.Kind == xmlpull.End && s.Name == "x:cellXfs":
			return
		case s.Kind != xmlpull.Start:
		case s.Name == "x:numFmt":
			if id, err := strconv.Atoi(s.Attr("numFmtId")); err == nil && len(codes) < partsMax {
				codes[id] = s.Attr("formatCode")
			}
		case s.Name == "x:cellXfs":
			inCells = true
		case s.Name == "x:xf" && inCells && len(r.formats) < partsMax:
			id, _ := strconv.Atoi(s.Attr("numFmtId"))
			f, ok := parsed[id]
			if !ok {
				code, own := codes[id]
				if !own {
					code = cellformat.BuiltIn(id)
				}
				f = cellformat.Parse(code)
				parsed[id] = f
			}
			r.formats = append(r.formats, f)
		}
	}
}

// number returns a number as a cell of the given style shows it.
func (r *bookReader) number(value, style string) string {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return value
	}
	n, err := strconv.Atoi(style)
	if err != nil || n < 0 {
		n = 0 // the style of cells that name none
	}
	var f cellformat.Format
	if n < len(r.formats) {
		f = r.formats[n]
	}
	return f.Show(v, r.since04)
}
