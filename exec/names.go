package exec

import (
	"context"
	"strings"

	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/store/record/task"
)

// What may be named in a statement beside what every archive has. These are for
// completion: what cannot be read is left out.

// ViewNames lists the views.
func (s *Session) ViewNames(ctx context.Context) []string {
	list, _ := s.definitions(ctx)
	return namesOf(list, task.KindView)
}

// MetadataNames returns the names of the metadata columns that the archive defines.
func (s *Session) MetadataNames(ctx context.Context) []string {
	list, _ := s.definitions(ctx)
	return namesOf(list, task.KindMetadata)
}

// ColumnNames returns the names of the columns of a relation, with its metadata columns,
// or of a view. It returns nil if there is no such relation or view.
func (s *Session) ColumnNames(source string) []string {
	d, err := s.defined()()
	if err != nil {
		d = new(value.Defined)
	}
	if r := relation.Find(source); r != nil {
		names := r.ColumnNames()
		for _, m := range d.Metadata {
			if plan.MetadataRelation(m.On) == r.Name {
				names = append(names, m.Name)
			}
		}
		return names
	}
	for _, v := range d.Views {
		if !strings.EqualFold(v.Name, source) {
			continue
		}
		node, err := plan.Build(v.Query, s.env())
		if err != nil {
			return nil
		}
		var names []string
		for _, c := range node.Columns() {
			names = append(names, c.Name)
		}
		return names
	}
	return nil
}
