// Package fault says what is wrong with a statement and what was meant. It knows
// what is common in other query languages and not in this one, and finds out by
// probing what would have been right.
//
// # Words
//
//	fault     an error of the writer, with its place; see ast.Error
//	hint      what to write instead, shown beside the fault
//	class     a group of alternatives with one name, such as "a time clause"
package fault

import (
	"strings"

	"infomall/lang/ast"
)

// Errors are the faults (errors of the writer) in a source, in order of place.
// The list is never empty.
type Errors []*ast.Error

// Error returns the messages of all faults, one per line.
func (es Errors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns each fault as an error, so that errors.As finds it.
func (es Errors) Unwrap() []error {
	out := make([]error, len(es))
	for i, e := range es {
		out[i] = e
	}
	return out
}
