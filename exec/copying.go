package exec

import (
	"context"
	"fmt"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

// copyPool runs COPY POOL.
func (s *Session) copyPool(ctx context.Context, st *ast.CopyPool) (*Result, error) {
	o, err := s.copyOptions(st)
	if err != nil {
		return nil, err
	}
	if s.Progress != nil {
		tell := s.throttled()
		o.Progress = func(file string, done, total int64) {
			tell(Progress{What: "copy " + file, Done: done, Total: total, Unit: "bytes"})
		}
	}
	results, err := s.copied(ctx, st, o)
	if err != nil {
		return nil, err
	}
	t := newTable(text("pool"), whole("files"), whole("copied"), whole("bytes"))
	for _, r := range results {
		t.add(value.OfText(r.Pool), value.OfInt(int64(r.Files)), value.OfInt(int64(r.Copied)), value.OfInt(r.Bytes))
	}
	return t.result(ResultWork, nil), nil
}

// copyOptions reads the statement.
func (s *Session) copyOptions(st *ast.CopyPool) (o record.CopyOptions, err error) {
	env := s.env()
	if o.Dir, err = plan.ConstantText(st.To, env); err != nil {
		return o, err
	}
	if o.Dir == "" {
		return o, ast.Errorf(st.To, "COPY POOL to no folder: name one")
	}
	if st.Pool != nil {
		pool, err := plan.ConstantText(st.Pool, env)
		if err != nil {
			return o, err
		}
		o.Pools = []string{pool}
	}
	return o, nil
}

// copied copies, and tells where a pool is named that is not there.
func (s *Session) copied(ctx context.Context, st *ast.CopyPool, o record.CopyOptions) ([]record.CopyResult, error) {
	results, err := s.Archive.Copy(ctx, o)
	return results, noPool(st.Pool, err)
}

// wouldCopy says which files a COPY POOL would copy.
func (s *Session) wouldCopy(ctx context.Context, st *ast.CopyPool) ([]string, error) {
	o, err := s.copyOptions(st)
	if err != nil {
		return nil, err
	}
	o.Dry = true
	results, err := s.copied(ctx, st, o)
	if err != nil {
		return nil, err
	}
	lines := []string{"copy " + s.Archive.Path() + " to " + o.Dir}
	for _, r := range results {
		lines = append(lines, fmt.Sprintf("  pool %s: %d of %d files, %d bytes", r.Pool, r.Copied, r.Files, r.Bytes))
	}
	return lines, nil
}
