package snapshot

import (
	"context"

	"infomall/store/record/task"
)

// BlockList returns the block-list of the snapshot: what stays out of the archive. The
// caller must not change it. It is read once for each file.
func (v *Snapshot) BlockList(ctx context.Context) (*task.BlockList, error) {
	s := v.from
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.blocked != nil && s.blockedName == v.Pin.Blocked.Name {
		return s.blocked, ctx.Err()
	}
	l, err := s.files.Folder.ReadBlockList(v.Pin.Catalog)
	if err != nil {
		return nil, err
	}
	l.Prepare()
	s.blocked, s.blockedName = l, v.Pin.Blocked.Name
	return l, ctx.Err()
}
