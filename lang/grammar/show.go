package grammar

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var showStatement = of[showSyntax]("SHOW", topic{"SHOW", `
SHOW list
list = name
`}).yielding()

type showSyntax struct {
	source
	What lexer.Token `parser:"'SHOW' @Ident" names:"list"`
}

// otherLists maps the name that other programs use for a list, such as tables,
// to the name that SHOW uses, such as relations.
var otherLists = map[string]string{"tables": "relations", "variables": "settings", "databases": "pools", "all": "settings"}

func (s *showSyntax) tree(*builder) ast.Statement {
	what := scan.Name(&s.What)
	what.Text = scan.Lower(what.Text)
	if ours, ok := otherLists[what.Text]; ok {
		what.Text = ours
	}
	return &ast.Show{Span: s.span(), What: what}
}

var describeStatement = of[describeSyntax]("DESCRIBE, DESC", topic{"DESCRIBE", `
(DESCRIBE | DESC) name
`})

type describeSyntax struct {
	source
	Name  lexer.Token `parser:"( 'DESCRIBE' @( Ident | Quoted )" names:"described"`
	Short lexer.Token `parser:"| 'DESC' @( Ident | Quoted ) )" names:"described"`
}

func (s *describeSyntax) tree(*builder) ast.Statement {
	if present(s.Short) {
		s.Name = s.Short
	}
	return &ast.Describe{Span: s.span(), Name: scan.Name(&s.Name)}
}

var summarizeStatement = of[summarizeSyntax]("SUMMARIZE", topic{"SUMMARIZE", `
SUMMARIZE query
SUMMARIZE relation [IN scope, …] [time]
SUMMARIZE scope, … [time]
SUMMARIZE (FILE 'text' | name)
` + helpTime})

type summarizeSyntax struct {
	source
	Query summarizedSyntax `parser:"'SUMMARIZE' @@"`
}

func (s *summarizeSyntax) tree(*builder) ast.Statement {
	return &ast.Summarize{Span: s.span(), Query: s.Query.summarized()}
}

// summarizedSyntax is the query or the source after SUMMARIZE, after parsing.
// Participle calls parseSummarized for struct fields of this type. The method
// summarized returns the query.
type summarizedSyntax interface{ summarized() *ast.Query }

type summarizedTree ast.Query

func (q *summarizedTree) summarized() *ast.Query { return (*ast.Query)(q) }

// parseSummarized reads a query, or a source as in FROM, which it returns as
// SELECT * FROM the source.
func parseSummarized(lex *lexer.PeekingLexer) (summarizedSyntax, error) {
	p := parser{lex: lex}
	if p.atQuery() {
		q, err := p.query()
		return (*summarizedTree)(q), err
	}
	start := scan.StartOf(p.peek())
	from, err := p.source()
	if err != nil {
		return nil, err
	}
	span := p.span(start)
	return (*summarizedTree)(&ast.Query{Span: span, Select: &ast.Select{
		Span: span, Items: []ast.Item{{Span: span, Star: true}}, From: from,
	}}), nil
}

var explainStatement = of[explainSyntax]("EXPLAIN", topic{"EXPLAIN", `
EXPLAIN [ANALYZE] statement
`}).notBelow("EXPLAIN", "SCHEDULE", "WATCH")

type explainSyntax struct {
	nested
	Analyze bool `parser:"'EXPLAIN' @'ANALYZE'?"`
}

func (s *explainSyntax) tree(b *builder) ast.Statement {
	return &ast.Explain{Span: s.span(), Analyze: s.Analyze, Statement: s.inner.tree(b)}
}

var helpStatement = of[helpSyntax]("HELP", topic{"HELP", `
HELP [topic]
`})

type helpSyntax struct {
	source
	Topic []string `parser:"'HELP' @( Ident | Keyword )*" names:"topic"`
}

func (s *helpSyntax) tree(*builder) ast.Statement {
	return &ast.Help{Span: s.span(), Topic: scan.Upper(strings.Join(s.Topic, " "))}
}
