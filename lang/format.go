package lang

import (
	"slices"
	"strings"

	"infomall/lang/cells"
	"infomall/lang/cursor"
	"infomall/lang/grammar"
	"infomall/lang/scan"
)

// formatWidth is the width, in terminal cells, above which a statement on one
// line is broken at its clauses.
const formatWidth = 100

// Format lays out a source and returns the new text. Words of the language are
// in upper case, with one blank between words. Each statement begins on a new
// line. A line is indented by two blanks for each open bracket, and by two more
// if it continues the line before. The items of a SELECT are aligned below the
// first item.
//
// Line breaks inside statements and comments stay where the writer put them. A
// long statement without line breaks is broken at its clauses. Formatting the
// result again changes nothing.
//
// If src has faults, Format returns "" and the error of Parse. The name file
// comes before each place in the messages and may be "".
func Format(src, file string) (string, error) {
	if _, err := Parse(src, file); err != nil {
		return "", err
	}
	return layOut(src), nil
}

// wordsOf returns one bool for each token of a statement, at the same index: whether the token
// is a word of the language. A token that may also be a name counts as a word if the statement
// means the same with the token in upper case.
func wordsOf(tokens []scan.Token) []bool {
	is := make([]bool, len(tokens))
	doubtful := false
	upper := slices.Clone(tokens)
	for i := range tokens {
		if c, ok := cursor.ClassOf(tokens, i); ok && c == cursor.ClassWord {
			is[i] = true
			doubtful = doubtful || tokens[i].Type == scan.Ident
			upper[i].Value = strings.ToUpper(tokens[i].Value)
		}
	}
	if !doubtful {
		return is
	}
	means := meaning(tokens)
	if meaning(upper) == means {
		return is
	}
	for i := range tokens {
		if is[i] && tokens[i].Type == scan.Ident {
			one := slices.Clone(tokens)
			one[i].Value = upper[i].Value
			is[i] = len(tokens) <= grammar.ProbeTokensMax && meaning(one) == means
		}
	}
	return is
}

// meaning returns the canonical text of the statement that tokens make, or ""
// if the statement has a fault. Two statements with the same canonical text
// mean the same.
func meaning(tokens []scan.Token) string {
	st, err := grammar.Parse(tokens)
	if err != nil {
		return ""
	}
	return st.String()
}

// piece is a token or a comment of a source.
type piece struct {
	text    string
	token   *scan.Token // nil for a comment
	lines   int         // number of line ends between the piece before and this one
	joined  bool        // this piece directly follows the text before it
	comment bool
	end     bool // the piece is the semicolon, or the place where a semicolon is missing
	clause  bool // the piece begins a clause, such as WHERE
}

// isLine reports whether the piece is a comment that ends with its line.
func (p *piece) isLine() bool {
	return p.comment && !strings.HasPrefix(p.text, "/*")
}

// layOut returns the formatted text of src, a source that has no faults.
func layOut(src string) string {
	f := &formatter{}
	s := scan.New(src, "")
	done := 0
	for s.Next() {
		f.statement(piecesOf(src, done, s.Tokens))
		last := &s.Tokens[len(s.Tokens)-1]
		done = scan.StartOf(last).Offset + len(last.Value)
	}
	f.statement(appendGap(nil, src, done, len(src)))
	f.newLine(false)
	return f.String()
}

// piecesOf returns, in order of place, the tokens of one statement and the
// comments before and between them. The statement before ends at the offset
// from in src.
func piecesOf(src string, from int, tokens []scan.Token) []piece {
	var list []piece
	words := wordsOf(tokens)
	for i := range tokens {
		t := &tokens[i]
		start := scan.StartOf(t).Offset
		if t.Type == scan.EOF && t.Value == "" {
			if i > 0 {
				list = append(list, piece{text: ";", token: t, end: true, joined: true})
			}
			return list
		}
		list = appendGap(list, src, from, start)
		p := piece{text: src[start : start+len(t.Value)], token: t, end: t.Type == scan.EOF}
		gap := src[from:start]
		p.joined = gap == ""
		p.lines = strings.Count(gap[lastComment(gap):], "\n")
		if words[i] {
			p.text = strings.ToUpper(p.text)
		}
		p.clause = isClause(tokens, i)
		list = append(list, p)
		from = start + len(t.Value)
	}
	return list
}

// lastComment returns the offset in gap at which the last comment of gap ends,
// or 0 if gap has no comment. gap is the text between two tokens.
func lastComment(gap string) int {
	if list := scan.Comments(gap, 0, len(gap)); len(list) > 0 {
		return list[len(list)-1][1]
	}
	return 0
}

// appendGap appends one piece to list for each comment between the offsets from
// and to of src, and returns the longer list.
func appendGap(list []piece, src string, from, to int) []piece {
	for _, c := range scan.Comments(src, from, to) {
		list = append(list, piece{
			text: strings.TrimRight(src[c[0]:c[1]], " \t\r\n"), comment: true, lines: strings.Count(src[from:c[0]], "\n"),
		})
		from = c[1]
	}
	return list
}

// isClause reports whether tokens[i] is the first word of a clause of a query,
// such as WHERE or GROUP.
func isClause(tokens []scan.Token, i int) bool {
	t := &tokens[i]
	if t.Type != scan.Keyword {
		return false
	}
	switch t.Value {
	case "SELECT", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "UNION":
		return true
	case "JOIN":
		return i == 0 || !scan.IsKeyword(&tokens[i-1], "LEFT")
	case "LEFT":
		return true
	case "FROM":
		// The FROM of a time clause follows another FROM; the FROM of a query
		// follows the items of its SELECT.
		depth := 0
		for j := i - 1; j >= 0; j-- {
			switch {
			case scan.IsOp(&tokens[j], ")"):
				depth++
			case scan.IsOp(&tokens[j], "("):
				depth--
			case depth == 0 && scan.IsKeyword(&tokens[j], "FROM"):
				return false
			case depth == 0 && scan.IsKeyword(&tokens[j], "SELECT"):
				return true
			}
			if depth < 0 {
				return false
			}
		}
	}
	return false
}

// formatter writes pieces (tokens and comments) as formatted text.
type formatter struct {
	strings.Builder
	inLine bool   // the text ends with a comment that only the end of its line ends
	depth  int    // number of open brackets
	items  []bool // for each depth, whether the formatter is among the items of a SELECT
}

// statement writes the pieces of one statement and its comments, or comments
// alone.
func (f *formatter) statement(list []piece) {
	first := 0 // index of the first piece that is not a comment
	for first < len(list) && list[first].comment {
		first++
	}
	breakAll := f.isLong(list[first:])
	f.depth, f.items = 0, []bool{false}
	for i := range list {
		p := &list[i]
		switch {
		case p.end && i == first:
			continue // an empty statement
		case p.end:
			if f.inLine {
				f.WriteByte('\n')
			}
			f.WriteString(";")
			f.inLine = false
			continue
		case i <= first && p.lines == 0 && p.comment && f.Len() > 0 && !f.inLine:
			f.WriteString(" ") // after the statement before
		case i <= first:
			f.newLine(p.lines > 1)
		case p.lines > 0, f.inLine, breakAll && p.clause && f.depth == 0:
			f.newLine(false)
			f.WriteString(strings.Repeat(" ", f.indent(list[i:])))
		case f.apart(list, i):
			f.WriteString(" ")
		}
		f.WriteString(p.text)
		f.inLine = p.isLine()
		switch {
		case p.token == nil:
		case p.clause:
			f.items[f.depth] = p.token.Value == "SELECT"
		case scan.IsOp(p.token, "("):
			f.depth++
			f.items = append(f.items, false)
		case scan.IsOp(p.token, ")") && f.depth > 0: // always, in a source without faults
			f.items = f.items[:f.depth]
			f.depth--
		}
	}
}

// isLong reports whether the pieces in list are all on one line of the source
// and together are wider than formatWidth.
func (f *formatter) isLong(list []piece) bool {
	width := 0
	for i := range list {
		if i > 0 && list[i].lines > 0 {
			return false
		}
		width += cells.Width(list[i].text)
		if i > 0 && f.apart(list, i) {
			width++
		}
	}
	return width > formatWidth
}

// newLine ends the current line, and adds an empty line if the flag empty is
// set. At the start of the output it writes nothing.
func (f *formatter) newLine(empty bool) {
	if f.Len() == 0 {
		return
	}
	if !strings.HasSuffix(f.String()[max(0, f.Len()-1):], "\n") {
		f.WriteByte('\n')
	}
	if empty {
		f.WriteByte('\n')
	}
}

// indent returns how many blanks come before a line that begins with the pieces
// in rest. The first piece in rest that is not a comment decides.
func (f *formatter) indent(rest []piece) int {
	for i := range rest {
		p := &rest[i]
		switch {
		case p.comment:
			continue
		case scan.IsOp(p.token, ")"):
			return 2 * max(0, f.depth-1)
		case p.clause, p.end:
			return 2 * f.depth
		}
		break
	}
	if f.items[f.depth] {
		return 2*f.depth + len("SELECT ")
	}
	return 2*f.depth + 2
}

// apart reports whether a blank comes between list[i] and the piece before it.
func (f *formatter) apart(list []piece, i int) bool {
	p, prev := &list[i], &list[i-1]
	if p.comment || prev.comment {
		return true
	}
	op := func(p *piece, texts ...string) bool {
		for _, text := range texts {
			if scan.IsOp(p.token, text) {
				return true
			}
		}
		return false
	}
	switch {
	case op(p, ",", ")", "."), op(prev, "(", "."):
		return false
	case op(p, "("):
		return !p.joined || prev.token.Type == scan.Op || prev.token.Type == scan.Keyword && prev.token.Value != "NOW"
	case op(prev, "-", "+"):
		return !isSign(list[:i]) || op(prev, "-") && op(p, "-") // two together begin a comment
	}
	return true
}

// isSign reports whether the last piece of list, a + or -, is the sign of a
// single operand and not an operator between two operands.
func isSign(list []piece) bool {
	k := len(list) - 2
	for k >= 0 && list[k].comment {
		k--
	}
	if k < 0 {
		return true
	}
	t := list[k].token
	switch t.Type {
	case scan.Op:
		return t.Value != ")"
	case scan.Keyword:
		switch t.Value {
		case "END", "NULL", "TRUE", "FALSE", "NOW", "TODAY":
			return false
		}
		return true
	}
	return false
}
