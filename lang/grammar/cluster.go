package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var clusterStatement = of[clusterSyntax]("CLUSTER", topic{"CLUSTER", `
CLUSTER [name] [ON] (query) BY (WORDS | SIMHASH) [EPS n] [MINPTS n] [K n]
    [SEED n]
n = 0.3 | 5 | $name
`})

type clusterSyntax struct {
	source
	Name    lexer.Token            `parser:"'CLUSTER' ( @Quoted | (?! 'ON') @Ident )? 'ON'?"`
	Query   querySyntax            `parser:"'(' @@ ')'"`
	Clauses []*clusterClauseSyntax `parser:"@@*"`
}

type clusterClauseSyntax struct {
	source
	By     string      `parser:"  'BY' @( 'WORDS' | 'SIMHASH' )"`
	Eps    lexer.Token `parser:"| 'EPS' @( Number | Param )"`
	MinPts lexer.Token `parser:"| 'MINPTS' @( Number | Param )"`
	K      lexer.Token `parser:"| 'K' @( Number | Param )"`
	Seed   lexer.Token `parser:"| 'SEED' @( Number | Param )"`
}

func (s *clusterSyntax) tree(b *builder) ast.Statement {
	st := &ast.Cluster{Span: s.span(), Name: optionalName(s.Name), Query: s.Query.tree()}
	for _, c := range s.Clauses {
		switch {
		case c.By != "":
			once(b, c, "BY", &st.By, scan.Lower(c.By))
		case present(c.Eps):
			once(b, c, "EPS", &st.Eps, scan.Literal(&c.Eps))
		case present(c.MinPts):
			once(b, c, "MINPTS", &st.MinPts, scan.Literal(&c.MinPts))
		case present(c.K):
			once(b, c, "K", &st.K, scan.Literal(&c.K))
		default:
			once(b, c, "SEED", &st.Seed, scan.Literal(&c.Seed))
		}
	}
	if st.By == "" {
		b.fail(st.Span, "CLUSTER does not say how texts are compared", "add BY words or BY simhash")
	}
	return st
}

var dropClustersStatement = of[dropClustersSyntax]("DROP CLUSTERS", topic{"DROP CLUSTERS", `
DROP CLUSTERS name
`})

type dropClustersSyntax struct {
	source
	Name lexer.Token `parser:"'DROP' 'CLUSTERS' @( Ident | Quoted )" names:"clusters"`
}

func (s *dropClustersSyntax) tree(*builder) ast.Statement {
	return &ast.DropClusters{Span: s.span(), Name: scan.Name(&s.Name)}
}
