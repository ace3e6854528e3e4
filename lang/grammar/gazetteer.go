package grammar

import "infomall/lang/ast"

var dropGazetteerStatement = of[dropGazetteerSyntax]("DROP GAZETTEER", topic{"DROP GAZETTEER", `
DROP GAZETTEER
`})

type dropGazetteerSyntax struct {
	source
	Word string `parser:"'DROP' @'GAZETTEER'"`
}

func (s *dropGazetteerSyntax) tree(*builder) ast.Statement {
	return &ast.DropGazetteer{Span: s.span()}
}
