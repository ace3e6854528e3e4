package scan

// The values of State.Open: the sign of what a text leaves open at its end.
// openBracket is used only if nothing else is open.
const (
	OpenString  = "'"
	OpenName    = `"`
	OpenComment = "*"
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
	s := New(src, "")
	st := State{Empty: true}
	for s.Next() {
		if len(s.Tokens) > 1 || len(s.Errs) > 0 {
			st.Empty = false
		}
		st.Complete, st.Open = s.Ended, s.Open
		if !s.Ended && st.Open == "" && s.nesting > 0 {
			st.Open = openBracket
		}
	}
	return st
}
