// Package lang parses the query language. It converts source text to the trees
// of lang/ast, and reports each fault with its place and a remedy. It also
// completes, colours and formats source text. It knows only the grammar: which
// relations, columns, functions and settings exist is decided by the packages
// that run the statements.
//
// # How a source becomes a tree
//
//	source ── scan ──> tokens ── grammar ──> ast.Statement
//	                     └────── fault ────> ast.Error, if the grammar stumbles
//
// Package cursor reads a source that is still being typed. Other packages use
// these packages through package lang.
package lang

import (
	"cmp"
	"errors"
	"iter"
	"slices"

	"infomall/lang/ast"
	"infomall/lang/fault"
	"infomall/lang/grammar"
	"infomall/lang/scan"
)

// errorsMax is the number of faults after which Parse stops. Nobody reads more.
const errorsMax = 100

// Parse parses a whole source and returns the statements that have no fault. If
// any statement has a fault (an error of the writer), the error is an Errors
// with the faults of all statements; after errorsMax faults Parse stops.
// filename comes before each place in messages and may be "".
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

// ParseOne parses a source and returns its only statement. It returns an error
// if the source has a fault, no statement, or more than one.
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

// Statements yields the statements of a source in order. For a statement with
// faults it yields a nil statement with an Errors, and continues after the
// semicolon. filename comes before each place in messages and may be "".
func Statements(src, filename string) iter.Seq2[ast.Statement, error] {
	return statements(src, filename, hintOf)
}

// statements yields what Statements yields. If a fault has no hint, hint returns one for the
// tokens of the statement.
func statements(src, filename string, hint func([]scan.Token) string) iter.Seq2[ast.Statement, error] {
	return func(yield func(ast.Statement, error) bool) {
		if e := scan.Check(src, filename); e != nil {
			yield(nil, Errors{e})
			return
		}
		s := scan.New(src, filename)
		for s.Next() {
			if len(s.Tokens) == 1 && len(s.Errs) == 0 {
				continue // nothing before the ;
			}
			st, faults := parse(src, s, hint)
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

// parse parses the statement that s, a scanner of src, has scanned last. It returns
// either the statement or its faults. A fault without a hint gets the hint that the
// function hint returns for the tokens of the statement.
func parse(src string, s *scan.Scanner, hint func([]scan.Token) string) (ast.Statement, Errors) {
	if s.Fatal {
		return nil, s.Errs
	}
	st, err := grammar.Parse(s.Tokens)
	var stop *grammar.Stumble
	if !errors.As(err, &stop) {
		if e, ok := err.(*ast.Error); ok {
			s.Errs = append(s.Errs, e)
		}
		if len(s.Errs) == 0 {
			return st, nil
		}
		return nil, sorted(s.Errs)
	}
	e := fault.Explain(src, s.Tokens, stop)
	if e.Hint == "" {
		e.Hint = hint(s.Tokens)
	}
	// The grammar may stumble over a token that the scanner guessed after a
	// fault. Report only the kind of fault that comes first in the source.
	if len(s.Errs) == 0 || e.Start.Offset < s.Errs[0].Start.Offset {
		return nil, Errors{e}
	}
	return nil, sorted(s.Errs)
}

func sorted(es []*ast.Error) Errors {
	slices.SortStableFunc(es, func(a, b *ast.Error) int { return cmp.Compare(a.Start.Offset, b.Start.Offset) })
	return es
}
