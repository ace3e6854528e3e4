package session

import (
	"context"
	"sync"
	"time"

	"infomall/exec/relation"
)

// Progress is how much of its work a statement has done. Total is 0 if the
// whole amount is not known.
type Progress struct {
	What        string // such as "import k.warc.gz"
	Done, Total int64
	Unit        string // of Done and Total, in the plural: "bytes", "rows", "captures"
}

// reportEvery is the least time between two reports of progress. watchAfter is the
// age of a query at which its progress is first reported. Before that, nobody finds
// out how much there is to read.
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

// Watch returns a function for Reader.Watch that reports the progress of plans to
// the user: how many of the plan's bytes have been read. what names the work, as the
// field of Progress does. Watch returns nil if nobody wants the progress.
//
// The reports come from a goroutine of their own, because a plan may be busy for
// long with a few rows. It has ended when the function stop has returned.
func (s *Session) Watch(what string, snap relation.Snapshot) func(context.Context, *relation.Work) (stop func()) {
	if s.o.Progress == nil || snap == nil {
		return nil
	}
	return func(ctx context.Context, work *relation.Work) (stop func()) {
		ctx, cancel := context.WithCancel(ctx)
		var wg sync.WaitGroup
		wg.Go(func() { s.watch(ctx, what, snap, work) })
		return func() { cancel(); wg.Wait() }
	}
}

// watch reports the progress of work until ctx ends.
func (s *Session) watch(ctx context.Context, what string, snap relation.Snapshot, work *relation.Work) {
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
			measured = work.Measure(ctx, snap) == nil
		}
		s.o.Progress(progressOf(what, work))
		next.Reset(reportEvery)
	}
}

// progressOf returns how much of work is done: in bytes, or in rows if it is not
// known how many bytes there are.
func progressOf(what string, work *relation.Work) Progress {
	if done, total := work.Share(); total > 0 {
		return Progress{What: what, Done: done, Total: total, Unit: "bytes"}
	}
	return Progress{What: what, Done: work.Rows(), Unit: "rows"}
}
