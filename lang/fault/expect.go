package fault

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"infomall/lang/grammar"
	"infomall/lang/scan"
)

// operators are the operators that a message may list as an expected token.
var operators = []string{"(", ")", ",", ".", "..", "=", "||", "*"}

// kinds lists these examples with the names that messages use for them.
var kinds = []struct {
	name  string
	token scan.Token
}{
	{"a name", grammar.AName}, {"a string", grammar.AString}, {"a number", grammar.ANumber},
	{"a size", grammar.ASize}, {"a duration", grammar.ADuration}, {"a time", grammar.APeriod},
}

// A class is a group of expected tokens with one name, such as "a time clause".
// If all of marks are expected, a message shows name instead of members.
type class struct {
	name    string
	marks   []string
	members []string
}

// classes returns all classes, in the order in which they are tried. The members
// of a class that fits count for no later one.
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
		{"a word", []string{"SELECT", "HAVING"}, slices.Concat(grammar.Words(), []string{"a name"})},
		{"a statement (HELP lists them)", []string{"SELECT", "IMPORT"}, grammar.FirstWords()},
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
func expected(p *grammar.Prober, i int) []string {
	known := make(map[string]bool) // probed, or covered by a class
	can := func(name string, t scan.Token) bool {
		ok, done := known[name]
		if !done {
			ok = p.Accepts(i, t)
			known[name] = ok
		}
		return ok
	}
	named := can("a name", grammar.AName)
	examples := map[string]scan.Token{}
	for _, k := range kinds {
		examples[k.name] = k.token
	}
	for _, op := range operators {
		examples[op] = scan.Token{Type: scan.Op, Value: op}
	}
	for _, w := range grammar.Words() {
		t := scan.WordToken(w)
		if named && t.Type == scan.Ident {
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
	for _, w := range grammar.Words() {
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
	if p.Accepts(i, scan.Token{Type: scan.EOF}) {
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
