package grammar

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var blameStatement = of[blameSyntax]("BLAME", topic{"BLAME", `
BLAME url [AT t | AS OF t] [KNOWN AT t] [AS (blocks | lines | words)]
url = 'text' | $name
` + helpT})

type blameSyntax struct {
	source
	URL     lexer.Token          `parser:"'BLAME' @( String | Param )"`
	Options []*blameOptionSyntax `parser:"@@*"`
}

type blameOptionSyntax struct {
	source
	At    moment      `parser:"  ( 'AT' | 'AS' 'OF' ) @@"`
	Known moment      `parser:"| 'KNOWN' 'AT' @@"`
	Unit  lexer.Token `parser:"| 'AS' @Ident" names:"unit"`
}

func (s *blameSyntax) tree(b *builder) ast.Statement {
	st := &ast.Blame{Span: s.span(), URL: scan.Text(&s.URL)}
	for _, o := range s.Options {
		switch {
		case o.At != nil:
			once(b, o, "AT", &st.Time, ast.Expr(o.At))
		case o.Known != nil:
			once(b, o, "KNOWN AT", &st.Known, ast.Expr(o.Known))
		default:
			b.twice(o, "AS", st.Unit != ast.BlameDefault)
			st.Unit = b.blameUnit(o.Unit)
		}
	}
	return st
}

// blameUnits are the units of BLAME … AS.
var blameUnits = []ast.BlameUnit{ast.BlameBlocks, ast.BlameLines, ast.BlameWords}

func (b *builder) blameUnit(t lexer.Token) ast.BlameUnit {
	var words []string
	for _, u := range blameUnits {
		if scan.EqualFold(t.Value, strings.ToUpper(u.String())) {
			return u
		}
		words = append(words, u.String())
	}
	hint := "units are " + strings.Join(words, ", ")
	if near := ast.Nearest(t.Value, words); near != "" {
		hint = "did you mean " + near + "?"
	}
	b.fail(scan.SpanOf(&t), "no unit "+t.Value+" of BLAME", hint)
	return ast.BlameDefault
}
