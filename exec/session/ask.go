package session

import (
	"fmt"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/lang"
	"infomall/lang/ast"
)

// Within is the scopes and the time of a query that a statement makes of its own clauses.
type Within struct {
	Scopes []ast.Scope
	Time   ast.TimeClause // LATEST if empty
}

// Plan plans a query of the program's own, within w.
func (w *Within) Plan(text string, env *expr.Env) (plan.Node, error) {
	q := Query(text)
	w.Put(q.Select.From)
	return plan.Build(q, env)
}

// Put gives a source of a query the scopes and the time of w.
func (w *Within) Put(from *ast.Source) {
	from.Scopes, from.Time = w.Scopes, w.Time
	if from.Time == (ast.TimeClause{}) {
		from.Time.Choice = &ast.TimeChoice{Op: ast.ChoiceLatest}
	}
}

// Query returns a query of the program's own. A mistake in it is a bug.
func Query(text string) *ast.Query {
	st, err := lang.ParseOne(text, "")
	if err != nil {
		panic(fmt.Sprintf("session: %s: %v", text, err))
	}
	return st.(*ast.Query)
}
