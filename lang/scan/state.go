package scan

// The values of State.Open: a sign for the construct that a text leaves open at
// its end. openBracket is used only if no other construct is open.
const (
	OpenString  = "'"
	OpenName    = `"`
	OpenComment = "*"
	openBracket = "("
)

// State is how complete a typed text is: whether a prompt can run it or must
// wait for more lines.
type State struct {
	// Empty reports whether the text has only blanks and comments, and thus
	// nothing to run.
	Empty bool
	// Complete reports whether the last statement has its ; and only blanks and
	// comments come after the ;.
	Complete bool
	// Open is a sign for the construct that is still open at the end of the text:
	// ' or " for quotes, * for a comment, ( for brackets, "" for none.
	Open string
}

// Complete returns whether src can be run or needs more lines. A ; in quotes or
// in a comment does not end a statement. A ; in brackets does, because no
// statement has a ; in brackets.
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
