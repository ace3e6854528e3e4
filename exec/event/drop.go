package event

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"infomall/exec/event/kept"
	"infomall/exec/expr"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// DropEvents is the statement DROP EVENTS, which removes a ranking of events from the
// archive.
var DropEvents = session.Declare("DROP EVENTS", session.Writes|session.Works, readDrop)

// drop is a DROP EVENTS statement. Run and Would check that the ranking exists.
type drop struct {
	s  *session.Session
	st *ast.DropEvents
}

// readDrop makes a drop of a DROP EVENTS statement. The error is always nil.
func readDrop(s *session.Session, st *ast.DropEvents) (*drop, error) { return &drop{s, st}, nil }

// count returns the name of the ranking in the archive, and how often it was computed. If the
// archive does not have it, count returns an error at the name.
func (d *drop) count(ctx context.Context) (name string, n int, err error) {
	snap, release, err := d.s.Snapshot(ctx)
	if err != nil {
		return "", 0, err
	}
	defer release()
	list, err := snap.Results(ctx, task.ResultEvents)
	if err != nil {
		return "", 0, err
	}
	for _, r := range list {
		if strings.EqualFold(r.Name, d.st.Name.Text) {
			name = r.Name
			n++
		}
	}
	if n == 0 {
		var names []string
		for _, r := range kept.Newest(list) {
			names = append(names, r.Name)
		}
		slices.Sort(names)
		return "", 0, expr.UnknownName(&d.st.Name, "ranking of events", d.st.Name.Text, "", names)
	}
	return name, n, nil
}

// Run removes the ranking, and the texts that are stored for its next EVENTS. Its result has
// no rows.
func (d *drop) Run(ctx context.Context) (*session.Result, error) {
	name, _, err := d.count(ctx)
	if err != nil {
		return nil, err
	}
	for _, kind := range []string{task.ResultStream, task.ResultEvents} {
		if _, err := d.s.Archive().DropResult(ctx, kind, name); err != nil {
			return nil, err
		}
	}
	return session.Done(), nil
}

// Would returns one line for EXPLAIN, which names the ranking to remove.
func (d *drop) Would(ctx context.Context) ([]string, error) {
	name, n, err := d.count(ctx)
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("removes events %s, computed %s, from %s; captures stay", name, value.Counted(n, "time"), d.s.Archive().Path())}, nil
}
