package query

import (
	"context"

	"infomall/exec/session"
	"infomall/lang/ast"
)

// Explain is the statement EXPLAIN, which shows what another statement would
// do. EXPLAIN ANALYZE runs the other statement and shows what it did.
var Explain = session.Declare("EXPLAIN", session.Answers|session.Anywhere, readExplain)

// explanation is an EXPLAIN statement whose clauses were read.
type explanation struct {
	s  *session.Session
	st *ast.Explain
	of session.Deed // the explained statement
}

// readExplain makes an explanation of an EXPLAIN statement. It also reads the
// explained statement. That may be a statement that writes, because EXPLAIN
// does not run it.
func readExplain(s *session.Session, st *ast.Explain) (*explanation, error) {
	if q, ok := st.Statement.(*ast.Query); ok && q.Search != nil && q.Search.For != nil {
		if st.Analyze {
			err := ast.Errorf(q.Search.For, "EXPLAIN ANALYZE explains no score")
			err.Hint = "leave out ANALYZE"
			return nil, err
		}
		of := &scoreExplanation{selection: selection{s: s}}
		return &explanation{s, st, of}, of.read(q)
	}
	of, err := s.Trial().ReadExplained(st.Statement, st.Analyze)
	return &explanation{s, st, of}, err
}

// NeedsArchive reports whether the explained statement needs an archive.
func (e *explanation) NeedsArchive() bool { return e.s.NeedsArchive(e.st.Statement, e.of) }

// Run returns a table of lines that say what the explained statement would do.
// With ANALYZE it runs this statement and returns a table of what it did.
func (e *explanation) Run(ctx context.Context) (*session.Result, error) {
	if e.st.Analyze {
		return e.of.(session.Analysis).Analyze(ctx)
	}
	if x, ok := e.of.(*scoreExplanation); ok {
		return x.Run(ctx)
	}
	lines, err := e.of.Would(ctx)
	if err != nil {
		return nil, err
	}
	return session.PlanTable(lines), nil
}

// Would returns an error, because EXPLAIN cannot be applied to EXPLAIN.
func (e *explanation) Would(context.Context) ([]string, error) {
	return nil, session.ErrExplained(e.st)
}
