package define

import (
	"context"
	"fmt"

	"infomall/exec/expr"
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// definition is a CREATE VIEW, CREATE METADATA or SAVE statement whose clauses
// were read. The archive stores a definition (the text of the statement, under
// a name).
type definition struct {
	s       *session.Session
	d       task.Definition
	name    *ast.Name
	replace bool // OR REPLACE: it may replace a definition of the same name
}

// named returns the definition of the given kind that the statement st stores
// under name.
func named(kind string, name *ast.Name, st ast.Statement, env *expr.Env) task.Definition {
	return task.Definition{Kind: kind, Name: name.Text, Text: st.String(), Created: env.Now}
}

// Run stores the definition in the archive. If the archive already has a
// definition of that kind and name, and the statement has no OR REPLACE, Run
// returns an error.
func (def *definition) Run(ctx context.Context) (*session.Result, error) {
	d := def.d
	err := def.s.Archive().Define(ctx, func(list []task.Definition) ([]task.Definition, error) {
		if !def.replace && session.IndexDefinition(list, d.Kind, d.Name) >= 0 {
			err := ast.Errorf(def.name, "there is %s %s already", d.Kind, d.Name)
			err.Hint = "CREATE OR REPLACE replaces it"
			return nil, err
		}
		return session.ReplaceDefinition(list, d), nil
	})
	if err != nil {
		return nil, err
	}
	return session.Done(), nil
}

// Would returns one line for EXPLAIN: what would be defined, and whether the
// archive already has a definition of that name.
func (def *definition) Would(ctx context.Context) ([]string, error) {
	d := def.d
	list, err := def.s.Definitions(ctx)
	if err != nil {
		return nil, err
	}
	line := fmt.Sprintf("defines %s %s in %s", d.Kind, d.Name, def.s.Archive().Path())
	if session.IndexDefinition(list, d.Kind, d.Name) >= 0 {
		line += ", which has one of that name"
	}
	return []string{line}, nil
}

// Assume makes the definition known to later statements of the session, without
// storing it.
func (def *definition) Assume() { def.s.Assume(def.d) }
