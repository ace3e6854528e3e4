package grammar

import "infomall/lang/ast"

var provenanceStatement = of[provenanceSyntax]("EXPORT PROVENANCE", topic{"EXPORT PROVENANCE", `
EXPORT PROVENANCE OF (query) TO file
file = 'text' | $name | expr || expr
`})

type provenanceSyntax struct {
	source
	Query querySyntax `parser:"'EXPORT' 'PROVENANCE' 'OF' '(' @@ ')'"`
	To    ast.Expr    `parser:"'TO' @@" names:"file"`
}

func (s *provenanceSyntax) tree(*builder) ast.Statement {
	return &ast.ExportProvenance{Span: s.span(), Query: s.Query.tree(), To: s.To}
}
