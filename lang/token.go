package lang

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
)

// The kinds of token. Blanks and comments give no tokens.
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

// symbols maps the names that the grammar's tags use to the kinds of token.
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

// definition describes the kinds of token to participle. It makes no lexer,
// because statements are scanned before they are parsed.
type definition struct{}

func (definition) Symbols() map[string]lexer.TokenType { return symbols }

func (definition) Lex(string, io.Reader) (lexer.Lexer, error) {
	return nil, errors.New("lang: statements are parsed from scanned tokens")
}

// tokenLexer is the lexer from which participle reads one statement. Making one
// costs as much as parsing with it, so tokenLexers are pooled and reused.
type tokenLexer struct {
	lex    *lexer.PeekingLexer
	start  lexer.Checkpoint
	tokens []lexer.Token // the tokens that lex reads
	used   int
}

var tokenLexers sync.Pool

// tokenLexerMin is how many tokens a lexer holds at least. Most statements are
// shorter.
const tokenLexerMin = 64

// lexerOf returns a lexer over tokens, the last of which must be the end. The
// caller must call free. What the grammar made from the tokens is valid until
// then.
func lexerOf(tokens []lexer.Token) *tokenLexer {
	l, _ := tokenLexers.Get().(*tokenLexer)
	if l == nil || len(l.tokens) < len(tokens) {
		l = newTokenLexer(max(2*len(tokens), tokenLexerMin))
	}
	l.used = copy(l.tokens, tokens)
	return l
}

// parse parses the tokens.
func (l *tokenLexer) parse() (syntax, error) {
	l.lex.LoadCheckpoint(l.start)
	return parseStatement(l.lex, "")
}

// newTokenLexer returns a lexer for up to n tokens.
func newTokenLexer(n int) *tokenLexer {
	lex, err := lexer.Upgrade(&emptyTokens{n})
	if err != nil {
		panic(fmt.Sprintf("lang: %v", err)) // Unreachable: emptyTokens has no errors.
	}
	return &tokenLexer{lex: lex, start: lex.MakeCheckpoint(), tokens: lex.Range(0, lexer.RawCursor(n))}
}

// free returns the lexer to the pool and clears its tokens.
func (l *tokenLexer) free() {
	clear(l.tokens[:l.used])
	tokenLexers.Put(l)
}

// emptyTokens is a lexer of n tokens whose content is set later.
type emptyTokens struct{ n int }

func (e *emptyTokens) Next() (lexer.Token, error) {
	if e.n--; e.n == 0 {
		return lexer.Token{Type: lexer.EOF}, nil
	}
	return lexer.Token{}, nil
}

// startOf returns the position at which a token begins. endOf returns the
// position after it; a token's Value is as long as its source text.
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

// spanOfAll returns the span from the first to the last of one or more tokens.
func spanOfAll(tokens []lexer.Token) ast.Span {
	return ast.Span{Start: startOf(&tokens[0]), End: endOf(&tokens[len(tokens)-1])}
}
