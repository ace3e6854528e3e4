package exec

import (
	"context"
	"errors"
	"slices"

	"infomall/exec/op"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// Jobs is what statements need to note what works on an archive. It may be used
// from several goroutines and processes at once.
type Jobs interface {
	op.Jobs
	// BeginJob notes that a job runs, as its ID, until end is called with what
	// became of it. The run of a schedule that runs is a *record.JobRunningError.
	BeginJob(ctx context.Context, j record.Job) (id int64, end func(record.Job) error, err error)
}

// works reports whether a statement works on the archive, be it to read all of
// it, so that its runs are worth noting.
func works(st ast.Statement) bool {
	switch st.(type) {
	case *ast.Import, *ast.Export, *ast.Crawl, *ast.CopyPool, *ast.Verify, *ast.MergePool, *ast.RepairPool, *ast.Reindex,
		*ast.DropPool, *ast.DropGraph, *ast.Delete, *ast.Recover, *ast.PageRank, *ast.HITS, *ast.Dedup:
		return true
	}
	return false
}

// runJob runs a statement as a job. That a job can't be noted, as a disk is full
// or may only be read, is no reason not to do it.
func (s *Session) runJob(ctx context.Context, st ast.Statement) (*Result, error) {
	j := record.Job{Name: alias(st), Statement: urlkey.WithoutUsers(st.String()), Started: s.env().Now, Scheduled: record.NoTime, Next: record.NoTime}
	_, end, err := s.Jobs.BeginJob(ctx, j)
	if err != nil {
		return s.run(ctx, st)
	}
	var t jobTally
	ended := false
	finish := func(err error) {
		if !ended {
			ended = true
			_ = end(s.after(ctx, j, &t, err))
		}
	}
	res, err := s.run(ctx, st)
	if err != nil {
		finish(err)
		return nil, err
	}
	rows, closeAll := res.Rows, res.Close
	if rows == nil {
		finish(nil)
		return res, nil
	}
	res.Rows = func(yield func(*value.Batch, error) bool) {
		defer finish(nil)
		for b, err := range rows {
			if err != nil {
				finish(err)
			} else {
				t.add(res, b)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
	res.Close = func() {
		finish(nil)
		closeAll()
	}
	return res, nil
}

// after is a job when it has ended.
func (s *Session) after(ctx context.Context, j record.Job, t *jobTally, err error) record.Job {
	j.State, j.Rows, j.Bytes = record.JobDone, t.rows, t.bytes
	switch {
	case ctx.Err() != nil:
		j.State, j.Finished, j.Error = record.JobInterrupted, record.NoTime, context.Cause(ctx).Error()
		return j
	case err != nil:
		j.State, j.Error = record.JobFailed, err.Error()
		var placed *ast.Error
		if errors.As(err, &placed) {
			j.Error = placed.Msg // its place is in a text that may be gone
		}
		j.Error = urlkey.WithoutUsers(j.Error)
	}
	j.Finished = record.At(s.now())
	return j
}

// alias is what AS calls the work of a statement, or "".
func alias(st ast.Statement) string {
	var name *ast.Name
	switch st := st.(type) {
	case *ast.Import:
		name = st.Alias
	case *ast.Crawl:
		name = st.Alias
	case *ast.PageRank:
		name = st.Name
	case *ast.HITS:
		name = st.Name
	}
	if name == nil {
		return ""
	}
	return name.Text
}

// jobTally counts what a job came to.
type jobTally struct{ rows, bytes int64 }

// countedAs are the columns that say what work was done on, the first that there
// is.
var countedAs = []string{"rows", "records", "fetched", "captures", "pages"}

// add counts a batch of a result: its rows, or of work what it says itself.
func (t *jobTally) add(res *Result, b *value.Batch) {
	sum := func(names ...string) (n int64, ok bool) {
		for _, name := range names {
			i := slices.IndexFunc(res.Columns, func(c value.Column) bool { return c.Name == name && c.Type == value.Int })
			if i < 0 {
				continue
			}
			for row := range b.N {
				if v := b.Cols[i].At(row); !v.IsNull() {
					n += v.Int
				}
			}
			return n, true
		}
		return 0, false
	}
	rows := int64(b.N)
	if res.Kind == ResultWork {
		if n, ok := sum(countedAs...); ok {
			rows = n
		}
		n, _ := sum("bytes")
		t.bytes += n
	}
	t.rows += rows
}
