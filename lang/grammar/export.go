package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var exportStatement = of[exportSyntax]("EXPORT", topic{"EXPORT", `
EXPORT (query) TO file
EXPORT (query) TO folder [PARTITION BY part, …]
EXPORT scope, … [KNOWN AT t] TO file
    [FORMAT format] [FOLLOW [CRAWL name]]
format = name
file = 'text' | $name | expr || expr
part = expr [AS name]
folder = 'folder/' | 's3://bucket/folder/' | $name | expr || expr
` + helpScope + helpT})

type exportSyntax struct {
	source
	Query   exportedSyntax        `parser:"'EXPORT' @@" names:"scope"`
	Options []*exportOptionSyntax `parser:"@@*"`
}

type exportOptionSyntax struct {
	source
	Format lexer.Token `parser:"  'FORMAT' @Ident" names:"export format"`
	To     ast.Expr    `parser:"| 'TO' @@" names:"file"`
	Parts  itemsSyntax `parser:"| 'PARTITION' 'BY' @@" names:"column"`
	Follow bool        `parser:"| @'FOLLOW'"`
	Crawl  lexer.Token `parser:"( 'CRAWL' @( Ident | Quoted ) )?" names:"crawl"`
}

func (s *exportSyntax) tree(b *builder) ast.Statement {
	ex := &ast.Export{Span: s.span(), Query: s.Query.exported()}
	for _, o := range s.Options {
		switch {
		case o.To != nil:
			once(b, o, "TO", &ex.To, o.To)
		case o.Parts != nil:
			once(b, o, "PARTITION BY", &ex.PartitionBy, o.Parts.list())
		case o.Follow:
			once(b, o, "FOLLOW", &ex.Follow, &ast.Follow{Span: o.span(), Crawl: optionalName(o.Crawl)})
		default:
			once(b, o, "FORMAT", &ex.Format, optionalName(o.Format))
		}
	}
	if ex.To == nil {
		b.fail(ex.Span, "EXPORT has no file", "add TO 'file.csv'")
	}
	return ex
}

// exportedSyntax is what follows EXPORT, after parsing. Participle calls
// parseExported for struct fields of this type. The method exported returns the query.
type exportedSyntax interface{ exported() *ast.Query }

type exportedTree ast.Query

func (q *exportedTree) exported() *ast.Query { return (*ast.Query)(q) }

// parseExported reads a query in brackets, or scopes. For scopes it returns the query that
// reads the captures of their URLs, because a file of captures is written from captures.
func parseExported(lex *lexer.PeekingLexer) (exportedSyntax, error) {
	p := parser{lex: lex}
	start := scan.StartOf(p.peek())
	if p.takeOp("(") {
		q, err := p.bracketedQuery()
		return (*exportedTree)(q), err
	}
	scopes, err := p.scopes()
	if err != nil {
		return nil, err
	}
	var known ast.Expr
	if p.atKnown() {
		if known, err = p.known(); err != nil {
			return nil, err
		}
	}
	span := p.span(start)
	column := func(name string) ast.Item {
		return ast.Item{Span: span, Expr: &ast.Column{Span: span, Name: ast.Name{Span: span, Text: name}}}
	}
	return (*exportedTree)(&ast.Query{Span: span, Select: &ast.Select{
		Span: span, Items: []ast.Item{column("url"), column("time")},
		From: &ast.Source{Span: span, Relation: &ast.Name{Span: span, Text: "captures"}, Scopes: scopes, Time: ast.TimeClause{Known: known}},
	}}), nil
}

// itemsSyntax is the list of columns after PARTITION BY, after parsing. Participle calls
// parseItems for struct fields of this type. The method list returns the columns.
type itemsSyntax interface{ list() []ast.Item }

type items []ast.Item

func (i items) list() []ast.Item { return i }

// parseItems reads the list after PARTITION BY. A new name in the list needs the word AS:
// without it, the next clause of EXPORT would be read as the name.
func parseItems(lex *lexer.PeekingLexer) (itemsSyntax, error) {
	p := parser{lex: lex}
	list, err := p.items(false)
	return items(list), err
}
