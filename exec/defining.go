package exec

import (
	"context"
	"fmt"
	"strings"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// The statements that define something by name: CREATE VIEW, CREATE METADATA and SAVE.
var (
	View     = Declare("CREATE VIEW", Writes|Anywhere, readCreateView)
	Metadata = Declare("CREATE METADATA", Writes|Anywhere, readCreateMetadata)
	Save     = Declare("SAVE", Writes|Anywhere, readSave)
)

// definition is a CREATE VIEW, a CREATE METADATA or a SAVE.
type definition struct {
	s       *Session
	d       task.Definition
	name    *ast.Name
	replace bool // OR REPLACE: it may replace a definition of the same name
}

// named returns what st defines under name.
func named(kind string, name *ast.Name, st ast.Statement, env *expr.Env) task.Definition {
	return task.Definition{Kind: kind, Name: name.Text, Text: st.String(), Created: env.Now}
}

// readCreateView reads the clauses of a CREATE VIEW statement.
func readCreateView(s *Session, st *ast.CreateView) (*definition, error) {
	if relation.Find(st.Name.Text) != nil {
		return nil, ast.Errorf(&st.Name, "there is a relation %s", strings.ToLower(st.Name.Text))
	}
	def := &definition{s, named(task.KindView, &st.Name, st, s.Env()), &st.Name, st.Replace}
	env := s.Env()
	env.Defined = s.Defined(def.d)
	_, err := plan.Build(st.Query, env)
	return def, err
}

// readCreateMetadata reads the clauses of a CREATE METADATA statement.
func readCreateMetadata(s *Session, st *ast.CreateMetadata) (*definition, error) {
	_, err := plan.MetadataType(&st.Name, st.On, st.Expr, s.Env())
	return &definition{s, named(task.KindMetadata, &st.Name, st, s.Env()), &st.Name, st.Replace}, err
}

// readSave reads the clauses of a SAVE statement. A query that has parameters
// is checked only when it runs.
func readSave(s *Session, st *ast.Save) (_ *definition, err error) {
	if len(st.Params) == 0 {
		_, err = plan.Build(st.Query, s.Env())
	}
	return &definition{s, named(task.KindQuery, &st.Name, st, s.Env()), &st.Name, true}, err
}

// Run stores the definition in the archive.
func (def *definition) Run(ctx context.Context) (*Result, error) {
	d := def.d
	err := def.s.Archive().Define(ctx, func(list []task.Definition) ([]task.Definition, error) {
		if !def.replace && IndexOf(list, d.Kind, d.Name) >= 0 {
			err := ast.Errorf(def.name, "there is %s %s already", d.Kind, d.Name)
			err.Hint = "CREATE OR REPLACE puts this in its place"
			return nil, err
		}
		return Replaced(list, d), nil
	})
	if err != nil {
		return nil, err
	}
	return Done(), nil
}

// Would returns one line: what would be defined, and whether the archive already has a
// definition of that name.
func (def *definition) Would(ctx context.Context) ([]string, error) {
	d := def.d
	list, err := def.s.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	line := fmt.Sprintf("defines %s %s in %s", d.Kind, d.Name, def.s.Archive().Path())
	if IndexOf(list, d.Kind, d.Name) >= 0 {
		line += ", which has one of that name"
	}
	return []string{line}, nil
}

// Assume makes the definition known to later statements.
func (def *definition) Assume() { def.s.Assume(def.d) }
