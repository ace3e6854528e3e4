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

// dropper is what DROP POOL asks of an archive.
type dropper interface {
	// Drop removes a pool from the archive. A pool that does not exist is a
	// *task.NoPoolError. A pool that other pools need is a *task.DependsError.
	Drop(ctx context.Context, o task.DropOptions) (task.DropResult, error)
}

// poolDrop is a DROP POOL statement whose clauses were read.
type poolDrop struct {
	a    dropper
	s    *session.Session
	st   *ast.DropPool
	pool string
}

// Drop is the statement DROP POOL.
var Drop = session.DeclareFor("DROP POOL", session.Writes|session.Works, readDropPool)

// readDropPool reads the clauses of a DROP POOL statement.
func readDropPool(s *session.Session, a dropper, st *ast.DropPool) (*poolDrop, error) {
	pool, err := expr.ConstantText(st.Pool, s.Env())
	return &poolDrop{a, s, st, pool}, err
}

// Run drops the pool, once the removal is confirmed.
func (d *poolDrop) Run(ctx context.Context) (*session.Result, error) {
	lines, err := d.Would(ctx)
	if err != nil {
		return nil, err
	}
	if err := d.s.Confirm(ctx, d.st, "DROP POOL", lines); err != nil {
		return nil, err
	}
	res, err := d.drop(ctx, task.DropOptions{Pool: d.pool})
	if err != nil {
		return nil, err
	}
	t := session.NewTable(session.Text("pool"), session.Whole("captures"), session.Whole("versions"), session.Whole("files"), session.Whole("bytes"))
	t.Add(value.OfText(res.Name), value.OfInt(res.Captures), value.OfInt(res.Versions), value.OfInt(int64(res.Files)), value.OfInt(res.Bytes))
	return t.Work(session.Count{Rows: res.Captures, Bytes: res.Bytes}, nil), nil
}

// Would returns one line on the pool: its captures, versions, files and bytes.
func (d *poolDrop) Would(ctx context.Context) ([]string, error) {
	res, err := d.drop(ctx, task.DropOptions{Pool: d.pool, Dry: true})
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("drop pool %s of %s: %s, %s; %s with %s", res.Name, d.s.Archive().Path(),
		value.Counted(res.Captures, "capture"), value.Counted(res.Versions, "version"), value.Counted(res.Files, "file"), value.Counted(res.Bytes, "byte"))}, nil
}

// drop drops the pool, or with o.Dry counts what that would drop. If other pools
// need the pool, the error names them.
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
