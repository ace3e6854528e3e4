package lang

// The values of State.Open: the sign of what a text leaves open at its end.
// openBracket is used only if nothing else is open.
const (
	openString  = "'"
	openName    = `"`
	openComment = "*"
	openBracket = "("
)

// State says how complete a typed text is.
type State struct {
	// Empty: there is nothing to run, only blanks and comments.
	Empty bool
	// Complete: the last statement has its ; and nothing but blanks and
	// comments come after it.
	Complete bool
	// Open is the sign of what is still open at the end: ' or " for quotes, *
	// for a comment, ( for brackets, "" for nothing.
	Open string
}

// Complete reports whether src can be run or needs more lines. A ; in quotes or
// in a comment does not end a statement. A ; in brackets does, because no
// statement has one there.
func Complete(src string) State {
	s := newScanner(src, "")
	st := State{Empty: true}
	for s.next() {
		if len(s.tokens) > 1 || len(s.errs) > 0 {
			st.Empty = false
		}
		st.Complete, st.Open = s.ended, s.open
		if !s.ended && st.Open == "" && s.nesting > 0 {
			st.Open = openBracket
		}
	}
	return st
}
