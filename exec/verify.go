package exec

import (
	"context"
	"errors"
	"fmt"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

// findingColumns are the columns of VERIFY.
var findingColumns = []value.Column{text("pool"), text("file"), whole("offset"), text("what"), text("severity"), text("url"), {Name: "time", Type: value.Time}}

// sampleMax bounds the parts of a sample: so many days are 27 years.
const sampleMax = 10_000

// verify runs VERIFY. Its rows come as they are found, and an error behind them
// counts them: a script then ends with status 1.
func (s *Session) verify(ctx context.Context, st *ast.Verify) (*Result, error) {
	o, err := s.verifyOptions(st)
	if err != nil {
		return nil, err
	}
	if s.Progress != nil {
		tell := s.throttled()
		o.Progress = func(done, total int64) { tell(Progress{What: "verify", Done: done, Total: total, Unit: "bytes"}) }
	}
	p, err := s.Archive.PlanVerify(ctx, o)
	var none *record.NoPoolError
	if errors.As(err, &none) {
		return nil, noPool(st.Pool, err)
	}
	res := &Result{Kind: ResultRows, Columns: findingColumns, Close: func() {}}
	if p.Clean > 0 {
		res.Notes = append(res.Notes, wentOn(p.Clean))
	}
	res.Rows = func(yield func(*value.Batch, error) bool) {
		n := 0
		for f, err := range s.Archive.Verify(ctx, o) {
			if err != nil {
				yield(nil, noPool(st.Pool, err))
				return
			}
			n++
			if !yield(findingRow(&f), nil) {
				return
			}
		}
		switch {
		case n == 1:
			yield(nil, errors.New("1 finding"))
		case n > 1:
			yield(nil, fmt.Errorf("%d findings", n))
		case p.Sample > 0:
			res.Notes = append(res.Notes, fmt.Sprintf("nothing is wrong with part %d of %d", p.Part, p.Sample))
		default:
			res.Notes = append(res.Notes, "nothing is wrong")
		}
	}
	return res, nil
}

func (s *Session) verifyOptions(st *ast.Verify) (o record.VerifyOptions, err error) {
	o.Stateless = s.ReadOnly
	if st.Pool != nil {
		if o.Pool, err = plan.ConstantText(st.Pool, s.env()); err != nil {
			return o, err
		}
	}
	if st.Sample == nil {
		return o, nil
	}
	n, err := plan.ConstantCount(st.Sample, "SAMPLE", s.env())
	if err != nil {
		return o, err
	}
	if n < 1 || n > sampleMax {
		return o, ast.Errorf(st.Sample, "SAMPLE 1/%d: n must be from 1 to %d", n, sampleMax)
	}
	o.Sample = int(n)
	return o, nil
}

// findingRow is a finding as a row.
func findingRow(f *record.Finding) *value.Batch {
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
	t := newTable(findingColumns...)
	t.add(pool, value.OfText(f.File), offset, value.OfText(f.What), value.OfText(f.Severity.String()), url, at)
	return t.batch
}

// wouldVerify says what VERIFY would read.
func (s *Session) wouldVerify(ctx context.Context, st *ast.Verify) ([]string, error) {
	o, err := s.verifyOptions(st)
	if err != nil {
		return nil, err
	}
	p, err := s.Archive.PlanVerify(ctx, o)
	if err != nil {
		return nil, noPool(st.Pool, err)
	}
	lines := []string{fmt.Sprintf("reads %d files of %s, %d bytes, and changes nothing", len(p.Files), s.Archive.Path(), p.Bytes)}
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

func wentOn(clean int) string {
	return fmt.Sprintf("%d db-files were found whole by a VERIFY that did not come to its end, and are not read again", clean)
}
