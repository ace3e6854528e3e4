package fault

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"infomall/lang/ast"
	"infomall/lang/grammar"
	"infomall/lang/scan"
)

// Explain returns the error to show for a statement that the grammar does not accept. stop is
// the place at which parsing stopped, and tokens are the tokens of the statement, which is in
// src. The error says what was found at that place, what was expected, and what was probably
// meant.
func Explain(src string, tokens []scan.Token, stop *grammar.Stumble) *ast.Error {
	if stop.Why != nil {
		return stop.Why
	}
	i := 0
	for tokens[i].Pos.Offset < stop.Offset && i < len(tokens)-1 {
		i++
	}
	if i > grammar.ProbeTokensMax {
		return &ast.Error{Span: scan.SpanOf(&tokens[i]), Msg: "unexpected " + describe(&tokens[i])}
	}
	x := explainer{Prober: grammar.NewProber(tokens), src: src, tokens: tokens, at: i}
	return x.explain()
}

// explainer searches for the cause of one fault in one statement.
type explainer struct {
	*grammar.Prober
	src    string
	tokens []scan.Token // the tokens with their positions
	at     int          // index of the token that the grammar does not accept
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
		x.missingFrom, x.wrongQuotes, x.surplusComma, x.missingEnd, x.unionDistinct, x.joinForm, x.reservedName, x.brokenTime, x.missingWord,
	} {
		if e.Hint = hint(); e.Hint != "" {
			break
		}
	}
	return e
}

// unexpected returns an error for the token at the fault: what was found, and
// what the grammar expects instead.
func (x *explainer) unexpected() *ast.Error {
	t := &x.tokens[x.at]
	e := ast.Errorf(scan.SpanOf(t), "found %s", describe(t))
	if list := expected(x.Prober, x.at); len(list) > 0 {
		e.Msg += ", expected " + orList(list)
	}
	return e
}

// tokenRunesMax is how many characters of a token a message quotes at most.
const tokenRunesMax = 40

func describe(t *scan.Token) string {
	switch {
	case t.Type == scan.EOF && t.Value == "":
		return "the end"
	case t.Type == scan.EOF, t.Type == scan.Op:
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

// misspelt returns an error with a suggestion if a name is probably a misspelt
// word of the language, else nil. The name is the token at the fault, or the
// token before it, which the grammar accepted as a name.
func (x *explainer) misspelt() *ast.Error {
	for _, i := range []int{x.at, x.at - 1} {
		if i < 0 || x.tokens[i].Type != scan.Ident {
			continue
		}
		typed := x.tokens[i].Value
		if _, known := otherJoins[scan.Upper(typed)]; known || i < x.at && grammar.IsWord(typed) {
			continue // It is already the right word.
		}
		var fitting []string
		for _, w := range grammar.Words() {
			if ast.Nearest(typed, []string{w}) != "" && !scan.EqualFold(typed, w) &&
				x.ReachWith(i, i+1, scan.WordToken(w)) > x.at {
				fitting = append(fitting, w)
			}
		}
		if w := ast.Nearest(typed, fitting); w != "" {
			e := ast.Errorf(scan.SpanOf(&x.tokens[i]), "unexpected %s", describe(&x.tokens[i]))
			e.Hint = "did you mean " + w + "?"
			return e
		}
	}
	return nil
}

// bareText returns an error if the text at the fault is a URL, a host or a file
// name without quotes, else nil.
func (x *explainer) bareText() *ast.Error {
	i := x.at
	for i > 0 && scan.EndOf(&x.tokens[i-1]).Offset == x.tokens[i].Pos.Offset && isTextPart(&x.tokens[i-1]) {
		i--
	}
	start := x.tokens[i].Pos.Offset
	text := x.src[start : start+scan.URLLen(x.src[start:])]
	if !strings.ContainsAny(text, "./") || !x.Accepts(i, grammar.AString) || x.Accepts(i, grammar.ANumber) {
		return nil
	}
	first := scan.Token{Value: text, Pos: x.tokens[i].Pos}
	return &ast.Error{Span: scan.SpanOf(&first), Msg: "text without quotes", Hint: "write '" + text + "'"}
}

// isTextPart reports whether t may be part of a URL that was typed without
// quotes.
func isTextPart(t *scan.Token) bool {
	switch t.Type {
	case scan.String, scan.Quoted:
		return false
	case scan.Op:
		return t.Value != "(" && t.Value != ")" && t.Value != ","
	}
	return true
}

// wrongQuotes returns a hint if the fault is a name in double quotes at a place
// for a string, a string at a place for a name, or a word without quotes after
// SEARCH. Otherwise it returns "".
func (x *explainer) wrongQuotes() string {
	switch t := &x.tokens[x.at]; {
	case t.Type == scan.Quoted && x.Accepts(x.at, grammar.AString):
		return "strings are quoted like this: '" + strings.ReplaceAll(scan.Unquote(t.Value, `"`), "'", "''") + "'"
	case t.Type == scan.Ident && x.word(1) == "SEARCH" && x.Accepts(x.at, grammar.AString):
		return "write the words in quotes: SEARCH '" + t.Value + "'"
	case t.Type == scan.String && x.Accepts(x.at, grammar.AQuoted):
		name := scan.Unquote(t.Value, "'")
		if n := (ast.Name{Text: name}); n.String() == name && x.Accepts(x.at, grammar.AName) {
			return "write names without quotes: " + name
		}
		if name != "" {
			return `names are quoted like this: "` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
	}
	return ""
}

// reservedName returns a hint if the fault is a reserved word that the writer used
// as a name, else "". The writer probably meant a name if the grammar accepts more
// tokens with the word in double quotes.
func (x *explainer) reservedName() string {
	t := &x.tokens[x.at]
	if t.Type != scan.Keyword || x.ReachWith(x.at, x.at+1, grammar.AQuoted) <= x.at+1 {
		return ""
	}
	if t.Value == "FROM" && isSourceStart(&x.tokens[x.at+1]) {
		return "" // The word is meant as FROM; the text before it is at fault.
	}
	return t.Value + ` is reserved; as a name write "` + scan.Lower(t.Value) + `"`
}

// isSourceStart reports whether t may be the first token after FROM.
func isSourceStart(t *scan.Token) bool {
	switch t.Type {
	case scan.Ident, scan.Quoted, scan.String, scan.Param:
		return true
	}
	return false
}

func (x *explainer) surplusComma() string {
	if x.at == 0 || !scan.IsOp(&x.tokens[x.at-1], ",") {
		return ""
	}
	// Without the comma, the index of the token is one less.
	if x.ReachWith(x.at-1, x.at) <= x.at-1 {
		return ""
	}
	return "take the comma away"
}

// whole reports whether the statement becomes correct if the token t is inserted before the
// token at the fault.
func (x *explainer) whole(t scan.Token) bool {
	return x.ReachWith(x.at, x.at, t) == len(x.Prober.Tokens)+1
}

// missingFrom returns a hint if a scope (a string that names the URLs to read)
// follows the items of a SELECT without FROM, else "". It is tried before other
// hints, because a string at that place is nearly always a scope.
func (x *explainer) missingFrom() string {
	if x.tokens[x.at].Type == scan.String && x.whole(scan.WordToken("FROM")) {
		return "is FROM missing?"
	}
	return ""
}

// missingEnd returns a hint if a new statement begins at the fault without a ;
// before it, else "".
func (x *explainer) missingEnd() string {
	if x.at == 0 || !x.Accepts(x.at, scan.Token{Type: scan.EOF}) {
		return ""
	}
	if grammar.IsWord(x.tokens[x.at].Value) && x.ReadsFrom(x.at) {
		return "is ; missing before it?"
	}
	// The first word of the statement may have been read as an alias.
	if slices.Contains(grammar.FirstWords(), x.word(1)) && x.ReadsFrom(x.at-1) {
		return "is ; missing before " + x.word(1) + "?"
	}
	return ""
}

// unionDistinct returns a hint if the fault is a DISTINCT after UNION, or a bracket
// around a query that UNION, EXCEPT or INTERSECT joins to another. Else it returns
// "".
func (x *explainer) unionDistinct() string {
	set := x.word(1) == "UNION" || x.word(1) == "EXCEPT" || x.word(1) == "INTERSECT" || x.word(1) == "ALL"
	switch {
	case set && scan.IsKeyword(&x.tokens[x.at], "DISTINCT"):
		return "UNION alone drops repeated rows"
	case set && scan.IsOp(&x.tokens[x.at], "("):
		return "write SELECT * FROM before the bracket"
	}
	return ""
}

// otherJoins maps each word of an SQL join that this language does not have to
// a hint: what to write instead.
var otherJoins = map[string]string{
	"RIGHT": "exchange the sources and write LEFT JOIN",
	"FULL":  "write one LEFT JOIN for each side, with UNION between them",
	"SEMI":  "write WHERE EXISTS (SELECT …)",
	"ANTI":  "write WHERE NOT EXISTS (SELECT …)",
	"ASOF":  "write a time clause, such as AT 2008-06, or JOIN … ON b.time <= a.time",
}

// joinForm returns a hint if sources are joined in a form that SQL allows and
// this language does not, such as RIGHT JOIN. Otherwise it returns "".
func (x *explainer) joinForm() string {
	t := &x.tokens[x.at]
	on := scan.WordToken("ON")
	switch {
	case t.Type == scan.Ident && (x.Accepts(x.at, scan.WordToken("JOIN")) || x.Accepts(x.at, on)):
		return otherJoins[scan.Upper(t.Value)]
	case t.Type != scan.Ident && x.Accepts(x.at, on) && !x.Accepts(x.at, scan.WordToken("OR")) && x.joins():
		return "JOIN needs ON a.url = b.url, or USING (url)"
	}
	return ""
}

// joins reports whether JOIN stands before the fault.
func (x *explainer) joins() bool {
	return slices.ContainsFunc(x.tokens[:x.at], func(t scan.Token) bool { return scan.IsWordToken(&t) && scan.Upper(t.Value) == "JOIN" })
}

// brokenTime returns a hint if the fault is a time of day that a blank, not a
// T, separates from its date, else "".
func (x *explainer) brokenTime() string {
	if x.at > 0 && x.tokens[x.at-1].Type == scan.Period && x.tokens[x.at].Type == scan.Number {
		return "date and time are joined by T: 2008-06-15T10:30"
	}
	return ""
}

// hasWord reports whether the statement has the given word before the fault.
func (x *explainer) hasWord(word string) bool {
	return slices.ContainsFunc(x.tokens[:x.at], func(t scan.Token) bool { return scan.IsWord(&t, word) })
}

// missingWord returns a hint such as "is TO missing?" if a single word, comma
// or = that is inserted before the fault makes the statement correct. Otherwise
// it returns "".
func (x *explainer) missingWord() string {
	t := &x.tokens[x.at]
	if t.Type == scan.EOF || t.Type == scan.Op {
		return ""
	}
	isName := t.Type == scan.Quoted || t.Type == scan.Ident && !grammar.IsWord(t.Value)
	for _, m := range []struct {
		token scan.Token
		hint  string
	}{
		{scan.WordToken("TO"), "is TO missing?"},
		{scan.WordToken("FROM"), "is FROM missing?"},
		{scan.Token{Type: scan.Op, Value: ","}, "is a comma missing?"},
		{scan.Token{Type: scan.Op, Value: "="}, "is = missing?"},
		{scan.WordToken("AS"), "write AS before the name"},
		{scan.WordToken("BY"), "is BY missing?"},
		{scan.WordToken("AND"), "is AND missing?"},
		{scan.WordToken("IN"), "is IN missing?"},
		{scan.WordToken("AT"), "is AT missing?"},
	} {
		// At a place for any name, the inserted word would be read as a name.
		asName := m.token.Type == scan.Ident && x.Accepts(x.at, grammar.AName)
		if asName || scan.IsKeyword(&m.token, "AS") && !isName || scan.IsWord(&m.token, "TO") && x.hasWord("TO") {
			continue
		}
		// A statement that lacks one AS often lacks others. So for AS, it is enough if the
		// grammar accepts more tokens than before; the rest may have another fault.
		if x.whole(m.token) || scan.IsKeyword(&m.token, "AS") && x.ReachWith(x.at, x.at, m.token) > x.at+2 {
			return m.hint
		}
	}
	return ""
}
