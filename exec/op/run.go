// Package op runs plans. An operator takes batches of columns and yields
// batches. Operators stream: they stop when their consumer stops, check their
// context, and bound the memory for rows that they must hold. Runner.Rows runs a plan of
// package plan; a file has the operator of each of the plan's nodes.
//
// # Memory
//
// Operators that hold rows share Runner.Memory. See package spill.
package op

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"infomall/exec/eval"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/store/urlkey"
)

// Runner runs plans against one snapshot of the archive, in one goroutine.
type Runner struct {
	relation.Reader
	// Meter, if not nil, measures every node of the plans.
	Meter *Meter
	// Begin, if not nil, is called before a plan runs. If it returns an error, the plan does not
	// run. If it returns a function, that is called when the rows have ended, with the error with
	// which they ended.
	Begin func(context.Context, plan.Node) (end func(error), err error)

	// Parts is for nodes whose rows workers compute in parts. It maps each such node to a
	// function that yields the records of all parts as Part made them, one part after the other.
	Parts map[plan.Node]func(context.Context) iter.Seq2[[]byte, error]

	work *relation.Work // of the plan that runs; nil if nobody watches
	// within holds, while Part runs, the ranges of keys that a source may read.
	within map[*plan.Source][]urlkey.Range
	// sought holds, while a plan is opened, the ranges of URLs that a source needs to read.
	sought map[*plan.Source][]urlkey.Range
}

// Rows returns the rows of the plan n. They are computed while the caller
// ranges over them. Meanwhile r.Watch may see how far the reading has come.
func (r *Runner) Rows(ctx context.Context, n plan.Node) (value.Rows, error) {
	if r.Begin == nil {
		return r.watched(ctx, n)
	}
	end, err := r.Begin(ctx, n)
	if err != nil {
		return nil, err
	}
	rows, err := r.watched(ctx, n)
	if err != nil || end == nil {
		return rows, err
	}
	return func(yield func(*value.Batch, error) bool) {
		var failed error
		for b, err := range rows {
			if err != nil {
				failed = err
			}
			if !yield(b, err) {
				break
			}
		}
		end(failed)
	}, nil
}

// watched returns the rows of the plan n. While the caller reads them, it calls r.Watch with the
// progress.
func (r *Runner) watched(ctx context.Context, n plan.Node) (value.Rows, error) {
	if r.Watch == nil {
		return r.rows(ctx, n)
	}
	var reads []*relation.Request
	for _, src := range plan.Sources(n) {
		reads = append(reads, &src.Request)
	}
	work := relation.NewWork(reads...)
	r.work = work
	rows, err := r.rows(ctx, n)
	if err != nil {
		return nil, err
	}
	return func(yield func(*value.Batch, error) bool) {
		defer r.Watch(ctx, work)()
		rows(yield)
	}, nil
}

// rows returns the rows of the node n, which are measured and counted.
func (r *Runner) rows(ctx context.Context, n plan.Node) (value.Rows, error) {
	rows, err := r.open(ctx, n)
	if err != nil {
		return nil, err
	}
	return r.Meter.measure(n, rows), nil
}

// open returns the rows of the node n. The method rows calls it and measures them.
func (r *Runner) open(ctx context.Context, n plan.Node) (value.Rows, error) {
	if parts := r.Parts[n]; parts != nil {
		return r.joined(ctx, n, parts(ctx))
	}
	switch n := n.(type) {
	case *plan.Row:
		return oneRow, nil
	case *plan.Source:
		return r.counted(ctx, n, r.source(ctx, n)), nil
	case *plan.File:
		return r.counted(ctx, n, value.Rows(n.Rows(ctx))), nil
	case *plan.Union:
		return r.union(ctx, n)
	case *plan.Join:
		return r.join(ctx, n)
	}
	in, err := r.rows(ctx, n.Below()[0])
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
	case *plan.Window:
		return r.window(ctx, n, in)
	case *plan.Distinct:
		return r.distinct(ctx, n, in), nil
	case *plan.Trail:
		return trail(n, in), nil
	}
	panic(fmt.Sprintf("op: unknown node %T", n))
}

// oneRow yields one row without columns, for a SELECT without FROM.
func oneRow(yield func(*value.Batch, error) bool) { yield(&value.Batch{N: 1}, nil) }

// counted yields the batches of in, the rows of the node n. After each batch
// it checks ctx.
func (r *Runner) counted(ctx context.Context, n plan.Node, in value.Rows) value.Rows {
	size, work := sizer(n), r.work
	return func(yield func(*value.Batch, error) bool) {
		for b, err := range in {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if work != nil {
				work.AddRows(size(b))
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}

// source returns the rows that the source n reads from a relation. While a
// join or a window needs only the rows with certain URLs, source reads only those.
func (r *Runner) source(ctx context.Context, n *plan.Source) value.Rows {
	ask, end := r.work.Begin(&n.Request)
	part, isPart := r.within[n]
	if isPart {
		ask = ask.Within(part)
	}
	ranges, narrowed := r.sought[n]
	if narrowed = narrowed && !ask.Joins(); narrowed {
		ask = ask.Within(ranges)
	}
	if n.Seek == nil || narrowed || isPart { // looking for URLs in the indexes, once for each part, takes long
		rows := r.Read(ctx, ask)
		return func(yield func(*value.Batch, error) bool) {
			defer end()
			rows(yield)
		}
	}
	return func(yield func(*value.Batch, error) bool) {
		defer end()
		less, err := r.lookFirst(ctx, n, ask)
		if err != nil {
			yield(nil, err)
			return
		}
		r.Read(ctx, less)(yield)
	}
}

// lookFirst returns ask, the request of the source n, with its ranges reduced to the URLs that
// n.Seek needs. It returns ask itself if finding these URLs first would not save time.
func (r *Runner) lookFirst(ctx context.Context, n *plan.Source, ask *relation.Request) (*relation.Request, error) {
	s := &relation.Seek{Fields: n.Seek.Fields, Words: n.Seek.Words, First: n.Seek.First, By: n.Seek.By, Desc: n.Seek.Desc}
	if n.Seek.Conds != nil {
		conds, err := eval.CompileAll(n.Seek.Conds)
		if err != nil {
			return nil, err
		}
		s.Match = func(b *value.Batch) ([]int32, error) { return matching(conds, b) }
	}
	return r.Reader.Seek(ctx, ask, s)
}

// matching returns the indexes of the rows of b for which all conditions are true.
func matching(conds []eval.Func, b *value.Batch) (sel []int32, err error) {
	for k, cond := range conds {
		v, err := cond(b)
		if err != nil {
			return nil, err
		}
		some := v.AppendTrue(nil, b.N)
		if k > 0 {
			some = slices.DeleteFunc(some, func(i int32) bool { _, has := slices.BinarySearch(sel, i); return !has })
		}
		sel = some
	}
	return sel, nil
}
