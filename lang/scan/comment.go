package scan

import "strings"

// Comments returns the comments of src between the offsets from and to, neither
// of which may be inside a token. Each element has two offsets: of the first
// byte of a comment, and of the byte after the comment.
func Comments(src string, from, to int) (list [][2]int) {
	s := &Scanner{src: src[:to], pos: from, line: 1, col: 1}
	for s.pos < to {
		start := s.pos
		switch {
		case s.peek(0) == '-' && s.peek(1) == '-', start == 0 && s.peek(0) == '#' && s.peek(1) == '!':
			s.skipLine()
		case s.peek(0) == '/' && s.peek(1) == '*':
			s.skipComment()
		default:
			s.pos++
			continue
		}
		list = append(list, [2]int{start, s.pos})
	}
	return list
}

// OpenQuote returns the offset of the opening quote of a string that src does not
// close. tokens are the tokens of the last statement of src, all before that quote.
func OpenQuote(src string, tokens []Token) int {
	s := &Scanner{src: src, pos: endOfAll(tokens), line: 1, col: 1}
	s.skipBlanks()
	return min(s.pos, len(src)-1)
}

// InLineComment reports whether src ends inside a -- comment. tokens are the
// tokens of the last statement of src.
func InLineComment(src string, tokens []Token) bool {
	tail := src[endOfAll(tokens):]
	return strings.Contains(tail[strings.LastIndexByte(tail, '\n')+1:], "--")
}

// endOfAll returns the offset after the last token of tokens, or 0 if tokens is
// empty.
func endOfAll(tokens []Token) int {
	if len(tokens) == 0 {
		return 0
	}
	return EndOf(&tokens[len(tokens)-1]).Offset
}
