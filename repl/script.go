package repl

import (
	"fmt"
	"io"
	"os"
	"slices"

	"infomall/lang"
	"infomall/lang/ast"
)

// script is a text to run, read and parsed.
type script struct {
	name   string // as errors name it
	text   string
	steps  []step
	silent bool // its results are not shown
}

// step is one statement of a script, or the syntax errors in the place of one.
type step struct {
	script    *script
	statement ast.Statement // nil for faults
	faults    error
}

// scriptBytesMax is the language's limit of a script.
const scriptBytesMax = 16 << 20

// parseScript parses text.
func parseScript(name, text string) *script {
	s := &script{name: name, text: text}
	for st, err := range lang.Statements(text, name) {
		s.steps = append(s.steps, step{script: s, statement: st, faults: err})
	}
	return s
}

// whole reports whether the script has no syntax errors.
func (s *script) whole() bool {
	return !slices.ContainsFunc(s.steps, func(st step) bool { return st.faults != nil })
}

// readScript reads and parses the script in a file, or on standard input if
// the name is -.
func readScript(name string, stdin io.Reader) (*script, error) {
	if name == "-" {
		text, err := readText(stdin)
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		return parseScript("stdin", text), nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	defer f.Close()
	text, err := readText(f)
	if err != nil {
		return nil, fmt.Errorf("read script: %w", err)
	}
	return parseScript(name, text), nil
}

// readText reads a script's text. Of one that is too long it reads just so
// much that the parser says so.
func readText(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, scriptBytesMax+1))
	return string(b), err
}
