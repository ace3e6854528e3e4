package exec

import (
	"context"
	"fmt"
	"slices"

	"infomall/lang/ast"
	"infomall/store/record/task"
)

// The statements that remove a definition.
var (
	DropView     = Declare("DROP VIEW", Writes, readDropView)
	DropMetadata = Declare("DROP METADATA", Writes, readDropMetadata)
	Unschedule   = Declare("UNSCHEDULE", Writes, readUnschedule)
)

// removal is a DROP VIEW, a DROP METADATA or an UNSCHEDULE.
type removal struct {
	s    *Session
	kind string // of definition
	name *ast.Name
}

// readDropView reads the clauses of a DROP VIEW statement.
func readDropView(s *Session, st *ast.DropView) (*removal, error) {
	return &removal{s, task.KindView, &st.Name}, s.CheckDefined(task.KindView, &st.Name)
}

// readDropMetadata reads the clauses of a DROP METADATA statement.
func readDropMetadata(s *Session, st *ast.DropMetadata) (*removal, error) {
	return &removal{s, task.KindMetadata, &st.Name}, s.CheckDefined(task.KindMetadata, &st.Name)
}

// readUnschedule reads an UNSCHEDULE. If the schedule is running, that run goes on.
func readUnschedule(s *Session, st *ast.Unschedule) (*removal, error) {
	return &removal{s, task.KindSchedule, &st.Name}, s.CheckDefined(task.KindSchedule, &st.Name)
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
