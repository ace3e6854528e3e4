package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var setStatement = of[setSyntax]("SET", topic{"SET", `
SET name (= | TO) value
SET $name = value
` + helpValue})

type setSyntax struct {
	source
	Name  lexer.Token `parser:"'SET' ( @( Ident | Quoted ) ( '=' | 'TO' )" names:"setting"`
	Param lexer.Token `parser:"| @Param '=' )"`
	Value constant    `parser:"@@" names:"value"`
}

func (s *setSyntax) tree(*builder) ast.Statement {
	if !present(s.Param) {
		return &ast.Set{Span: s.span(), Name: scan.Name(&s.Name), Value: s.Value}
	}
	set := &ast.Set{Span: s.span(), Name: scan.Name(&s.Param), Value: s.Value, Param: true}
	set.Name.Text = s.Param.Value[1:]
	return set
}

var resetStatement = of[resetSyntax]("RESET", topic{"RESET", `
RESET name
`})

type resetSyntax struct {
	source
	Name lexer.Token `parser:"'RESET' @( Ident | Quoted )" names:"setting"`
}

func (s *resetSyntax) tree(*builder) ast.Statement {
	return &ast.Reset{Span: s.span(), Name: scan.Name(&s.Name)}
}
