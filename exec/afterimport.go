package exec

import (
	"context"
	"time"

	"infomall/exec/schedule"
	"infomall/store/record"
	"infomall/store/record/task"
)

// afterImportLeast is the least time between the beginnings of two runs of a schedule AFTER
// IMPORT. A crawl adds captures again and again.
const afterImportLeast = time.Minute

// afterImport returns when a schedule AFTER IMPORT runs next: as soon as captures were added that
// its last run has not seen, but not within afterImportLeast of the start of that run. The
// parameter last is the last run; its ID is 0 if there was none. The last finished run has seen
// the captures that were added until seen, which is schedule.Never if no run has finished. If all
// captures were seen, the result is schedule.Never.
func (p *plannedRun) afterImport(ctx context.Context, last *task.Job, seen time.Time) (time.Time, error) {
	added, err := p.lastAdded(ctx)
	switch {
	case err != nil:
		return time.Time{}, err
	case added == record.MinTime || seen.Before(schedule.Never) && !added.Std().After(seen):
		return schedule.Never, nil
	case last.ID == 0:
		return p.Created.Std(), nil
	}
	return last.Started.Std().Add(afterImportLeast), nil
}

// lastAdded returns the latest time at which captures were added to the archive, or
// record.MinTime if it has none.
func (t *timed) lastAdded(ctx context.Context) (record.Time, error) {
	snap, release, err := t.s.SnapshotOrEmpty(ctx)
	if err != nil {
		return record.MinTime, err
	}
	defer release()
	return snap.LastAdded(), nil
}
