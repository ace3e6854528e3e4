package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
)

var exportStatement = of[exportSyntax]("EXPORT", topic{"EXPORT", `
EXPORT (query) TO file
    [FORMAT (csv | tsv | json | jsonl | markdown | html | parquet | edges
      | graphml | warc | tianwang | wacz | cdxj)]
file = 'text' | $name | expr || expr
`})

type exportSyntax struct {
	source
	Query   querySyntax           `parser:"'EXPORT' '(' @@ ')'"`
	Options []*exportOptionSyntax `parser:"@@*"`
}

type exportOptionSyntax struct {
	source
	Format lexer.Token `parser:"  'FORMAT' @Ident" names:"export format"`
	To     ast.Expr    `parser:"| 'TO' @@" names:"file"`
}

func (s *exportSyntax) tree(b *builder) ast.Statement {
	ex := &ast.Export{Span: s.span(), Query: s.Query.tree()}
	for _, o := range s.Options {
		if o.To != nil {
			once(b, o, "TO", &ex.To, o.To)
		} else {
			once(b, o, "FORMAT", &ex.Format, optionalName(o.Format))
		}
	}
	if ex.To == nil {
		b.fail(ex.Span, "EXPORT has no file", "add TO 'file.csv'")
	}
	return ex
}
