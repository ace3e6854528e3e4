package query

import (
	"fmt"
	"strings"

	"infomall/exec/export"
	"infomall/lang"
)

// openParts has the parts of statements whose words the grammar does not know, because packages
// of exec declare them. Each topic of HELP has at most one such part.
var openParts = []struct {
	topic, part string
	words       func() []string
}{
	{"SHOW", "list", shownWords},
	{"EXPORT", "format", export.Formats},
}

// Syntax returns the syntax of a topic of HELP, such as "SHOW", in lines of at most 80
// characters. It is the text of lang.Grammar with the words that may be typed now, such as all
// formats of EXPORT. Case does not matter. The result is "" for a topic that lang.Topics does
// not list.
func Syntax(topic string) string {
	text := lang.Grammar(topic)
	for _, p := range openParts {
		if strings.EqualFold(p.topic, topic) {
			return strings.Replace(text, fmt.Sprintf("\n%s = name\n", p.part), "\n"+choice(p.part, p.words()), 1)
		}
	}
	return text
}

// choice returns the lines that explain a part of a statement as a choice of words, such as
// "format = csv | tsv\n". Each line but the first begins with a blank.
func choice(part string, words []string) string {
	const lineMax = 80
	var text strings.Builder
	line := part + " = " + words[0]
	for _, w := range words[1:] {
		if len(line)+len(" | ")+len(w) > lineMax {
			text.WriteString(line + "\n")
			line = " "
		}
		line += " | " + w
	}
	return text.String() + line + "\n"
}
