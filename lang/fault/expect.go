package fault

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"infomall/lang/grammar"
	"infomall/lang/scan"
)

// operators are the operators and signs that the message about a fault may list
// as expected.
var operators = []string{"(", ")", ",", ".", "..", "=", "||", "*"}

// kinds lists the kinds of token that are neither words nor operators: the name
// that messages use for a kind, and an example token to probe with.
var kinds = []struct {
	name  string
	token scan.Token
}{
	{"a name", grammar.AName}, {"a string", grammar.AString}, {"a number", grammar.ANumber},
	{"a size", grammar.ASize}, {"a duration", grammar.ADuration}, {"a time", grammar.APeriod},
}

// class is a group of expected tokens with one name, such as "a time clause".
// If the grammar accepts all tokens of marks, a message shows the name of the
// class instead of its members.
type class struct {
	name    string
	marks   []string
	members []string
}

// classes returns all classes, in the order in which expected tries them. Once
// a class fits, its members no longer count for later classes.
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
			"BETWEEN", "FROM", "SINCE", "UNTIL", "DURING", "AT", "NEAREST", "FIRST", "LATEST", "EACH", "KNOWN",
		}},
		{"a time range such as SINCE 2008", []string{"SINCE"}, []string{"BETWEEN", "FROM", "SINCE", "UNTIL", "DURING"}},
		{"a choice such as LATEST", []string{"NEAREST"}, []string{"AT", "NEAREST", "FIRST", "LATEST", "EACH"}},
		{"a word", []string{"SELECT", "HAVING"}, slices.Concat(grammar.Words(), []string{"a name"})},
		{"a statement (HELP lists them)", []string{"SELECT", "IMPORT"}, grammar.FirstWords()},
		{"an operator", []string{"||", "OR"}, slices.Concat(operatorWords, []string{"AND", "OR"})},
		// Between BETWEEN and its AND.
		{"an operator", []string{"||"}, operatorWords},
		{"JOIN", []string{"LEFT", "JOIN"}, []string{"LEFT", "JOIN", "INNER", "CROSS"}},
		{"a clause such as WHERE", []string{"WHERE", "GROUP", "LIMIT"}, []string{"WHERE", "GROUP", "HAVING", "WINDOW", "UNION", "EXCEPT", "INTERSECT", "ORDER", "LIMIT", "OFFSET"}},
		{"a clause such as GROUP BY", []string{"GROUP", "LIMIT"}, []string{"GROUP", "HAVING", "WINDOW", "UNION", "EXCEPT", "INTERSECT", "ORDER", "LIMIT", "OFFSET"}},
	}
})

// operatorWords are the words and signs that may follow an operand in an
// expression.
var operatorWords = []string{
	"=", "||", "*", "NOT", "IS", "IN", "BETWEEN", "LIKE", "ILIKE", "CONTAINS", "MATCH", "WITHIN", ".", "(",
}

// expected returns what the grammar accepts as the token at index i of the
// statement in p, in the form in which a message shows it. A kind of token has
// its name, such as "a string". Words and operators are as they are typed. A
// class stands for all its members.
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
		if named && t.Type == scan.Ident && grammar.ReadAsName(w, func(t scan.Token) bool { return p.Accepts(i, t) }) {
			known[w] = false // At a place for any name, the word would be read as a name.
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

// orList returns the alternatives joined for a sentence: "a, b or c". If there
// are more than expectedMax, it ends the list with ", …".
func orList(list []string) string {
	switch {
	case len(list) < 2:
		return strings.Join(list, "")
	case len(list) > expectedMax:
		return strings.Join(list[:expectedMax], ", ") + ", …"
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}
