package pool

import (
	"context"
	"errors"
	"fmt"

	"infomall/exec/expr"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// dropper is the method of an archive that DROP POOL needs. A pool has the
// captures of one month.
type dropper interface {
	// Drop removes a pool from the archive and returns what the pool had. With
	// o.Dry it removes nothing. If the pool does not exist, the error is a
	// *task.NoPoolError. If other pools need the pool, it is a
	// *task.DependsError.
	Drop(ctx context.Context, o task.DropOptions) (task.DropResult, error)
}

// poolDrop is a DROP POOL statement that is ready to run.
type poolDrop struct {
	a    dropper
	s    *session.Session
	st   *ast.DropPool
	pool string
}

// Drop is the statement DROP POOL, which removes a pool from the archive.
var Drop = session.DeclareFor("DROP POOL", session.Writes|session.Works, readDropPool)

// readDropPool makes a poolDrop of a DROP POOL statement. It does not check
// that the pool exists.
func readDropPool(s *session.Session, a dropper, st *ast.DropPool) (*poolDrop, error) {
	pool, err := expr.ConstantText(st.Pool, s.Env())
	return &poolDrop{a, s, st, pool}, err
}

// Run drops the pool after the user has confirmed it. Its result has one row, which says how
// many captures, versions, files and bytes the pool had.
func (d *poolDrop) Run(ctx context.Context) (*session.Result, error) {
	lines, err := d.Would(ctx)
	if err != nil {
		return nil, err
	}
	if err := d.s.Confirm(ctx, d.st, "DROP POOL", lines); err != nil {
		return nil, err
	}
	hidden, err := d.hideWatched(ctx)
	if err != nil {
		return nil, err
	}
	res, err := d.drop(ctx, task.DropOptions{Pool: d.pool})
	if err == nil {
		err = hidden.repeat(ctx)
	}
	if err != nil {
		return nil, err
	}
	t := session.NewTable(session.Text("pool"), session.Whole("captures"), session.Whole("versions"), session.Whole("files"), session.Whole("bytes"))
	t.Add(value.OfText(res.Name), value.OfInt(res.Captures), value.OfInt(res.Versions), value.OfInt(int64(res.Files)), value.OfInt(res.Bytes))
	return t.Work(session.Count{Rows: res.Captures, Bytes: res.Bytes}, nil), nil
}

// Would returns one line for EXPLAIN: the pool, and its captures, versions,
// files and bytes.
func (d *poolDrop) Would(ctx context.Context) ([]string, error) {
	res, err := d.drop(ctx, task.DropOptions{Pool: d.pool, Dry: true})
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("drop pool %s of %s: %s, %s; %s with %s", res.Name, d.s.Archive().Path(),
		value.Counted(res.Captures, "capture"), value.Counted(res.Versions, "version"), value.Counted(res.Files, "file"), value.Counted(res.Bytes, "byte"))}, nil
}

// drop drops the pool and returns what the pool had. With o.Dry it drops nothing. If other
// pools need the pool, the error points at the pool's name in the statement and names these
// pools.
func (d *poolDrop) drop(ctx context.Context, o task.DropOptions) (task.DropResult, error) {
	res, err := d.a.Drop(ctx, o)
	var depends *task.DependsError
	if errors.As(err, &depends) {
		e := ast.Errorf(d.st.Pool, "%v", depends)
		e.Hint = "drop these first"
		return res, e
	}
	return res, noPool(d.st.Pool, err)
}
