package scan

import (
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
)

// Token is a piece of a statement, such as a word, a string or an operator. Its
// Value is the source text; the Value of a reserved word is in upper case. The
// last token of a statement has the Type EOF. The Value of the last token is ";"
// (or a sign that was meant as a ;), or "" if the source ends without one.
type (
	Token     = lexer.Token
	tokenType = lexer.TokenType
	Position  = lexer.Position // the place of a token
)

// EOF is the type of the last token of a statement.
const EOF = lexer.EOF

// The types of token besides EOF. Blanks and comments give no tokens.
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

// reserved maps each reserved word, in upper case, to itself. A reserved word
// is a name only in quotes. All other words of the language are words only at
// certain places, and names elsewhere.
var reserved = func() map[string]string {
	m := make(map[string]string)
	for _, w := range ast.Reserved {
		m[w] = w
	}
	return m
}()

// reservedLenMax is the length of the longest reserved word.
const reservedLenMax = 8

// StartOf returns the position of the first character of a token.
func StartOf(t *Token) ast.Pos { return ast.Pos(t.Pos) }

// EndOf returns the position after the last character of a token. It counts the
// characters of the token's Value, which is as long as the source text. For an EOF
// token it returns the position at which the token begins.
func EndOf(t *Token) ast.Pos {
	p := t.Pos
	if t.Type == lexer.EOF {
		return ast.Pos(p)
	}
	p.Advance(t.Value)
	return ast.Pos(p)
}

// SpanOf returns the span of a token: its start and its end in the source.
func SpanOf(t *Token) ast.Span {
	return ast.Span{Start: StartOf(t), End: EndOf(t)}
}

// SpanOfAll returns the span from the first to the last of one or more tokens.
func SpanOfAll(tokens []Token) ast.Span {
	return ast.Span{Start: StartOf(&tokens[0]), End: EndOf(&tokens[len(tokens)-1])}
}

// IsKeyword reports whether t is the given reserved word, in upper case.
func IsKeyword(t *Token, word string) bool {
	return t.Type == Keyword && t.Value == word
}

// IsOp reports whether t is the given operator, such as "<=".
func IsOp(t *Token, op string) bool {
	return t.Type == Op && t.Value == op
}

// IsWord reports whether t is the given word, which must be in upper case and
// not reserved. The case of t does not count.
func IsWord(t *Token, word string) bool {
	return t.Type == Ident && EqualFold(t.Value, word)
}

// IsWordToken reports whether t is a word or a name that is not in quotes.
func IsWordToken(t *Token) bool { return t.Type == Ident || t.Type == Keyword }

// WordToken returns the token, without a position, that the scanner makes from
// w, a word in upper case.
func WordToken(w string) Token {
	if _, ok := reserved[w]; ok {
		return Token{Type: Keyword, Value: w}
	}
	return Token{Type: Ident, Value: w}
}
