package define

import (
	"infomall/exec/access"
	"infomall/exec/session"
	"infomall/lang/ast"
	"infomall/store/record/task"
)

// Rule is the statement RULE, which says what --serve and --mcp do not show.
var Rule = session.Declare("RULE", session.Writes|session.Anywhere, readRule)

// readRule makes a definition of a RULE statement. It checks the scopes and the range.
// A rule replaces a rule of the same name.
func readRule(s *session.Session, st *ast.Rule) (*definition, error) {
	_, err := access.NewRule(st, s.Env().Now)
	return &definition{s, named(task.KindRule, &st.Name, st, s.Env()), &st.Name, true}, err
}

// DropRule is the statement DROP RULE, which removes an access rule.
var DropRule = session.Declare("DROP RULE", session.Writes, readDropRule)

// readDropRule makes a removal of a DROP RULE statement. It returns an error if the rule
// is not defined.
func readDropRule(s *session.Session, st *ast.DropRule) (*removal, error) {
	return &removal{s, task.KindRule, &st.Name}, s.CheckDefined(task.KindRule, &st.Name)
}
