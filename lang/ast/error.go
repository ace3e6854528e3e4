package ast

import "fmt"

// Error is a fault of a statement, with its place. It is what the parser, the
// planner and the operators return for anything the writer of the statement
// can mend. lang.Render shows it with the source line and a caret.
type Error struct {
	Span
	Msg  string // what was found and what was wanted, without the place
	Hint string // what to write instead, such as "did you mean title?"; or ""
}

// Error gives place and message in one line: june.iql:2:7: no column "tittle"
// in relation versions (did you mean title?).
func (e *Error) Error() string {
	s := e.Msg
	if e.Hint != "" {
		s += " (" + e.Hint + ")"
	}
	p := e.Start
	if p.Line == 0 {
		return s
	}
	if p.Filename == "" {
		return fmt.Sprintf("%d:%d: %s", p.Line, p.Column, s)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.Filename, p.Line, p.Column, s)
}

// Errorf makes an Error at n.
func Errorf(n interface{ At() Span }, format string, args ...any) *Error {
	return &Error{Span: n.At(), Msg: fmt.Sprintf(format, args...)}
}
