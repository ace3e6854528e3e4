package pool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"infomall/exec/expr"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// repairer is the method of an archive that REPAIR POOL needs.
type repairer interface {
	// Repair replaces damaged files of a pool by the files of another copy of
	// the archive. It returns one result per file; with an error, the results
	// of the files that were done. If the pool does not exist, the error is a
	// *task.NoPoolError.
	Repair(ctx context.Context, o task.RepairOptions) ([]task.RepairResult, error)
}

// poolRepair is a REPAIR POOL statement that is ready to run.
type poolRepair struct {
	a  repairer
	s  *session.Session
	st *ast.RepairPool
	o  task.RepairOptions
}

// Repair is the statement REPAIR POOL, which repairs the damaged files of a
// pool from another copy of the archive.
var Repair = session.DeclareFor("REPAIR POOL", session.Writes|session.Works, readRepair)

// readRepair makes a poolRepair of a REPAIR POOL statement. It checks that the
// folder of the copy has a name.
func readRepair(s *session.Session, a repairer, st *ast.RepairPool) (*poolRepair, error) {
	r := &poolRepair{a: a, s: s, st: st}
	env := s.Env()
	var err error
	if r.o.Pool, err = expr.ConstantText(st.Pool, env); err != nil {
		return nil, err
	}
	if r.o.Dir, err = expr.ConstantText(st.From, env); err != nil {
		return nil, err
	}
	if r.o.Dir == "" {
		return nil, ast.Errorf(st.From, "REPAIR POOL needs the name of a folder")
	}
	return r, nil
}

// Run repairs the files of the pool. Its result has one row per file. If a file
// is still damaged, an error after the rows says so; a script then ends with
// status 1.
func (r *poolRepair) Run(ctx context.Context) (*session.Result, error) {
	r.o.Progress = r.s.ReportEach("repair", "bytes")
	results, err := r.a.Repair(ctx, r.o)
	if err != nil {
		return nil, r.fault(err)
	}
	t := session.NewTable(session.Text("file"), session.Text("state"), session.Whole("bytes"), session.Whole("lost"))
	n := session.Count{Rows: int64(len(results))}
	var bad int
	for _, f := range results {
		t.Add(value.OfText(f.File), value.OfText(f.State.String()), value.OfInt(f.Bytes), value.OfInt(int64(f.Lost)))
		n.Bytes += f.Bytes
		if f.State == task.RepairPartly || f.State == task.RepairDamaged {
			bad++
		}
	}
	if bad > 0 {
		err = fmt.Errorf("still damaged: %d of %s; the copy in %s is damaged in the same places, or is not a copy: try another", bad, value.Counted(len(results), "file"), r.o.Dir)
	}
	return t.Work(n, err), nil
}

// Would returns the lines for EXPLAIN: one line per file, which says whether it
// would be replaced. It reads the pool's files, and the files of the copy if
// one of the pool's is damaged.
func (r *poolRepair) Would(ctx context.Context) ([]string, error) {
	r.o.Dry = true
	results, err := r.a.Repair(ctx, r.o)
	if err != nil {
		return nil, r.fault(err)
	}
	lines := []string{"repair pool " + r.o.Pool + " of " + r.s.Archive().Path() + " from " + r.o.Dir}
	for _, f := range results {
		line := fmt.Sprintf("  %s: %s", f.File, f.State)
		if f.State != task.RepairWhole && f.State != task.RepairDamaged {
			line = fmt.Sprintf("  %s: would be %s", f.File, f.State)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// fault returns err, an error of Repair, with its place in the statement if the pool or the
// folder of the copy does not exist.
func (r *poolRepair) fault(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ast.Errorf(r.st.From, "%v", err)
	}
	return noPool(r.st.Pool, err)
}
