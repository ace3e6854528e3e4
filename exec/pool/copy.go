package pool

import (
	"context"
	"fmt"

	"infomall/exec/expr"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// copier is the method of an archive that COPY POOL needs. A pool has the
// captures of one month.
type copier interface {
	// Copy copies pools into another folder, and returns one result per pool.
	// With an error it returns the results of the pools that were copied; the
	// copy of the archive is then as it was before.
	Copy(ctx context.Context, o task.CopyOptions) ([]task.CopyResult, error)
}

// poolCopy is a COPY POOL statement that is ready to run.
type poolCopy struct {
	a  copier
	s  *session.Session
	st *ast.CopyPool
	o  task.CopyOptions
}

// Copy is the statement COPY POOL, which copies pools into another folder.
var Copy = session.DeclareFor("COPY POOL", session.Writes|session.Works, readCopy)

// readCopy makes a poolCopy of a COPY POOL statement. It checks that the folder
// has a name.
func readCopy(s *session.Session, a copier, st *ast.CopyPool) (*poolCopy, error) {
	c := &poolCopy{a: a, s: s, st: st}
	env := s.Env()
	var err error
	if c.o.Dir, err = expr.ConstantText(st.To, env); err != nil {
		return nil, err
	}
	if c.o.Dir == "" {
		return nil, ast.Errorf(st.To, "COPY POOL needs the name of a folder")
	}
	if st.Pool != nil {
		pool, err := expr.ConstantText(st.Pool, env)
		if err != nil {
			return nil, err
		}
		c.o.Pools = []string{pool}
	}
	return c, nil
}

// Run copies the pools. Its result has one row per pool, with how many files
// and bytes were copied.
func (c *poolCopy) Run(ctx context.Context) (*session.Result, error) {
	c.o.Progress = c.s.ReportEach("copy", "bytes")
	results, err := c.a.Copy(ctx, c.o)
	if err != nil {
		return nil, noPool(c.st.Pool, err)
	}
	t := session.NewTable(session.Text("pool"), session.Whole("files"), session.Whole("copied"), session.Whole("bytes"))
	n := session.Count{Rows: int64(len(results))}
	for _, r := range results {
		t.Add(value.OfText(r.Pool), value.OfInt(int64(r.Files)), value.OfInt(int64(r.Copied)), value.OfInt(r.Bytes))
		n.Bytes += r.Bytes
	}
	return t.Work(n, nil), nil
}

// Would returns the lines for EXPLAIN: the folder, then one line per pool, with
// how many of its files would be copied.
func (c *poolCopy) Would(ctx context.Context) ([]string, error) {
	c.o.Dry = true
	results, err := c.a.Copy(ctx, c.o)
	if err != nil {
		return nil, noPool(c.st.Pool, err)
	}
	lines := []string{"copy " + c.s.Archive().Path() + " to " + c.o.Dir}
	for _, r := range results {
		lines = append(lines, fmt.Sprintf("  pool %s: %d of %s, %s", r.Pool, r.Copied, value.Counted(r.Files, "file"), value.Counted(r.Bytes, "byte")))
	}
	return lines, nil
}
