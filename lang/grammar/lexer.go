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

// symbols maps the names that the grammar's tags use to the kinds of token.
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

// Stumble is the error of tokens that the grammar does not accept.
type Stumble struct {
	Offset int        // of the first token that it does not accept
	Why    *ast.Error // what is wrong, if the grammar knows; otherwise nil
}

func (s *Stumble) Error() string { return fmt.Sprintf("no statement from byte %d on", s.Offset) }

// stumbleOf converts err, an error of the grammar.
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

// Parse parses the tokens of a statement, with its end. The error is a
// *stumble if the grammar does not accept the tokens, and an *ast.Error if they
// contradict each other, as a clause that occurs twice.
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
