package exec

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record"
)

// definitions are the archive's, and those that Check has seen.
func (s *Session) definitions(ctx context.Context) ([]record.Definition, error) {
	list, err := s.Archive.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range s.checked {
		list = replaced(list, d)
	}
	return list, nil
}

// defined gives what is defined by name, read once, and with the definitions of
// more in force too.
func (s *Session) defined(more ...record.Definition) func() (*value.Defined, error) {
	return sync.OnceValues(func() (*value.Defined, error) {
		list, err := s.definitions(context.Background())
		if err != nil {
			return nil, err
		}
		for _, d := range more {
			list = replaced(list, d)
		}
		out := new(value.Defined)
		for _, d := range list {
			if d.Kind != record.KindView && d.Kind != record.KindMetadata {
				continue
			}
			st, err := parsed(&d)
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

// parsed is the statement that defines d.
func parsed(d *record.Definition) (ast.Statement, error) {
	st, err := lang.ParseOne(d.Text, d.Kind+" "+d.Name)
	if err != nil {
		return nil, fmt.Errorf("this program cannot read how the archive defines %s %s: %w", d.Kind, d.Name, err)
	}
	return st, nil
}

// indexOf is the place of a definition in a list, -1 if it is not there.
func indexOf(list []record.Definition, kind, name string) int {
	return slices.IndexFunc(list, func(d record.Definition) bool { return d.Kind == kind && strings.EqualFold(d.Name, name) })
}

// replaced is list with d in it.
func replaced(list []record.Definition, d record.Definition) []record.Definition {
	if i := indexOf(list, d.Kind, d.Name); i >= 0 {
		list = slices.Clone(list)
		list[i] = d
		return list
	}
	return append(list, d)
}

// namesOf are the names of one kind in a list.
func namesOf(list []record.Definition, kind string) []string {
	var names []string
	for _, d := range list {
		if d.Kind == kind {
			names = append(names, d.Name)
		}
	}
	return names
}

// define runs CREATE VIEW, CREATE METADATA and SAVE.
func (s *Session) define(ctx context.Context, st ast.Statement) (*Result, error) {
	d, name, replace, err := s.definition(st)
	if err != nil {
		return nil, err
	}
	err = s.Archive.Define(ctx, func(list []record.Definition) ([]record.Definition, error) {
		if !replace && indexOf(list, d.Kind, d.Name) >= 0 {
			err := ast.Errorf(name, "there is %s %s already", d.Kind, d.Name)
			err.Hint = "CREATE OR REPLACE puts this in its place"
			return nil, err
		}
		return replaced(list, d), nil
	})
	if err != nil {
		return nil, err
	}
	return done(), nil
}

// definition is what a statement defines, checked, and whether it may be in the
// place of another.
func (s *Session) definition(st ast.Statement) (d record.Definition, name *ast.Name, replace bool, err error) {
	d = record.Definition{Text: st.String(), Created: s.env().Now}
	switch st := st.(type) {
	case *ast.CreateView:
		d.Kind, name, replace = record.KindView, &st.Name, st.Replace
		if plan.FindRelation(name.Text) != nil {
			return d, name, false, ast.Errorf(name, "there is a relation %s", strings.ToLower(name.Text))
		}
		d.Name = name.Text
		env := s.env()
		env.Defined = s.defined(d)
		_, err = plan.Build(st.Query, env)
	case *ast.CreateMetadata:
		d.Kind, name, replace = record.KindMetadata, &st.Name, st.Replace
		_, err = plan.MetadataType(name, st.On, st.Expr, s.env())
	case *ast.Save:
		d.Kind, name, replace = record.KindQuery, &st.Name, true
		if len(st.Params) == 0 {
			_, err = plan.Build(st.Query, s.env())
		}
	default:
		panic(fmt.Sprintf("exec: %T defines nothing", st))
	}
	d.Name = name.Text
	return d, name, replace, err
}

// undefine runs DROP VIEW and DROP METADATA.
func (s *Session) undefine(ctx context.Context, kind string, name *ast.Name) (*Result, error) {
	list, err := s.definitions(ctx)
	if err != nil {
		return nil, err
	}
	if err := undefined(list, kind, name); err != nil {
		return nil, err // and no archive is made
	}
	err = s.Archive.Define(ctx, func(list []record.Definition) ([]record.Definition, error) {
		if err := undefined(list, kind, name); err != nil {
			return nil, err
		}
		i := indexOf(list, kind, name.Text)
		return slices.Delete(list, i, i+1), nil
	})
	if err != nil {
		return nil, err
	}
	return done(), nil
}

// undefined is the error of a name that a list does not have, or nil.
func undefined(list []record.Definition, kind string, name *ast.Name) error {
	if indexOf(list, kind, name.Text) >= 0 {
		return nil
	}
	names := namesOf(list, kind)
	err := plan.UnknownName(name, kind, name.Text, "", names)
	if len(names) == 0 {
		err.Hint = "the archive has none"
	}
	return err
}

// wouldDefine says what CREATE and SAVE would do.
func (s *Session) wouldDefine(ctx context.Context, st ast.Statement) ([]string, error) {
	d, _, _, err := s.definition(st)
	if err != nil {
		return nil, err
	}
	list, err := s.definitions(ctx)
	if err != nil {
		return nil, err
	}
	line := fmt.Sprintf("defines %s %s in %s", d.Kind, d.Name, s.Archive.Path())
	if indexOf(list, d.Kind, d.Name) >= 0 {
		line += ", which has one of that name"
	}
	return []string{line}, nil
}

// wouldUndefine says what DROP VIEW and DROP METADATA would do.
func (s *Session) wouldUndefine(ctx context.Context, kind string, name *ast.Name) ([]string, error) {
	list, err := s.definitions(ctx)
	if err != nil {
		return nil, err
	}
	if err := undefined(list, kind, name); err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("takes %s %s out of %s; captures stay", kind, name.Text, s.Archive.Path())}, nil
}

// checkUndefined is the error of a name that is not defined.
func (s *Session) checkUndefined(kind string, name *ast.Name) error {
	if !s.Archive.Exists() {
		return nil // Run says so.
	}
	list, err := s.definitions(context.Background())
	if err != nil {
		return err
	}
	return undefined(list, kind, name)
}

// checkDefined is what Check does of a statement that defines something: those
// behind it may use that.
func (s *Session) checkDefined(st ast.Statement) error {
	d, _, _, err := s.definition(st)
	if err == nil {
		s.checked = append(s.checked, d)
	}
	return err
}

// showViews lists the views.
func (s *Session) showViews(ctx context.Context) (*Result, error) {
	list, err := s.definitions(ctx)
	if err != nil {
		return nil, err
	}
	t := newTable(text("view"), text("query"), value.Column{Name: "created", Type: value.Time})
	for _, d := range sortedDefinitions(list, record.KindView) {
		st, err := parsed(&d)
		if err != nil {
			return nil, err
		}
		t.add(value.OfText(d.Name), value.OfText(st.(*ast.CreateView).Query.String()), value.OfTime(d.Created))
	}
	return t.result(ResultRows, nil), nil
}

// showMetadata lists the metadata.
func (s *Session) showMetadata(ctx context.Context) (*Result, error) {
	list, err := s.definitions(ctx)
	if err != nil {
		return nil, err
	}
	t := newTable(text("metadata"), text("relation"), text("type"), text("expression"), value.Column{Name: "created", Type: value.Time})
	for _, d := range sortedDefinitions(list, record.KindMetadata) {
		st, err := parsed(&d)
		if err != nil {
			return nil, err
		}
		m := st.(*ast.CreateMetadata)
		kind, err := plan.MetadataType(&m.Name, m.On, m.Expr, s.env())
		if err != nil {
			return nil, err
		}
		t.add(value.OfText(d.Name), value.OfText(plan.MetadataRelation(m.On)), value.OfText(kind.String()), value.OfText(m.Expr.String()), value.OfTime(d.Created))
	}
	return t.result(ResultRows, nil), nil
}

// sortedDefinitions are those of one kind in order of name.
func sortedDefinitions(list []record.Definition, kind string) []record.Definition {
	list = slices.DeleteFunc(slices.Clone(list), func(d record.Definition) bool { return d.Kind != kind })
	slices.SortFunc(list, func(a, b record.Definition) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return list
}
