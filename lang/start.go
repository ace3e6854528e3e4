package lang

import (
	"fmt"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar tries its statements one after the other until one fits. Most are
// told by their first word, so that one is tried by itself before: a statement
// then costs the same wherever it stands in the grammar. What it does not read is
// left to the whole grammar, which also says what is wrong with it.

// startParser parses a whole statement of one kind.
type startParser func(*lexer.PeekingLexer) (*statementSyntax, error)

// starts maps the first word of a statement to the parser of that kind of
// statement.
var starts = sync.OnceValue(func() map[string]startParser {
	query := startsWith(func(s *deedSyntax) **queryStatementSyntax { return &s.Query })
	return map[string]startParser{
		"SELECT":   query,
		"WITH":     query,
		"IMPORT":   startsWith(func(s *deedSyntax) **importSyntax { return &s.Import }),
		"EXPORT":   startsWith(func(s *deedSyntax) **exportSyntax { return &s.Export }),
		"CRAWL":    startsWith(func(s *deedSyntax) **crawlSyntax { return &s.Crawl }),
		"TRACE":    startsWith(func(s *deedSyntax) **traceSyntax { return &s.Trace }),
		"VERIFY":   startsWith(func(s *deedSyntax) **verifySyntax { return &s.Verify }),
		"DELETE":   startsWith(func(s *deedSyntax) **deleteSyntax { return &s.Delete }),
		"CREATE":   startsWith(func(s *deedSyntax) **createSyntax { return &s.Create }),
		"SAVE":     startsWith(func(s *deedSyntax) **saveSyntax { return &s.Save }),
		"RUN":      startsWith(func(s *deedSyntax) **runSyntax { return &s.Run }),
		"PAGERANK": startsWith(func(s *deedSyntax) **pageRankSyntax { return &s.PageRank }),
		"DEDUP":    startsWith(func(s *deedSyntax) **dedupSyntax { return &s.Dedup }),
		"DESCRIBE": startsWith(func(s *deedSyntax) **describeSyntax { return &s.Describe }),
		"SHOW":     startsWith(func(s *deedSyntax) **showSyntax { return &s.Show }),
		"DIFF":     startsWith(func(s *deedSyntax) **diffSyntax { return &s.Diff }),
		"SET":      startsWith(func(s *deedSyntax) **setSyntax { return &s.Set }),
		"RESET":    startsWith(func(s *deedSyntax) **resetSyntax { return &s.Reset }),
		"HELP":     startsWith(func(s *deedSyntax) **helpSyntax { return &s.Help }),
	}
})

// startsWith returns the parser for one kind of statement. field returns the
// field of deedSyntax for that kind.
func startsWith[T any](field func(*deedSyntax) **T) startParser {
	p, err := participle.ParserForProduction[T](grammar())
	if err != nil {
		panic(fmt.Sprintf("lang: %v", err)) // Unreachable: the grammar has it.
	}
	return func(lex *lexer.PeekingLexer) (*statementSyntax, error) {
		tree, err := p.ParseFromLexer(lex)
		if err != nil {
			return nil, err
		}
		s := new(deedSyntax)
		*field(s) = tree
		return &statementSyntax{Deed: s}, nil
	}
}

// parseStart parses a statement whose kind is clear from its first word, also
// after EXPLAIN. It returns nil if the word is not in starts or the statement
// has a fault; then the whole grammar must parse it.
func (l *tokenLexer) parseStart() *statementSyntax {
	l.lex.LoadCheckpoint(l.start)
	first := l.lex.Peek()
	if !isWord(first, "EXPLAIN") {
		return startAt(l.lex)
	}
	explain := &explainSyntax{Tokens: l.tokens[:l.used-1]}
	l.lex.Next()
	if explain.Analyze = isWord(l.lex.Peek(), "ANALYZE"); explain.Analyze {
		l.lex.Next()
	}
	tree := startAt(l.lex)
	if tree == nil {
		return nil
	}
	explain.Deed = tree.Deed
	return &statementSyntax{Explain: explain}
}

// startAt parses a statement whose kind is clear from the next word, or returns
// nil.
func startAt(lex *lexer.PeekingLexer) *statementSyntax {
	first := lex.Peek()
	if !isWordToken(first) || len(first.Value) > startLenMax {
		return nil
	}
	start := starts()[upperASCII(first.Value)]
	if start == nil {
		return nil
	}
	tree, err := start(lex)
	if err != nil {
		return nil
	}
	return tree
}

// startLenMax is the length of the longest word in starts.
const startLenMax = len("PAGERANK")
