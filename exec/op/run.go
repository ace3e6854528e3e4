package op

import (
	"context"
	"fmt"
	"iter"

	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/store/urlkey"
)

// Rows is a stream of batches. An error is the last pair. Rows can be ranged
// over once.
type Rows = iter.Seq2[*value.Batch, error]

// Runner runs plans against one snapshot, in one goroutine.
type Runner struct {
	Snapshot Snapshot
	// History returns the entries typed at the prompt, the oldest first.
	History func(context.Context) ([]Entry, error)
	// Crawls and Jobs may be nil: then there are no crawls or jobs.
	Crawls Crawls
	Jobs   Jobs
	// Schedules returns the schedules, sorted by name.
	Schedules func(context.Context) ([]Schedule, error)
	// Revisits yields how often the pages of a source change, sorted by URL. If
	// due is set, it also computes when each is visited next. It may leave out
	// pages.
	Revisits func(ctx context.Context, n *relation.Request, due bool) iter.Seq2[Revisit, error]
	// Memory is shared by the operators that hold rows.
	spill.Memory
	// Scanned, if not nil, is called after each batch that a source yields,
	// with the number of its rows so far.
	Scanned func(rows int64)
	// Meter, if not nil, measures every node.
	Meter *Meter

	responses []*response  // opened last, the latest first
	compared  comparison   // the comparison made last
	keptLast  *keptVersion // what is stored of the version read last
	linked    []*pageLinks // the links of the pages read last
	resolved  resolved     // a cache of resolved links
	learned   learned      // of the URL asked for last
	style     *hostStyle   // of the host and month asked for last
	// sought holds the ranges of sources while the right side of a join is
	// opened.
	sought map[*plan.Source][]urlkey.Range
}

// Rows returns the rows of a plan. Ranging does the work.
func (r *Runner) Rows(ctx context.Context, n plan.Node) (Rows, error) {
	rows, err := r.open(ctx, n)
	if err != nil {
		return nil, err
	}
	return r.Meter.measure(n, rows), nil
}

// open returns the rows of a node without measuring it.
func (r *Runner) open(ctx context.Context, n plan.Node) (Rows, error) {
	switch n := n.(type) {
	case *plan.Row:
		return oneRow, nil
	case *plan.Source:
		return r.counted(ctx, n, r.source(ctx, n)), nil
	case *plan.File:
		return r.counted(ctx, n, Rows(n.Rows(ctx))), nil
	case *plan.Union:
		return r.union(ctx, n)
	case *plan.Join:
		return r.join(ctx, n)
	}
	in, err := r.Rows(ctx, n.Below()[0])
	if err != nil {
		return nil, err
	}
	switch n := n.(type) {
	case *plan.Payload:
		return r.payload(ctx, n, in), nil
	case *plan.Filter:
		return filter(n, in)
	case *plan.Group:
		return r.group(ctx, n, in)
	case *plan.Sort:
		return r.sort(ctx, n, in)
	case *plan.Top:
		return top(n, in)
	case *plan.Limit:
		return limit(n, in), nil
	case *plan.Project:
		return project(n, in)
	case *plan.Distinct:
		return r.distinct(ctx, n, in), nil
	}
	panic(fmt.Sprintf("op: unknown node %T", n))
}

// oneRow yields the one row that a SELECT without FROM reads.
func oneRow(yield func(*value.Batch, error) bool) { yield(&value.Batch{N: 1}, nil) }

// counted passes on the rows of n, checks ctx and reports progress.
func (r *Runner) counted(ctx context.Context, n plan.Node, in Rows) Rows {
	size := sizer(n)
	return func(yield func(*value.Batch, error) bool) {
		var rows int64
		for b, err := range in {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			rows += size(b)
			if r.Scanned != nil {
				r.Scanned(rows)
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}
