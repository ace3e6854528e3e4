package lang

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// operators are the operators that a message may list as an expected token.
var operators = []string{"(", ")", ",", ".", "..", "=", "||", "*"}

// These constants bound the work of parsing a faulty statement again to find
// alternatives. If more than probeTokensMax tokens come before the fault, the
// message names only the fault. Tokens after the first proberTokens are
// ignored.
const (
	probeTokensMax = 1000
	proberTokens   = 2 * probeTokensMax
)

// prober parses changed versions of one statement to learn what the grammar
// accepts. Each of its tokens, and each token it gives the grammar, has its
// index in place of its offset.
type prober struct {
	tokens []lexer.Token
	probe  []lexer.Token // the first tokens, the token in question, and the end
}

func newProber(tokens []lexer.Token) *prober {
	p := &prober{tokens: slices.Clone(tokens[:min(len(tokens), proberTokens)])}
	if len(p.tokens) < len(tokens) {
		p.tokens = append(p.tokens, lexer.Token{Type: lexer.EOF})
	}
	number(p.tokens)
	return p
}

func number(tokens []lexer.Token) {
	for i := range tokens {
		tokens[i].Pos = lexer.Position{Offset: i}
	}
}

// reach returns the index of the first token that the grammar does not accept,
// or len(tokens) if it accepts all.
func reach(tokens []lexer.Token) int {
	l := lexerOf(tokens)
	defer l.free()
	_, err := l.parse()
	if err == nil {
		return len(tokens)
	}
	var e participle.Error
	if errors.As(err, &e) {
		return e.Position().Offset
	}
	panic(fmt.Sprintf("lang: the grammar failed without a place: %v", err))
}

// reachWith returns how far the grammar gets, as reach does, if by replaces the
// tokens from i up to j.
func (p *prober) reachWith(i, j int, by ...lexer.Token) int {
	tokens := slices.Concat(p.tokens[:i], by, p.tokens[j:])
	number(tokens)
	return reach(tokens)
}

// accepts reports whether the grammar accepts t after the first i tokens.
func (p *prober) accepts(i int, t lexer.Token) bool {
	if len(p.probe) != i+2 {
		p.probe = append(slices.Clone(p.tokens[:i]), lexer.Token{}, lexer.Token{Type: lexer.EOF, Pos: lexer.Position{Offset: i + 1}})
	}
	t.Pos = lexer.Position{Offset: i}
	p.probe[i] = t
	return reach(p.probe) > i
}

// wordToken returns the token that the scanner makes of w, a word in upper
// case.
func wordToken(w string) lexer.Token {
	if _, ok := reserved[w]; ok {
		return lexer.Token{Type: tokKeyword, Value: w}
	}
	return lexer.Token{Type: tokIdent, Value: w}
}

// One example for each kind of token that is neither a word nor an operator.
var (
	aName     = lexer.Token{Type: tokIdent, Value: "name"}
	aQuoted   = lexer.Token{Type: tokQuoted, Value: `"name"`}
	aString   = lexer.Token{Type: tokString, Value: "''"}
	aNumber   = lexer.Token{Type: tokNumber, Value: "1"}
	aSize     = lexer.Token{Type: tokSize, Value: "1KB"}
	aDuration = lexer.Token{Type: tokDuration, Value: "1d"}
	aPeriod   = lexer.Token{Type: tokPeriod, Value: "2008-06"}
)

// kinds lists these examples with the names that messages use for them.
var kinds = []struct {
	name  string
	token lexer.Token
}{
	{"a name", aName}, {"a string", aString}, {"a number", aNumber},
	{"a size", aSize}, {"a duration", aDuration}, {"a time", aPeriod},
}

// A class is a group of expected tokens with one name, such as "a time clause".
// If all of marks are expected, a message shows name instead of members.
type class struct {
	name    string
	marks   []string
	members []string
}

// classes returns all classes. The first that fits counts.
var classes = sync.OnceValue(func() []class {
	return []class{
		{"an expression", []string{"a size", "("}, []string{
			"a name", "a string", "a number", "a size", "a duration", "a time", "(",
			"NOT", "EXISTS", "CASE", "CAST", "NULL", "TRUE", "FALSE", "NOW", "TODAY",
		}},
		{"a value", []string{"a size"}, []string{
			"a name", "a string", "a number", "a size", "a duration", "a time", "NULL", "TRUE", "FALSE", "TODAY", "ON",
		}},
		{"a time such as 2008-06", []string{"a time"}, []string{"a string", "a number", "a time", "NOW", "TODAY"}},
		{"a time clause", []string{"SINCE", "NEAREST"}, []string{
			"BETWEEN", "FROM", "SINCE", "UNTIL", "DURING", "AT", "NEAREST", "FIRST", "LATEST", "EACH",
		}},
		{"a time range such as SINCE 2008", []string{"SINCE"}, []string{"BETWEEN", "FROM", "SINCE", "UNTIL", "DURING"}},
		{"a choice such as LATEST", []string{"NEAREST"}, []string{"AT", "NEAREST", "FIRST", "LATEST", "EACH"}},
		{"a word", []string{"SELECT", "HAVING"}, slices.Concat(words(), []string{"a name"})},
		{"a statement (HELP lists them)", []string{"SELECT", "IMPORT"}, slices.Collect(maps.Keys(starts()))},
		{"an operator", []string{"||", "OR"}, slices.Concat(operatorWords, []string{"AND", "OR"})},
		// Between BETWEEN and its AND.
		{"an operator", []string{"||"}, operatorWords},
		{"JOIN", []string{"LEFT", "JOIN"}, []string{"LEFT", "JOIN"}},
		{"a clause such as WHERE", []string{"WHERE", "GROUP", "LIMIT"}, []string{"WHERE", "GROUP", "HAVING", "UNION", "ORDER", "LIMIT"}},
	}
})

// operatorWords are the words and operators that may follow an operand.
var operatorWords = []string{
	"=", "||", "*", "NOT", "IS", "IN", "BETWEEN", "LIKE", "ILIKE", "CONTAINS", "WITHIN", ".", "(",
}

// expected returns what the grammar accepts at index i, as a message shows it:
// kinds of token by name, such as "a string", words and operators as
// themselves, and classes instead of their members.
func (p *prober) expected(i int) []string {
	known := make(map[string]bool) // probed, or covered by a class
	can := func(name string, t lexer.Token) bool {
		ok, done := known[name]
		if !done {
			ok = p.accepts(i, t)
			known[name] = ok
		}
		return ok
	}
	named := can("a name", aName)
	examples := map[string]lexer.Token{}
	for _, k := range kinds {
		examples[k.name] = k.token
	}
	for _, op := range operators {
		examples[op] = lexer.Token{Type: tokOp, Value: op}
	}
	for _, w := range words() {
		t := wordToken(w)
		if named && t.Type == tokIdent {
			known[w] = false // Where any name goes, a word of the language is one.
		}
		examples[w] = t
	}
	var list []string
	for _, c := range classes() {
		if slices.ContainsFunc(c.marks, func(m string) bool { return !can(m, examples[m]) }) {
			continue
		}
		list = append(list, c.name)
		for _, m := range c.members {
			known[m] = false
		}
	}
	for _, k := range kinds {
		if can(k.name, k.token) {
			list = append(list, k.name)
		}
	}
	for _, w := range words() {
		if !can(w, examples[w]) {
			continue
		}
		switch w {
		case "GROUP", "ORDER":
			w += " BY"
		case "UNION":
			w += " ALL"
		}
		list = append(list, w)
	}
	for _, op := range operators {
		if can(op, examples[op]) {
			list = append(list, strconv.Quote(op))
		}
	}
	if p.accepts(i, lexer.Token{Type: lexer.EOF}) {
		list = append(list, `";"`)
	}
	return list
}

// expectedMax is how many alternatives a message names at most.
const expectedMax = 8

// orList joins alternatives for a sentence: "a, b or c".
func orList(list []string) string {
	switch {
	case len(list) < 2:
		return strings.Join(list, "")
	case len(list) > expectedMax:
		return strings.Join(list[:expectedMax], ", ") + ", …"
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}
