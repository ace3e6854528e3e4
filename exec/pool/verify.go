package pool

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"infomall/exec/expr"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// findingColumns are the columns of the result of VERIFY.
var findingColumns = []value.Column{session.Text("pool"), session.Text("file"), session.Whole("offset"), session.Text("what"), session.Text("severity"), session.Text("url"), {Name: "time", Type: value.Time}}

// sampleMax is the largest n in SAMPLE 1/n, with which VERIFY reads one of n parts of the
// archive. At this n, with one part read each day, reading all parts takes 27 years.
const sampleMax = 10_000

// verifier has the methods of an archive that VERIFY needs.
type verifier interface {
	// Verify reads every file of the archive, or of one pool, and yields one
	// finding per damaged place. If the pool does not exist, the error is a
	// *task.NoPoolError.
	Verify(ctx context.Context, o task.VerifyOptions) iter.Seq2[task.Finding, error]
	// PlanVerify returns which files Verify would read, and their size.
	PlanVerify(ctx context.Context, o task.VerifyOptions) (task.VerifyPlan, error)
}

// verification is a VERIFY statement that is ready to run.
type verification struct {
	a  verifier
	s  *session.Session
	st *ast.Verify
	o  task.VerifyOptions
}

// Verify is the statement VERIFY, which looks for damage in the files of the
// archive.
var Verify = session.DeclareFor("VERIFY", session.Works|session.Answers, readVerify)

// readVerify makes a verification of a VERIFY statement. It checks the number
// of SAMPLE, but not that the pool exists.
func readVerify(s *session.Session, a verifier, st *ast.Verify) (*verification, error) {
	v := &verification{a: a, s: s, st: st, o: task.VerifyOptions{Stateless: s.ReadOnly()}}
	var err error
	if st.Pool != nil {
		if v.o.Pool, err = expr.ConstantText(st.Pool, s.Env()); err != nil {
			return nil, err
		}
	}
	if st.Sample == nil {
		return v, nil
	}
	n, err := expr.ConstantCount(st.Sample, "SAMPLE", s.Env())
	if err != nil {
		return nil, err
	}
	if n < 1 || n > sampleMax {
		return nil, ast.Errorf(st.Sample, "SAMPLE 1/%d: n must be from 1 to %d", n, sampleMax)
	}
	v.o.Sample = int(n)
	return v, nil
}

// Run reads the files, and yields a row for each finding as soon as it is made.
// If there are findings, an error after the rows counts them; a script then
// ends with status 1.
func (v *verification) Run(ctx context.Context) (*session.Result, error) {
	v.o.Progress = v.s.Report("verify", "bytes")
	p, err := v.a.PlanVerify(ctx, v.o)
	var none *task.NoPoolError
	if errors.As(err, &none) {
		return nil, noPool(v.st.Pool, err)
	}
	res := &session.Result{Kind: session.ResultRows, Columns: findingColumns, Close: func() {}}
	if p.Clean > 0 {
		res.Notes = append(res.Notes, wentOn(p.Clean))
	}
	res.Rows = func(yield func(*value.Batch, error) bool) {
		n := 0
		for f, err := range v.a.Verify(ctx, v.o) {
			if err != nil {
				yield(nil, noPool(v.st.Pool, err))
				return
			}
			n++
			if !yield(findingRow(&f), nil) {
				return
			}
		}
		switch {
		case n > 0:
			yield(nil, errors.New(value.Counted(n, "finding")))
		case p.Sample > 0:
			res.Notes = append(res.Notes, fmt.Sprintf("nothing is wrong with part %d of %d", p.Part, p.Sample))
		default:
			res.Notes = append(res.Notes, "nothing is wrong")
		}
	}
	return res, nil
}

// findingRow returns a batch of one row that shows a finding.
func findingRow(f *task.Finding) *value.Batch {
	var pool, offset, url, at value.Value
	if f.Pool != "" {
		pool = value.OfText(f.Pool)
	}
	if f.Offset >= 0 {
		offset = value.OfInt(f.Offset)
	}
	if f.URL != "" {
		url, at = value.OfText(f.URL), value.OfTime(f.Time)
	}
	t := session.NewTable(findingColumns...)
	t.Add(pool, value.OfText(f.File), offset, value.OfText(f.What), value.OfText(f.Severity.String()), url, at)
	return t.Batch()
}

// Would returns the lines for EXPLAIN: the number and size of the files that
// would be read, then their names.
func (v *verification) Would(ctx context.Context) ([]string, error) {
	p, err := v.a.PlanVerify(ctx, v.o)
	if err != nil {
		return nil, noPool(v.st.Pool, err)
	}
	lines := []string{fmt.Sprintf("reads %s of %s, %s, and changes nothing", value.Counted(len(p.Files), "file"), v.s.Archive().Path(), value.Counted(p.Bytes, "byte"))}
	if p.Sample > 0 {
		lines[0] += fmt.Sprintf("; part %d of %d", p.Part, p.Sample)
	}
	if p.Clean > 0 {
		lines = append(lines, wentOn(p.Clean))
	}
	for _, name := range p.Files {
		lines = append(lines, "  "+name)
	}
	return lines, nil
}

// wentOn returns a note for the user: VERIFY skips this many db-files (clean), because an
// earlier VERIFY that was interrupted has found them undamaged.
func wentOn(clean int) string {
	return "not read again, because an interrupted VERIFY found it undamaged: " + value.Counted(clean, "db-file")
}
