package exec

import (
	"context"
	"fmt"
	"slices"

	"infomall/lang/ast"
	"infomall/store/record/task"
)

// removal is a DROP VIEW, a DROP METADATA or an UNSCHEDULE.
type removal struct {
	s    *Session
	kind string // of definition
	name *ast.Name
}

// Run removes the definition from the archive.
func (r *removal) Run(ctx context.Context) (*Result, error) {
	err := r.s.Archive().Define(ctx, func(list []task.Definition) ([]task.Definition, error) {
		if err := Undefined(list, r.kind, r.name); err != nil {
			return nil, err
		}
		i := IndexOf(list, r.kind, r.name.Text)
		return slices.Delete(list, i, i+1), nil
	})
	if err != nil {
		return nil, err
	}
	return Done(), nil
}

// Would returns one line, which names the definition that would be removed.
func (r *removal) Would(context.Context) ([]string, error) {
	return []string{fmt.Sprintf("takes %s %s out of %s; captures stay", r.kind, r.name.Text, r.s.Archive().Path())}, nil
}
