package lang

import (
	_ "embed"
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

type example struct{ topic, text string }

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
				list = append(list, example{topicOf(st), src[span.Start.Offset:span.End.Offset] + ";"})
			}
		}
	}
	return list
})

// topicOf returns the topic of HELP for a statement: the longest topic that the
// statement begins with, such as "EXPLAIN RANK".
func topicOf(st ast.Statement) string {
	best, text := "", st.String()
	for _, topic := range grammar.Topics() {
		if len(topic) > len(best) && strings.HasPrefix(text, topic) {
			best = topic
		}
	}
	return best
}
