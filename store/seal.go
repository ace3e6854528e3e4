package store

import (
	"context"

	"infomall/store/record/task"
	"infomall/store/segment"
)

// shareIndexes merges the small indexes of static pools into one file for each
// year. An index file of its own takes at least 32 KB.
func (a *Archive) shareIndexes(ctx context.Context) error {
	p, err := a.folder.Pin()
	if err != nil {
		return err
	}
	p.Release() // so that the replaced files can be deleted
	apart := p.Unshared()
	if len(apart) == 0 {
		return nil
	}
	r := &reindex{a: a, results: make(map[string]*task.ReindexResult)}
	return r.rebuild(ctx, apart)
}

// dict returns a run of a static pool, which never changes, for other runs to build
// on. It returns nil if the pool is not static, or the run cannot be read.
func (m *merging) dict(ref segment.RunRef) *segment.Dict { return m.v.runs.Dict(ref, m.pool) }
