package session

import (
	"fmt"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/lang"
	"infomall/lang/ast"
)

// Within says to which scopes (hosts and paths) and to which time a statement restricts a
// query that it runs.
type Within struct {
	Scopes []ast.Scope
	Time   ast.TimeClause // if empty, it means LATEST
}

// Plan returns the plan of text, a query that this program contains,
// restricted to the scopes and the time of w.
func (w *Within) Plan(text string, env *expr.Env) (plan.Node, error) {
	q := Query(text)
	w.Put(q.Select.From)
	return plan.Build(q, env)
}

// Put replaces the scopes and the time of from, the source in a query's FROM, by those of w.
func (w *Within) Put(from *ast.Source) {
	from.Scopes, from.Time = w.Scopes, w.Time
	if !from.Time.Timed() {
		from.Time.Choice = &ast.TimeChoice{Op: ast.ChoiceLatest}
	}
}

// Query parses text, a query that this program contains. It panics if the
// query is wrong, because that is a bug.
func Query(text string) *ast.Query {
	st, err := lang.ParseOne(text, "")
	if err != nil {
		panic(fmt.Sprintf("session: %s: %v", text, err))
	}
	return st.(*ast.Query)
}
