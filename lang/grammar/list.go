package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

// The lists in brackets of SAVE and RUN have parsers of their own. Participle
// would report a fault inside such a list at the opening bracket. If no bracket
// follows, the parsers return an empty list.

// argumentsSyntax is the list (name = value, …) of RUN, after parsing.
// Participle calls parseArguments for struct fields of this type. The method
// list returns the arguments.
type argumentsSyntax interface{ list() []ast.Arg }

// namesSyntax is the list (name, …) of SAVE, after parsing. Participle calls
// parseNames for struct fields of this type. The method list returns the names.
type namesSyntax interface{ list() []ast.Name }

type arguments []ast.Arg

func (a arguments) list() []ast.Arg { return a }

// parseArguments reads the arguments of RUN in brackets. If no bracket comes
// next, it returns an empty list.
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

// parseNames reads the names of the parameters of SAVE in brackets. If no
// bracket comes next, it returns an empty list.
func parseNames(lex *lexer.PeekingLexer) (namesSyntax, error) {
	p := parser{lex: lex}
	var list names
	err := p.bracketedList(func() error {
		n, err := p.paramName()
		list = append(list, n)
		return err
	})
	return list, err
}

// bracketedList reads a list in brackets. It calls the function item to read
// each item. If no bracket comes next, it does nothing.
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

// paramName reads the name of a parameter, which may be a reserved word, such as
// from. A reserved word is returned in lower case.
func (p *parser) paramName() (ast.Name, error) {
	t := p.peek()
	if t.Type != scan.Keyword {
		return p.someName()
	}
	p.next()
	return ast.Name{Span: scan.SpanOf(t), Text: scan.Lower(t.Value)}, nil
}

// argument reads one argument of RUN: name = value.
func (p *parser) argument() (a ast.Arg, err error) {
	a.Start = scan.StartOf(p.peek())
	if a.Name, err = p.paramName(); err != nil {
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

// parseConstant reads the value in SET: a constant, a negative number, a
// parameter, or a bare word such as off, which it returns as an *ast.Column.
// The reserved word ON counts as a bare word.
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
