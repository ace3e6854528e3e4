package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var dedupStatement = of[dedupSyntax]("DEDUP", topic{"DEDUP", `
DEDUP [IN scope, …] [time] [OF (PAGES | BLOCKS | IMAGES)]
    [METHOD (MINHASH | SIMHASH | KEYWORDS | CONTAINMENT)]
    [DISTANCE n] [SIMILARITY n]
` + helpTime + `n = 3 | 0.8 | $name
`})

type dedupSyntax struct {
	source
	Clauses []*dedupClauseSyntax `parser:"'DEDUP' @@*"`
}

type dedupClauseSyntax struct {
	source
	Scopes     []*scopeSyntax `parser:"  'IN' @@ ( ',' @@ )*"`
	Of         string         `parser:"| 'OF' @( 'BLOCKS' | 'PAGES' | 'IMAGES' )"`
	Method     string         `parser:"| 'METHOD' @( 'MINHASH' | 'SIMHASH' | 'KEYWORDS' | 'CONTAINMENT' )"`
	Distance   lexer.Token    `parser:"| 'DISTANCE' @( Number | Param )"`
	Similarity lexer.Token    `parser:"| 'SIMILARITY' @( Number | Param )"`
	Time       timeSyntax     `parser:"| @@"`
}

func (s *dedupSyntax) tree(b *builder) ast.Statement {
	d := &ast.Dedup{Span: s.span()}
	for _, c := range s.Clauses {
		switch {
		case c.Scopes != nil:
			once(b, c, "IN", &d.Scopes, scopes(c.Scopes))
		case c.Of != "":
			once(b, c, "OF", &d.Of, scan.Lower(c.Of))
		case c.Method != "":
			once(b, c, "METHOD", &d.Method, scan.Lower(c.Method))
		case present(c.Distance):
			once(b, c, "DISTANCE", &d.Distance, scan.Literal(&c.Distance))
		case present(c.Similarity):
			once(b, c, "SIMILARITY", &d.Similarity, scan.Literal(&c.Similarity))
		default:
			b.addTime(c, &d.Time, c.Time)
		}
	}
	return d
}
