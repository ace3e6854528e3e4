package lang

import (
	"errors"
	"io"

	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
)

// The kinds of token. Blanks and comments make none.
const (
	tokKeyword lexer.TokenType = lexer.EOF - 1 - iota
	tokIdent
	tokQuoted // "…"
	tokString // '…'
	tokNumber
	tokSize
	tokDuration
	tokPeriod
	tokParam
	tokOp
)

// symbols are the names of the kinds in the grammar's tags.
var symbols = map[string]lexer.TokenType{
	"EOF":      lexer.EOF,
	"Keyword":  tokKeyword,
	"Ident":    tokIdent,
	"Quoted":   tokQuoted,
	"String":   tokString,
	"Number":   tokNumber,
	"Size":     tokSize,
	"Duration": tokDuration,
	"Period":   tokPeriod,
	"Param":    tokParam,
	"Op":       tokOp,
}

// reserved are the words that are never names unless quoted. All others mean
// something only in their place.
var reserved = func() map[string]string {
	m := make(map[string]string)
	for _, w := range ast.Reserved {
		m[w] = w
	}
	return m
}()

// reservedLenMax is the length of the longest reserved word.
const reservedLenMax = 8

// definition tells participle the kinds of token. Statements are scanned
// before they are parsed, so it makes no lexer itself.
type definition struct{}

func (definition) Symbols() map[string]lexer.TokenType { return symbols }

func (definition) Lex(string, io.Reader) (lexer.Lexer, error) {
	return nil, errors.New("lang: statements are parsed from scanned tokens")
}

// tokenList is a lexer over scanned tokens. The last one is the end.
type tokenList struct {
	tokens []lexer.Token
}

func (l *tokenList) Next() (lexer.Token, error) {
	t := l.tokens[0]
	if len(l.tokens) > 1 {
		l.tokens = l.tokens[1:]
	}
	return t, nil
}

// startOf and endOf are the places where a token begins and where it is over.
// A token's Value is as long as its source text.
func startOf(t *lexer.Token) ast.Pos { return ast.Pos(t.Pos) }

func endOf(t *lexer.Token) ast.Pos {
	p := t.Pos
	if t.Type == lexer.EOF {
		return ast.Pos(p)
	}
	p.Advance(t.Value)
	return ast.Pos(p)
}

func spanOf(t *lexer.Token) ast.Span {
	return ast.Span{Start: startOf(t), End: endOf(t)}
}

// spanOfAll is the span from the first to the last of one or more tokens.
func spanOfAll(tokens []lexer.Token) ast.Span {
	return ast.Span{Start: startOf(&tokens[0]), End: endOf(&tokens[len(tokens)-1])}
}
