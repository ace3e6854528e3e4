package session

import (
	"context"
	"path/filepath"
	"slices"
	"sync"

	"infomall/exec/op"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/spill"
	"infomall/exec/value"
)

// Open returns the rows of a plan as a result. The rows are computed while
// the caller ranges over them. If a db-file (a data file of the archive) is
// damaged, Open yields the rows that do not need it, and the error after the
// last row.
func (s *Session) Open(ctx context.Context, node plan.Node) (*Result, error) {
	return s.OpenAsked(ctx, node, nil)
}

// OpenAsked does what Open does, for the plan node of the query a. If the session has
// workers, they may compute parts of the rows. If a part cannot be computed, the rows end
// with an error.
func (s *Session) OpenAsked(ctx context.Context, node plan.Node, a *Asked) (*Result, error) {
	sources := plan.Sources(node)
	snap, release, err := s.SnapshotFor(ctx, node)
	if err != nil {
		return nil, err
	}
	if snap != nil {
		snap.SkipDamage()
	}
	runner := s.Runner(snap, "select")
	if s.o.Workers != nil && a != nil {
		if err := s.askWorkers(ctx, runner, snap, node, a); err != nil {
			release()
			return nil, err
		}
	}
	rows, err := runner.Rows(ctx, node)
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
		res.Notes = append(res.Notes, runner.Notes...)
		if !any && len(sources) == 1 {
			res.Notes = append(res.Notes, s.whyEmpty(ctx, relation.KnownAt(snap, sources[0].Known), node, sources[0])...)
		} else if !any {
			res.Notes = append(res.Notes, s.fileNotes(sources)...)
		}
	}
	return res, nil
}

// SnapshotFor returns a snapshot of the archive for a plan, as Snapshot
// does, and the function that releases it. If no source of the plan needs an
// archive, a missing archive is no error, and the snapshot is empty. If the
// plan has no source, the snapshot is nil.
func (s *Session) SnapshotFor(ctx context.Context, node plan.Node) (relation.Snapshot, func(), error) {
	sources := plan.Sources(node)
	if len(sources) == 0 {
		return nil, func() {}, nil
	}
	if slices.ContainsFunc(sources, func(n *plan.Source) bool { return !n.Relation.OfNoArchive }) {
		return s.Snapshot(ctx)
	}
	return s.SnapshotOrEmpty(ctx)
}

// Snapshot returns a view of the present state of the archive. The caller
// must call release when it no longer needs the snapshot. If there is no
// archive, the error is a *NoArchiveError.
func (s *Session) Snapshot(ctx context.Context) (snap relation.Snapshot, release func(), err error) {
	if err := s.findArchive(); err != nil {
		return nil, nil, err
	}
	return s.SnapshotOrEmpty(ctx)
}

// SnapshotOrEmpty does what Snapshot does, but returns an empty snapshot if there is no
// archive. The function in the result releases the snapshot and may be called several times.
// In a session that KnownAt has made, the snapshot shows the archive as it was known at the
// time of that session.
func (s *Session) SnapshotOrEmpty(ctx context.Context) (relation.Snapshot, func(), error) {
	whole, err := s.o.Archive.Snapshot(ctx)
	if err != nil {
		return nil, nil, err
	}
	whole.SetCache(s.o.Settings.cacheBytes())
	var once sync.Once
	return relation.KnownAt(whole, s.known), func() { once.Do(func() { whole.Close() }) }, nil // a reader has nothing to lose on Close
}

// Runner returns a Runner, which runs plans on the snapshot snap. snap may be nil for plans
// without sources. The parameter what is the name of the statement, such as "select"; it is
// shown with the progress of the plans.
func (s *Session) Runner(snap relation.Snapshot, what string) *op.Runner {
	r := s.runner(snap)
	r.Meter = op.NewMeter()
	var begun []plan.Node
	begin := s.guard(snap, r.Meter)
	r.Begin = func(ctx context.Context, n plan.Node) (func(error), error) {
		begun = append(begun, n)
		return begin(ctx, n)
	}
	r.Watch = s.watching(what, snap, func() []plan.Node { return begun })
	return r
}

// runner returns a Runner that does not measure its plans and does not show their progress.
func (s *Session) runner(snap relation.Snapshot) *op.Runner {
	more := s.language.Relations(s)
	r := &op.Runner{Reader: relation.Reader{
		Plain: s.o.Plain, Snapshot: snap, History: s.history, Schedules: more.Schedules, Rules: more.Rules, Memory: spill.Memory{Bytes: s.o.Settings.MemoryBytes},
	}}
	r.Watches = func(ctx context.Context) ([]relation.Watch, error) { return more.Watches(ctx, snap) }
	if s.o.Crawler != nil {
		r.Crawls = s.o.Crawler
	}
	if s.o.Jobs != nil {
		r.Jobs = s.o.Jobs
	}
	r.Revisits = more.Revisits
	if s.o.Settings.TempDir != "" {
		r.Memory.Dirs = []string{s.o.Settings.TempDir}
	}
	if snap != nil && s.o.Archive.Exists() {
		r.Memory.Dirs = append(r.Memory.Dirs, filepath.Dir(s.o.Archive.Local()))
	}
	return r
}

// history returns the statements that were typed at the prompt, the oldest
// first, or nil if there is no prompt.
func (s *Session) history(ctx context.Context) ([]relation.Entry, error) {
	if s.o.History == nil {
		return nil, nil
	}
	return s.o.History(ctx)
}
