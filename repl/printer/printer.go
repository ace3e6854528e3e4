// Package printer shows the results of statements to people and other programs. A
// Printer writes a result to an Output: as rows in one of the formats of package rowio, as
// a drawing, or as bytes. On a terminal a Pager shows a long result, colours mark keywords,
// and a Progress says how much of a running statement is done. What a statement means, and
// which results are shown where, is the caller's.
package printer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"infomall/exec/draw"
	"infomall/exec/rowio"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/lang/cells"
	"infomall/repl/term"
)

// Printer shows the results of statements.
type Printer struct {
	Session   *session.Session // its settings say how results are shown
	Out       *Output
	Stderr    *Output
	Header    bool        // name the columns in csv and tsv
	Safe      bool        // keep formulas out of csv and tsv
	Color     bool        // colours may be sent to a terminal
	Quiet     bool        // print no notes
	Alone     bool        // only one result goes to Out
	statement string      // the statement whose result is shown, as text
	Printed   int         // number of results so far; an empty line separates them
	Last      *LastResult // copy of the last result, for .last; nil keeps none
	Files     string      // pattern for the names of files, one file for each result; "" writes to Out
	filed     int         // number of results that were written to such files
}

// filesVerb matches the part of a file name, such as %d or %03d, that stands
// for the number of a result.
var filesVerb = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%0?[0-9]*d`) })

// FileNames returns the argument of -o as a pattern for fmt.Sprintf, if name
// has one %d, as in page-%d: each result then goes to a file of its own. It
// returns "" if name has none, and an error if name has several.
func FileNames(name string) (pattern string, err error) {
	verbs := filesVerb().FindAllStringIndex(name, -1)
	switch {
	case len(verbs) == 0:
		return "", nil
	case len(verbs) > 1:
		return "", fmt.Errorf("%q: one %%d stands for the number of a result, but the name has %d", name, len(verbs))
	}
	at := verbs[0]
	return strings.ReplaceAll(name[:at[0]], "%", "%%") + name[at[0]:at[1]] + strings.ReplaceAll(name[at[1]:], "%", "%%"), nil
}

// FormatOf returns the format in which rows go to a file with this name: "json" for
// "rows.json", and "" if the end of the name says no format. It returns an error for a format
// that only EXPORT writes, such as parquet.
func FormatOf(file string) (string, error) {
	f := rowio.FormatOf(file)
	switch {
	case f == nil:
		return "", nil
	case !slices.Contains(rowio.Formats(), f.Name):
		return "", fmt.Errorf("%s: only EXPORT writes the format %s, as in EXPORT (SELECT …) TO '%s'", file, f.Name, file)
	}
	return f.Name, nil
}

// Place says to which output a result goes.
type Place uint8

const (
	ToOutput  Place = iota
	ToStderr        // on stderr, as a summary beside other results
	ToNowhere       // the result is not shown
)

// Print shows the result r of the statement s at the place that the parameter to names, and
// closes r. It returns the number of rows of the result. It shows rows as they come; after an
// error the rows before it have been shown.
func (p *Printer) Print(ctx context.Context, s ast.Statement, r *session.Result, to Place) (rows int64, err error) {
	defer r.Close()
	p.statement = s.String()
	out := p.Out
	switch {
	case to == ToStderr:
		out = p.Stderr
	case p.Files != "" && to == ToOutput && r.Kind != session.ResultNone:
		p.filed++
		f, err := os.Create(fmt.Sprintf(p.Files, p.filed))
		if err != nil {
			return 0, &OutputError{err}
		}
		defer func() {
			if cerr := f.Close(); err == nil && cerr != nil {
				err = &OutputError{cerr}
			}
		}()
		out = NewOutput(f)
		if out.Format, err = FormatOf(p.Files); err != nil {
			return 0, err
		}
	}
	out.Begin(ctx)
	switch d := p.drawn(out, r); {
	case d != nil && to != ToNowhere:
		err = p.drawing(out, d)
	case r.Kind == session.ResultNone:
	case r.Kind == session.ResultRows, r.Kind == session.ResultWork:
		rows, err = p.rows(ctx, out, r, to)
	case r.Kind == session.ResultBytes:
		if to != ToNowhere {
			err = p.bytes(out, s, r)
		}
	case r.Kind == session.ResultText:
		if to != ToNowhere {
			err = p.text(out, r)
		}
	}
	if err == nil {
		err = out.End()
	}
	if err != nil {
		out.abandon()
	}
	// Work that ended with an error has notes too, on what it did before.
	if !p.Quiet && (err == nil || r.Kind == session.ResultWork && ctx.Err() == nil) {
		for _, note := range r.Notes {
			fmt.Fprintln(p.Stderr.Dest, cells.Lines(note))
		}
	}
	return rows, err
}

// rows shows the rows of r and returns their number. It writes the header only when the first
// batch has come, so that nothing is written if an error comes before the first batch.
func (p *Printer) rows(ctx context.Context, out *Output, r *session.Result, to Place) (rows int64, err error) {
	var w rowio.Writer
	begin := func() (err error) {
		if to == ToNowhere {
			return nil
		}
		p.separate(out)
		if w, err = p.writer(out, p.format(out)); err != nil {
			return err
		}
		if p.Last != nil {
			p.Last.begin(p.statement, r.Columns)
		}
		return w.Begin(r.Columns)
	}
	begun := false
	for b, err := range r.Rows {
		if err != nil {
			if w != nil && ctx.Err() == nil {
				// Show the rows before the error: the rows of VERIFY, which are
				// its findings, end with an error.
				err = errors.Join(err, w.End(), out.End())
			}
			return rows, err
		}
		if ctx.Err() != nil {
			return rows, context.Cause(ctx)
		}
		if !begun {
			begun = true
			if err := begin(); err != nil {
				return rows, err
			}
		}
		rows += int64(b.N)
		if w == nil {
			continue
		}
		if p.Last != nil {
			p.Last.add(b)
		}
		if err := w.Write(b); err != nil {
			return rows, err
		}
		if err := out.batchDone(); err != nil {
			return rows, err
		}
	}
	if !begun {
		if err := begin(); err != nil {
			return rows, err
		}
	}
	if w == nil {
		return rows, nil
	}
	return rows, w.End()
}

// separate writes an empty line between the previous result and the next one.
func (p *Printer) separate(out *Output) {
	if out != p.Out {
		return
	}
	if p.Printed > 0 {
		if out.last != '\n' {
			io.WriteString(out, "\n") // the result before was text without a line end
		}
		io.WriteString(out, "\n") // writing the rows returns the same error
	}
	p.Printed++
}

// format returns the format in which the printer shows a result on out, such as "csv" or
// ModeAuto.
func (p *Printer) format(out *Output) string {
	switch {
	case out == p.Stderr:
		return "table"
	case p.Session.Settings().Mode != ModeAuto:
		return p.Session.Settings().Mode
	case out.Terminal != nil:
		return ModeAuto
	}
	return cmp.Or(out.Format, "csv")
}

// ModeAuto is the value of the setting mode that lets the kind of output decide
// about the format. As the format of one result it means a table, or vertical
// if a table would be too wide.
const ModeAuto = "auto"

// writer returns a writer that writes one result to out in the given format.
func (p *Printer) writer(out *Output, format string) (rowio.Writer, error) {
	s := p.Session.Settings()
	o := rowio.Options{Zone: s.Timezone, NullValue: s.NullValue, Header: p.Header, Safe: p.Safe}
	o.Width, o.Color = p.Window(out)
	o.Statement, o.Archive = p.statement, p.Session.Archive().Path()
	if format == ModeAuto {
		format, o.Vertical = "table", true
	}
	var w io.Writer = out
	if out.Terminal != nil && (format == "csv" || format == "tsv") {
		w = harmless{out} // these formats write texts unchanged, for other programs
	}
	return rowio.New(format, w, o)
}

// harmless is a writer to a terminal that escapes control characters, so that
// the terminal does not act on them. Each write must end with a whole
// character.
type harmless struct{ io.Writer }

// Write writes b with its control characters escaped.
func (h harmless) Write(b []byte) (int, error) {
	if _, err := io.WriteString(h.Writer, cells.Lines(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Window returns the width of out in terminal cells, 0 if out is no terminal,
// and whether colours are sent to out.
func (p *Printer) Window(out *Output) (width int, color bool) {
	s := p.Session.Settings()
	if out.Terminal != nil {
		width = s.Width
		if width == 0 {
			width = term.Width(out.Terminal)
		}
	}
	return width, s.Color == "always" || s.Color == "auto" && p.Color && out.Terminal != nil
}

// drawn returns the drawing in which r is shown on out, or nil if r is not shown as a
// drawing. A result with a Drawing is drawn in the format html, and on a terminal if the
// user has chosen no format. Rows with a Picture are drawn in the formats html and chart.
func (p *Printer) drawn(out *Output, r *session.Result) draw.Drawing {
	switch format := p.format(out); {
	case r.Drawing != nil && (format == "html" || format == ModeAuto):
		return r.Drawing
	case r.Picture != nil && (format == "html" || format == "chart"):
		return r.Picture
	}
	return nil
}

// drawing shows the drawing d on out, in HTML or as text for a terminal.
func (p *Printer) drawing(out *Output, d draw.Drawing) error {
	p.separate(out)
	if p.format(out) == "html" {
		return d.HTML(out)
	}
	t := draw.Terminal{Printable: cells.Lines}
	t.Width, t.Color = p.Window(out)
	return d.Text(out, t)
}

// bytes shows the bytes of r, such as a page or a change of a page, unchanged.
// If the user has chosen a format, it shows them as a row with one column
// instead. It returns an error if SHOW PAGE AS raw or wire would write to a
// file or pipe that also gets other results, because then the output would not
// be exactly these bytes.
func (p *Printer) bytes(out *Output, s ast.Statement, r *session.Result) error {
	if p.Session.Settings().Mode == ModeAuto {
		if page, ok := s.(*ast.ShowPage); ok && !p.Alone && out == p.Out && out.Terminal == nil && (page.Form == ast.PageRaw || page.Form == ast.PageWire) {
			err := ast.Errorf(page, "SHOW PAGE AS %s writes bytes unchanged, but this output has other results too", page.Form)
			err.Hint = "-o 'name-%d' writes each result to a file of its own, name-1, name-2 and so on"
			return err
		}
		return p.text(out, r)
	}
	var page strings.Builder
	if _, err := r.Bytes.WriteTo(&page); err != nil {
		return err
	}
	return p.pageRow(out, r.Columns, page.String())
}

// pageRow shows a page as a row with one column.
func (p *Printer) pageRow(out *Output, cols []value.Column, page string) error {
	p.separate(out)
	w, err := p.writer(out, p.format(out))
	if err != nil {
		return err
	}
	if err := w.Begin(cols); err != nil {
		return err
	}
	if err := w.Write(&value.Batch{N: 1, Cols: []*value.Vector{{Type: value.Text, Texts: []string{page}}}}); err != nil {
		return err
	}
	return w.End()
}

// text shows the bytes of r unchanged. On a terminal it escapes control
// characters, and returns an error for bytes that are not text.
func (p *Printer) text(out *Output, r *session.Result) error {
	p.separate(out)
	if out.Terminal == nil {
		_, err := r.Bytes.WriteTo(out)
		return err
	}
	var b strings.Builder
	if _, err := r.Bytes.WriteTo(&b); err != nil {
		return err
	}
	if strings.Contains(b.String(), "\x00") {
		return fmt.Errorf("these %d bytes are not text, and a terminal shows only text; write them to a file: -o FILE, or .once FILE at the prompt", b.Len())
	}
	text := cells.Lines(strings.ReplaceAll(b.String(), "\r\n", "\n"))
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if _, color := p.Window(out); color && r.Kind == session.ResultText {
		text = colorHelp(text)
	}
	_, err := io.WriteString(out, text)
	return err
}
