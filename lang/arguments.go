package lang

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
)

// argumentsSyntax is (name = value, …) as the grammar holds it, which reads
// nothing but its own function as far as it goes: so faults are told where they
// are.
type argumentsSyntax interface{ list() []ast.Arg }

type arguments []ast.Arg

func (a arguments) list() []ast.Arg { return a }

// parseArguments reads the arguments of RUN in brackets, of which there may be
// none.
func parseArguments(lex *lexer.PeekingLexer) (argumentsSyntax, error) {
	p := exprParser{lex: lex}
	if !p.takeOp("(") {
		return nil, participle.NextMatch
	}
	var list arguments
	if p.takeOp(")") {
		return list, nil
	}
	for {
		a, err := p.argument()
		if err != nil {
			return nil, err
		}
		list = append(list, a)
		if p.takeOp(")") {
			return list, nil
		}
		if err := p.needOp(","); err != nil {
			return nil, err
		}
	}
}

func (p *exprParser) argument() (ast.Arg, error) {
	t := p.peek()
	if t.Type != tokIdent && t.Type != tokQuoted {
		return ast.Arg{}, p.unexpected()
	}
	p.next()
	a := ast.Arg{Name: newName(t)}
	if err := p.needOp("="); err != nil {
		return a, err
	}
	v, err := parseConstant(p.lex)
	a.Value, a.Span = v, ast.Span{Start: startOf(t)}
	if err == nil {
		a.End = v.At().End
	}
	return a, err
}
