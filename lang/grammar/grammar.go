// Package grammar reads tokens as trees: what a statement looks like, in one
// place each.
//
// A statement is declared in the file of its family: the struct whose tags
// participle reads, the method that makes its tree, and its text in HELP. The
// list statements has all of them, one a line. Dispatch by first words, the words
// of completion and of messages, the topics of HELP and the names that completion
// offers come from that list and from the tags. Queries, expressions, time
// clauses and lists in brackets are read token by token by a parser, because
// participle would take too long and too much stack for them.
//
// A new statement is one file here, one in lang/ast and one line of the list. If
// its first word begins other statements too, it comes before those with a
// shorter beginning.
//
//	tokens ── participle, parser ──> …Syntax structs ── method tree ──> ast.Statement
//	scan      grammar.go, expr.go    import.go, …        build.go       lang/ast
//
// # Words
//
//	syntax    a statement as participle has read it
//	builder   what the methods tree report faults to that the grammar cannot express
//	probe     to parse a changed statement again, to learn what the grammar accepts
//	stumble   the place where the grammar accepts no more
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

// statement describes one kind of statement: how it begins, how participle reads
// it and what HELP prints. The struct tags, of which participle makes a parser,
// also tell the words of the statement and what completion offers in it.
type statement struct {
	begins []string // its first words, such as "MERGE POOL" and "SEAL POOL"
	topics []topic  // its texts in HELP
	tags   reflect.Type

	// parse reads the tokens up to the end; those of a nesting up to the inner
	// statement.
	parse func(lex *lexer.PeekingLexer) (syntax, error)

	outside []string // the statements that do not accept it inside, of EXPLAIN and SCHEDULE
	yields  bool     // it is not tried where a longer beginning fits: SHOW does not read SHOW PAGE
	late    bool     // messages name its words after those of time clauses, such as AT and AS
}

// notBelow makes s a statement that EXPLAIN, SCHEDULE or both do not accept.
func (s *statement) notBelow(outer ...string) *statement {
	s.outside = outer
	return s
}

// yielding makes s a statement that is not tried where a longer beginning fits.
func (s *statement) yielding() *statement {
	s.yields = true
	return s
}

// timeFirst makes s a statement whose words messages name after those of time
// clauses, such as AT and AS.
func (s *statement) timeFirst() *statement {
	s.late = true
	return s
}

// syntax is a statement as participle has read it. It lives for one statement.
//
// A word in quotes in a tag is a word of the language, in upper or lower case.
// Clauses that may come in any order are a repeated choice, and tree reports a
// clause that occurs twice. The tag names says what completion offers where the
// field is typed: one of the words in package cursor, such as pool.
type syntax interface {
	// tree returns the tree of the statement. It reports to b what the grammar
	// cannot express.
	tree(b *builder) ast.Statement
}

// nesting is the syntax of a statement that ends with another statement.
type nesting interface {
	syntax
	// nest sets the other statement, and the tokens of both.
	nest(inner syntax, tokens []lexer.Token)
}

// nested is the part of each nesting that has the other statement.
type nested struct {
	source
	inner syntax
}

func (n *nested) nest(inner syntax, tokens []lexer.Token) {
	n.inner, n.Tokens = inner, tokens
}

// source is the part of each syntax that has its tokens. Participle sets them.
type source struct{ Tokens []lexer.Token }

func (s *source) span() ast.Span { return scan.SpanOfAll(s.Tokens) }

// of returns the statement that participle reads into a T. begins are its first
// words, one or two, separated by commas if there are several.
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
			participle.ParseTypeWith(parseExpr),
			participle.ParseTypeWith(parseTime),
			participle.ParseTypeWith(parseMoment),
			participle.ParseTypeWith(parseConstant),
			participle.ParseTypeWith(parseArguments),
			participle.ParseTypeWith(parseNames),
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

// lookahead is how many tokens the grammar may read before it must choose a
// branch. With one, an error would be reported at the comma before the real
// place.
const lookahead = 2

// moment is an expression that gives a time; constant is an expression that
// gives a value of SET. They are separate types so that each has its own
// parser.
type (
	moment   interface{ ast.Expr }
	constant interface{ ast.Expr }
)

// start is a beginning of a statement: its first word is the key in starts.
type start struct {
	second string // its second word, or "" if any may follow
	*statement
}

// starts maps the first word of statements to their beginnings, in the order of
// the list.
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

// FirstWords returns the words that begin a statement.
func FirstWords() []string { return slices.Collect(maps.Keys(starts())) }

// SecondWords returns the words that follow a first word, such as PAGE after
// SHOW, in statements whose beginning has two words.
func SecondWords(first string) (list []string) {
	for _, s := range starts()[first] {
		if s.second != "" {
			list = append(list, s.second)
		}
	}
	return list
}

// startsAt returns the beginnings that fit two tokens. known reports whether the
// first one begins a statement at all.
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

// parseStatement parses a statement, up to the end. outer is the first word of
// the statement that contains it, EXPLAIN or SCHEDULE, or "".
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
		// Of several errors, the one that participle got furthest with counts, and
		// beyond the lookahead there is no other way.
		if read := lex.Cursor() - here.Cursor(); read >= deepest {
			failed, deepest = err, read
		}
		if deepest > lookahead {
			break
		}
	}
	return nil, failed
}

// parseWhole parses a statement, and the one inside it.
func (s *statement) parseWhole(lex *lexer.PeekingLexer) (syntax, error) {
	from := lex.RawCursor()
	tree, err := s.parse(lex)
	if err != nil {
		return nil, err
	}
	if outer, ok := tree.(nesting); ok {
		inner, err := parseStatement(lex, s.begins[0])
		if err != nil {
			return nil, err
		}
		outer.nest(inner, lex.Range(from, lex.RawCursor()))
	}
	return tree, nil
}
