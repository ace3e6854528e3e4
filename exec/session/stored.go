package session

import (
	"bytes"
	"context"
	"fmt"

	"infomall/exec/relation"
	"infomall/store/record/task"
)

// storedBytesMax is how many bytes of rows the method stored reads at most. Any stored
// classifier or list of places is smaller.
const storedBytesMax = 256 << 20

// TimesComputed returns how many results with this kind and name the archive stores.
func TimesComputed(ctx context.Context, snap relation.Snapshot, kind, name string) (n int, err error) {
	list, err := snap.Results(ctx, kind)
	for i := range list {
		if list[i].Name == name {
			n++
		}
	}
	return n, err
}

// stored returns the newest stored result with this kind and name, and its rows. ok is false
// if there is none. In a session that KnownAt has made, it returns the newest result that
// was computed up to the time of that session.
func (s *Session) stored(kind, name string) (r task.Result, rows []task.ResultRow, ok bool, err error) {
	ctx := context.Background()
	snap, release, err := s.SnapshotOrEmpty(ctx)
	if err != nil {
		return r, nil, false, err
	}
	defer release()
	list, err := snap.Results(ctx, kind)
	if err != nil {
		return r, nil, false, err
	}
	for _, x := range list {
		if x.Name == name && (!ok || x.Computed >= r.Computed) {
			r, ok = x, true
		}
	}
	if !ok {
		return r, nil, false, nil
	}
	size := 0
	for row, err := range snap.ResultRows(ctx, r, nil) {
		if err != nil {
			return r, nil, false, err
		}
		if size += len(row.Key) + len(row.Value); size > storedBytesMax {
			return r, nil, false, fmt.Errorf("%s %s has more than %d bytes: it cannot be used in a query", kind, name, storedBytesMax)
		}
		rows = append(rows, task.ResultRow{Key: bytes.Clone(row.Key), Value: bytes.Clone(row.Value)})
	}
	return r, rows, true, nil
}
