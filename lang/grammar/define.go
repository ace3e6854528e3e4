package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var createStatement = of[createSyntax]("CREATE", topic{"CREATE VIEW", `
CREATE [OR REPLACE] VIEW name AS query
`}, topic{"CREATE METADATA", `
CREATE [OR REPLACE] METADATA name ON (page | version | block) AS expr
`})

// createSyntax is the syntax of CREATE VIEW and CREATE METADATA. Both branches
// repeat OR REPLACE: with OR REPLACE before the choice, the grammar could not
// look far enough ahead to choose a branch.
type createSyntax struct {
	source
	View     *viewSyntax     `parser:"'CREATE' ( 'VIEW' @@"`
	Metadata *metadataSyntax `parser:"| 'METADATA' @@"`
	Replace  *replaceSyntax  `parser:"| @@ )"`
}

type replaceSyntax struct {
	View     *viewSyntax     `parser:"'OR' 'REPLACE' ( 'VIEW' @@"`
	Metadata *metadataSyntax `parser:"| 'METADATA' @@ )"`
}

type viewSyntax struct {
	Name  lexer.Token `parser:"@( Ident | Quoted ) 'AS'"`
	Query querySyntax `parser:"@@"`
}

type metadataSyntax struct {
	Name lexer.Token `parser:"@( Ident | Quoted )"`
	On   lexer.Token `parser:"'ON' @( 'PAGE' | 'VERSION' | 'BLOCK' )"`
	Expr ast.Expr    `parser:"'AS' @@"`
}

func (s *createSyntax) tree(b *builder) ast.Statement {
	replace := s.Replace != nil
	if replace {
		s.View, s.Metadata = s.Replace.View, s.Replace.Metadata
	}
	if s.View != nil {
		return s.View.tree(b, s.span(), replace)
	}
	return s.Metadata.tree(b, s.span(), replace)
}

func (s *viewSyntax) tree(b *builder, at ast.Span, replace bool) *ast.CreateView {
	view := &ast.CreateView{Span: at, Replace: replace, Name: scan.Name(&s.Name), Query: s.Query.tree()}
	b.declared(view.Query, nil, "a view has none", "SAVE "+view.Name.String()+" ($name) AS … takes it when it is run")
	return view
}

func (s *metadataSyntax) tree(b *builder, at ast.Span, replace bool) *ast.CreateMetadata {
	m := &ast.CreateMetadata{Span: at, Replace: replace, Name: scan.Name(&s.Name), Expr: s.Expr}
	for _, on := range []ast.MetadataOn{ast.OnPage, ast.OnVersion, ast.OnBlock} {
		if scan.Lower(s.On.Value) == on.String() {
			m.On = on
		}
	}
	b.declared(m.Expr, nil, "metadata has none", "write the value itself")
	ast.Walk(m.Expr, func(n ast.Node) bool {
		if q, ok := n.(*ast.Query); ok {
			b.fail(q.Span, "metadata is made of one row, and takes no query", "CREATE VIEW names a query")
		}
		return true
	})
	return m
}

var dropViewStatement = of[dropViewSyntax]("DROP VIEW", topic{"DROP VIEW", `
DROP VIEW name
`})

type dropViewSyntax struct {
	source
	Name lexer.Token `parser:"'DROP' 'VIEW' @( Ident | Quoted )" names:"view"`
}

func (s *dropViewSyntax) tree(*builder) ast.Statement {
	return &ast.DropView{Span: s.span(), Name: scan.Name(&s.Name)}
}

var dropMetadataStatement = of[dropMetadataSyntax]("DROP METADATA", topic{"DROP METADATA", `
DROP METADATA name
`})

type dropMetadataSyntax struct {
	source
	Name lexer.Token `parser:"'DROP' 'METADATA' @( Ident | Quoted )" names:"metadata"`
}

func (s *dropMetadataSyntax) tree(*builder) ast.Statement {
	return &ast.DropMetadata{Span: s.span(), Name: scan.Name(&s.Name)}
}

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
		if t.Known != nil {
			b.fail(t.Known.At(), "RULE takes a range of time, and no KNOWN AT", "")
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
