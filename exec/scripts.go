package exec

import (
	"context"
	"errors"

	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang"
	"infomall/lang/ast"
)

// errRun is returned by Run for a RUN statement, which does nothing itself.
// The caller must instead run the statements that Session.Expand returns.
var errRun = errors.New("exec: RUN is not run itself, but what Expand gives for it")

// runSpec declares the statement RUN, which runs a script or a saved query.
var runSpec = session.Declare("RUN", session.Answers|session.Anywhere, readRun)

// script is a RUN statement together with the statements that it runs.
type script struct {
	s     *session.Session
	st    *ast.Run
	list  []ast.Statement  // the statements that the RUN runs
	inner *session.Session // session for the statements, before the first of them
	after *session.Session // copy of inner after all statements were checked
	only  session.Deed     // the statement that EXPLAIN explains; nil if the RUN runs several
}

// readRun reads the RUN statement st, and reads and checks the statements
// that it runs.
func readRun(s *session.Session, st *ast.Run) (*script, error) {
	r := &script{s: s, st: st}
	if err := r.expand(context.Background()); err != nil {
		return nil, err
	}
	r.after = r.inner.Inner()
	for _, one := range r.list {
		if err := r.after.Check(one); err != nil {
			return nil, atRun(st, err)
		}
	}
	return r, nil
}

// expand reads the script that the RUN names. It sets r.list to the
// statements of the script, and r.inner to a session with the parameters of
// the RUN. A syntax error in the script is returned with the position of the
// RUN.
func (r *script) expand(ctx context.Context) error {
	p, err := r.s.Expand(ctx, r.st)
	if err != nil {
		return err
	}
	if r.list, err = lang.Parse(p.Text, p.Name); err != nil {
		return atRun(r.st, err)
	}
	var depth int
	r.inner, depth = r.s.Script(p.Params)
	r.inner.Enter(p)
	if depth > RunDepthMax {
		return ast.Errorf(r.st, "scripts run scripts %d deep", RunDepthMax)
	}
	return nil
}

// atRun returns err, an error in a statement of a script, as an error at the
// position of the RUN. The message keeps the position in the script. Any
// other error is returned unchanged.
func atRun(st *ast.Run, err error) error {
	var placed *ast.Error
	if !errors.As(err, &placed) {
		return err
	}
	bare := *placed
	bare.Hint = ""
	return &ast.Error{Span: st.Span, Msg: bare.Error(), Hint: placed.Hint}
}

// Run returns errRun: the caller must run the statements of Session.Expand
// one by one.
func (r *script) Run(context.Context) (*session.Result, error) { return nil, errRun }

// Assume copies the settings and definitions of the statements to the session. It does
// not copy parameters, which belong to the script.
func (r *script) Assume() { r.s.Adopt(r.after) }

// Explain prepares an EXPLAIN of the RUN: if the RUN runs exactly one
// statement, Explain reads this statement into r.only. analyze says that it
// is an EXPLAIN ANALYZE.
func (r *script) Explain(analyze bool) (err error) {
	if len(r.list) == 1 {
		r.only, err = r.inner.ReadExplained(r.list[0], analyze)
	}
	return atRun(r.st, err)
}

// Would returns the lines of EXPLAIN for the statement that the RUN runs. If
// the RUN runs several, it returns a list of them, one per line.
func (r *script) Would(ctx context.Context) ([]string, error) {
	if r.only != nil {
		lines, err := r.only.Would(ctx)
		return lines, atRun(r.st, err)
	}
	lines := []string{"runs " + value.Counted(len(r.list), "statement")}
	for _, one := range r.list {
		lines = append(lines, "  "+one.String())
	}
	return lines, nil
}

// Analyze runs the statement of a RUN that runs exactly one, and returns
// what each step did. For several statements it runs nothing and returns the
// list of Would.
func (r *script) Analyze(ctx context.Context) (*session.Result, error) {
	if r.only != nil {
		res, err := r.only.(session.Analysis).Analyze(ctx)
		return res, atRun(r.st, err)
	}
	lines, err := r.Would(ctx)
	if err != nil {
		return nil, err
	}
	return session.PlanTable(lines), nil
}

// RunDepthMax is how deep scripts may run other scripts.
const RunDepthMax = 20
