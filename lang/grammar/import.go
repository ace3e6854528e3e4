package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
)

var importStatement = of[importSyntax]("IMPORT", topic{"IMPORT", `
IMPORT file, … [FORMAT name] [BASE url] [AT t] [AS name]
file = 'text' | $name
url = 'text' | $name
` + helpT}).timeFirst()

type importSyntax struct {
	source
	Paths   []*textSyntax         `parser:"'IMPORT' @@ ( ',' @@ )*" names:"file"`
	Options []*importOptionSyntax `parser:"@@*"`
}

type importOptionSyntax struct {
	source
	Format lexer.Token `parser:"  'FORMAT' @Ident" names:"format"`
	At     moment      `parser:"| 'AT' @@"`
	Alias  lexer.Token `parser:"| 'AS' @( Ident | Quoted )"`
	Base   *textSyntax `parser:"| 'BASE' @@"`
}

func (s *importSyntax) tree(b *builder) ast.Statement {
	im := &ast.Import{Span: s.span(), Paths: texts(s.Paths)}
	for _, o := range s.Options {
		switch {
		case present(o.Format):
			once(b, o, "FORMAT", &im.Format, optionalName(o.Format))
		case o.Base != nil:
			once(b, o, "BASE", &im.Base, o.Base.expr())
		case o.At != nil:
			once(b, o, "AT", &im.Time, ast.Expr(o.At))
		default:
			once(b, o, "AS", &im.Alias, optionalName(o.Alias))
		}
	}
	return im
}
