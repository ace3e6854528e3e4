package lang

// Open is what the end of a text left open.
type Open uint8

// What may be open. OpenBracket is told only where nothing else is.
const (
	OpenNothing Open = iota
	OpenString       // '…
	OpenName         // "…
	OpenComment      // /* …
	OpenBracket      // (
)

// State tells how far typed text has come.
type State struct {
	// Empty: there is nothing to run, only blanks and comments.
	Empty bool
	// Ended: the last statement has its ; and nothing but blanks and comments
	// come after it.
	Ended bool
	// Open is what is still open in a statement that has not ended.
	Open Open
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
		st.Ended, st.Open = s.ended, s.open
		if !s.ended && st.Open == OpenNothing && s.nesting > 0 {
			st.Open = OpenBracket
		}
	}
	return st
}
