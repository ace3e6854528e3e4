package exec

import (
	"context"

	"infomall/lang/ast"
)

// Explain is the statement EXPLAIN.
var Explain = Declare("EXPLAIN", Answers|Anywhere, readExplain)

// explanation is an EXPLAIN statement whose clauses were read.
type explanation struct {
	s  *Session
	st *ast.Explain
	of Deed
}

// readExplain reads an EXPLAIN, and the statement in it, which may write, as it is
// not run.
func readExplain(s *Session, st *ast.Explain) (*explanation, error) {
	of, err := s.Trial().ReadExplained(st.Statement, st.Analyze)
	return &explanation{s, st, of}, err
}

// NeedsArchive reports whether the statement in the EXPLAIN needs an archive.
func (e *explanation) NeedsArchive() bool { return e.s.NeedsArchive(e.st.Statement, e.of) }

// Run returns what the statement would do, or with ANALYZE what it did.
func (e *explanation) Run(ctx context.Context) (*Result, error) {
	if e.st.Analyze {
		return e.of.(Analysis).Analyze(ctx)
	}
	lines, err := e.of.Would(ctx)
	if err != nil {
		return nil, err
	}
	return PlanTable(lines), nil
}

func (e *explanation) Would(context.Context) ([]string, error) { return nil, ErrExplained(e.st) }
