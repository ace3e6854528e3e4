package lang

import (
	_ "embed"
	"strings"
	"sync"

	"infomall/lang/ast"
)

// manual is the manual of the language.
//
//go:embed LANGUAGE.md
var manual string

// examplesMax is how many examples of a topic there are.
const examplesMax = 2

// Examples are statements of a topic out of the manual, as they stand there with
// their semicolons; none for a topic that Topics does not list.
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

// manualExamples are all examples of the manual with the topics that they are
// of.
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

// topicOf is the topic of HELP that tells most of a statement.
func topicOf(st ast.Statement) string {
	best, text := "", st.String()
	for _, topic := range Topics() {
		if len(topic) > len(best) && strings.HasPrefix(text, topic) {
			best = topic
		}
	}
	return best
}
