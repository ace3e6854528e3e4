package define

import (
	"strings"

	"infomall/exec/plan"
	"infomall/exec/relation/all"
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// View is the statement CREATE VIEW, which stores a query under a name that
// later queries use like a relation.
var View = session.Declare("CREATE VIEW", session.Writes|session.Anywhere, readCreateView)

// readCreateView makes a definition of a CREATE VIEW statement. It checks the
// view's query, in which the view itself is already defined. The name of a
// relation is an error.
func readCreateView(s *session.Session, st *ast.CreateView) (*definition, error) {
	if all.Find(st.Name.Text) != nil {
		return nil, ast.Errorf(&st.Name, "there is a relation %s", strings.ToLower(st.Name.Text))
	}
	def := &definition{s, named(task.KindView, &st.Name, st, s.Env()), &st.Name, st.Replace}
	env := s.Env()
	env.Defined = s.Defined(def.d)
	_, err := plan.Build(st.Query, env)
	return def, err
}
