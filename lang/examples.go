package lang

import (
	_ "embed"
	"iter"
	"slices"
	"strings"
	"unicode"

	"infomall/lang/ast"
	"infomall/lang/grammar"
	"infomall/lang/scan"
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
func Examples(topic string) (list []string) {
	word, _, _ := strings.Cut(topic, " ")
	if strings.EqualFold(topic, expressions) {
		word = "SELECT"
	}
	for e := range manualExamples(word) {
		if strings.EqualFold(e.topic, topic) {
			if list = append(list, e.text); len(list) == examplesMax {
				break
			}
		}
	}
	return list
}

// ExampleOf returns a statement from the manual that reads the relation with this
// name, with its semicolon, or "" if there is none. It is the shortest one.
func ExampleOf(relation string) (text string) {
	for e := range manualExamples(relation) {
		if slices.Contains(e.reads, relation) && (text == "" || len(e.text) < len(text)) {
			text = e.text
		}
	}
	return text
}

// ExampleWith returns a statement from the manual that is an example for a topic of HELP and has
// these words one after the other, such as "ORDER BY", with its semicolon. It is the shortest one.
// Without one, the result is the first example for the topic, or "".
func ExampleWith(topic, words string) (text string) {
	for e := range manualExamples(words) {
		of := strings.EqualFold(e.topic, topic) || topic == expressions && e.topic == "SELECT"
		if of && (text == "" || len(e.text) < len(text)) && wordsIn(e.text, words) {
			text = e.text
		}
	}
	if list := Examples(topic); text == "" && len(list) > 0 {
		return list[0]
	}
	return text
}

// wordsIn reports whether text has these words one after the other. Upper and lower case are the
// same.
func wordsIn(text, words string) bool {
	fields := strings.FieldsFunc(strings.ToUpper(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '_' })
	return strings.Contains(" "+strings.Join(fields, " ")+" ", " "+strings.ToUpper(words)+" ")
}

// hintMax is the longest example, in bytes, that hintOf returns.
const hintMax = 120

// hintOf returns a hint with an example of the statement that begins with tokens, such as
// "as in RULE private ON 'a.cn/x/' EXCLUDE". If the manual has several short examples, it
// returns the one that shares the most words with tokens. It returns "" for queries, and if
// there is no short example.
func hintOf(tokens []scan.Token) string {
	topic := ""
	for _, t := range grammar.Topics() {
		words := strings.Fields(t)
		begins := len(words) < len(tokens) && t != "SELECT" && t != "SHOW" && len(t) > len(topic)
		for i := 0; begins && i < len(words); i++ {
			begins = scan.EqualFold(tokens[i].Value, words[i])
		}
		if begins {
			topic = t
		}
	}
	best, bestScore := "", -1
	if topic == "" {
		return ""
	}
	first, _, _ := strings.Cut(topic, " ")
	for e := range manualExamples(first) {
		text := strings.TrimSuffix(strings.Join(strings.Fields(e.text), " "), ";")
		if e.topic != topic || len(text) > hintMax {
			continue
		}
		score := 0
		for i := range tokens {
			if scan.IsWordToken(&tokens[i]) && strings.Contains(scan.Upper(text), scan.Upper(tokens[i].Value)) {
				score++
			}
		}
		if score > bestScore {
			best, bestScore = "as in "+text, score
		}
	}
	return best
}

type example struct {
	topic, text string
	reads       []string // the names of the relations that it reads
}

// manualExamples yields the statements in those code blocks of the manual that contain word,
// in order, each with its topic of HELP. Upper and lower case are the same. It parses no other
// block, because to parse all takes 50 ms.
func manualExamples(word string) iter.Seq[example] {
	word = strings.ToUpper(word)
	return func(yield func(example) bool) {
		for _, block := range strings.Split(manual, "```iql\n")[1:] {
			src, _, _ := strings.Cut(block, "```")
			if !strings.Contains(strings.ToUpper(src), word) {
				continue
			}
			for st, err := range statements(src, "", func([]scan.Token) string { return "" }) {
				if err != nil {
					continue
				}
				span := st.At()
				if !yield(example{topicOf(st), src[span.Start.Offset:span.End.Offset] + ";", readBy(st)}) {
					return
				}
			}
		}
	}
}

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

// expressions is the topic of HELP for queries without FROM.
const expressions = "EXPRESSIONS"

// topicOf returns the topic of HELP for a statement: the longest topic that the
// statement begins with, such as "EXPLAIN RANK".
func topicOf(st ast.Statement) string {
	if q, ok := st.(*ast.Query); ok && q.Select != nil && q.Select.From == nil {
		return expressions // such as SELECT 1 + 1
	}
	best, text := "", st.String()
	for _, topic := range grammar.Topics() {
		if len(topic) > len(best) && strings.HasPrefix(text, topic) {
			best = topic
		}
	}
	return best
}
