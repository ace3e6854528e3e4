package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var ruleStatement = of[ruleSyntax]("RULE", topic{"RULE", `
RULE name ON scope, … [range] (BLOCK 'text' | EXCLUDE | EMBARGO 7d)
scope = 'text' | 'text' .. 'text'
range = BETWEEN t AND t | FROM t TO t | SINCE t | UNTIL t
t = 2008-06-15 | 2008 | 'text' | NOW | TODAY | t - 7d | t + 2mo
`})

type ruleSyntax struct {
	source
	Name    lexer.Token         `parser:"'RULE' @( Ident | Quoted )"`
	Scopes  []*scopeSyntax      `parser:"'ON' @@ ( ',' @@ )*"`
	Time    timeSyntax          `parser:"@@?"`
	Actions []*ruleActionSyntax `parser:"@@*"`
}

// ruleActionSyntax is what the rule does. A statement must have one; it is optional in
// the grammar, because otherwise participle would not look into the time clause.
type ruleActionSyntax struct {
	source
	Reason  lexer.Token `parser:"  'BLOCK' @String" names:"none"`
	Exclude bool        `parser:"| @'EXCLUDE'"`
	Age     lexer.Token `parser:"| 'EMBARGO' @Duration"`
}

// tree returns the tree of RULE. It reports a fault to b if the statement has
// parameters, because nobody can give their values when the rule is applied.
func (s *ruleSyntax) tree(b *builder) ast.Statement {
	r := &ast.Rule{Span: s.span(), Name: scan.Name(&s.Name), Scopes: scopes(s.Scopes)}
	if s.Time != nil {
		t := s.Time.clause()
		r.Range = t.Range
		if t.Choice != nil {
			b.fail(t.Choice.Span, "RULE takes a range of time, and no choice of versions", "")
		}
	}
	switch {
	case len(s.Actions) == 0:
		b.fail(s.span(), "the rule does not say what it does", "end it with BLOCK 'why', EXCLUDE or EMBARGO 1y")
	case len(s.Actions) > 1:
		b.fail(s.Actions[1].span(), "a rule does one thing", "write two rules")
	default:
		a := s.Actions[0]
		r.Reason, r.Age = optionalText(a.Reason), optionalConstant(a.Age)
		switch {
		case a.Exclude:
			r.Action = ast.RuleExclude
		case r.Age != nil:
			r.Action = ast.RuleEmbargo
		}
	}
	b.declared(r, nil, "a rule has none", "write the value itself")
	return r
}

var dropRuleStatement = of[dropRuleSyntax]("DROP RULE", topic{"DROP RULE", `
DROP RULE name
`})

type dropRuleSyntax struct {
	source
	Name lexer.Token `parser:"'DROP' 'RULE' @( Ident | Quoted )" names:"rule"`
}

func (s *dropRuleSyntax) tree(*builder) ast.Statement {
	return &ast.DropRule{Span: s.span(), Name: scan.Name(&s.Name)}
}
