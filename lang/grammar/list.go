package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
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

// argument reads one argument of RUN: name = value.
func (p *parser) argument() (a ast.Arg, err error) {
	a.Start = scan.StartOf(p.peek())
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

// parseConstant reads the value in SET: a constant, or a bare word such as off.
// The reserved word ON is accepted as such a word.
func parseConstant(lex *lexer.PeekingLexer) (constant, error) {
	p := parser{lex: lex}
	t := p.peek()
	switch {
	case t.Type == scan.Ident, scan.IsKeyword(t, "ON"):
		p.next()
		name := scan.Name(t)
		if t.Type == scan.Keyword {
			name.Text = "on"
		}
		return &ast.Column{Span: name.Span, Name: name}, nil
	case scan.IsOp(t, "-"):
		p.next()
		n := p.peek()
		if n.Type != scan.Number {
			return nil, p.unexpected()
		}
		p.next()
		return &ast.Unary{Span: p.span(scan.StartOf(t)), Op: "-", X: scan.Literal(n)}, nil
	}
	if e := scan.Literal(t); e != nil {
		p.next()
		return e, nil
	}
	return nil, p.unexpected()
}
