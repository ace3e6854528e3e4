package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

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
