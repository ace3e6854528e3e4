package pool

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// merger is the method of an archive that MERGE POOL and SEAL POOL need. A pool
// has the captures of one month.
type merger interface {
	// Merge merges the segments (files) of each pool in o into one sorted run
	// of captures. It returns one result per pool; with an error, the results
	// of the pools that were done. If a pool does not exist, the error is a
	// *task.NoPoolError.
	Merge(ctx context.Context, o task.MergeOptions) ([]task.MergeResult, error)
}

// poolMerge is a MERGE POOL or SEAL POOL statement that is ready to run.
type poolMerge struct {
	a  merger
	s  *session.Session
	st *ast.MergePool
	o  task.MergeOptions
}

// Merge declares the statements MERGE POOL, which merges the segments (files)
// of pools, and SEAL POOL, which also makes the pools static: they take no
// further captures.
var Merge = session.DeclareFor("MERGE POOL, SEAL POOL", session.Writes|session.Works, readMerge)

// readMerge makes a poolMerge of a MERGE POOL or SEAL POOL statement. It does
// not check that the pool exists.
func readMerge(s *session.Session, a merger, st *ast.MergePool) (*poolMerge, error) {
	m := &poolMerge{a: a, s: s, st: st, o: task.MergeOptions{Seal: st.Seal, PoolLimit: s.Settings().PoolLimit}}
	if st.Pool == nil {
		return m, nil
	}
	pool, err := expr.ConstantText(st.Pool, s.Env())
	m.o.Pools = []string{pool}
	return m, err
}

// Run merges the segments of each pool. Its result has one row per pool.
func (m *poolMerge) Run(ctx context.Context) (*session.Result, error) {
	what := m.word() + " pools"
	if m.o.Pools != nil {
		what = m.word() + " pool " + m.o.Pools[0]
	}
	m.o.Progress, m.o.Indexing = m.s.Report(what, "captures"), m.s.Report(what+": words", "bytes")
	results, err := m.merge(ctx)
	if err != nil {
		return nil, err
	}
	t := session.NewTable(session.Text("pool"), session.Whole("segments"), session.Whole("into"), session.Whole("captures"), session.Whole("old_bytes"), session.Whole("bytes"))
	var n session.Count
	var notes []string
	for _, r := range results {
		t.Add(value.OfText(r.Pool), value.OfInt(int64(r.Segments)), value.OfInt(int64(r.Into)),
			value.OfInt(r.Captures), value.OfInt(r.OldBytes), value.OfInt(r.Bytes))
		n.Rows, n.Bytes = n.Rows+r.Captures, n.Bytes+r.Bytes
		if r.Parts != nil {
			notes = append(notes, fmt.Sprintf("pool %s was larger than pool_limit, and is %s now", r.Pool, strings.Join(r.Parts, ", ")))
		}
	}
	res := t.Work(n, nil)
	res.Notes = notes
	return res, nil
}

// word returns what the statement does, as a verb: "seal" or "merge".
func (m *poolMerge) word() string {
	if m.st.Seal {
		return "seal"
	}
	return "merge"
}

// merge merges the pools and returns one result per pool; with m.o.Dry it only
// says what it would merge. If the archive does not have the pool in the
// statement, the error names the existing pools.
func (m *poolMerge) merge(ctx context.Context) ([]task.MergeResult, error) {
	results, err := m.a.Merge(ctx, m.o)
	var static *task.StaticError
	if errors.As(err, &static) {
		return nil, ast.Errorf(m.st.Pool, "%v; captures of its month that came later are in its other parts", err)
	}
	return results, noPool(m.st.Pool, err)
}

// Would returns the lines for EXPLAIN: one line per pool, with the segments
// that would be merged, or why none would.
func (m *poolMerge) Would(ctx context.Context) ([]string, error) {
	m.o.Dry = true
	results, err := m.merge(ctx)
	if err != nil {
		return nil, err
	}
	lines := []string{m.word() + " pools of " + m.s.Archive().Path()}
	for _, r := range results {
		switch {
		case r.Static && !(m.st.Seal && r.Deleted):
			lines = append(lines, fmt.Sprintf("  pool %s: nothing, it is static", r.Pool))
			continue
		case r.Segments < 2 && !m.st.Seal && !r.Large && !r.Deleted:
			lines = append(lines, fmt.Sprintf("  pool %s: nothing, it has one segment", r.Pool))
			continue
		}
		line := fmt.Sprintf("  pool %s: %s, %s, %s", r.Pool, value.Counted(r.Segments, "segment"), value.Counted(r.Captures, "capture"), value.Counted(r.OldBytes, "byte"))
		if r.Deleted {
			line += "; rewritten without deleted captures, together with the parts of other pools that are made from them"
		}
		if r.Large && !r.Static {
			line += "; larger than pool_limit, and split by URL"
		}
		lines = append(lines, line)
	}
	return lines, nil
}
