package lang

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"infomall/lang/ast"
	"infomall/lang/grammar"
)

// manual is the text of LANGUAGE.md, the manual of the language.
//
//go:embed LANGUAGE.md
var manual string

// examplesMax is how many examples Examples returns for a topic at most.
const examplesMax = 2

// Examples returns up to two statements from the manual that are examples for a
// topic of HELP, each with its semicolon. It returns nil for a topic that
// Topics does not list.
func Examples(topic string) []string {
	var list []string
	for _, e := range manualExamples() {
		if len(list) < examplesMax && strings.EqualFold(e.topic, topic) {
			list = append(list, e.text)
		}
	}
	return list
}

// ExampleOf returns a statement from the manual that reads the relation with this
// name, with its semicolon, or "" if there is none. It is the shortest one.
func ExampleOf(relation string) (text string) {
	for _, e := range manualExamples() {
		if slices.Contains(e.reads, relation) && (text == "" || len(e.text) < len(text)) {
			text = e.text
		}
	}
	return text
}

type example struct {
	topic, text string
	reads       []string // the names of the relations that it reads
}

// manualExamples returns all statements in the code blocks of the manual, in
// order, each with its topic of HELP. It parses the manual on the first call
// only.
var manualExamples = sync.OnceValue(func() []example {
	var list []example
	for _, block := range strings.Split(manual, "```iql\n")[1:] {
		src, _, _ := strings.Cut(block, "```")
		for st, err := range Statements(src, "") {
			if err == nil {
				span := st.At()
				list = append(list, example{topicOf(st), src[span.Start.Offset:span.End.Offset] + ";", readBy(st)})
			}
		}
	}
	return list
})

// readBy returns the names of the relations that a query reads, or that SHOW lists.
func readBy(st ast.Statement) (names []string) {
	switch st := st.(type) {
	case *ast.Show:
		return []string{st.What.Text}
	case *ast.Query:
		ast.Walk(st, func(n ast.Node) bool {
			if s, ok := n.(*ast.Source); ok && s.Relation != nil {
				names = append(names, s.Relation.Text)
			}
			return true
		})
	}
	return names
}

// topicOf returns the topic of HELP for a statement: the longest topic that the
// statement begins with, such as "EXPLAIN RANK".
func topicOf(st ast.Statement) string {
	if q, ok := st.(*ast.Query); ok && q.Select != nil && q.Select.From == nil {
		return "EXPRESSIONS" // such as SELECT 1 + 1
	}
	best, text := "", st.String()
	for _, topic := range grammar.Topics() {
		if len(topic) > len(best) && strings.HasPrefix(text, topic) {
			best = topic
		}
	}
	return best
}
