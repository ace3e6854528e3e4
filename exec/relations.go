package exec

import (
	"context"
	"iter"

	"infomall/exec/crawls"
	"infomall/exec/relation"
	"infomall/exec/session"
)

// relations makes the rows of the relations schedules and revisits for a session.
type relations struct{ s *session.Session }

// Schedules implements session.Relations.
func (r relations) Schedules(ctx context.Context) ([]relation.Schedule, error) {
	return Schedules{r.s}.rows(ctx)
}

// Revisits implements session.Relations.
func (r relations) Revisits(ctx context.Context, snap relation.Snapshot, n *relation.Request, due bool) iter.Seq2[relation.Revisit, error] {
	return crawls.Visits{Session: r.s, Snapshot: snap, Source: n}.Revisits(ctx, due)
}
