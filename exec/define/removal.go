package define

import (
	"context"
	"fmt"
	"slices"

	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// removal is a DROP VIEW, DROP METADATA, DROP RULE or UNSCHEDULE statement whose clauses
// were read.
type removal struct {
	s    *session.Session
	kind string // the kind of definition to remove, such as task.KindView
	name *ast.Name
}

// Run removes the definition from the archive. If the archive does not have it,
// Run returns an error at the name.
func (r *removal) Run(ctx context.Context) (*session.Result, error) {
	err := r.s.Archive().Define(ctx, func(list []task.Definition) ([]task.Definition, error) {
		if err := session.RequireDefinition(list, r.kind, r.name); err != nil {
			return nil, err
		}
		i := session.IndexDefinition(list, r.kind, r.name.Text)
		return slices.Delete(list, i, i+1), nil
	})
	if err != nil {
		return nil, err
	}
	return session.Done(), nil
}

// Would returns one line for EXPLAIN, which names the definition that would be
// removed.
func (r *removal) Would(context.Context) ([]string, error) {
	return []string{fmt.Sprintf("removes %s %s from %s; captures stay", r.kind, r.name.Text, r.s.Archive().Path())}, nil
}
