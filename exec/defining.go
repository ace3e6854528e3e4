package exec

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// definitions returns the definitions of the archive, and those that Check has
// seen.
func (s *Session) definitions(ctx context.Context) ([]task.Definition, error) {
	list, err := s.Archive.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range s.checked {
		list = replaced(list, d)
	}
	return list, nil
}

// defined returns a function that returns all definitions by name, including
// more. The archive is read once.
func (s *Session) defined(more ...task.Definition) func() (*value.Defined, error) {
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
			if d.Kind != task.KindView && d.Kind != task.KindMetadata {
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

// parsed returns the statement that made the definition d.
func parsed(d *task.Definition) (ast.Statement, error) {
	st, err := lang.ParseOne(d.Text, d.Kind+" "+d.Name)
	if err != nil {
		return nil, fmt.Errorf("this program cannot read how the archive defines %s %s: %w", d.Kind, d.Name, err)
	}
	return st, nil
}

// indexOf returns the index of a definition in list, or -1.
func indexOf(list []task.Definition, kind, name string) int {
	return slices.IndexFunc(list, func(d task.Definition) bool { return d.Kind == kind && strings.EqualFold(d.Name, name) })
}

// replaced returns list with d added, in place of an older definition of the
// same kind and name.
func replaced(list []task.Definition, d task.Definition) []task.Definition {
	if i := indexOf(list, d.Kind, d.Name); i >= 0 {
		list = slices.Clone(list)
		list[i] = d
		return list
	}
	return append(list, d)
}

// namesOf returns the names of the definitions of one kind.
func namesOf(list []task.Definition, kind string) []string {
	var names []string
	for _, d := range list {
		if d.Kind == kind {
			names = append(names, d.Name)
		}
	}
	return names
}

// definition is a CREATE VIEW, a CREATE METADATA or a SAVE.
type definition struct {
	s       *Session
	d       task.Definition
	name    *ast.Name
	replace bool // OR REPLACE: it may replace a definition of the same name
}

// newDefinition returns what st defines under name.
func newDefinition(s *Session, st ast.Statement, kind string, name *ast.Name, replace bool) *definition {
	return &definition{s, task.Definition{Kind: kind, Name: name.Text, Text: st.String(), Created: s.env().Now}, name, replace}
}

// readCreateView reads the clauses of a CREATE VIEW statement.
func readCreateView(s *Session, st *ast.CreateView) (*definition, error) {
	if relation.Find(st.Name.Text) != nil {
		return nil, ast.Errorf(&st.Name, "there is a relation %s", strings.ToLower(st.Name.Text))
	}
	def := newDefinition(s, st, task.KindView, &st.Name, st.Replace)
	env := s.env()
	env.Defined = s.defined(def.d)
	_, err := plan.Build(st.Query, env)
	return def, err
}

// readCreateMetadata reads the clauses of a CREATE METADATA statement.
func readCreateMetadata(s *Session, st *ast.CreateMetadata) (*definition, error) {
	_, err := plan.MetadataType(&st.Name, st.On, st.Expr, s.env())
	return newDefinition(s, st, task.KindMetadata, &st.Name, st.Replace), err
}

// readSave reads the clauses of a SAVE statement. A query that has parameters
// is checked only when it runs.
func readSave(s *Session, st *ast.Save) (_ *definition, err error) {
	if len(st.Params) == 0 {
		_, err = plan.Build(st.Query, s.env())
	}
	return newDefinition(s, st, task.KindQuery, &st.Name, true), err
}

// Run stores the definition in the archive.
func (def *definition) Run(ctx context.Context) (*Result, error) {
	d := def.d
	err := def.s.Archive.Define(ctx, func(list []task.Definition) ([]task.Definition, error) {
		if !def.replace && indexOf(list, d.Kind, d.Name) >= 0 {
			err := ast.Errorf(def.name, "there is %s %s already", d.Kind, d.Name)
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

// Would returns one line: what would be defined, and whether the archive already has a
// definition of that name.
func (def *definition) Would(ctx context.Context) ([]string, error) {
	d := def.d
	list, err := def.s.definitions(ctx)
	if err != nil {
		return nil, err
	}
	line := fmt.Sprintf("defines %s %s in %s", d.Kind, d.Name, def.s.Archive.Path())
	if indexOf(list, d.Kind, d.Name) >= 0 {
		line += ", which has one of that name"
	}
	return []string{line}, nil
}

// Assume makes the definition known to later statements.
func (def *definition) Assume() { def.s.checked = append(def.s.checked, def.d) }

// removal is a DROP VIEW, a DROP METADATA or an UNSCHEDULE.
type removal struct {
	s    *Session
	kind string // of definition
	name *ast.Name
}

// readDropView reads the clauses of a DROP VIEW statement.
func readDropView(s *Session, st *ast.DropView) (*removal, error) {
	return s.readRemoval(task.KindView, &st.Name)
}

// readDropMetadata reads the clauses of a DROP METADATA statement.
func readDropMetadata(s *Session, st *ast.DropMetadata) (*removal, error) {
	return s.readRemoval(task.KindMetadata, &st.Name)
}

// readUnschedule reads an UNSCHEDULE. If the schedule is running, that run goes on.
func readUnschedule(s *Session, st *ast.Unschedule) (*removal, error) {
	return s.readRemoval(task.KindSchedule, &st.Name)
}

func (s *Session) readRemoval(kind string, name *ast.Name) (*removal, error) {
	return &removal{s, kind, name}, s.checkDefined(kind, name)
}

// checkDefined returns an error if name is not defined. Without an archive it
// returns nil, because that is reported elsewhere.
func (s *Session) checkDefined(kind string, name *ast.Name) error {
	if !s.Archive.Exists() {
		return nil
	}
	list, err := s.definitions(context.Background())
	if err != nil {
		return err
	}
	return undefined(list, kind, name)
}

// Run removes the definition from the archive.
func (r *removal) Run(ctx context.Context) (*Result, error) {
	err := r.s.Archive.Define(ctx, func(list []task.Definition) ([]task.Definition, error) {
		if err := undefined(list, r.kind, r.name); err != nil {
			return nil, err
		}
		i := indexOf(list, r.kind, r.name.Text)
		return slices.Delete(list, i, i+1), nil
	})
	if err != nil {
		return nil, err
	}
	return done(), nil
}

// Would returns one line, which names the definition that would be removed.
func (r *removal) Would(context.Context) ([]string, error) {
	return []string{fmt.Sprintf("takes %s %s out of %s; captures stay", r.kind, r.name.Text, r.s.Archive.Path())}, nil
}

// undefined returns an error if list has no definition of that kind and name, otherwise
// nil.
func undefined(list []task.Definition, kind string, name *ast.Name) error {
	if indexOf(list, kind, name.Text) >= 0 {
		return nil
	}
	names := namesOf(list, kind)
	err := expr.UnknownName(name, kind, name.Text, "", names)
	if len(names) == 0 {
		err.Hint = "the archive has none"
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
	for _, d := range sortedDefinitions(list, task.KindView) {
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
	for _, d := range sortedDefinitions(list, task.KindMetadata) {
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

// sortedDefinitions returns the definitions of one kind, by name.
func sortedDefinitions(list []task.Definition, kind string) []task.Definition {
	list = slices.DeleteFunc(slices.Clone(list), func(d task.Definition) bool { return d.Kind != kind })
	slices.SortFunc(list, func(a, b task.Definition) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return list
}
