package export

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/rowio"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/exec/webhook"
	"infomall/exec/wholefile"
	"infomall/lang/ast"
)

// target says where an EXPORT statement sends its output, and in which format: to a file, or
// to a web server.
type target struct {
	path   string
	hook   *url.URL // the URL that path is; nil for a file
	format *format
	gzip   bool
	zlib   bool // each record of a Tianwang file is compressed with zlib
}

// readTarget returns the target that the clauses TO and FORMAT of the statement
// name. Without FORMAT, the end of the file's name decides on the format. A
// format that cannot be compressed as the file's name asks is an error.
func readTarget(st *ast.Export, env *expr.Env) (target, error) {
	var to target
	x, err := (&expr.Binder{Where: "TO", Env: env}).BindAs(st.To, value.Text)
	if err != nil {
		return to, err
	}
	c, ok := x.(*expr.Const)
	if !ok || c.V.Text == "" { // the text of NULL is "", too
		return to, ast.Errorf(st.To, "TO needs the name of a file, and %s is not one", st.To)
	}
	to.path = c.V.Text
	if webhook.Is(to.path) {
		return readHook(st, to)
	}
	return readFormat(st, to, to.path)
}

// readFormat returns the target to with its format set by the clause FORMAT, or without that
// clause, by the end of name.
func readFormat(st *ast.Export, to target, name string) (target, error) {
	if to.hook == nil && isDataSet(st, to.path) && st.Format == nil {
		to.format = findFormat("parquet")
		return to, nil
	}
	name = strings.ToLower(name)
	if name, to.gzip = strings.CutSuffix(name, ".gz"); !to.gzip {
		name, to.zlib = strings.CutSuffix(name, ".zlib")
	}
	if st.Format == nil {
		if to.format = formatOf(filepath.Ext(name)); to.format == nil {
			err := ast.Errorf(st.To, "the name %q does not show the format", to.path)
			err.Hint = "add FORMAT csv, or one of " + strings.Join(Formats()[1:], ", ")
			return to, err
		}
	} else if to.format = findFormat(st.Format.Text); to.format == nil {
		return to, expr.UnknownName(st.Format, "export format", st.Format.Text, "", Formats())
	}
	switch {
	case to.gzip && to.format.packed:
		err := ast.Errorf(st.To, "a %s file can't be in gzip: its content is compressed already", to.format.name)
		err.Hint = fmt.Sprintf("name it %q", to.path[:len(to.path)-len(".gz")])
		return to, err
	case to.zlib && to.format != tianwangFormat:
		return to, ast.Errorf(st.To, "only the records of a tianwang file are compressed with zlib; end the name in .gz")
	}
	return to, nil
}

// export is an EXPORT statement that is ready to run.
type export struct {
	s    *session.Session
	st   *ast.Export
	to   target
	node plan.Node
}

// Export is the statement EXPORT, which writes the rows of a query, or
// captures, to a file.
var Export = session.Declare("EXPORT", session.Works|session.Anywhere, readExport)

// readExport makes an EXPORT statement ready to run: it checks the clauses, plans the query, and
// checks that the query has the columns that the format needs. The result is a posted if the
// statement sends the rows to a web server, a partitioned if it writes a data set, a following if
// it has FOLLOW, and otherwise an export.
func readExport(s *session.Session, st *ast.Export) (_ session.Deed, err error) {
	e := &export{s: s, st: st}
	if e.to, err = readTarget(st, s.Env()); err != nil {
		return nil, err
	}
	if e.node, err = plan.Build(st.Query, s.Env()); err != nil {
		return nil, err
	}
	if e.to.hook != nil {
		return readPosted(e)
	}
	if isDataSet(st, e.to.path) {
		return readPartitioned(e)
	}
	if session.InBucket(e.to.path) {
		err := ast.Errorf(st.To, "a bucket gets a folder of files, and the name %q does not end in /", e.to.path)
		err.Hint = fmt.Sprintf("write %q, or write the file to this machine", strings.TrimSuffix(e.to.path, filepath.Ext(e.to.path))+"/")
		return nil, err
	}
	if err := e.to.need(st, e.node.Columns()); err != nil {
		return nil, err
	}
	if st.Follow != nil {
		return readFollow(e)
	}
	return e, nil
}

// Would returns the lines for EXPLAIN: the file's name and format, then the
// plan of the query.
func (e *export) Would(ctx context.Context) ([]string, error) {
	lines, err := e.s.PlanLines(ctx, e.node)
	return append([]string{"export to " + e.to.path + " as " + e.to.format.name}, lines...), err
}

// Run writes the query's rows, or the captures that they name, to the file. Its
// result has one row, with the file and its size. The file gets its name only
// when it is complete: after an error, an earlier file of that name is
// unchanged.
func (e *export) Run(ctx context.Context) (*session.Result, error) {
	f, err := wholefile.Create(e.to.path)
	if err != nil {
		return nil, err
	}
	defer f.Abandon()
	n, notes, err := e.write(ctx, f)
	if err != nil {
		return nil, err
	}
	size, err := f.Commit()
	if err != nil {
		return nil, err
	}
	t := session.NewTable(session.Text("file"), session.Whole("rows"), session.Whole("bytes"))
	t.Add(value.OfText(e.to.path), value.OfInt(n), value.OfInt(size))
	res := t.Work(session.Count{Rows: n, Bytes: size}, nil)
	res.Notes = notes
	return res, nil
}

// write runs the query and writes its rows, or the captures that they name, to f. It returns
// how many rows there were, and the notes of the query.
func (e *export) write(ctx context.Context, f io.Writer) (n int64, notes []string, err error) {
	rows, err := e.s.Open(ctx, e.node)
	if err != nil {
		return 0, nil, err
	}
	defer rows.Close()
	if e.to.format.captures != nil {
		n, err = e.writeCaptures(ctx, f, rows)
	} else {
		n, err = e.writeRows(ctx, f, rows)
	}
	return n, rows.Notes, err
}

// need returns an error if the query lacks columns that the format needs. cols
// are the query's columns.
func (to target) need(st *ast.Export, cols []value.Column) error {
	switch {
	case to.format.captures != nil:
		return needCaptures(st, to.format.name, cols)
	case to.format.links:
		return needLinks(st, to.format.name, cols)
	}
	return nil
}

// needLinks returns an error if a query does not have the columns of links.
// format is the name of the export's format, for the message.
func needLinks(st *ast.Export, format string, cols []value.Column) error {
	if rowio.AreLinks(cols) {
		return nil
	}
	err := ast.Errorf(st.Query, "FORMAT %s writes links, and needs the columns target and source, or url", format)
	err.Hint = "write EXPORT (SELECT url, target FROM links …) TO …, or name the two by AS"
	return err
}

// writeRows writes all rows to f in the format of the statement, and returns
// how many there were.
func (e *export) writeRows(ctx context.Context, f io.Writer, rows *session.Result) (n int64, err error) {
	to := e.to
	if to.gzip {
		z := gzip.NewWriter(f)
		defer func() {
			if end := z.Close(); err == nil {
				err = end
			}
		}()
		f = z
	}
	names := e.s.Runner(nil, "export").Lines(ctx)
	defer names.Close()
	w, err := to.format.rows(f, rowTarget{e.s.Env().Location(), names, e.st.String(), e.s.Archive().Path()})
	if err != nil {
		return 0, err
	}
	if err := w.Begin(rows.Columns); err != nil {
		return 0, wholefile.Fault(to.path, err)
	}
	for b, err := range rows.Rows {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return n, err
		}
		n += int64(b.N)
		if err := w.Write(b); err != nil {
			return n, wholefile.Fault(to.path, err)
		}
	}
	if err := w.End(); err != nil {
		return n, wholefile.Fault(to.path, err)
	}
	return n, nil
}
