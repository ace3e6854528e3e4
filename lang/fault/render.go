package fault

import (
	"errors"
	"strings"
	"unicode/utf8"

	"infomall/lang/ast"
	"infomall/lang/cells"
)

// lineCellsMax is the maximum width, in terminal cells, of the part of a source
// line that is shown around a fault.
const lineCellsMax = 100

// Render returns the message of err for the writer of src, the text that was
// parsed. If err, or an error that it wraps, has a place, the source line
// follows, with a mark below the place and the hint beside the mark:
//
//	june.iql:2:7: no column "tittle" in relation versions
//	  | WHERE tittle = 'PKU'
//	  |       ^~~~~~ did you mean title?
//
// For an Errors, Render returns all its faults in this form. For other errors
// it returns the message alone. The text does not end with a line end.
func Render(err error, src string) string {
	var es Errors
	if errors.As(err, &es) {
		shown := make([]string, len(es))
		for i, e := range es {
			shown[i] = renderOne(e, src)
		}
		return strings.Join(shown, "\n")
	}
	var e *ast.Error
	if errors.As(err, &e) {
		return renderOne(e, src)
	}
	return err.Error()
}

func renderOne(e *ast.Error, src string) string {
	if e.Start.Line == 0 || e.Start.Offset > len(src) {
		return e.Error()
	}
	bare := *e
	bare.Hint = ""
	line, from, to := lineAt(src, e.Span)
	line, from, to = window(line, from, to)
	mark := strings.Repeat(" ", cells.Width(shown(line[:from]))) +
		"^" + strings.Repeat("~", max(cells.Width(shown(line[from:to]))-1, 0))
	if e.Hint != "" {
		mark += " " + e.Hint
	}
	return bare.Error() + "\n  | " + shown(line) + "\n  | " + mark
}

// lineAt returns the line of src in which the given span begins, without its
// line end. line[from:to] is the part of the line that belongs to the span.
func lineAt(src string, at ast.Span) (line string, from, to int) {
	begin := strings.LastIndexByte(src[:at.Start.Offset], '\n') + 1
	line = src[begin:]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	line = strings.TrimSuffix(line, "\r")
	from = min(at.Start.Offset-begin, len(line))
	to = min(max(at.End.Offset-begin, from), len(line))
	return line, from, to
}

// shown returns text with each character that moves the cursor of a terminal or
// changes the direction of writing replaced by a dot, so that it is safe to
// print.
func shown(text string) string { return cells.Replace(text, '·') }

// window cuts a line that is wider than lineCellsMax, so that the text at the
// offset from, and as much as fits of the text before and after it, stays
// visible. Cut ends become …. It returns the line, cut or not, and the offsets
// from and to in it.
func window(line string, from, to int) (string, int, int) {
	if cells.Width(line) <= lineCellsMax {
		return line, from, to
	}
	const before = lineCellsMax / 3
	begin := from
	for width := 0; begin > 0 && width < before; {
		r, n := utf8.DecodeLastRuneInString(line[:begin])
		width += cells.RuneWidth(r)
		begin -= n
	}
	end := begin
	for width := 0; end < len(line) && width < lineCellsMax; {
		r, n := utf8.DecodeRuneInString(line[end:])
		width += cells.RuneWidth(r)
		end += n
	}
	end = max(end, from)
	cut := line[begin:end]
	from, to = from-begin, min(to, end)-begin
	if begin > 0 {
		cut = "…" + cut
		from, to = from+len("…"), to+len("…")
	}
	if end < len(line) {
		cut += "…"
	}
	return cut, from, to
}
