package session

import (
	"context"
	"slices"
	"sync"
	"time"

	"infomall/exec/cost"
	"infomall/exec/plan"
	"infomall/exec/relation"
)

// Progress is how much of its work a statement has done. Total is 0 if the
// whole amount is not known.
type Progress struct {
	What        string // such as "import k.warc.gz"
	Done, Total int64
	Unit        string // of Done and Total, in the plural: "bytes", "rows", "captures"
}

// reportEvery is the least time between two reports of progress. watchAfter is how long a
// query runs before its progress is first reported. Until then, the amount to read is not
// even estimated.
const (
	reportEvery = 100 * time.Millisecond
	watchAfter  = time.Second
)

// Report returns a function that reports the progress of a statement to the
// user. The statement calls it with how much is done and how much there is
// in total. Report returns nil if nobody wants the progress. what and unit
// are as in Progress.
func (s *Session) Report(what, unit string) func(done, total int64) {
	report := s.ReportEach(what, unit)
	if report == nil {
		return nil
	}
	return func(done, total int64) { report("", done, total) }
}

// ReportEach is like Report for work on several things, one after the other,
// such as files. The function in the result also takes the name of the
// current thing. Each report shows work and that name, such as "copy
// 200806".
func (s *Session) ReportEach(work, unit string) func(name string, done, total int64) {
	if s.o.Progress == nil {
		return nil
	}
	var last time.Time
	return func(name string, done, total int64) {
		now := time.Now()
		if now.Sub(last) < reportEvery {
			return
		}
		last = now
		if name != "" {
			name = " " + name
		}
		s.o.Progress(Progress{What: work + name, Done: done, Total: total, Unit: unit})
	}
}

// watching returns a function for Reader.Watch that reports to the user how much of the work
// of plans is done. The parameter what names the work, as in Progress. plans returns the
// plans that have begun. If nobody wants reports, watching returns nil.
//
// A goroutine sends the reports, because a plan may be busy for long with a few rows. The
// goroutine has ended when the function stop has returned.
func (s *Session) watching(what string, snap relation.Snapshot, plans func() []plan.Node) func(context.Context, *relation.Work) (stop func()) {
	if s.o.Progress == nil || snap == nil {
		return nil
	}
	return func(ctx context.Context, work *relation.Work) (stop func()) {
		ctx, cancel := context.WithCancel(ctx)
		of := plansOf(work, plans())
		var wg sync.WaitGroup
		wg.Go(func() { s.watch(ctx, what, snap, of, work) })
		return func() { cancel(); wg.Wait() }
	}
}

// plansOf returns those plans whose sources are requests in work. A request that is in none
// of the plans becomes a plan by itself.
func plansOf(work *relation.Work, plans []plan.Node) (list []plan.Node) {
	for _, n := range work.Requests() {
		at := slices.IndexFunc(plans, func(p plan.Node) bool {
			return slices.ContainsFunc(plan.Sources(p), func(src *plan.Source) bool { return &src.Request == n })
		})
		switch {
		case at < 0:
			list = append(list, &plan.Source{Request: *n})
		case !slices.Contains(list, plans[at]):
			list = append(list, plans[at])
		}
	}
	return list
}

// watch reports the progress of work to the user until ctx ends. work is what the sources of
// plans do.
func (s *Session) watch(ctx context.Context, what string, snap relation.Snapshot, plans []plan.Node, work *relation.Work) {
	next := time.NewTimer(watchAfter)
	defer next.Stop()
	measured := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		if !measured {
			// Without a total, the rows are shown.
			measured = s.measure(ctx, snap, plans, work) == nil
		}
		s.o.Progress(progressOf(what, work))
		next.Reset(reportEvery)
	}
}

// measure estimates plans and notes in work how much they will read.
func (s *Session) measure(ctx context.Context, snap relation.Snapshot, plans []plan.Node, work *relation.Work) error {
	var sum cost.Estimate
	for _, n := range plans {
		e, err := s.Estimate(ctx, snap, n)
		if err != nil {
			return err
		}
		sum.Add(e)
	}
	work.Measure(sum.Expected)
	return nil
}

// progressOf returns how much of work is done: in bytes, or in rows if it is not
// known how many bytes there are.
func progressOf(what string, work *relation.Work) Progress {
	if share, total := work.Share(); total > 0 {
		return Progress{What: what, Done: int64(share * total), Total: int64(total), Unit: "bytes"}
	}
	return Progress{What: what, Done: work.Rows(), Unit: "rows"}
}
