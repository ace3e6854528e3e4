package session

import (
	"bytes"
	"context"
	"fmt"

	"infomall/exec/relation"
	"infomall/store/record/task"
)

// storedBytesMax is how many bytes of rows stored reads at most. A classifier or a
// gazetteer is smaller.
const storedBytesMax = 256 << 20

// TimesComputed returns how often the archive has a result of a kind and name.
func TimesComputed(ctx context.Context, snap relation.Snapshot, kind, name string) (n int, err error) {
	list, err := snap.Results(ctx, kind)
	for i := range list {
		if list[i].Name == name {
			n++
		}
	}
	return n, err
}

// stored returns the newest result of a kind and name that the archive stores, with its
// rows. ok is false if there is none. In a session that KnownAt has made, it returns the
// newest that was computed by that time.
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
