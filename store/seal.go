package store

import (
	"infomall/store/segment"
)

// dict returns a run of a static pool, which never changes, for other runs to build
// on. It returns nil if the pool is not static, or the run cannot be read.
func (m *merging) dict(ref segment.RunRef) *segment.Dict { return m.v.Runs.Dict(ref, m.pool) }
