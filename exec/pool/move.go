package pool

import (
	"context"
	"fmt"
	"time"

	"infomall/exec/expr"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
)

// mover is the method of an archive that MOVE POOL needs.
type mover interface {
	// Move moves db-files of pools to another place, or back from there, and returns
	// one result per pool. If a pool does not exist, the error is a
	// *task.NoPoolError.
	Move(ctx context.Context, o task.MoveOptions) ([]task.MoveResult, error)
}

// poolMove is a MOVE POOL statement that is ready to run.
type poolMove struct {
	a  mover
	s  *session.Session
	st *ast.MovePool
	o  task.MoveOptions
}

// Move is the statement MOVE POOL, which moves the files of old pools to another place.
var Move = session.DeclareFor("MOVE POOL", session.Writes|session.Works, readMove)

// readMove makes a poolMove of a MOVE POOL statement.
func readMove(s *session.Session, a mover, st *ast.MovePool) (*poolMove, error) {
	m := &poolMove{a: a, s: s, st: st, o: task.MoveOptions{Ended: record.MaxTime}}
	env := s.Env()
	var err error
	if st.Pool != nil {
		pool, err := expr.ConstantText(st.Pool, env)
		if err != nil {
			return nil, err
		}
		m.o.Pools = []string{pool}
	}
	if st.To == nil {
		return m, nil
	}
	if m.o.To, err = expr.ConstantText(st.To, env); err != nil {
		return nil, err
	}
	if m.o.To == "" {
		return nil, ast.Errorf(st.To, "MOVE POOL needs the name of a folder, or s3://BUCKET/PREFIX")
	}
	if st.After == nil {
		return m, nil
	}
	now := env.Now.Std()
	if d, ok := st.After.(*ast.Duration); ok {
		m.o.Ended = record.At(value.AddMonths(now, -d.Months).Add(-d.Length))
		return m, nil
	}
	var age time.Duration
	age, err = session.ConstantDuration(st.After, "AFTER", env)
	m.o.Ended = record.At(now.Add(-age))
	return m, err
}

// Run moves the pools. Its result has one row per pool, with how many files and bytes
// were moved.
func (m *poolMove) Run(ctx context.Context) (*session.Result, error) {
	m.o.Progress = m.s.ReportEach("move", "bytes")
	results, err := m.a.Move(ctx, m.o)
	if err != nil {
		return nil, noPool(m.st.Pool, err)
	}
	t := session.NewTable(session.Text("pool"), session.Whole("files"), session.Whole("moved"), session.Whole("bytes"))
	n := session.Count{Rows: int64(len(results))}
	for _, r := range results {
		t.Add(value.OfText(r.Pool), value.OfInt(int64(r.Files)), value.OfInt(int64(r.Moved)), value.OfInt(r.Bytes))
		n.Bytes += r.Bytes
	}
	return t.Work(n, nil), nil
}

// Would returns the lines for EXPLAIN: the place, then one line per pool, with how many
// of its files would be moved.
func (m *poolMove) Would(ctx context.Context) ([]string, error) {
	m.o.Dry = true
	results, err := m.a.Move(ctx, m.o)
	if err != nil {
		return nil, noPool(m.st.Pool, err)
	}
	lines := []string{"move db-files of " + m.s.Archive().Path() + " to " + m.o.To}
	if m.o.To == "" {
		lines[0] = "move db-files of " + m.s.Archive().Path() + " back"
	}
	for _, r := range results {
		lines = append(lines, fmt.Sprintf("  pool %s: %d of %s, %s", r.Pool, r.Moved, value.Counted(r.Files, "file"), value.Counted(r.Bytes, "byte")))
	}
	return lines, nil
}
