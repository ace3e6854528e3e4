package grammar

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

// symbols maps the names of token types in the struct tags, such as "Ident", to
// the types.
var symbols = map[string]lexer.TokenType{
	"EOF":      lexer.EOF,
	"Keyword":  scan.Keyword,
	"Ident":    scan.Ident,
	"Quoted":   scan.Quoted,
	"String":   scan.String,
	"Number":   scan.Number,
	"Size":     scan.Size,
	"Duration": scan.Duration,
	"Period":   scan.Period,
	"Param":    scan.Param,
	"Op":       scan.Op,
}

// definition describes the types of token to participle. Its method Lex only
// fails, because package scan makes the tokens before parsing begins.
type definition struct{}

func (definition) Symbols() map[string]lexer.TokenType { return symbols }

func (definition) Lex(string, io.Reader) (lexer.Lexer, error) {
	return nil, errors.New("lang: statements are parsed from scanned tokens")
}

// tokenLexer is the lexer from which participle reads the tokens of one
// statement. Making a tokenLexer costs as much as parsing with it, so they are
// kept in a pool and used again.
type tokenLexer struct {
	lex    *lexer.PeekingLexer
	start  lexer.Checkpoint
	tokens []lexer.Token // the tokens that lex reads
	used   int           // how many of tokens belong to the current statement
}

var tokenLexers sync.Pool

// tokenLexerMin is the minimum number of tokens for which a tokenLexer has
// room. Most statements are shorter.
const tokenLexerMin = 64

// lexerOf returns a lexer over tokens, the last of which must be the end. The
// caller must call free. The syntax that parse makes from the tokens is valid
// only until free.
func lexerOf(tokens []lexer.Token) *tokenLexer {
	l, _ := tokenLexers.Get().(*tokenLexer)
	if l == nil || len(l.tokens) < len(tokens) {
		l = newTokenLexer(max(2*len(tokens), tokenLexerMin))
	}
	l.used = copy(l.tokens, tokens)
	return l
}

// parse parses the tokens of l as one statement. If the grammar does not accept
// the tokens, stumbleOf finds the place in the error.
func (l *tokenLexer) parse() (syntax, error) {
	l.lex.LoadCheckpoint(l.start)
	return parseStatement(l.lex, "")
}

// Stumble is the error of Parse for tokens that the grammar does not accept.
type Stumble struct {
	Offset int        // of the first token that the grammar does not accept
	Why    *ast.Error // what is wrong, if the grammar knows; otherwise nil
}

func (s *Stumble) Error() string { return fmt.Sprintf("no statement from byte %d on", s.Offset) }

// stumbleOf returns the Stumble for err, an error of tokenLexer.parse.
func stumbleOf(err error) *Stumble {
	var f explained
	if errors.As(err, &f) {
		return &Stumble{f.err.Start.Offset, f.err}
	}
	var e participle.Error
	if errors.As(err, &e) {
		return &Stumble{Offset: e.Position().Offset}
	}
	panic(fmt.Sprintf("lang: the grammar failed without a place: %v", err))
}

// Parse parses the tokens of one statement, the last of which must be the end.
// The error is a *Stumble if the grammar does not accept the tokens. It is an
// *ast.Error if the grammar accepts them but they are wrong, such as a clause
// that occurs twice.
func Parse(tokens []scan.Token) (ast.Statement, error) {
	l := lexerOf(tokens)
	defer l.free()
	tree, err := l.parse()
	if err != nil {
		return nil, stumbleOf(err)
	}
	var b builder
	st := tree.tree(&b)
	if b.err != nil {
		return nil, b.err
	}
	return st, nil
}

// newTokenLexer returns a tokenLexer with room for n tokens.
func newTokenLexer(n int) *tokenLexer {
	lex, err := lexer.Upgrade(&emptyTokens{n})
	if err != nil {
		panic(fmt.Sprintf("lang: %v", err)) // Unreachable: emptyTokens has no errors.
	}
	return &tokenLexer{lex: lex, start: lex.MakeCheckpoint(), tokens: lex.Range(0, lexer.RawCursor(n))}
}

// free clears the tokens of l and returns l to the pool. The caller must not
// use l after that.
func (l *tokenLexer) free() {
	clear(l.tokens[:l.used])
	tokenLexers.Put(l)
}

// emptyTokens is a source of n empty tokens. lexerOf later copies real tokens
// over them.
type emptyTokens struct{ n int }

func (e *emptyTokens) Next() (lexer.Token, error) {
	if e.n--; e.n == 0 {
		return lexer.Token{Type: lexer.EOF}, nil
	}
	return lexer.Token{}, nil
}
