package cluster

import (
	"context"
	"fmt"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/relation/result"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// Drop is the statement DROP CLUSTERS, which removes the stored clusters that have a given name.
var Drop = session.Declare("DROP CLUSTERS", session.Writes|session.Works, readDrop)

// drop is a DROP CLUSTERS statement whose clauses were read. Run and Would check that the
// clusters exist.
type drop struct {
	s  *session.Session
	st *ast.DropClusters
}

// readDrop makes a drop of a DROP CLUSTERS statement. It has nothing to check, and the error
// is always nil.
func readDrop(s *session.Session, st *ast.DropClusters) (*drop, error) { return &drop{s, st}, nil }

// find returns the newest stored clusters with the name in the statement. If the archive has none
// with this name, the error points at the name.
func (d *drop) find(ctx context.Context) (*task.Result, error) {
	snap, release, err := d.s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	list, err := result.NewestResults(ctx, snap, task.ResultClusters)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range list {
		if list[i].Name == strings.ToLower(d.st.Name.Text) {
			return &list[i], nil
		}
		names = append(names, list[i].Name)
	}
	return nil, expr.UnknownName(&d.st.Name, "clustering", d.st.Name.Text, " in the archive", names)
}

// Run removes the clusters. Its result has no rows.
func (d *drop) Run(ctx context.Context) (*session.Result, error) {
	r, err := d.find(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := d.s.Archive().DropResult(ctx, task.ResultClusters, r.Name); err != nil {
		return nil, err
	}
	return session.Done(), nil
}

// Would returns one line for EXPLAIN, which names the clusters to remove.
func (d *drop) Would(ctx context.Context) ([]string, error) {
	r, err := d.find(ctx)
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("removes the clusters %s of %s, computed at %s, from %s", r.Name, value.Counted(r.Rows, "text"), d.s.Stamp(r.Computed), d.s.Archive().Path())}, nil
}
