package lang

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"infomall/lang/ast"
)

// explain converts err, an error of the grammar about the statement that was
// scanned last, to an error for people. It says what was found, what was
// expected there, and what was probably meant.
func (s *scanner) explain(err error) *ast.Error {
	var f fault
	if errors.As(err, &f) {
		return f.err
	}
	var placed participle.Error
	if !errors.As(err, &placed) {
		return &ast.Error{Msg: err.Error()} // Unreachable unless participle changes.
	}
	i := 0
	for s.tokens[i].Pos.Offset < placed.Position().Offset && i < len(s.tokens)-1 {
		i++
	}
	if i > probeTokensMax {
		return &ast.Error{Span: spanOf(&s.tokens[i]), Msg: "unexpected " + describe(&s.tokens[i])}
	}
	x := explainer{prober: newProber(s.tokens), src: s.src, tokens: s.tokens, at: i}
	return x.explain()
}

// explainer searches for the cause of one fault.
type explainer struct {
	*prober
	src    string
	tokens []lexer.Token // the tokens with their positions
	at     int           // index of the token that the grammar does not accept
}

func (x *explainer) explain() *ast.Error {
	if e := x.foreign(); e != nil {
		return e
	}
	if e := x.misspelt(); e != nil {
		return e
	}
	if e := x.bareText(); e != nil {
		return e
	}
	e := x.unexpected()
	for _, hint := range []func() string{
		x.missingFrom, x.wrongQuotes, x.surplusComma, x.missingEnd, x.unionAll, x.joinForm, x.reservedName, x.brokenTime, x.missingWord,
	} {
		if e.Hint = hint(); e.Hint != "" {
			break
		}
	}
	return e
}

// unexpected returns an error that says what was found and what was expected
// instead.
func (x *explainer) unexpected() *ast.Error {
	t := &x.tokens[x.at]
	e := ast.Errorf(spanOf(t), "found %s", describe(t))
	if list := x.expected(x.at); len(list) > 0 {
		e.Msg += ", expected " + orList(list)
	}
	return e
}

// tokenRunesMax is how many characters of a token a message quotes at most.
const tokenRunesMax = 40

func describe(t *lexer.Token) string {
	switch {
	case t.Type == lexer.EOF && t.Value == "":
		return "the end"
	case t.Type == lexer.EOF, t.Type == tokOp:
		return strconv.Quote(t.Value)
	}
	if utf8.RuneCountInString(t.Value) > tokenRunesMax {
		return onOneLine(string([]rune(t.Value)[:tokenRunesMax])) + "…"
	}
	return onOneLine(t.Value)
}

// onOneLine escapes the control characters in s, so that a message that quotes
// s stays on one line.
func onOneLine(s string) string {
	if !strings.ContainsFunc(s, unicode.IsControl) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// misspelt returns an error if a name is probably a misspelt word of the
// language: the token at the fault, or the one before it that was accepted as a
// name. Otherwise it returns nil.
func (x *explainer) misspelt() *ast.Error {
	for _, i := range []int{x.at, x.at - 1} {
		if i < 0 || x.tokens[i].Type != tokIdent {
			continue
		}
		typed := x.tokens[i].Value
		if _, known := otherJoins[upperASCII(typed)]; known || i < x.at && isLanguageWord(typed) {
			continue // It is already the right word.
		}
		var fitting []string
		for _, w := range words() {
			if ast.Nearest(typed, []string{w}) != "" && !equalFold(typed, w) &&
				x.reachWith(i, i+1, wordToken(w)) > x.at {
				fitting = append(fitting, w)
			}
		}
		if w := ast.Nearest(typed, fitting); w != "" {
			e := ast.Errorf(spanOf(&x.tokens[i]), "unexpected %s", describe(&x.tokens[i]))
			e.Hint = "did you mean " + w + "?"
			return e
		}
	}
	return nil
}

// isLanguageWord reports whether text is a word of the grammar, in any case.
func isLanguageWord(text string) bool {
	return slices.Contains(words(), upperASCII(text))
}

// bareText returns an error if the fault is a URL, a host or a file name
// without quotes, else nil.
func (x *explainer) bareText() *ast.Error {
	i := x.at
	for i > 0 && endOf(&x.tokens[i-1]).Offset == x.tokens[i].Pos.Offset && isTextPart(&x.tokens[i-1]) {
		i--
	}
	start := x.tokens[i].Pos.Offset
	text := x.src[start : start+urlLen(x.src[start:])]
	if !strings.ContainsAny(text, "./") || !x.accepts(i, aString) || x.accepts(i, aNumber) {
		return nil
	}
	first := lexer.Token{Value: text, Pos: x.tokens[i].Pos}
	return &ast.Error{Span: spanOf(&first), Msg: "text without quotes", Hint: "write '" + text + "'"}
}

// isTextPart reports whether a token may be part of a URL without quotes.
func isTextPart(t *lexer.Token) bool {
	switch t.Type {
	case tokString, tokQuoted:
		return false
	case tokOp:
		return t.Value != "(" && t.Value != ")" && t.Value != ","
	}
	return true
}

// wrongQuotes returns a hint if the fault is a name in quotes where a string is
// needed, or a string where a name is needed. Otherwise it returns "".
func (x *explainer) wrongQuotes() string {
	switch t := &x.tokens[x.at]; {
	case t.Type == tokQuoted && x.accepts(x.at, aString):
		return "strings are quoted so: '" + strings.ReplaceAll(unquote(t.Value, `"`), "'", "''") + "'"
	case t.Type == tokString && x.accepts(x.at, aQuoted):
		name := unquote(t.Value, "'")
		if n := (ast.Name{Text: name}); n.String() == name && x.accepts(x.at, aName) {
			return "names stand without quotes: " + name
		}
		if name != "" {
			return `names are quoted so: "` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
	}
	return ""
}

// reservedName returns a hint if the fault is a reserved word that was used as
// a name, else "". The sign of that is that the grammar gets further if the
// word is quoted.
func (x *explainer) reservedName() string {
	t := &x.tokens[x.at]
	if t.Type != tokKeyword || x.reachWith(x.at, x.at+1, aQuoted) <= x.at+1 {
		return ""
	}
	if t.Value == "FROM" && isSourceStart(&x.tokens[x.at+1]) {
		return "" // It is meant as FROM; what stands before it is at fault.
	}
	return t.Value + ` is reserved; as a name write "` + foldASCII(t.Value) + `"`
}

// isSourceStart reports whether t may be the first token after FROM.
func isSourceStart(t *lexer.Token) bool {
	switch t.Type {
	case tokIdent, tokQuoted, tokString, tokParam:
		return true
	}
	return false
}

func (x *explainer) surplusComma() string {
	if x.at == 0 || !isOp(&x.tokens[x.at-1], ",") {
		return ""
	}
	// Without the comma the token stands one earlier.
	if x.reachWith(x.at-1, x.at) <= x.at-1 {
		return ""
	}
	return "take the comma away"
}

// whole reports whether the statement is correct if t is inserted before the
// fault.
func (x *explainer) whole(t lexer.Token) bool {
	return x.reachWith(x.at, x.at, t) == len(x.prober.tokens)+1
}

// missingFrom returns a hint if a scope follows the items of a SELECT without
// FROM, else "". It is tried before other causes, because a string at that
// place is nearly always a scope.
func (x *explainer) missingFrom() string {
	if x.tokens[x.at].Type == tokString && x.whole(wordToken("FROM")) {
		return "is FROM missing?"
	}
	return ""
}

// missingEnd returns a hint if a new statement begins without a ; before it,
// else "".
func (x *explainer) missingEnd() string {
	if x.at == 0 || !isLanguageWord(x.tokens[x.at].Value) || !x.accepts(x.at, lexer.Token{Type: lexer.EOF}) {
		return ""
	}
	rest := slices.Clone(x.prober.tokens[x.at:])
	number(rest)
	if reach(rest) < len(rest) {
		return ""
	}
	return "is ; missing before it?"
}

// unionAll returns a hint for UNION without ALL, which SQL has and this
// language does not, else "".
func (x *explainer) unionAll() string {
	if x.at > 0 && isKeyword(&x.tokens[x.at-1], "UNION") {
		return "write UNION ALL; SELECT DISTINCT drops repeated rows"
	}
	return ""
}

// otherJoins maps the words of SQL joins that this language does not have to
// what to write instead.
var otherJoins = map[string]string{
	"INNER": "write JOIN alone",
	"OUTER": "write LEFT JOIN",
	"RIGHT": "exchange the sources and write LEFT JOIN",
	"FULL":  "there are JOIN and LEFT JOIN",
	"CROSS": "there are JOIN and LEFT JOIN, both with ON",
	"USING": "write ON a.url = b.url",
}

// joinForm returns a hint if sources are joined in a way that SQL allows and
// this language does not, else "".
func (x *explainer) joinForm() string {
	t := &x.tokens[x.at]
	on := wordToken("ON")
	switch {
	case isOp(t, ",") && x.accepts(x.at, wordToken("JOIN")):
		return "sources are joined by JOIN … ON a.url = b.url"
	case t.Type == tokIdent && (x.accepts(x.at, wordToken("JOIN")) || x.accepts(x.at, on)):
		return otherJoins[upperASCII(t.Value)]
	case t.Type != tokIdent && x.accepts(x.at, on) && !x.accepts(x.at, wordToken("OR")):
		return "JOIN wants ON, such as ON a.url = b.url"
	}
	return ""
}

// brokenTime returns a hint if a time literal has a blank instead of its T,
// else "".
func (x *explainer) brokenTime() string {
	if x.at > 0 && x.tokens[x.at-1].Type == tokPeriod && x.tokens[x.at].Type == tokNumber {
		return "date and time are joined by T: 2008-06-15T10:30"
	}
	return ""
}

// hasWord reports whether word occurs before the fault.
func (x *explainer) hasWord(word string) bool {
	return slices.ContainsFunc(x.tokens[:x.at], func(t lexer.Token) bool { return isWord(&t, word) })
}

// missingWord returns a hint if one more word or comma before the fault makes
// the statement correct, else "".
func (x *explainer) missingWord() string {
	t := &x.tokens[x.at]
	if t.Type == lexer.EOF || t.Type == tokOp {
		return ""
	}
	isName := t.Type == tokQuoted || t.Type == tokIdent && !isLanguageWord(t.Value)
	for _, m := range []struct {
		token lexer.Token
		hint  string
	}{
		{wordToken("TO"), "is TO missing?"},
		{wordToken("FROM"), "is FROM missing?"},
		{lexer.Token{Type: tokOp, Value: ","}, "is a comma missing?"},
		{lexer.Token{Type: tokOp, Value: "="}, "is = missing?"},
		{wordToken("AS"), "write AS before the name"},
		{wordToken("BY"), "is BY missing?"},
		{wordToken("AND"), "is AND missing?"},
		{wordToken("IN"), "is IN missing?"},
		{wordToken("AT"), "is AT missing?"},
	} {
		// Where any name goes, a word of the language is one.
		asName := m.token.Type == tokIdent && x.accepts(x.at, aName)
		if asName || isKeyword(&m.token, "AS") && !isName || isWord(&m.token, "TO") && x.hasWord("TO") {
			continue
		}
		// A name without AS seldom is the only one.
		if x.whole(m.token) || isKeyword(&m.token, "AS") && x.reachWith(x.at, x.at, m.token) > x.at+2 {
			return m.hint
		}
	}
	return ""
}
