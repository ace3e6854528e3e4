package scan

import "strings"

// Comments returns the comments between two offsets of src, none of which is
// inside a token: the offset of the first byte of each, and that after the last.
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

// OpenQuote returns the offset of the quote that src leaves open. tokens are the
// tokens before it.
func OpenQuote(src string, tokens []Token) int {
	s := &Scanner{src: src, pos: endOfAll(tokens), line: 1, col: 1}
	s.skipBlanks()
	return min(s.pos, len(src)-1)
}

// InLineComment reports whether src ends inside a -- comment. tokens are the
// tokens of src.
func InLineComment(src string, tokens []Token) bool {
	tail := src[endOfAll(tokens):]
	return strings.Contains(tail[strings.LastIndexByte(tail, '\n')+1:], "--")
}

// endOfAll returns the offset after the last of tokens, or 0 if there is none.
func endOfAll(tokens []Token) int {
	if len(tokens) == 0 {
		return 0
	}
	return EndOf(&tokens[len(tokens)-1]).Offset
}
