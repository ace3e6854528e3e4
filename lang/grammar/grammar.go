// Package grammar parses the tokens of a statement into a tree. Each statement is
// declared in one place. The folder is a list: each family of statements has its own file.
//
// A statement is declared in the file of its family: the struct whose tags
// the library participle reads, the method that makes its tree, and its text in
// HELP. The list statements has all of them, one per line. That list and the tags
// also give the choice of the statement by its first words, the words of completion
// and of messages, the topics of HELP and the names that completion offers. The
// type parser reads queries, expressions, time clauses and lists in brackets token
// by token, because participle would take too long and too much stack for them.
//
// A new statement is one file here, one file in lang/ast and one line of the list.
// If other statements begin with the same word, a statement with a longer beginning
// comes before one with a shorter beginning.
//
//	tokens ── participle, parser ──> …Syntax structs ── method tree ──> ast.Statement
//	scan      grammar.go, expr.go    import.go, …        build.go       lang/ast
//
// # Words
//
//	syntax    a statement as participle has read it
//	builder   collects the faults that the methods tree find and tags cannot express
//	probe     to parse a changed statement again, to learn what the grammar accepts
//	stumble   the first place at which the grammar does not accept the next token
//	moment    an expression that gives a time
package grammar

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

// statement describes one kind of statement: how it begins, how participle
// reads it and what HELP prints. The struct tags from which participle makes a
// parser also give the words of the statement and the names that completion
// offers in it.
type statement struct {
	begins []string     // its first words, such as "MERGE POOL" and "SEAL POOL"
	topics []topic      // its texts in HELP
	tags   reflect.Type // the struct whose tags participle reads

	// parse reads the tokens of the statement up to their end. If the statement
	// contains another (see nesting), parse stops before the inner statement.
	parse func(lex *lexer.PeekingLexer) (syntax, error)

	outside []string // the statements, such as SCHEDULE, that must not contain it
	yields  bool     // it is not tried if a longer beginning fits: SHOW does not read SHOW PAGE
	late    bool     // messages name its words after the words of time clauses, such as AT and AS
}

// notBelow says that s may not come inside the given outer statements, such as
// SCHEDULE. It returns s.
func (s *statement) notBelow(outer ...string) *statement {
	s.outside = outer
	return s
}

// yielding says that s is not tried if a statement with a longer beginning
// fits: SHOW does not read SHOW PAGE. It returns s.
func (s *statement) yielding() *statement {
	s.yields = true
	return s
}

// timeFirst says that error messages name the words of s after the words of
// time clauses, such as AT and AS. It returns s.
func (s *statement) timeFirst() *statement {
	s.late = true
	return s
}

// syntax is a statement as participle has read it, before it becomes a tree of
// package ast.
//
// A word in quotes in a tag is a word of the language, in upper or lower case.
// Clauses that may come in any order are a repeated choice, and the method tree
// reports a clause that occurs twice. The tag names says what completion offers
// at the place of the field: a word of package cursor, such as pool.
type syntax interface {
	// tree returns the tree of the statement. It reports to b the faults that
	// tags cannot express, such as a clause that occurs twice.
	tree(b *builder) ast.Statement
}

// nesting is the syntax of a statement that ends, or may end, with another
// statement, such as EXPLAIN.
type nesting interface {
	syntax
	// nests reports whether an inner statement follows. If not, nest is not called.
	nests() bool
	// nest sets the inner statement, and the tokens of both statements.
	nest(inner syntax, tokens []lexer.Token)
}

// nested is embedded in each nesting, and has the inner statement.
type nested struct {
	source
	inner syntax
}

func (n *nested) nests() bool { return true }

func (n *nested) nest(inner syntax, tokens []lexer.Token) {
	n.inner, n.Tokens = inner, tokens
}

// source is embedded in each syntax, and has the tokens of the statement or
// clause. Participle sets Tokens.
type source struct{ Tokens []lexer.Token }

func (s *source) span() ast.Span { return scan.SpanOfAll(s.Tokens) }

// of returns a new statement whose syntax is the struct T; participle makes the
// parser from the tags of T. begins has the first words of the statement, one
// or two, such as "EXPORT" or "SHOW PAGE". Several beginnings are separated by
// commas.
func of[T any, P interface {
	*T
	syntax
}](begins string, topics ...topic) *statement {
	_, nests := any(P(nil)).(nesting)
	parser := sync.OnceValue(func() *participle.Parser[T] {
		return participle.MustBuild[T](
			participle.Lexer(definition{}),
			participle.CaseInsensitive("Ident"),
			participle.UseLookahead(lookahead),
			participle.ParseTypeWith(parseQuery),
			participle.ParseTypeWith(parseSummarized),
			participle.ParseTypeWith(parseExported),
			participle.ParseTypeWith(parseItems),
			participle.ParseTypeWith(parseExpr),
			participle.ParseTypeWith(parseTime),
			participle.ParseTypeWith(parseRange),
			participle.ParseTypeWith(parseMoment),
			participle.ParseTypeWith(parseConstant),
			participle.ParseTypeWith(parseArguments),
			participle.ParseTypeWith(parseNames),
			participle.ParseTypeWith(parseKey),
		)
	})
	return &statement{
		begins: strings.Split(begins, ", "), topics: topics, tags: reflect.TypeFor[T](),
		parse: func(lex *lexer.PeekingLexer) (syntax, error) {
			if nests {
				tree, err := parser().ParseFromLexer(lex, participle.AllowTrailing(true))
				return P(tree), err
			}
			tree, err := parser().ParseFromLexer(lex)
			return P(tree), err
		},
	}
}

// lookahead is how many tokens participle may read before it must choose a
// branch. With 1, it would report an error at the comma before the real place.
const lookahead = 2

// moment is an expression that gives a time, such as NOW - 7d. constant is the
// value in SET or in an argument of RUN. They are separate types because
// participle chooses the parser of a field by its type.
type (
	moment   interface{ ast.Expr }
	constant interface{ ast.Expr }
)

// start is one way in which a statement begins. The map starts has the first
// word as its key.
type start struct {
	second string // the second word, or "" if any token may follow the first
	*statement
}

// starts returns a map from the first word of statements to all beginnings with
// that word, in the order of the list statements.
var starts = sync.OnceValue(func() map[string][]start {
	by := make(map[string][]start)
	for _, s := range statements {
		for _, words := range s.begins {
			first, second, _ := strings.Cut(words, " ")
			by[first] = append(by[first], start{second, s})
		}
	}
	return by
})

// FirstWords returns the words that begin a statement, such as "SELECT", in no
// particular order.
func FirstWords() []string { return slices.Collect(maps.Keys(starts())) }

// SecondWords returns the second words of the statements that begin with the
// word first and one more word, such as PAGE for SHOW.
func SecondWords(first string) (list []string) {
	for _, s := range starts()[first] {
		if s.second != "" {
			list = append(list, s.second)
		}
	}
	return list
}

// startsAt returns the beginnings of statements that fit the first two tokens
// of a statement. known reports whether any statement begins with the token
// first.
func startsAt(first, second *lexer.Token) (fit []start, known bool) {
	if !scan.IsWordToken(first) {
		return nil, false
	}
	all := starts()[scan.Upper(first.Value)]
	for _, s := range all {
		if s.second == "" && (len(fit) == 0 || !s.yields) || s.second != "" && scan.IsWord(second, s.second) {
			fit = append(fit, s)
		}
	}
	return fit, len(all) > 0
}

// parseStatement parses the rest of the tokens as one statement. outer is the
// first word of the statement that contains this statement, such as EXPLAIN, or ""
// if no statement does.
func parseStatement(lex *lexer.PeekingLexer, outer string) (syntax, error) {
	here := lex.MakeCheckpoint()
	first := lex.Next()
	second := lex.Peek()
	lex.LoadCheckpoint(here)
	fit, known := startsAt(first, second)
	if len(fit) == 0 && known {
		first = second
	}
	fit = slices.DeleteFunc(fit, func(s start) bool {
		return slices.Contains(s.outside, outer)
	})
	if len(fit) == 0 {
		return nil, &participle.UnexpectedTokenError{Unexpected: *first}
	}
	var failed error
	deepest := 0
	for _, s := range fit {
		lex.LoadCheckpoint(here)
		tree, err := s.parseWhole(lex)
		if err == nil {
			return tree, nil
		}
		// Return the error of the attempt that read most tokens. An attempt that
		// read more than lookahead tokens is the only possible one.
		if read := lex.Cursor() - here.Cursor(); read >= deepest {
			failed, deepest = err, read
		}
		if deepest > lookahead {
			break
		}
	}
	return nil, failed
}

// parseWhole parses a statement of kind s. If a statement of this kind ends with an inner
// statement, as EXPLAIN does, parseWhole parses the inner statement too.
func (s *statement) parseWhole(lex *lexer.PeekingLexer) (syntax, error) {
	from := lex.RawCursor()
	tree, err := s.parse(lex)
	if err != nil {
		return nil, err
	}
	if outer, ok := tree.(nesting); ok {
		if !outer.nests() {
			if !lex.Peek().EOF() {
				return nil, &participle.UnexpectedTokenError{Unexpected: *lex.Peek()}
			}
			return tree, nil
		}
		inner, err := parseStatement(lex, s.begins[0])
		if err != nil {
			return nil, err
		}
		outer.nest(inner, lex.Range(from, lex.RawCursor()))
	}
	return tree, nil
}
