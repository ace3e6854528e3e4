package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"infomall/exec/draw"
	"infomall/exec/rowio"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/lang/cells"
	"infomall/repl/term"
)

// printer shows the results of statements.
type printer struct {
	session   *session.Session // its settings say how results are shown
	out       *output
	stderr    *output
	header    bool        // name the columns in csv and tsv
	safe      bool        // keep formulas out of csv and tsv
	color     bool        // colours may be sent to a terminal
	quiet     bool        // print no notes
	alone     bool        // only one result goes to out
	statement string      // the statement whose result is shown, as text
	printed   int         // number of results so far; an empty line separates them
	last      *lastResult // copy of the last result, for .last; nil keeps none
	files     string      // pattern for the names of files, one file for each result; "" writes to out
	filed     int         // number of results that were written to such files
}

// filesVerb matches the part of a file name, such as %d or %03d, that stands
// for the number of a result.
var filesVerb = regexp.MustCompile(`%0?[0-9]*d`)

// fileNames returns the argument of -o as a pattern for fmt.Sprintf, if name
// has one %d, as in page-%d: each result then goes to a file of its own. It
// returns "" if name has none, and an error if name has several.
func fileNames(name string) (pattern string, err error) {
	verbs := filesVerb.FindAllStringIndex(name, -1)
	switch {
	case len(verbs) == 0:
		return "", nil
	case len(verbs) > 1:
		return "", fmt.Errorf("%q: one %%d stands for the number of a result, but the name has %d", name, len(verbs))
	}
	at := verbs[0]
	return strings.ReplaceAll(name[:at[0]], "%", "%%") + name[at[0]:at[1]] + strings.ReplaceAll(name[at[1]:], "%", "%%"), nil
}

// place says to which output a result goes.
type place uint8

const (
	toOutput  place = iota
	toStderr        // on stderr, as a summary beside other results
	toNowhere       // the result is not shown
)

// print shows the result r of the statement s at the place to, and closes r. It
// returns the number of rows of the result. It shows rows as they come; after
// an error the rows before it have been shown.
func (p *printer) print(ctx context.Context, s ast.Statement, r *session.Result, to place) (rows int64, err error) {
	defer r.Close()
	p.statement = s.String()
	out := p.out
	switch {
	case to == toStderr:
		out = p.stderr
	case p.files != "" && to == toOutput && r.Kind != session.ResultNone:
		p.filed++
		f, err := os.Create(fmt.Sprintf(p.files, p.filed))
		if err != nil {
			return 0, &outputError{err}
		}
		defer func() {
			if cerr := f.Close(); err == nil && cerr != nil {
				err = &outputError{cerr}
			}
		}()
		out = newOutput(f)
	}
	out.begin(ctx)
	switch d := p.drawn(out, r); {
	case d != nil && to != toNowhere:
		err = p.drawing(out, d)
	case r.Kind == session.ResultNone:
	case r.Kind == session.ResultRows, r.Kind == session.ResultWork:
		rows, err = p.rows(ctx, out, r, to)
	case r.Kind == session.ResultBytes:
		if to != toNowhere {
			err = p.bytes(out, s, r)
		}
	case r.Kind == session.ResultText:
		if to != toNowhere {
			err = p.text(out, r)
		}
	}
	if err == nil {
		err = out.end()
	}
	if err != nil {
		out.abandon()
	}
	// Work that ended with an error has notes too, on what it did before.
	if !p.quiet && (err == nil || r.Kind == session.ResultWork && ctx.Err() == nil) {
		for _, note := range r.Notes {
			fmt.Fprintln(p.stderr.dest, cells.Lines(note))
		}
	}
	return rows, err
}

// rows shows the rows of r and returns their number. It writes the header only
// when the first batch has come, so that an error before it leaves the output
// clean.
func (p *printer) rows(ctx context.Context, out *output, r *session.Result, to place) (rows int64, err error) {
	var w rowio.Writer
	begin := func() (err error) {
		if to == toNowhere {
			return nil
		}
		p.separate(out)
		if w, err = p.writer(out, p.format(out)); err != nil {
			return err
		}
		if p.last != nil {
			p.last.begin(r.Columns)
		}
		return w.Begin(r.Columns)
	}
	begun := false
	for b, err := range r.Rows {
		if err != nil {
			if w != nil && ctx.Err() == nil {
				// Show the rows before the error: the rows of VERIFY, which are
				// its findings, end with an error.
				err = errors.Join(err, w.End(), out.end())
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
		if p.last != nil {
			p.last.add(b)
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

// separate writes an empty line between the result before and the next one.
func (p *printer) separate(out *output) {
	if out != p.out {
		return
	}
	if p.printed > 0 {
		if out.last != '\n' {
			io.WriteString(out, "\n") // the result before was text without a line end
		}
		io.WriteString(out, "\n") // writing the rows returns the same error
	}
	p.printed++
}

// format returns the format in which a result is shown on out, such as "csv" or
// modeAuto.
func (p *printer) format(out *output) string {
	switch {
	case out == p.stderr:
		return "table"
	case p.session.Settings().Mode != modeAuto:
		return p.session.Settings().Mode
	case out.terminal != nil:
		return modeAuto
	}
	return "csv"
}

// modeAuto is the value of the setting mode that lets the kind of output decide
// about the format. As the format of one result it means a table, or vertical
// if a table would be too wide.
const modeAuto = "auto"

// writer returns a writer that writes one result to out in the given format.
func (p *printer) writer(out *output, format string) (rowio.Writer, error) {
	s := p.session.Settings()
	o := rowio.Options{Zone: s.Timezone, NullValue: s.NullValue, Header: p.header, Safe: p.safe}
	o.Width, o.Color = p.window(out)
	o.Statement, o.Archive = p.statement, p.session.Archive().Path()
	if format == modeAuto {
		format, o.Vertical = "table", true
	}
	var w io.Writer = out
	if out.terminal != nil && (format == "csv" || format == "tsv") {
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

// window returns the width of out in terminal cells, 0 if out is no terminal,
// and whether colours are sent to out.
func (p *printer) window(out *output) (width int, color bool) {
	s := p.session.Settings()
	if out.terminal != nil {
		width = s.Width
		if width == 0 {
			width = term.Width(out.terminal)
		}
	}
	return width, s.Color == "always" || s.Color == "auto" && p.color && out.terminal != nil
}

// drawn returns the drawing in which r is shown on out, or nil if r is not shown as a
// drawing. A result with a Drawing is drawn in the format html, and on a terminal if the
// user has chosen no format. Rows with a Picture are drawn in the formats html and chart.
func (p *printer) drawn(out *output, r *session.Result) draw.Drawing {
	switch format := p.format(out); {
	case r.Drawing != nil && (format == "html" || format == modeAuto):
		return r.Drawing
	case r.Picture != nil && (format == "html" || format == "chart"):
		return r.Picture
	}
	return nil
}

// drawing shows the drawing d on out, in HTML or as text for a terminal.
func (p *printer) drawing(out *output, d draw.Drawing) error {
	p.separate(out)
	if p.format(out) == "html" {
		return d.HTML(out)
	}
	t := draw.Terminal{Printable: cells.Lines}
	t.Width, t.Color = p.window(out)
	return d.Text(out, t)
}

// bytes shows the bytes of r, such as a page or a change of a page, unchanged.
// If the user has chosen a format, it shows them as a row with one column
// instead. It returns an error if SHOW PAGE AS raw or wire would write to a
// file or pipe that has other results too, because its bytes must stay
// unchanged.
func (p *printer) bytes(out *output, s ast.Statement, r *session.Result) error {
	if p.session.Settings().Mode == modeAuto {
		if page, ok := s.(*ast.ShowPage); ok && !p.alone && out == p.out && out.terminal == nil && (page.Form == ast.PageRaw || page.Form == ast.PageWire) {
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
func (p *printer) pageRow(out *output, cols []value.Column, page string) error {
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
func (p *printer) text(out *output, r *session.Result) error {
	p.separate(out)
	if out.terminal == nil {
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
	if _, color := p.window(out); color && r.Kind == session.ResultText {
		text = colorHelp(text)
	}
	_, err := io.WriteString(out, text)
	return err
}
