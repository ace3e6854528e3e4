package relationtest

import (
	"context"
	"io"
	"iter"

	"infomall/store/record"
	"infomall/store/record/task"
)

// The methods below are about the archive as a whole.

// Exists reports whether the archive exists: whether the field Missing is not
// set.
func (a *Archive) Exists() bool { return !a.Missing }

// Path returns a made-up path, which stands for the archive in messages.
func (a *Archive) Path() string { return "test-archive" }

// Local implements the method of an archive that returns its folder. It returns a made-up name.
func (a *Archive) Local() string { return "test-archive" }

// Copy copies nothing and returns a made-up result for the pool 200806. If o
// names another pool first, it returns an error.
func (a *Archive) Copy(_ context.Context, o task.CopyOptions) ([]task.CopyResult, error) {
	if o.Pools != nil && o.Pools[0] != "200806" {
		return nil, &task.NoPoolError{Name: o.Pools[0], Pools: []string{"200806"}}
	}
	return []task.CopyResult{{Pool: "200806", Files: 3, Copied: 2, Bytes: 4000}}, a.Err
}

// Verify finds nothing wrong, because there are no files.
func (a *Archive) Verify(context.Context, task.VerifyOptions) iter.Seq2[task.Finding, error] {
	return func(func(task.Finding, error) bool) {}
}

// BlockList returns an empty block-list.
func (a *Archive) BlockList(context.Context) (*task.BlockList, error) {
	return new(task.BlockList), nil
}

// Hide does nothing: the archive shows all its captures.
func (a *Archive) Hide(*record.Hiding) {}

// LeftOut returns zeros.
func (a *Archive) LeftOut() (left, all int) { return 0, 0 }

// Tombstones returns one made-up tombstone.
func (a *Archive) Tombstones(context.Context) ([]task.Tombstone, error) {
	return []task.Tombstone{{Time: 0, Captures: 2, Pools: []string{"200806", "200807"}, Reason: "because", Hidden: true}}, nil
}

// Delete counts the captures that o names and deletes nothing. It returns a
// result as if all of them were in pool 200806.
func (a *Archive) Delete(_ context.Context, o task.DeleteOptions) (task.DeleteResult, error) {
	p := task.RemovedPool{Name: "200806"}
	for _, err := range o.Targets {
		if err != nil {
			return task.DeleteResult{}, err
		}
		p.Captures++
	}
	if p.Captures == 0 {
		return task.DeleteResult{}, nil
	}
	return task.DeleteResult{Pools: []task.RemovedPool{p}, URLs: 1, Left: 1}, nil
}

// Drop drops no pool. For the pool 200806 it returns an error, because 200807
// depends on it. For 200807 it returns a made-up result, and for any other name
// an error.
func (a *Archive) Drop(_ context.Context, o task.DropOptions) (task.DropResult, error) {
	switch o.Pool {
	case "200806":
		return task.DropResult{}, &task.DependsError{Pool: o.Pool, By: []string{"200807"}}
	case "200807":
		return task.DropResult{RemovedPool: task.RemovedPool{Name: o.Pool, Captures: 3, Versions: 2}, Files: 2, Bytes: 4000}, nil
	}
	return task.DropResult{}, &task.NoPoolError{Name: o.Pool, Pools: []string{"200806", "200807"}}
}

// Merge merges nothing and returns a made-up result for each pool in o.
func (a *Archive) Merge(_ context.Context, o task.MergeOptions) ([]task.MergeResult, error) {
	var out []task.MergeResult
	for _, p := range o.Pools {
		out = append(out, task.MergeResult{Pool: p, Segments: 3, Into: 1, Captures: 10, OldBytes: 4000, Bytes: 3000})
	}
	return out, a.Err
}

// PlanVerify returns a made-up plan to verify one file.
func (a *Archive) PlanVerify(_ context.Context, o task.VerifyOptions) (task.VerifyPlan, error) {
	return task.VerifyPlan{Files: []string{"CURRENT"}, Bytes: 16, Sample: o.Sample}, a.Err
}

// Move moves nothing and returns a made-up result for the pool 200806. If o names
// another pool first, it returns an error.
func (a *Archive) Move(_ context.Context, o task.MoveOptions) ([]task.MoveResult, error) {
	if o.Pools != nil && o.Pools[0] != "200806" {
		return nil, &task.NoPoolError{Name: o.Pools[0], Pools: []string{"200806"}}
	}
	return []task.MoveResult{{Pool: "200806", Files: 3, Moved: 2, Bytes: 4000}}, a.Err
}

// Repair repairs nothing and returns a made-up result: one file, without
// damage.
func (a *Archive) Repair(_ context.Context, o task.RepairOptions) ([]task.RepairResult, error) {
	return []task.RepairResult{{File: "pools/" + o.Pool + "/000001.raw", Bytes: 4000}}, a.Err
}

// Reindex does nothing and returns a made-up result for one pool.
func (a *Archive) Reindex(context.Context, task.ReindexOptions) ([]task.ReindexResult, error) {
	return []task.ReindexResult{{Pool: "200806", Segments: 2, Captures: 30, Bytes: 4000, IndexBytes: 900}}, a.Err
}

// Recover yields two made-up records with damage between them.
func (a *Archive) Recover(context.Context, task.RecoverOptions) iter.Seq2[task.Recovered, error] {
	return func(yield func(task.Recovered, error) bool) {
		write := func(w io.Writer) error { _, err := io.WriteString(w, "record\n"); return err }
		_ = yield(task.Recovered{Length: 7, State: task.RecoverChained, Records: 1, Time: record.NoTime, Write: write}, nil) &&
			yield(task.Recovered{Offset: 7, Length: 9, What: "no head", URL: "http://a.cn/", Time: 0}, nil) &&
			yield(task.Recovered{Offset: 16, Length: 7, State: task.RecoverChained, Records: 1, Time: record.NoTime, Write: write}, a.Err)
	}
}

// PlanRecover returns a made-up plan: whatever the file, its format is
// Tianwang.
func (a *Archive) PlanRecover(context.Context, task.RecoverOptions) (task.RecoverPlan, error) {
	return task.RecoverPlan{Format: "tianwang", Bytes: 23, To: "tianwang"}, a.Err
}

// Import imports nothing and returns a made-up result for each pattern in o.
func (a *Archive) Import(_ context.Context, o task.ImportOptions) ([]task.ImportResult, error) {
	var results []task.ImportResult
	for _, p := range o.Patterns {
		results = append(results, task.ImportResult{
			Source: p, Records: 5, Stored: 1, Visits: 1, Skipped: 2, Damaged: 1, Bytes: 300, NewBytes: 100,
			Skips:   map[string]int64{"request record": 2},
			Damages: []task.Damage{{Offset: 77, Why: "no record begins here"}},
		})
	}
	return results, a.Err
}
