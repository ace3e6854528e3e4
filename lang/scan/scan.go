// Package scan cuts a source into statements and statements into tokens.
//
// It also reads single tokens as names and constants. For a text that is being
// typed, it says whether a quote, a comment or a bracket is still open. It
// reports faults in single characters, numbers and quotes; package grammar
// reports all others.
//
// # Words
//
//	word      a word of the language, reserved (never a name) or not
//	fault     an error of the writer, with its place; see ast.Error
//	period    a time literal, such as 2008-06, which means the whole month
package scan

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"infomall/lang/ast"
)

// These constants are the maximum length of a script and of a statement, in
// bytes, and the maximum number of brackets inside each other. They are far above
// what people write, and prevent a generated script from taking all memory or
// stack.
const (
	ScriptBytesMax    = 16 << 20
	statementBytesMax = 1 << 20

	NestingMax = 200 // levels of brackets
)

// Scanner divides a source into statements and each statement into tokens; see
// Next. After a fault (an error of the writer) it continues if it can guess
// what was meant, so that the parser can check the rest of the statement.
type Scanner struct {
	file, src string
	pos       int // offset of the next byte

	// line and col are the line and column of the offset mark, from 1. The method
	// place advances all three.
	mark, line, col int

	// The statement that Next has scanned last.
	Tokens  []Token      // its tokens; the last token is the end
	Errs    []*ast.Error // its faults
	Open    string       // what the end of the source leaves open, as in State.Open
	Ended   bool         // a ; closed the statement
	stopped bool         // a sign that was meant as a ; was read, such as a full-width one
	Fatal   bool         // the tokens cannot be parsed
	nesting int          // number of open brackets
}

// New returns a scanner of the source src. file comes before each place in
// messages and may be "".
func New(src, file string) *Scanner {
	s := &Scanner{file: file, src: src, line: 1, col: 1}
	s.Tokens = make([]Token, 0, min(len(src)/4+2, 64))
	if strings.HasPrefix(src, "\ufeff") {
		s.pos = len("\ufeff")
		s.mark = s.pos
	}
	if strings.HasPrefix(src[s.pos:], "#!") {
		s.skipLine()
	}
	return s
}

// place returns the position (line and column) of an offset. The offset must not
// be less than the offset of the call before, so that each line is counted only
// once.
func (s *Scanner) place(offset int) Position {
	passed := s.src[s.mark:offset]
	if i := strings.LastIndexByte(passed, '\n'); i >= 0 {
		s.line += strings.Count(passed, "\n")
		s.col = 1
		passed = passed[i+1:]
	}
	s.col += utf8.RuneCountInString(passed)
	s.mark = offset
	return Position{Filename: s.file, Offset: offset, Line: s.line, Column: s.col}
}

// Next scans one statement, which may be empty, into the fields of s, such as
// Tokens and Errs. It returns false if only blanks and comments are left.
func (s *Scanner) Next() bool {
	s.Tokens, s.Errs = s.Tokens[:0], nil
	s.Open, s.Ended, s.stopped, s.Fatal, s.nesting = "", false, false, false, 0
	s.skipBlanks()
	start := s.place(s.pos)
	for {
		if s.pos-start.Offset > statementBytesMax {
			s.tooLong(ast.Pos(start))
			return true
		}
		if s.pos >= len(s.src) {
			s.end()
			return len(s.Tokens) > 1 || len(s.Errs) > 0
		}
		if s.src[s.pos] == ';' {
			s.Ended = true
			at := s.pos
			s.pos++
			s.Tokens = append(s.Tokens, Token{Type: EOF, Value: ";", Pos: s.place(at)})
			return true
		}
		at := s.pos
		s.token()
		if s.stopped {
			s.Ended = true
			s.Tokens = append(s.Tokens, Token{Type: EOF, Value: s.src[at:s.pos], Pos: s.place(at)})
			return true
		}
		if s.nesting > NestingMax {
			s.tooDeep()
			return true
		}
		s.skipBlanks()
	}
}

// end adds the end token of a statement that the end of the source closes. The
// token is directly after the last token or fault, because that is the place at
// which the writer stopped.
func (s *Scanner) end() {
	pos := s.place(s.pos)
	if n := len(s.Tokens); n > 0 {
		pos = Position(EndOf(&s.Tokens[n-1]))
	}
	if n := len(s.Errs); n > 0 && s.Errs[n-1].End.Offset > pos.Offset {
		pos = Position(s.Errs[n-1].End)
	}
	s.Tokens = append(s.Tokens, Token{Type: EOF, Pos: pos})
}

// tooLong reports that the statement that begins at start is too long. If most of it is one
// text in quotes, the fault points there.
func (s *Scanner) tooLong(start ast.Pos) {
	at, hint := start, "end each statement with a ;, and read a long list with FILE 'list.csv'"
	if n := len(s.Tokens); n > 0 {
		if last := &s.Tokens[n-1]; last.Type == String && len(last.Value) > statementBytesMax/2 {
			at = ast.Pos(last.Pos)
			hint = fmt.Sprintf("the text in quotes here has %d bytes; is the quote at its end missing?", len(last.Value)-2)
		}
	}
	s.giveUp()
	s.Errs = append(s.Errs, &ast.Error{
		Span: ast.Span{Start: at, End: at},
		Msg:  fmt.Sprintf("statement longer than %d MB", statementBytesMax>>20),
		Hint: hint,
	})
}

func (s *Scanner) tooDeep() {
	last := s.Tokens[len(s.Tokens)-1]
	s.giveUp()
	s.Errs = append(s.Errs, DeepError(SpanOf(&last)))
}

// DeepError returns the error for brackets, at the place at, that are deeper
// than NestingMax.
func DeepError(at ast.Span) *ast.Error {
	return &ast.Error{Span: at, Msg: fmt.Sprintf("nested more than %d deep", NestingMax)}
}

// giveUpStops has true for each byte that may end a statement, or begin a quote
// or a comment. giveUp looks at these bytes only.
var giveUpStops = [256]bool{';': true, '\'': true, '"': true, '-': true, '/': true}

// giveUp skips the rest of the statement, including its ;, and sets s.Fatal.
func (s *Scanner) giveUp() {
	s.Fatal = true
	for {
		for s.pos < len(s.src) && !giveUpStops[s.src[s.pos]] {
			s.pos++
		}
		if s.pos >= len(s.src) {
			return
		}
		switch c := s.src[s.pos]; {
		case c == ';':
			s.pos++
			s.Ended = true
			return
		case c == '-' && s.peek(1) == '-':
			s.skipLine()
		case c == '/' && s.peek(1) == '*':
			s.skipComment()
		case c == '\'' || c == '"':
			if end := strings.IndexByte(s.src[s.pos+1:], c); end >= 0 {
				s.pos += end + 2
			} else {
				s.pos = len(s.src)
			}
		default:
			s.pos++
		}
	}
}

// peek returns the byte at n bytes after the current position, without taking
// any. It returns 0 after the end of the source.
func (s *Scanner) peek(n int) byte {
	if s.pos+n < len(s.src) {
		return s.src[s.pos+n]
	}
	return 0
}

func (s *Scanner) skipLine() {
	if i := strings.IndexByte(s.src[s.pos:], '\n'); i >= 0 {
		s.pos += i
	} else {
		s.pos = len(s.src)
	}
}

// skipBlanks moves to the next byte that is in neither a blank nor a comment.
// It reports a comment that is never closed as a fault.
func (s *Scanner) skipBlanks() {
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == ' ' || '\t' <= c && c <= '\r':
			s.pos++
		case c == '-' && s.peek(1) == '-':
			s.skipLine()
		case c == '/' && s.peek(1) == '*':
			if start := s.pos; !s.skipComment() {
				s.Open = OpenComment
				s.Fatal = true
				s.fault(start, start+2, "comment is never closed", s.commentHint(start))
			}
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s.src[s.pos:])
			if !unicode.IsSpace(r) {
				return
			}
			s.pos += n
		default:
			return
		}
	}
}

// commentHint returns the hint for a comment that begins at the offset start
// and is never closed. If the comment directly follows a token, as in
// data/*.warc, it is probably part of a path without quotes, and the hint says
// so.
func (s *Scanner) commentHint(start int) string {
	if n := len(s.Tokens); n > 0 && EndOf(&s.Tokens[n-1]).Offset == start {
		return "end it with */; write a path in quotes"
	}
	return "end it with */"
}

// skipComment skips a /* */ comment, which may contain other such comments, and
// reports whether it is closed.
func (s *Scanner) skipComment() bool {
	depth := 0
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '/' && s.peek(1) == '*':
			depth++
			s.pos += 2
		case c == '*' && s.peek(1) == '/':
			depth--
			s.pos += 2
			if depth == 0 {
				return true
			}
		default:
			s.pos++
		}
	}
	return false
}

// emit adds a token of type kind. Its value is the source text from the offset
// start to the current position.
func (s *Scanner) emit(kind tokenType, start int) {
	s.emitAs(kind, start, s.src[start:s.pos])
}

// emitAs adds a token of type kind that begins at the offset start and has the
// given value. The value must be as long as the source text of the token, or
// shorter after a fault.
func (s *Scanner) emitAs(kind tokenType, start int, value string) {
	s.Tokens = append(s.Tokens, Token{Type: kind, Value: value, Pos: s.place(start)})
}

// faultsMax is the maximum number of faults that the scanner keeps for one
// statement. More faults would tell the writer nothing new.
const faultsMax = 8

// fault records an error about the source text between the offsets start and
// end. After faultsMax errors it does nothing.
func (s *Scanner) fault(start, end int, msg, hint string) {
	if len(s.Errs) == faultsMax {
		return
	}
	t := Token{Value: s.src[start:end], Pos: s.place(start)}
	s.Errs = append(s.Errs, &ast.Error{Span: SpanOf(&t), Msg: msg, Hint: hint})
}

// token scans one token. The next byte must begin a token: it is neither a
// blank nor a ;.
func (s *Scanner) token() {
	start := s.pos
	switch c := s.src[s.pos]; {
	case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_':
		s.word()
	case isDigit(c), c == '.' && isDigit(s.peek(1)) && !s.afterOperand():
		s.number()
	case c == '\'':
		s.quoted(String, OpenString)
	case c == '"':
		s.quoted(Quoted, OpenName)
	case c == '$' || c == ':' && s.peek(1) != ':':
		s.param()
	case c >= utf8.RuneSelf:
		s.foreign()
	default:
		n := operatorLen(s.src[s.pos:])
		if n == 0 {
			s.pos++
			if c == '&' && s.peek(0) == '&' {
				s.pos++
			}
			found, hint := strconv.Quote(s.src[start:s.pos]), characterHint(c)
			if c == '\\' {
				found = `"\"` // Quote would double it
				if len(s.Tokens) == 0 {
					hint = promptHint(s.src[s.pos:])
				}
			}
			s.fault(start, s.pos, "unexpected "+found, hint)
			return
		}
		s.pos += n
		s.operator(start)
	}
}

// afterOperand reports whether a name, a value or a closing bracket ends at the
// current position. A point at this position is then an operator, and does not
// begin a number.
func (s *Scanner) afterOperand() bool {
	if s.pos == 0 {
		return false
	}
	c := s.src[s.pos-1]
	return ast.IsIdentPart(rune(c)) || c >= utf8.RuneSelf || c == '"' || c == '\'' || c == ')'
}

// operatorLen returns the length in bytes of the operator at the start of src,
// or 0 if src does not begin with an operator.
func operatorLen(src string) int {
	if strings.HasPrefix(src, "!~*") {
		return 3
	}
	if len(src) > 1 {
		switch src[:2] {
		case "..", "<>", "!=", "<=", ">=", "==", "||", "//", "!~", "~*", "::":
			return 2
		}
	}
	switch src[0] {
	case '(', ')', ',', '.', '=', '<', '>', '+', '-', '*', '/', '%', '~':
		return 1
	}
	return 0
}

func (s *Scanner) operator(start int) {
	op := s.src[start:s.pos]
	switch op {
	case "(":
		s.nesting++
	case ")":
		s.nesting--
	case "==":
		s.fault(start, s.pos, "no operator ==", "equality is one =")
		op = "="
	}
	s.emitAs(Op, start, op)
}

func characterHint(c byte) string {
	switch c {
	case '!':
		return "write NOT, or <> for not equal"
	case '|':
		return "|| joins texts, OR joins conditions"
	case '&':
		return "write AND"
	case '?', '@':
		return "a parameter is $name or :name"
	case '#':
		return "a comment is -- to the end of the line, or /* … */"
	case '^':
		return NoPowers
	case '[', ']', '{', '}':
		return "brackets are ( and )"
	case '`':
		return `names are quoted like this: "name"`
	case '\\':
		return "in a string a backslash stands for itself"
	}
	return ""
}

// promptHint returns what to write in this language instead of a command of
// psql such as \dv. command is the text after the backslash.
func promptHint(command string) string {
	name := command[:len(command)-len(strings.TrimLeft(command, "abcdefghijklmnopqrstuvwxyz?"))]
	switch {
	case name == "dv":
		return "write SHOW VIEWS"
	case name == "df":
		return "write SHOW FUNCTIONS"
	case name == "di":
		return "an archive makes its indexes by itself; EXPLAIN says what a query reads"
	case name == "du", name == "dg", name == "dp":
		return "there are no users; SHOW RULES lists what --serve does not show"
	case strings.HasPrefix(name, "d"):
		return "write SHOW RELATIONS, or DESCRIBE versions"
	case name == "l", name == "list":
		return "write SHOW POOLS"
	case name == "h", name == "?", name == "help":
		return "write HELP, or HELP SELECT"
	case name == "x":
		return "at the prompt .mode vertical does that"
	case name == "i":
		return "write .read FILE"
	case name == "set":
		return "write SET $name = value"
	case name == "o":
		return "write .output FILE"
	case name == "c", name == "connect":
		return "infomall -a DIR opens another archive"
	case name == "t", name == "a":
		return "at the prompt .mode tsv and .headers off print values alone; so does infomall --format tsv --no-header -c '…'"
	case name == "g", name == "gx":
		return ".last vertical shows the last result again"
	case name == "watch":
		return "write WATCH name EVERY 1d AS query"
	case name == "gdesc":
		return "write SUMMARIZE SELECT …"
	case name == "gset":
		return "write SET $name = value"
	case name == "crosstabview":
		return "one column for each value is count(*) FILTER (WHERE status = 404)"
	case name == "e", name == "p", name == "r", name == "w", name == "edit", name == "reset":
		return "the keys Up and Down recall statements, Ctrl-C drops what was begun, and .history lists them"
	case name == "conninfo":
		return "SHOW POOLS lists the parts of the archive; infomall -a DIR opens another archive"
	case name == "encoding":
		return "all texts are UTF-8"
	case name == "echo", name == "qecho":
		return "a script shows its comments, -- to the end of the line"
	case name == "f", name == "pset", name == "C":
		return "write .mode, .nullvalue or .width; .mode tsv separates by tabs"
	case name == "copy":
		return "write EXPORT (SELECT …) TO 'file.csv'"
	}
	return "commands of the prompt begin with a dot; .help lists them"
}

// word scans a name or a reserved word. The value of the token of a reserved
// word is in upper case.
func (s *Scanner) word() {
	start := s.pos
	ascii := true
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		if c < utf8.RuneSelf {
			if !ast.IsIdentPart(rune(c)) {
				break
			}
			s.pos++
			continue
		}
		r, n := utf8.DecodeRuneInString(s.src[s.pos:])
		if !ast.IsIdentPart(r) {
			break
		}
		ascii = false
		s.pos += n
	}
	if n := s.pos - start; ascii && n <= reservedLenMax {
		var upper [reservedLenMax]byte
		for i := range n {
			c := s.src[start+i]
			if 'a' <= c && c <= 'z' {
				c -= 'a' - 'A'
			}
			upper[i] = c
		}
		if w, ok := reserved[string(upper[:n])]; ok {
			s.emitAs(Keyword, start, w)
			return
		}
	}
	if strings.HasPrefix(s.src[s.pos:], "://") {
		s.bareURL(start)
		return
	}
	s.emit(Ident, start)
}

// bareURL scans a URL that begins at the offset start and lacks its quotes. It
// reports a fault, and emits the URL as a string.
func (s *Scanner) bareURL(start int) {
	s.pos = start + URLLen(s.src[start:])
	text := s.src[start:s.pos]
	s.fault(start, s.pos, "URL without quotes", "write '"+text+"'")
	s.emit(String, start)
}

// URLLen returns how many bytes at the start of src may belong to a URL: all up
// to the first blank, quote, bracket, comma or semicolon.
func URLLen(src string) int {
	i := strings.IndexFunc(src, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(";,()'\"", r)
	})
	if i < 0 {
		return len(src)
	}
	return i
}

// quoted scans '…' or "…" as a token of type kind. Inside, a doubled quote
// means a single one. If the closing quote is missing, it sets s.Open to open
// and reports a fault.
func (s *Scanner) quoted(kind tokenType, open string) {
	start := s.pos
	quote := s.src[s.pos]
	s.pos++
	for {
		i := strings.IndexByte(s.src[s.pos:], quote)
		if i < 0 {
			s.pos = len(s.src)
			s.Open = open
			s.Fatal = true
			s.fault(start, start+1, unclosedMessage(open), fmt.Sprintf("end it with %c", quote))
			return
		}
		s.pos += i + 1
		if s.peek(0) != quote {
			break
		}
		s.pos++
	}
	if kind == Quoted && s.pos-start == 2 {
		s.fault(start, s.pos, "empty name", "an empty string is ''")
	}
	s.emit(kind, start)
}

func unclosedMessage(open string) string {
	if open == OpenName {
		return "quoted name is never closed"
	}
	return "string is never closed"
}

// param scans a parameter, $name or :name.
func (s *Scanner) param() {
	start := s.pos
	s.pos++
	r, _ := utf8.DecodeRuneInString(s.src[s.pos:])
	if !ast.IsIdentStart(r) {
		hint := "a parameter is $name or :name"
		if '0' <= r && r <= '9' && s.src[start] == ':' {
			hint = "date and time are joined by T: 2008-06-15T10:30"
		}
		s.fault(start, s.pos, "unexpected "+strconv.Quote(s.src[start:s.pos]), hint)
		return
	}
	for s.pos < len(s.src) {
		r, n := utf8.DecodeRuneInString(s.src[s.pos:])
		if !ast.IsIdentPart(r) {
			break
		}
		s.pos += n
	}
	s.emit(Param, start)
}

// fullWidth maps a full-width or similar sign, which an input method may write,
// to the ASCII sign that was probably meant.
var fullWidth = map[rune]string{
	'，': ",", '、': ",", '；': ";", '（': "(", '）': ")", '。': ".", '．': ".",
	'＝': "=", '＜': "<", '＞': ">", '＋': "+", '－': "-", '—': "-", '–': "-", '−': "-",
	'＊': "*", '×': "*", '／': "/", '％': "%", '～': "~", '：': ":", '≠': "<>", '≤': "<=", '≥': ">=",
}

// foreign scans a token that begins with a character outside ASCII: a name, or
// a sign such as a full-width comma. It reports such a sign as a fault and
// reads it as the ASCII sign.
func (s *Scanner) foreign() {
	start := s.pos
	r, n := utf8.DecodeRuneInString(s.src[s.pos:])
	if ast.IsIdentStart(r) {
		s.word()
		return
	}
	s.pos += n
	switch r {
	case '‘', '’', '＇', '“', '”', '＂':
		s.smartQuote(start)
		return
	}
	plain, ok := fullWidth[r]
	if !ok {
		s.fault(start, s.pos, "unexpected "+strconv.Quote(s.src[start:s.pos]), "")
		return
	}
	width := ""
	if r >= 0x3000 {
		width = "full-width "
	}
	s.fault(start, s.pos, "unexpected "+width+strconv.Quote(s.src[start:s.pos]), "write "+plain)
	switch plain {
	case ";":
		s.stopped = true
		return
	case ":", ".":
		// Reading these as ASCII signs would cause further faults.
		return
	}
	s.emitAs(Op, start, plain)
}

// smartQuote scans a string in typographic quotes, reports a fault, and emits
// the string. The opening quote, at the offset start, is already read.
func (s *Scanner) smartQuote(start int) {
	line := s.src[s.pos:]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	msg, hint := "typographic quote "+s.src[start:s.pos], "strings are quoted like this: 'text'"
	end := s.pos
	if i := strings.IndexAny(line, "‘’＇“”＂'\""); i >= 0 {
		hint = "write '" + line[:i] + "'"
		_, n := utf8.DecodeRuneInString(line[i:])
		end += i + n
		s.pos = end
	}
	s.fault(start, end, msg, hint)
	s.emit(String, start)
}

// NoPowers is the hint for an operator that raises a number to a power, such as ^
// or **.
const NoPowers = "write power(x, y)"

// Check returns an error if src is longer than ScriptBytesMax or is not UTF-8,
// else nil. filename is the name of the source in the error.
func Check(src, filename string) *ast.Error {
	start := ast.Pos{Filename: filename, Line: 1, Column: 1}
	if len(src) > ScriptBytesMax {
		return &ast.Error{
			Span: ast.Span{Start: start, End: start},
			Msg:  fmt.Sprintf("script of %d bytes", len(src)),
			Hint: fmt.Sprintf("at most %d MB; cut it into several", ScriptBytesMax>>20),
		}
	}
	if utf8.ValidString(src) {
		return nil
	}
	good := strings.ToValidUTF8(src, "\xff") // each fault begins with a byte that UTF-8 never has
	bad := strings.IndexByte(good, 0xff)
	pos := Position(start)
	pos.Advance(src[:bad])
	at := ast.Pos(pos)
	return &ast.Error{
		Span: ast.Span{Start: at, End: at},
		Msg:  fmt.Sprintf("byte 0x%02x is not UTF-8", src[bad]),
		Hint: "save the script as UTF-8",
	}
}
