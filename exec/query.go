package exec

import (
	"context"
	"iter"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/lang/ast"
)

// selection is a SELECT statement whose clauses were read.
type selection struct {
	s    *Session
	node plan.Node
}

// readQuery reads the clauses of a SELECT statement.
func readQuery(s *Session, q *ast.Query) (*selection, error) {
	node, err := plan.Build(q, s.env())
	return &selection{s, node}, err
}

// Run opens the query. Its rows are computed while they are ranged over. If a db-file is
// damaged, the rows are those that can be answered without it, and the error comes after
// the last.
func (q *selection) Run(ctx context.Context) (*Result, error) { return q.s.open(ctx, q.node) }

func (q *selection) Would(ctx context.Context) ([]string, error) { return q.s.planLines(ctx, q.node) }

// Analyze runs the query to its end, and returns what each node of its plan did.
func (q *selection) Analyze(ctx context.Context) (*Result, error) { return q.s.analyze(ctx, q.node) }

// open opens a plan.
func (s *Session) open(ctx context.Context, node plan.Node) (*Result, error) {
	sources := plan.Sources(node)
	snap, release, err := s.snapshot(ctx, sources)
	if err != nil {
		return nil, err
	}
	if snap != nil {
		snap.SkipDamage()
	}
	rows, err := s.runner(snap, nil).Rows(ctx, node)
	if err != nil {
		release()
		return nil, err
	}
	res := &Result{Kind: ResultRows, Columns: node.Columns(), Close: release}
	res.Rows = func(yield func(*value.Batch, error) bool) {
		defer func() {
			if snap != nil {
				res.Read = snap.Stats()
			}
			release()
		}()
		damaged := func() error {
			if snap == nil {
				return nil
			}
			return snap.Damage()
		}
		any := false
		for b, err := range rows {
			any = true
			if !yield(b, err) || err != nil {
				return
			}
		}
		if err := damaged(); err != nil {
			yield(nil, err)
			return
		}
		if !any && len(sources) == 1 {
			res.Notes = append(res.Notes, s.whyEmpty(ctx, snap, node, sources[0])...)
		}
	}
	return res, nil
}

// snapshot pins the archive for a plan, unless the plan reads no source. The
// caller calls the function that it returns to release the pin.
func (s *Session) snapshot(ctx context.Context, sources []*plan.Source) (op.Snapshot, func(), error) {
	if len(sources) == 0 {
		return nil, func() {}, nil
	}
	if slices.ContainsFunc(sources, func(n *plan.Source) bool { return !n.Relation.OfNoArchive }) {
		return s.pin(ctx)
	}
	return s.pinOrEmpty(ctx)
}

// pin pins the current state of the archive until the returned function is
// called. If there is no archive, the error is a *NoArchiveError.
func (s *Session) pin(ctx context.Context) (op.Snapshot, func(), error) {
	if err := s.findArchive(); err != nil {
		return nil, nil, err
	}
	return s.pinOrEmpty(ctx)
}

// pinOrEmpty is pin, but returns an empty snapshot if there is no archive.
func (s *Session) pinOrEmpty(ctx context.Context) (op.Snapshot, func(), error) {
	snap, err := s.Archive.Snapshot(ctx)
	if err != nil {
		return nil, nil, err
	}
	snap.SetCache(s.Settings.cacheBytes())
	var once sync.Once
	return snap, func() { once.Do(func() { snap.Close() }) }, nil // a reader has nothing to lose on Close
}

// runner returns a Runner for plans over snap. meter may be nil.
func (s *Session) runner(snap op.Snapshot, meter *op.Meter) *op.Runner {
	r := &op.Runner{Snapshot: snap, History: s.history, Schedules: s.schedules, Memory: spill.Memory{Bytes: s.Settings.MemoryBytes}, Meter: meter}
	if s.Crawler != nil {
		r.Crawls = s.Crawler
	}
	if s.Jobs != nil {
		r.Jobs = s.Jobs
	}
	r.Revisits = func(ctx context.Context, n *relation.Request, due bool) iter.Seq2[op.Revisit, error] {
		return s.revisits(ctx, snap, n, due)
	}
	if s.Settings.TempDir != "" {
		r.Memory.Dirs = []string{s.Settings.TempDir}
	}
	if snap != nil && s.Archive.Exists() {
		r.Memory.Dirs = append(r.Memory.Dirs, filepath.Dir(s.Archive.Path()))
	}
	if s.Progress != nil {
		tell := s.throttled()
		r.Scanned = func(rows int64) { tell(Progress{What: "select", Done: rows, Unit: "rows"}) }
	}
	return r
}

// progressEvery is how long after one report the next may come.
const progressEvery = 100 * time.Millisecond

// throttled returns s.Progress limited to ten calls a second.
func (s *Session) throttled() func(Progress) {
	var last time.Time
	return func(p Progress) {
		if now := time.Now(); now.Sub(last) >= progressEvery {
			last = now
			s.Progress(p)
		}
	}
}

// tells returns a function that reports the progress of a statement, or nil if
// the session has no Progress.
func (s *Session) tells(what, unit string) func(done, total int64) {
	if s.Progress == nil {
		return nil
	}
	tell := s.throttled()
	return func(done, total int64) { tell(Progress{What: what, Done: done, Total: total, Unit: unit}) }
}

// tellsOf is tells for work on one thing after the other, such as files: what each
// report is about is deed and the name of the thing.
func (s *Session) tellsOf(deed, unit string) func(name string, done, total int64) {
	if s.Progress == nil {
		return nil
	}
	tell := s.throttled()
	return func(name string, done, total int64) {
		tell(Progress{What: deed + " " + name, Done: done, Total: total, Unit: unit})
	}
}

// history is the session's history.
func (s *Session) history(ctx context.Context) ([]op.Entry, error) {
	if s.History == nil {
		return nil, nil
	}
	return s.History(ctx)
}
