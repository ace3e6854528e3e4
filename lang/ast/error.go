package ast

import "fmt"

// Error is an error in a statement, with its position. The parser, the planner
// and the operators return an Error if the author of the statement can correct
// it. lang.Render shows an Error with the source line and a caret.
type Error struct {
	Span
	Msg  string // what was found and what was expected, without the position
	Hint string // what to write instead, such as "did you mean title?"; or ""
}

// Error returns the position, the message and the hint in one line, such as
// june.iql:2:7: no column "tittle" in relation versions (did you mean title?).
// It leaves out the position if the line is 0, and the hint if it is "".
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

// Errorf returns an Error with the span of n, a formatted message and no hint.
func Errorf(n interface{ At() Span }, format string, args ...any) *Error {
	return &Error{Span: n.At(), Msg: fmt.Sprintf(format, args...)}
}
