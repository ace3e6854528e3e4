package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

var setStatement = of[setSyntax]("SET", topic{"SET", `
SET name = value
SET $name = value
` + helpValue})

type setSyntax struct {
	source
	Name  lexer.Token `parser:"'SET' @( Ident | Quoted | Param )" names:"setting"`
	Value constant    `parser:"'=' @@" names:"value"`
}

func (s *setSyntax) tree(*builder) ast.Statement {
	set := &ast.Set{Span: s.span(), Name: scan.Name(&s.Name), Value: s.Value}
	if s.Name.Type == scan.Param {
		set.Param = true
		set.Name.Text = s.Name.Value[1:]
	}
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
