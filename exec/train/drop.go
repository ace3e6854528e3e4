package train

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// Drop is the statement DROP CLASSIFIER, which removes a classifier from the archive.
var Drop = session.Declare("DROP CLASSIFIER", session.Writes|session.Works, readDrop)

// drop is a DROP CLASSIFIER statement. Run and Would check that the classifier exists.
type drop struct {
	s    *session.Session
	st   *ast.DropClassifier
	name string // in lower case
}

// readDrop makes a drop of a DROP CLASSIFIER statement. The error is always nil.
func readDrop(s *session.Session, st *ast.DropClassifier) (*drop, error) {
	return &drop{s, st, strings.ToLower(st.Name.Text)}, nil
}

// find returns an error at the name unless the archive has a classifier of that name.
func (d *drop) find(ctx context.Context) error {
	snap, release, err := d.s.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	list, err := snap.Results(ctx, task.ResultClassifier)
	if err != nil || slices.ContainsFunc(list, func(r task.Result) bool { return r.Name == d.name }) {
		return err
	}
	fault := expr.UnknownName(&d.st.Name, "classifier", d.st.Name.Text, " in the archive", d.s.StoredNames(task.ResultClassifier))
	if fault.Hint == "" {
		fault.Hint = "TRAIN makes one"
	}
	return fault
}

// Run removes all classifiers that TRAIN has made under the name. Its result has no rows.
func (d *drop) Run(ctx context.Context) (*session.Result, error) {
	if err := d.find(ctx); err != nil {
		return nil, err
	}
	if _, err := d.s.Archive().DropResult(ctx, task.ResultClassifier, d.name); err != nil {
		return nil, err
	}
	return session.Done(), nil
}

// Would returns one line for EXPLAIN, which names the classifier.
func (d *drop) Would(ctx context.Context) ([]string, error) {
	if err := d.find(ctx); err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("removes classifier %s from %s", d.name, d.s.Archive().Path())}, nil
}
