package lang

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
)

// The lists in brackets of SAVE and RUN have parsers of their own: of a list that
// it reads only in part, the grammar would blame the bracket. Where no bracket
// follows they read an empty list.

// argumentsSyntax is the list (name = value, …) of RUN, as the grammar holds
// it.
type argumentsSyntax interface{ list() []ast.Arg }

// namesSyntax is the list (name, …) of SAVE, as the grammar holds it.
type namesSyntax interface{ list() []ast.Name }

type arguments []ast.Arg

func (a arguments) list() []ast.Arg { return a }

// parseArguments reads the arguments of RUN in brackets. Without a bracket it
// returns an empty list.
func parseArguments(lex *lexer.PeekingLexer) (argumentsSyntax, error) {
	p := parser{lex: lex}
	var list arguments
	err := p.bracketedList(func() error {
		a, err := p.argument()
		list = append(list, a)
		return err
	})
	return list, err
}

type names []ast.Name

func (n names) list() []ast.Name { return n }

// parseNames reads the parameters of SAVE in brackets. Without a bracket it
// returns an empty list.
func parseNames(lex *lexer.PeekingLexer) (namesSyntax, error) {
	p := parser{lex: lex}
	var list names
	err := p.bracketedList(func() error {
		n, err := p.someName()
		list = append(list, n)
		return err
	})
	return list, err
}

// bracketedList calls item for each item of a list in brackets. It does nothing
// if no bracket follows.
func (p *parser) bracketedList(item func() error) error {
	if !p.takeOp("(") || p.takeOp(")") {
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if p.takeOp(")") {
			return nil
		}
		if err := p.needOp(","); err != nil {
			return err
		}
	}
}

// someName reads a name, quoted or not.
func (p *parser) someName() (ast.Name, error) {
	t := p.peek()
	if t.Type != tokIdent && t.Type != tokQuoted {
		return ast.Name{}, p.unexpected()
	}
	p.next()
	return newName(t), nil
}

// argument reads one argument of RUN: name = value.
func (p *parser) argument() (a ast.Arg, err error) {
	a.Start = startOf(p.peek())
	if a.Name, err = p.someName(); err != nil {
		return a, err
	}
	if err := p.needOp("="); err != nil {
		return a, err
	}
	v, err := parseConstant(p.lex)
	if err == nil {
		a.Value, a.End = v, v.At().End
	}
	return a, err
}
