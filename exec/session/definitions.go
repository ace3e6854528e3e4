package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"infomall/exec/expr"
	"infomall/exec/value"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// Definitions returns the definitions (such as views) that the archive stores, and those
// that statements which Check has read would make.
func (s *Session) Definitions(ctx context.Context) ([]task.Definition, error) {
	list, err := s.Archive().Definitions(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range s.checked {
		list = ReplaceDefinition(list, d)
	}
	return list, nil
}

// Defined returns a function that returns the views and metadata columns in the archive and
// in more. The function reads the archive only at its first call.
func (s *Session) Defined(more ...task.Definition) func() (*value.Defined, error) {
	return sync.OnceValues(func() (*value.Defined, error) {
		list, err := s.Definitions(context.Background())
		if err != nil {
			return nil, err
		}
		for _, d := range more {
			list = ReplaceDefinition(list, d)
		}
		out := new(value.Defined)
		for _, d := range list {
			if d.Kind != task.KindView && d.Kind != task.KindMetadata {
				continue
			}
			st, err := ParseDefinition(&d)
			if err != nil {
				return nil, err
			}
			switch st := st.(type) {
			case *ast.CreateView:
				out.Views = append(out.Views, value.View{Name: d.Name, Query: st.Query})
			case *ast.CreateMetadata:
				out.Metadata = append(out.Metadata, value.Metadata{Name: d.Name, On: st.On, Expr: st.Expr})
			}
		}
		return out, nil
	})
}

// ParseDefinition parses and returns the statement that made the definition
// d.
func ParseDefinition(d *task.Definition) (ast.Statement, error) {
	st, err := lang.ParseOne(d.Text, d.Kind+" "+d.Name)
	if err != nil {
		return nil, fmt.Errorf("this program cannot read how the archive defines %s %s: %w", d.Kind, d.Name, err)
	}
	return st, nil
}

// IndexDefinition returns the index in list of the definition with this kind and name, or -1
// if there is none. It ignores case in names.
func IndexDefinition(list []task.Definition, kind, name string) int {
	return slices.IndexFunc(list, func(d task.Definition) bool { return d.Kind == kind && strings.EqualFold(d.Name, name) })
}

// ReplaceDefinition returns list with d added. If list has a definition of
// the same kind and name, d takes its place.
func ReplaceDefinition(list []task.Definition, d task.Definition) []task.Definition {
	if i := IndexDefinition(list, d.Kind, d.Name); i >= 0 {
		list = slices.Clone(list)
		list[i] = d
		return list
	}
	return append(list, d)
}

// definitionNames returns the names of those definitions in list that are of
// one kind.
func definitionNames(list []task.Definition, kind string) []string {
	var names []string
	for _, d := range list {
		if d.Kind == kind {
			names = append(names, d.Name)
		}
	}
	return names
}

// CheckDefined returns an error if there is no definition of this kind and name, otherwise
// nil. If there is no archive it also returns nil; Run reports the missing archive.
func (s *Session) CheckDefined(kind string, name *ast.Name) error {
	if !s.Archive().Exists() {
		return nil
	}
	list, err := s.Definitions(context.Background())
	if err != nil {
		return err
	}
	return RequireDefinition(list, kind, name)
}

// RequireDefinition returns an error if list has no definition of that kind
// and name, otherwise nil.
func RequireDefinition(list []task.Definition, kind string, name *ast.Name) error {
	if IndexDefinition(list, kind, name.Text) >= 0 {
		return nil
	}
	names := definitionNames(list, kind)
	err := expr.UnknownName(name, kind, name.Text, "", names)
	if len(names) == 0 {
		err.Hint = "the archive has none"
	}
	return err
}

// SortDefinitions returns the definitions in list that are of one kind, sorted by name.
func SortDefinitions(list []task.Definition, kind string) []task.Definition {
	list = slices.DeleteFunc(slices.Clone(list), func(d task.Definition) bool { return d.Kind != kind })
	slices.SortFunc(list, func(a, b task.Definition) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return list
}
