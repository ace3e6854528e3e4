package grammar

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

// parser reads token by token what the tags of the grammar do not describe:
// queries, and expressions by precedence climbing.
type parser struct {
	lex   *lexer.PeekingLexer
	last  *lexer.Token // the token taken last
	depth int          // number of expressions that are being read inside each other
	ops   int          // number of operators in the current expression
	named []windowUse  // the windows after OVER that WINDOW may still name

	samples []ast.Expr // the conditions of TABLESAMPLE in FROM of the current SELECT
}

// explained wraps a complete *ast.Error, so that it passes through participle
// unchanged.
type explained struct{ err *ast.Error }

func (f explained) Error() string            { return f.err.Error() }
func (f explained) Message() string          { return f.err.Msg }
func (f explained) Position() lexer.Position { return lexer.Position(f.err.Start) }

func (p *parser) peek() *lexer.Token { return p.lex.Peek() }

// peekSecond returns the token after the next one, without taking any.
func (p *parser) peekSecond() *lexer.Token {
	here := p.lex.MakeCheckpoint()
	p.lex.Next()
	t := p.lex.Peek()
	p.lex.LoadCheckpoint(here)
	return t
}

func (p *parser) next() *lexer.Token {
	p.last = p.lex.Next()
	return p.last
}

// span returns the span from start to the end of the token that p took last.
func (p *parser) span(start ast.Pos) ast.Span {
	return ast.Span{Start: start, End: scan.EndOf(p.last)}
}

func (p *parser) unexpected() error {
	return &participle.UnexpectedTokenError{Unexpected: *p.peek()}
}

// take takes the next token if it is the given reserved word, and reports
// whether it did.
func (p *parser) take(word string) bool {
	if !scan.IsKeyword(p.peek(), word) {
		return false
	}
	p.next()
	return true
}

// takeOp takes the next token if it is the given operator, and reports whether
// it did.
func (p *parser) takeOp(op string) bool {
	if !scan.IsOp(p.peek(), op) {
		return false
	}
	p.next()
	return true
}

func (p *parser) need(word string) error {
	if !p.take(word) {
		return p.unexpected()
	}
	return nil
}

func (p *parser) needOp(op string) error {
	if !p.takeOp(op) {
		return p.unexpected()
	}
	return nil
}

// someName reads a name, with or without double quotes.
func (p *parser) someName() (ast.Name, error) {
	t := p.peek()
	if t.Type != scan.Ident && t.Type != scan.Quoted {
		return ast.Name{}, p.unexpected()
	}
	p.next()
	return scan.Name(t), nil
}

func (p *parser) atName() bool {
	t := p.peek()
	return t.Type == scan.Ident || t.Type == scan.Quoted
}

// numberOrParam reads a number or a parameter, and returns an error for any
// other token.
func (p *parser) numberOrParam() (ast.Expr, error) {
	switch t := p.peek(); t.Type {
	case scan.Number, scan.Param:
		p.next()
		return scan.Literal(t), nil
	}
	return nil, p.unexpected()
}

// textOrParam reads a string or a parameter, and returns an error for any other
// token.
func (p *parser) textOrParam() (ast.Expr, error) {
	switch t := p.peek(); t.Type {
	case scan.String, scan.Param:
		p.next()
		return scan.Text(t), nil
	}
	return nil, p.unexpected()
}
