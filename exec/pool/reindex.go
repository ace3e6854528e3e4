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

// reindexer is the method of an archive that REINDEX needs.
type reindexer interface {
	// Reindex makes the indexes of pools again from the db-files, and also the
	// catalogue if that is lost. It returns one result per pool; with an error,
	// the results of the pools that were done. If a pool does not exist, the
	// error is a *task.NoPoolError.
	Reindex(ctx context.Context, o task.ReindexOptions) ([]task.ReindexResult, error)
}

// reindex is a REINDEX statement that is ready to run.
type reindex struct {
	a  reindexer
	s  *session.Session
	st *ast.Reindex
	o  task.ReindexOptions
}

// Reindex is the statement REINDEX, which makes the indexes of pools again.
var Reindex = session.DeclareFor("REINDEX", session.Writes|session.Works, readReindex)

// readReindex makes a reindex of a REINDEX statement. It does not check that
// the pool exists.
func readReindex(s *session.Session, a reindexer, st *ast.Reindex) (*reindex, error) {
	r := &reindex{a: a, s: s, st: st, o: task.ReindexOptions{Derived: st.Derived, Words: st.Search, Documents: st.Documents, DocumentTime: s.Settings().DocumentTime, PageLimit: s.Settings().PageLimit}}
	var err error
	if st.Pool != nil {
		r.o.Pool, err = expr.ConstantText(st.Pool, s.Env())
	}
	return r, err
}

// Run makes the indexes again. Its result has one row per pool. If a db-file (a
// file with captures) is damaged, its index stays unchanged, and an error after
// the rows says so.
func (r *reindex) Run(ctx context.Context) (*session.Result, error) {
	r.o.Progress = r.s.Report("reindex", "bytes")
	results, err := r.a.Reindex(ctx, r.o)
	if err != nil {
		return nil, noPool(r.st.Pool, err)
	}
	t := session.NewTable(session.Text("pool"), session.Whole("segments"), session.Whole("captures"), session.Whole("bytes"), session.Whole("index_bytes"), session.Whole("damaged"))
	var n session.Count
	damaged, catalogue := 0, false
	for _, p := range results {
		t.Add(value.OfText(p.Pool), value.OfInt(int64(p.Segments)), value.OfInt(p.Captures), value.OfInt(p.Bytes), value.OfInt(p.IndexBytes), value.OfInt(int64(p.Damaged)))
		n.Rows, n.Bytes = n.Rows+p.Captures, n.Bytes+p.Bytes
		damaged += p.Damaged
		catalogue = catalogue || p.Catalogue
	}
	if damaged > 0 {
		err = fmt.Errorf("damaged, with the index left unchanged: %s; VERIFY reports what is wrong", value.Counted(damaged, "db-file"))
	}
	res := t.Work(n, err)
	if catalogue {
		res.Notes = append(res.Notes, "the catalogue was made again from the db-files")
	}
	return res, nil
}

// Would returns the lines for EXPLAIN: one line per pool, with the db-files
// that its indexes would be made from.
func (r *reindex) Would(ctx context.Context) ([]string, error) {
	r.o.Dry = true
	results, err := r.a.Reindex(ctx, r.o)
	if err != nil {
		return nil, noPool(r.st.Pool, err)
	}
	lines := []string{"make the indexes of " + r.s.Archive().Path() + " again"}
	if r.st.Derived {
		lines[0] = "compute again what older versions of the program found in pages of " + r.s.Archive().Path()
		if len(results) == 0 {
			lines = append(lines, "  nothing: this version has computed it")
		}
	}
	if r.st.Search {
		lines[0] = "make the indexes of words of " + r.s.Archive().Path()
	}
	if r.st.Documents {
		lines[0] = "read the documents of " + r.s.Archive().Path() + " that were not read"
		if len(results) == 0 {
			lines = append(lines, "  nothing: all of them were read")
		}
	}
	for _, p := range results {
		line := fmt.Sprintf("  pool %s: from %s, %s", p.Pool, value.Counted(p.Segments, "db-file"), value.Counted(p.Bytes, "byte"))
		if p.Catalogue {
			line += ", and the catalogue, which is lost"
		}
		lines = append(lines, line)
	}
	return lines, nil
}
