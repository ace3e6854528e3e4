package lang

// What the end of a text may leave open, by the sign that a prompt shows.
// A bracket is told only where nothing else is open.
const (
	openString  = "'"
	openName    = `"`
	openComment = "*"
	openBracket = "("
)

// State tells how far typed text has come.
type State struct {
	// Empty: there is nothing to run, only blanks and comments.
	Empty bool
	// Complete: the last statement has its ; and nothing but blanks and
	// comments come after it.
	Complete bool
	// Open is the sign of what is still open: ' or " for quotes, * for a
	// comment, ( for brackets, "" for nothing.
	Open string
}

// Complete tells whether src is worth running or wants more lines. A ; within
// quotes or comments does not end a statement; one within brackets does,
// because no statement has one there.
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
