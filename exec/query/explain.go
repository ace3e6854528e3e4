package query

import (
	"context"

	"infomall/exec/session"
	"infomall/lang/ast"
)

// Explain is the statement EXPLAIN.
var Explain = session.Declare("EXPLAIN", session.Answers|session.Anywhere, readExplain)

// explanation is an EXPLAIN statement whose clauses were read.
type explanation struct {
	s  *session.Session
	st *ast.Explain
	of session.Deed
}

// readExplain reads an EXPLAIN, and the statement in it, which may write, as it is
// not run.
func readExplain(s *session.Session, st *ast.Explain) (*explanation, error) {
	of, err := s.Trial().ReadExplained(st.Statement, st.Analyze)
	return &explanation{s, st, of}, err
}

// NeedsArchive reports whether the statement in the EXPLAIN needs an archive.
func (e *explanation) NeedsArchive() bool { return e.s.NeedsArchive(e.st.Statement, e.of) }

// Run returns what the statement would do, or with ANALYZE what it did.
func (e *explanation) Run(ctx context.Context) (*session.Result, error) {
	if e.st.Analyze {
		return e.of.(session.Analysis).Analyze(ctx)
	}
	lines, err := e.of.Would(ctx)
	if err != nil {
		return nil, err
	}
	return session.PlanTable(lines), nil
}

func (e *explanation) Would(context.Context) ([]string, error) {
	return nil, session.ErrExplained(e.st)
}
