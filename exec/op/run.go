package op

import (
	"context"
	"fmt"
	"iter"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/store/urlkey"
)

// Rows is a stream of batches; an error is the last pair. It may be ranged over
// once.
type Rows = iter.Seq2[*value.Batch, error]

// Runner runs plans against one snapshot, in one goroutine.
type Runner struct {
	Snapshot Snapshot
	// History gives what was typed at the prompt, the oldest first.
	History func(context.Context) ([]Entry, error)
	// Crawls and Jobs may be nil: then there are none.
	Crawls Crawls
	Jobs   Jobs
	// Schedules gives the schedules in order of name.
	Schedules func(context.Context) ([]Schedule, error)
	// Revisits tells of the pages of a source how often they change, and, if due, when
	// each is to be visited next, in order of URL; of some pages it tells nothing.
	Revisits func(ctx context.Context, n *plan.Source, due bool) iter.Seq2[Revisit, error]
	// MemoryBytes is about how much an operator that must hold rows may hold;
	// what is more goes to temporary files.
	MemoryBytes int64
	// TempDirs are folders for temporary files; the first that takes one is
	// used. None is the system's own.
	TempDirs []string
	// Scanned, if not nil, is told after each batch of the source how many rows
	// it has yielded so far.
	Scanned func(rows int64)
	// Meter, if not nil, measures every node.
	Meter *Meter

	responses []*response // opened last, the latest first
	compared  comparison  // made last
	keptLast  *keptVersion
	linked    []*pageLinks // as responses
	resolved  resolved     // what links mean
	learned   learned      // of the URL asked for last
	style     *hostStyle   // as well
	// sought bounds sources while the right side of a join is opened.
	sought map[*plan.Source][]urlkey.Range
}

// Rows gives the rows of a plan. Opening is cheap; ranging does the work.
func (r *Runner) Rows(ctx context.Context, n plan.Node) (Rows, error) {
	rows, err := r.open(ctx, n)
	if err != nil {
		return nil, err
	}
	return r.Meter.measure(n, rows), nil
}

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

// oneRow is what a SELECT without FROM reads.
func oneRow(yield func(*value.Batch, error) bool) { yield(&value.Batch{N: 1}, nil) }

// counted passes rows on, watches ctx and reports progress.
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

// compileAll compiles a list of expressions.
func compileAll(list []plan.Expr) ([]Eval, error) {
	evals := make([]Eval, len(list))
	for i, e := range list {
		f, err := Compile(e)
		if err != nil {
			return nil, err
		}
		evals[i] = f
	}
	return evals, nil
}
