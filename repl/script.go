package repl

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

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

// readDepthMax is how deep scripts may read others.
const readDepthMax = 20

// parseScript parses text. Between statements a line .read FILE stands for the
// statements of that file.
func parseScript(name, text string) *script { return parseWithin(name, text, nil) }

// parseWithin parses the text of a script that the ones in within are reading,
// the outermost first.
func parseWithin(name, text string, within []string) *script {
	s := &script{name: name, text: text}
	statements, reads := splitReads(text)
	for st, err := range lang.Statements(statements, name) {
		at := startOf(st, err)
		for len(reads) > 0 && reads[0].from < at {
			s.steps = append(s.steps, s.read(reads[0], within)...)
			reads = reads[1:]
		}
		s.steps = append(s.steps, step{script: s, statement: st, faults: err})
	}
	for _, r := range reads {
		s.steps = append(s.steps, s.read(r, within)...)
	}
	return s
}

// startOf is the byte at which a statement begins, or the first of its faults.
func startOf(st ast.Statement, err error) int {
	var faults lang.Errors
	if errors.As(err, &faults) {
		return faults[0].Start.Offset
	}
	return st.At().Start.Offset
}

// readLine is a line that begins with a dot, from byte from up to to.
type readLine struct {
	from, to int
	line     int // from 1
	text     string
}

// splitReads blanks the lines between statements that begin with a dot, so that
// all places stay, and lists them.
func splitReads(text string) (statements string, lines []readLine) {
	if !strings.HasPrefix(text, ".") && !strings.Contains(text, "\n.") {
		return text, nil
	}
	blank := []byte(text)
	begun := 0 // of the statement at hand
	from, number := 0, 0
	for line := range strings.Lines(text) {
		number++
		at := from
		from += len(line)
		if line[0] != '.' {
			continue
		}
		if state := lang.Complete(string(blank[begun:at])); state.Open != "" || !state.Empty && !state.Complete {
			continue // within a statement
		}
		line = strings.TrimRight(line, "\r\n")
		for i := range len(line) {
			blank[at+i] = ' '
		}
		lines = append(lines, readLine{from: at, to: at + len(line), line: number, text: line})
		begun = from
	}
	return string(blank), lines
}

// read gives the steps of a file that a line of s names. What is wrong is a step
// with a fault.
func (s *script) read(l readLine, within []string) []step {
	fault := func(hint, format string, args ...any) []step {
		e := &ast.Error{Msg: fmt.Sprintf(format, args...), Hint: hint}
		e.Start = ast.Pos{Filename: s.name, Offset: l.from, Line: l.line, Column: 1}
		e.End = ast.Pos{Filename: s.name, Offset: l.to, Line: l.line, Column: 1 + utf8.RuneCountInString(l.text)}
		return []step{{script: s, faults: lang.Errors{e}}}
	}
	command, name := dotArguments(l.text)
	if command != ".read" {
		if instead := foreignDots[command]; instead != "" {
			return fault(instead, "no command %s", command)
		}
		return fault("a script has statements, and .read FILE", "%s is for the prompt", command)
	}
	if name == "" {
		return fault("write .read FILE", ".read of no file")
	}
	within = append(slices.Clone(within), s.name)
	if slices.ContainsFunc(within, func(outer string) bool { return sameFile(outer, name) }) {
		return fault("", "%s is being read already: %s", name, strings.Join(append(within, name), ", "))
	}
	if len(within) >= readDepthMax {
		return fault("", "scripts read scripts %d deep", len(within))
	}
	text, err := readFile(name)
	if err != nil {
		return fault("", "%v", err)
	}
	inner := parseWithin(name, text, within)
	inner.silent = s.silent
	return inner.steps
}

// sameFile reports whether two names are of one file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false // -c and stdin are no files
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// whole reports whether the script has no syntax errors.
func (s *script) whole() bool {
	return !slices.ContainsFunc(s.steps, func(st step) bool { return st.faults != nil })
}

// readScript reads and parses the script in a file, or on standard input if
// the name is -.
func readScript(name string, stdin io.Reader) (*script, error) {
	text, err := scriptText(name, stdin)
	if err != nil {
		return nil, err
	}
	if name == "-" {
		name = "stdin"
	}
	return parseScript(name, text), nil
}

// scriptText reads the text of a script.
func scriptText(name string, stdin io.Reader) (string, error) {
	if name != "-" {
		return readFile(name)
	}
	text, err := readText(stdin)
	if err != nil {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	return text, nil
}

// readFile reads the text of a script.
func readFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("read script: %w", err)
	}
	defer f.Close()
	text, err := readText(f)
	if err != nil {
		return "", fmt.Errorf("read script: %w", err)
	}
	return text, nil
}

// readText reads a script's text. Of one that is too long it reads just so
// much that the parser says so.
func readText(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, scriptBytesMax+1))
	return string(b), err
}
