package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var showPathStatement = of[showPathSyntax]("SHOW PATH", topic{"SHOW PATH", `
SHOW PATH url TO url [AT t | AS OF t | DURING t AND t] [KNOWN AT t]
    [OVER GRAPH name]
url = 'text' | $name
` + helpT})

type showPathSyntax struct {
	source
	From    lexer.Token         `parser:"'SHOW' 'PATH' @( String | Param )"`
	To      lexer.Token         `parser:"'TO' @( String | Param )"`
	Options []*pathOptionSyntax `parser:"@@*"`
}

type pathOptionSyntax struct {
	source
	At    moment      `parser:"  ( 'AT' | 'AS' 'OF' ) @@"`
	A     moment      `parser:"| 'DURING' @@"`
	B     moment      `parser:"  'AND' @@"`
	Known moment      `parser:"| 'KNOWN' 'AT' @@"`
	Graph lexer.Token `parser:"| 'OVER' 'GRAPH' @( Ident | Quoted )" names:"graph"`
}

func (s *showPathSyntax) tree(b *builder) ast.Statement {
	p := &ast.ShowPath{Span: s.span(), From: scan.Text(&s.From), To: scan.Text(&s.To)}
	for _, o := range s.Options {
		switch {
		case o.At != nil:
			once(b, o, "AT", &p.Time, ast.Expr(o.At))
		case o.A != nil:
			once(b, o, "DURING", &p.During, &ast.TimeRange{Span: o.span(), Op: ast.RangeDuring, A: o.A, B: o.B})
		case o.Known != nil:
			once(b, o, "KNOWN AT", &p.Known, ast.Expr(o.Known))
		default:
			once(b, o, "OVER", &p.Graph, optionalName(o.Graph))
		}
	}
	if p.Time != nil && p.During != nil {
		b.fail(p.During.Span, "a path is either AT a time or DURING a range", "leave one of them out")
	}
	return p
}

var dropGraphStatement = of[dropGraphSyntax]("DROP GRAPH", topic{"DROP GRAPH", `
DROP GRAPH name
`})

type dropGraphSyntax struct {
	source
	Name lexer.Token `parser:"'DROP' 'GRAPH' @( Ident | Quoted )" names:"graph"`
}

func (s *dropGraphSyntax) tree(*builder) ast.Statement {
	return &ast.DropGraph{Span: s.span(), Name: scan.Name(&s.Name)}
}
