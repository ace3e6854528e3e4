package exec

import (
	"context"
	"fmt"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
)

// repairPool runs REPAIR POOL. Where a file is still damaged, an error behind
// the rows says so: a script then ends with status 1.
func (s *Session) repairPool(ctx context.Context, st *ast.RepairPool) (*Result, error) {
	o, err := s.repairOptions(st)
	if err != nil {
		return nil, err
	}
	if s.Progress != nil {
		tell := s.throttled()
		o.Progress = func(file string, done, total int64) {
			tell(Progress{What: "repair " + file, Done: done, Total: total, Unit: "bytes"})
		}
	}
	results, err := s.repaired(ctx, st, o)
	if err != nil {
		return nil, err
	}
	t := newTable(text("file"), text("state"), whole("bytes"), whole("lost"))
	var bad int
	for _, r := range results {
		t.add(value.OfText(r.File), value.OfText(r.State.String()), value.OfInt(r.Bytes), value.OfInt(int64(r.Lost)))
		if r.State == record.RepairPartly || r.State == record.RepairDamaged {
			bad++
		}
	}
	if bad > 0 {
		err = fmt.Errorf("%d of %d files are still damaged: the copy in %s is damaged in the same places, or is no copy; try another", bad, len(results), o.Dir)
	}
	return t.result(ResultWork, err), nil
}

// repairOptions reads the statement.
func (s *Session) repairOptions(st *ast.RepairPool) (o record.RepairOptions, err error) {
	env := s.env()
	if o.Pool, err = plan.ConstantText(st.Pool, env); err != nil {
		return o, err
	}
	if o.Dir, err = plan.ConstantText(st.From, env); err != nil {
		return o, err
	}
	if o.Dir == "" {
		return o, ast.Errorf(st.From, "REPAIR POOL from no folder: name one")
	}
	return o, nil
}

// repaired repairs, and tells where a pool is named that is not there.
func (s *Session) repaired(ctx context.Context, st *ast.RepairPool, o record.RepairOptions) ([]record.RepairResult, error) {
	results, err := s.Archive.Repair(ctx, o)
	return results, noPool(st.Pool, err)
}

// wouldRepair says which files a REPAIR POOL would replace. It reads the pool's
// files, and the copy's where one is damaged.
func (s *Session) wouldRepair(ctx context.Context, st *ast.RepairPool) ([]string, error) {
	o, err := s.repairOptions(st)
	if err != nil {
		return nil, err
	}
	o.Dry = true
	results, err := s.repaired(ctx, st, o)
	if err != nil {
		return nil, err
	}
	lines := []string{"repair pool " + o.Pool + " of " + s.Archive.Path() + " from " + o.Dir}
	for _, r := range results {
		line := fmt.Sprintf("  %s: %s", r.File, r.State)
		if r.State != record.RepairWhole && r.State != record.RepairDamaged {
			line = fmt.Sprintf("  %s: would be %s", r.File, r.State)
		}
		lines = append(lines, line)
	}
	return lines, nil
}
