package lang

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// words are all words of the grammar, reserved or not, in upper case.
var words = []string{
	"EXPLAIN", "ANALYZE", "SELECT", "DISTINCT", "FROM", "WHERE", "GROUP", "BY", "HAVING", "ORDER", "LIMIT", "OFFSET",
	"IMPORT", "DESCRIBE", "SHOW", "SET", "RESET", "HELP", "FORMAT", "PAGE",
	"IN", "BETWEEN", "SINCE", "UNTIL", "AT", "NEAREST", "FIRST", "LATEST", "TO", "OF", "AS",
	"ASC", "DESC", "NULLS", "LAST",
	"AND", "OR", "NOT", "IS", "LIKE", "ILIKE", "ESCAPE", "CONTAINS", "WITHIN",
	"CASE", "WHEN", "THEN", "ELSE", "END", "CAST", "NULL", "TRUE", "FALSE", "NOW", "TODAY", "ON",
}

// operators are the signs that may stand alone as an expected token.
var operators = []string{"(", ")", ",", ".", "..", "=", "||", "*"}

// probeTokensMax bounds the tokens before a fault that are parsed again to
// learn what could stand there. Behind more than these only the fault itself
// is told.
const probeTokensMax = 1000

// prober asks the grammar about changed versions of one statement. Its tokens
// have their index for an offset.
type prober struct {
	tokens []lexer.Token
}

func newProber(tokens []lexer.Token) *prober {
	return &prober{tokens: numbered(tokens)}
}

// numbered is a copy of tokens in which each has its index for an offset.
func numbered(tokens []lexer.Token) []lexer.Token {
	out := slices.Clone(tokens)
	for i := range out {
		out[i].Pos = lexer.Position{Offset: i}
	}
	return out
}

// reach is the index of the token that the grammar stumbles over, or the
// number of tokens if it takes them all.
func reach(tokens []lexer.Token) int {
	_, err := parseTokens(numbered(tokens))
	if err == nil {
		return len(tokens)
	}
	var e participle.Error
	if errors.As(err, &e) {
		return e.Position().Offset
	}
	panic(fmt.Sprintf("lang: the grammar failed without a place: %v", err))
}

// splice is the tokens with those from i up to j replaced.
func (p *prober) splice(i, j int, by ...lexer.Token) []lexer.Token {
	return slices.Concat(p.tokens[:i], by, p.tokens[j:])
}

// accepts tells whether the grammar would take t after the first i tokens.
func (p *prober) accepts(i int, t lexer.Token) bool {
	return reach(slices.Concat(p.tokens[:i], []lexer.Token{t, {Type: lexer.EOF}})) > i
}

// wordToken is the token that the scanner makes of a word in upper case.
func wordToken(w string) lexer.Token {
	if _, ok := reserved[w]; ok {
		return lexer.Token{Type: tokKeyword, Value: w}
	}
	return lexer.Token{Type: tokIdent, Value: w}
}

// Examples of the kinds of token that are not words or operators.
var (
	aName     = lexer.Token{Type: tokIdent, Value: "name"}
	aQuoted   = lexer.Token{Type: tokQuoted, Value: `"name"`}
	aString   = lexer.Token{Type: tokString, Value: "''"}
	aNumber   = lexer.Token{Type: tokNumber, Value: "1"}
	aSize     = lexer.Token{Type: tokSize, Value: "1KB"}
	aDuration = lexer.Token{Type: tokDuration, Value: "1d"}
	aPeriod   = lexer.Token{Type: tokPeriod, Value: "2008-06"}
)

// expected says what could stand at index i, each in words or as itself.
func (p *prober) expected(i int) []string {
	found := make(map[string]bool)
	for name, t := range map[string]lexer.Token{
		"a name": aName, "a string": aString, "a number": aNumber, "a size": aSize,
		"a duration": aDuration, "a time": aPeriod,
	} {
		found[name] = p.accepts(i, t)
	}
	for _, op := range operators {
		found[op] = p.accepts(i, lexer.Token{Type: tokOp, Value: op})
	}
	for _, w := range words {
		t := wordToken(w)
		// Where any name goes, a word of the language is one.
		found[w] = (t.Type == tokKeyword || !found["a name"]) && p.accepts(i, t)
	}
	found[";"] = reach(slices.Concat(p.tokens[:i], []lexer.Token{{Type: lexer.EOF}})) > i
	return inWords(found)
}

// A class stands for all its members where its marks are all expected.
type class struct {
	name    string
	marks   []string
	members []string
}

var classes = []class{
	{"an expression", []string{"a size", "("}, []string{
		"a name", "a string", "a number", "a size", "a duration", "a time", "(",
		"NOT", "CASE", "CAST", "NULL", "TRUE", "FALSE", "NOW", "TODAY",
	}},
	{"a value", []string{"a size"}, []string{
		"a name", "a string", "a number", "a size", "a duration", "a time", "NULL", "TRUE", "FALSE", "TODAY", "ON",
	}},
	{"a time such as 2008-06", []string{"a time"}, []string{"a string", "a number", "a time", "NOW", "TODAY"}},
	{"a time clause", []string{"SINCE", "NEAREST"}, []string{
		"BETWEEN", "FROM", "SINCE", "UNTIL", "AT", "NEAREST", "FIRST", "LATEST",
	}},
	{"a time range such as SINCE 2008", []string{"SINCE"}, []string{"BETWEEN", "FROM", "SINCE", "UNTIL"}},
	{"a choice such as LATEST", []string{"NEAREST"}, []string{"AT", "NEAREST", "FIRST", "LATEST"}},
	{"a word", []string{"SELECT", "HAVING"}, slices.Concat(words, []string{"a name"})},
	{"an operator", []string{"||"}, []string{
		"=", "||", "*", "AND", "OR", "NOT", "IS", "IN", "BETWEEN", "LIKE", "ILIKE", "CONTAINS", "WITHIN", ".", "(",
	}},
}

// expectedMax is how many alternatives a message names.
const expectedMax = 8

// inWords lists what was found, classes first, then words and operators.
func inWords(found map[string]bool) []string {
	var list []string
	for _, c := range classes {
		if !slices.ContainsFunc(c.marks, func(m string) bool { return !found[m] }) {
			list = append(list, c.name)
			for _, m := range c.members {
				found[m] = false
			}
		}
	}
	for _, name := range []string{"a name", "a string", "a number", "a duration"} {
		if found[name] {
			list = append(list, name)
		}
	}
	for _, w := range words {
		if !found[w] {
			continue
		}
		if w == "GROUP" || w == "ORDER" {
			w += " BY"
		}
		list = append(list, w)
	}
	for _, op := range slices.Concat(operators, []string{";"}) {
		if found[op] {
			list = append(list, strconv.Quote(op))
		}
	}
	return list
}

// orList joins alternatives in a sentence.
func orList(list []string) string {
	switch {
	case len(list) == 1:
		return list[0]
	case len(list) > expectedMax:
		return strings.Join(list[:expectedMax], ", ") + ", …"
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}
