package exec

import (
	"context"
	"iter"

	"infomall/exec/access"
	"infomall/exec/crawls"
	"infomall/exec/relation"
	"infomall/exec/session"
)

// relations makes the rows of the relations schedules, watches and revisits for the
// session s, because no archive stores these rows.
type relations struct{ s *session.Session }

// Schedules returns the rows of the relation schedules: one for each
// schedule that the archive stores. It implements session.Relations.
func (r relations) Schedules(ctx context.Context) ([]relation.Schedule, error) {
	return Schedules{r.s}.rows(ctx)
}

// Watches returns the rows of the relation watches: one for each watch that
// the archive stores. It implements session.Relations.
func (r relations) Watches(ctx context.Context, snap relation.Snapshot) ([]relation.Watch, error) {
	return Watches{r.s}.rows(ctx, snap)
}

// Rules returns the rows of the relation rules: one for each access rule that the
// archive stores. It implements session.Relations.
func (r relations) Rules(ctx context.Context) ([]relation.Rule, error) {
	list, err := r.s.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	return access.Rows(list, r.s.Env().Now)
}

// Revisits yields the rows of the relation revisits: how often each page in
// snap changes, for the source n of a query, and with due when CRAWL DUE
// would visit the page next. It implements session.Relations.
func (r relations) Revisits(ctx context.Context, snap relation.Snapshot, n *relation.Request, due bool) iter.Seq2[relation.RevisitedPage, error] {
	return crawls.Visits{Session: r.s, Snapshot: snap, Source: n}.Revisits(ctx, due)
}
