package scan

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
)

// Token is a piece of a statement. Its Value is the source text, but that of a
// reserved word is in upper case. The last token of a statement has the Type
// EOF, and the Value ";" unless the source ends there.
type (
	Token     = lexer.Token
	tokenType = lexer.TokenType
	Position  = lexer.Position // the place of a token
)

// EOF is the type of the last token of a statement.
const EOF = lexer.EOF

// The kinds of token. Blanks and comments give no tokens.
const (
	Keyword lexer.TokenType = lexer.EOF - 1 - iota
	Ident
	Quoted // "…"
	String // '…'
	Number
	Size
	Duration
	Period
	Param
	Op
)

// reserved are the words that are names only in quotes. All other words of the
// language have a meaning only at their place.
var reserved = func() map[string]string {
	m := make(map[string]string)
	for _, w := range ast.Reserved {
		m[w] = w
	}
	return m
}()

// reservedLenMax is the length of the longest reserved word.
const reservedLenMax = 8

// StartOf returns the position at which a token begins.
func StartOf(t *Token) ast.Pos { return ast.Pos(t.Pos) }

// EndOf returns the position after a token; its Value is as long as its source
// text.
func EndOf(t *Token) ast.Pos {
	p := t.Pos
	if t.Type == lexer.EOF {
		return ast.Pos(p)
	}
	p.Advance(t.Value)
	return ast.Pos(p)
}

// SpanOf returns the source text of a token.
func SpanOf(t *Token) ast.Span {
	return ast.Span{Start: StartOf(t), End: EndOf(t)}
}

// SpanOfAll returns the span from the first to the last of one or more tokens.
func SpanOfAll(tokens []Token) ast.Span {
	return ast.Span{Start: StartOf(&tokens[0]), End: EndOf(&tokens[len(tokens)-1])}
}

// IsKeyword reports whether t is the reserved word word.
func IsKeyword(t *Token, word string) bool {
	return t.Type == Keyword && t.Value == word
}

// IsOp reports whether t is the operator op.
func IsOp(t *Token, op string) bool {
	return t.Type == Op && t.Value == op
}

// IsWord reports whether t is word, a word of the language that is not
// reserved.
func IsWord(t *Token, word string) bool {
	return t.Type == Ident && EqualFold(t.Value, word)
}

// IsWordToken reports whether t is a word, reserved or not, and not in quotes.
func IsWordToken(t *Token) bool { return t.Type == Ident || t.Type == Keyword }

// WordToken returns the token that the scanner makes of w, a word in upper
// case.
func WordToken(w string) Token {
	if _, ok := reserved[w]; ok {
		return Token{Type: Keyword, Value: w}
	}
	return Token{Type: Ident, Value: w}
}
