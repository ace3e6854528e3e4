package exec

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

// mergePool runs MERGE POOL and SEAL POOL.
func (s *Session) mergePool(ctx context.Context, st *ast.MergePool) (*Result, error) {
	o, err := s.mergeOptions(st)
	if err != nil {
		return nil, err
	}
	if s.Progress != nil {
		tell := s.throttled()
		o.Progress = func(pool string, done, total int64) {
			tell(Progress{What: mergeWord(st) + " pool " + pool, Done: done, Total: total, Unit: "captures"})
		}
	}
	results, err := s.merged(ctx, st, o)
	if err != nil {
		return nil, err
	}
	t := newTable(text("pool"), whole("segments"), whole("into"), whole("captures"), whole("old_bytes"), whole("bytes"))
	for _, r := range results {
		t.add(value.OfText(r.Pool), value.OfInt(int64(r.Segments)), value.OfInt(int64(r.Into)),
			value.OfInt(r.Captures), value.OfInt(r.OldBytes), value.OfInt(r.Bytes))
	}
	res := t.result(ResultWork, nil)
	for _, r := range results {
		if r.Parts != nil {
			res.Notes = append(res.Notes, fmt.Sprintf("pool %s was larger than pool_limit, and is %s now", r.Pool, strings.Join(r.Parts, ", ")))
		}
	}
	return res, nil
}

// mergeWord is what a statement does.
func mergeWord(st *ast.MergePool) string {
	if st.Seal {
		return "seal"
	}
	return "merge"
}

// mergeOptions reads the statement.
func (s *Session) mergeOptions(st *ast.MergePool) (o record.MergeOptions, err error) {
	o.Seal, o.PoolLimit = st.Seal, s.Settings.PoolLimit
	if st.Pool == nil {
		return o, nil
	}
	pool, err := plan.ConstantText(st.Pool, s.env())
	o.Pools = []string{pool}
	return o, err
}

// merged merges, and tells where a pool is named that is not there.
func (s *Session) merged(ctx context.Context, st *ast.MergePool, o record.MergeOptions) ([]record.MergeResult, error) {
	results, err := s.Archive.Merge(ctx, o)
	var static *record.StaticError
	if errors.As(err, &static) {
		return nil, ast.Errorf(st.Pool, "%v; what came late to its month is in the pools beside it", err)
	}
	return results, noPool(st.Pool, err)
}

// wouldMerge says which segments a MERGE POOL or SEAL POOL would merge.
func (s *Session) wouldMerge(ctx context.Context, st *ast.MergePool) ([]string, error) {
	o, err := s.mergeOptions(st)
	if err != nil {
		return nil, err
	}
	o.Dry = true
	results, err := s.merged(ctx, st, o)
	if err != nil {
		return nil, err
	}
	lines := []string{mergeWord(st) + " pools of " + s.Archive.Path()}
	for _, r := range results {
		switch {
		case r.Static && !(st.Seal && r.Deleted):
			lines = append(lines, fmt.Sprintf("  pool %s: nothing, it is static", r.Pool))
			continue
		case r.Segments < 2 && !st.Seal && !r.Large && !r.Deleted:
			lines = append(lines, fmt.Sprintf("  pool %s: nothing, it has one segment", r.Pool))
			continue
		}
		line := fmt.Sprintf("  pool %s: %d segments, %d captures, %d bytes", r.Pool, r.Segments, r.Captures, r.OldBytes)
		if r.Deleted {
			line += "; written anew without those that were deleted, and with it what other pools have that is made of them"
		}
		if r.Large && !r.Static {
			line += "; larger than pool_limit, and split by URL"
		}
		lines = append(lines, line)
	}
	return lines, nil
}
