// Package lang parses the query language. It converts source text to the trees
// of lang/ast, and reports each fault with its place and a remedy. It also
// completes, colours and formats source text. It knows only the grammar: which
// relations, columns, functions and settings exist is decided by the packages
// that run the statements.
//
// # How a source becomes a tree
//
//	source ── scanner ──> tokens ── participle, parser ──> …Syntax structs ── method tree ──> ast.Statement
//	scan.go               token.go  grammar.go, expr.go    import.go, …                      lang/ast
//
// A statement is declared in one file: its syntax, its method tree and its text
// in HELP. The list statements has all of them.
//
// # Words
//
//	word      a word of the language, reserved (never a name) or not
//	fault     an error of the writer, with its place; see ast.Error
//	hint      what to write instead, shown beside the fault
//	probe     to parse a changed statement again, to learn what the grammar accepts
//	period    a time literal, such as 2008-06, which means the whole month
//	moment    an expression that gives a time
package lang

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
)

// Errors are the faults of a source, in order of place. There is at least one.
type Errors []*ast.Error

// Error returns the messages of all faults, one per line.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the single faults, for errors.As.
func (es Errors) Unwrap() []error {
	out := make([]error, len(es))
	for i, e := range es {
		out[i] = e
	}
	return out
}

// errorsMax bounds how many faults Parse collects. Nobody reads more.
const errorsMax = 100

// Parse parses a whole source. filename precedes places in messages and may be
// "". It returns the statements that have no fault. If any statement has one,
// the error is an Errors with the faults of all statements.
func Parse(src, filename string) ([]ast.Statement, error) {
	var list []ast.Statement
	var faults Errors
	for st, err := range Statements(src, filename) {
		var es Errors
		if !errors.As(err, &es) {
			list = append(list, st)
			continue
		}
		faults = append(faults, es...)
		if len(faults) >= errorsMax {
			break
		}
	}
	if len(faults) > 0 {
		return list, faults
	}
	return list, nil
}

// ParseOne parses a source with exactly one statement.
func ParseOne(src, filename string) (ast.Statement, error) {
	list, err := Parse(src, filename)
	if err != nil {
		return nil, err
	}
	switch len(list) {
	case 0:
		return nil, Errors{{Msg: "there is no statement"}}
	case 1:
		return list[0], nil
	}
	return nil, Errors{ast.Errorf(list[1].At(), "a second statement where one is wanted")}
}

// Statements parses a source statement by statement. For a statement with
// faults it yields an Errors and continues after the semicolon.
func Statements(src, filename string) iter.Seq2[ast.Statement, error] {
	return func(yield func(ast.Statement, error) bool) {
		if e := checkSource(src, filename); e != nil {
			yield(nil, Errors{e})
			return
		}
		s := newScanner(src, filename)
		for s.next() {
			if len(s.tokens) == 1 && len(s.errs) == 0 {
				continue // nothing before the ;
			}
			st, faults := s.parse()
			if len(faults) > 0 {
				if !yield(nil, faults) {
					return
				}
			} else if !yield(st, nil) {
				return
			}
		}
	}
}

// checkSource returns an error for a source that is too large or not UTF-8,
// else nil.
func checkSource(src, filename string) *ast.Error {
	start := ast.Pos{Filename: filename, Line: 1, Column: 1}
	if len(src) > scriptBytesMax {
		return &ast.Error{
			Span: ast.Span{Start: start, End: start},
			Msg:  fmt.Sprintf("script of %d bytes", len(src)),
			Hint: fmt.Sprintf("at most %d MB; cut it into several", scriptBytesMax>>20),
		}
	}
	if utf8.ValidString(src) {
		return nil
	}
	good := strings.ToValidUTF8(src, "\xff") // each fault begins with a byte that UTF-8 never has
	bad := strings.IndexByte(good, 0xff)
	pos := lexer.Position(start)
	pos.Advance(src[:bad])
	at := ast.Pos(pos)
	return &ast.Error{
		Span: ast.Span{Start: at, End: at},
		Msg:  fmt.Sprintf("byte 0x%02x is not UTF-8", src[bad]),
		Hint: "save the script as UTF-8",
	}
}

// parse parses the statement that was scanned last. It returns the statement or
// its faults.
func (s *scanner) parse() (ast.Statement, Errors) {
	if s.fatal {
		return nil, s.errs
	}
	l := lexerOf(s.tokens)
	defer l.free()
	tree, err := l.parse()
	if err == nil {
		var b builder
		st := tree.tree(&b)
		if b.err == nil && len(s.errs) == 0 {
			return st, nil
		}
		if b.err != nil {
			s.errs = append(s.errs, b.err)
		}
		return nil, sorted(s.errs)
	}
	e := s.explain(err)
	// What the scanner has guessed at the place of a fault may be what the
	// grammar stumbles over, so only the first of the two kinds is told.
	if len(s.errs) == 0 || e.Start.Offset < s.errs[0].Start.Offset {
		return nil, Errors{e}
	}
	return nil, sorted(s.errs)
}

func sorted(es []*ast.Error) Errors {
	slices.SortStableFunc(es, func(a, b *ast.Error) int { return cmp.Compare(a.Start.Offset, b.Start.Offset) })
	return es
}
