// Package lang reads the query language: it turns source text into the trees
// of lang/ast and tells its faults with their places and their remedies. It
// knows the grammar only. Which relations, columns, functions and settings
// there are is left to those who run the statements.
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

// Errors are the faults of a source in order of place. There is at least one.
type Errors []*ast.Error

// Error gives one line for each.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the single errors to errors.As.
func (es Errors) Unwrap() []error {
	out := make([]error, len(es))
	for i, e := range es {
		out[i] = e
	}
	return out
}

// errorsMax bounds what Parse collects: nobody reads more.
const errorsMax = 100

// Parse reads a whole source. The filename stands before places in messages
// and may be "". Where the error is not nil it is an Errors with the faults of
// all statements, and the statements are those without one.
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

// ParseOne reads a source that holds just one statement.
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

// Statements reads a source statement by statement. For one with faults it
// yields an Errors and goes on after its semicolon.
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

// checkSource refuses what is not worth scanning.
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
	good := strings.ToValidUTF8(src, "\xff") // each fault begins with a byte that no text has
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

// parse reads the statement that was scanned last.
func (s *scanner) parse() (ast.Statement, Errors) {
	if s.fatal {
		return nil, s.errs
	}
	l := lexerOf(s.tokens)
	defer l.free()
	tree, err := l.parseStart(), error(nil)
	if tree == nil {
		tree, err = l.parse()
	}
	if err == nil {
		var b builder
		st := b.statement(tree)
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
