package repl

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"infomall/exec"
	"infomall/lang"
	"infomall/lang/ast"
)

// script is a parsed text of statements.
type script struct {
	name   string // name in error messages
	text   string
	steps  []step
	silent bool // its results are not shown
	file   bool // it was read from a file, so its statements are shown on a terminal
	echoed int  // the offset in text up to which its statements were shown
}

// step is one statement of a script, or syntax errors at the place of a
// statement.
type step struct {
	script    *script
	statement ast.Statement // nil if there are faults
	faults    error         // the syntax errors; nil if there are none
}

// readDepthMax is the maximum number of scripts inside each other, by .read and
// RUN.
const readDepthMax = exec.RunDepthMax

// parseScript returns the script that text contains; name is its name in
// messages. The statements of a file replace a line .read FILE between
// statements.
func parseScript(name, text string) *script { return parseWithin(name, text, nil) }

// parseWithin parses the text of a script like parseScript. within has the
// names of the scripts that are reading this script by .read, the outermost
// first.
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

// startOf returns the offset in bytes at which the statement st begins. If err
// has syntax errors, it returns the offset of the first of them, and st may be
// nil.
func startOf(st ast.Statement, err error) int {
	var faults lang.Errors
	if errors.As(err, &faults) {
		return faults[0].Start.Offset
	}
	return st.At().Start.Offset
}

// readLine is a line of a script that begins with a dot. The field from is the
// offset of its first byte in the script, and the field to is the offset of the
// byte after its last one.
type readLine struct {
	from, to int
	line     int // from 1
	text     string
}

// byteOrderMark is what some editors write before the first line of a file.
const byteOrderMark = "\ufeff"

// splitReads returns the lines between statements that begin with a dot, and
// the text with blanks in place of these lines. All positions in the text stay
// the same.
func splitReads(text string) (statements string, lines []readLine) {
	if !strings.HasPrefix(strings.TrimPrefix(text, byteOrderMark), ".") && !strings.Contains(text, "\n.") {
		return text, nil
	}
	blank := []byte(text)
	begun := 0 // start of the current statement
	from, number := 0, 0
	for line := range strings.Lines(text) {
		number++
		at := from
		from += len(line)
		if bare, ok := strings.CutPrefix(line, byteOrderMark); ok && at == 0 {
			line, at, begun = bare, len(byteOrderMark), len(byteOrderMark)
		}
		if !strings.HasPrefix(line, ".") {
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

// read returns the statements of the file that l, a line .read FILE of s,
// names. within is as in parseWithin. If the file cannot be read, read returns
// a single step with an error instead of a statement.
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
		return fault("write .read FILE", ".read needs a file")
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
	inner.silent, inner.file = s.silent, true
	return inner.steps
}

// sameFile reports whether the file names a and b mean the same file. It
// returns false if one of the files does not exist.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false // the name is that of -c or stdin, not of a file
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// whole reports whether the script has no syntax errors.
func (s *script) whole() bool {
	return !slices.ContainsFunc(s.steps, func(st step) bool { return st.faults != nil })
}

// readScript reads and parses the script in the file name. The file name -
// means stdin.
func readScript(name string, stdin io.Reader) (*script, error) {
	text, err := scriptText(name, stdin)
	if errors.Is(err, fs.ErrNotExist) && strings.Contains(name, " ") {
		return nil, fmt.Errorf("%w; a statement is given by -c, as in infomall -c 'SHOW POOLS'", err)
	}
	if err != nil {
		return nil, err
	}
	if name == "-" {
		return parseScript("stdin", text), nil
	}
	s := parseScript(name, text)
	s.file = true
	return s, nil
}

// scriptText returns the text of the script in the file name. The file name -
// means stdin.
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

// readFile returns the text of the script in the file name.
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

// readText returns the text of a script. It reads at most one byte more than a
// script may have, so that the parser then reports a script that is too long.
func readText(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, lang.ScriptBytesMax+1))
	return string(b), err
}
