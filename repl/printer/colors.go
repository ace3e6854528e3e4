package printer

import (
	"regexp"
	"strings"
	"sync"

	"infomall/lang"
)

// ClassColors maps each class of a lang.Token to its colour: the middle part of
// an escape sequence, such as "32" for green.
var ClassColors = map[lang.Class]string{
	lang.ClassWord: "1;34", lang.ClassString: "32", lang.ClassNumber: "36",
	lang.ClassTime: "36", lang.ClassParam: "35", lang.ClassComment: "2",
}

// helpColored matches the parts of a HELP text that get a colour: keywords and
// quoted text.
var helpColored = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`'[^'\n]*'|\b[A-Z][A-Z]+\b`) })

// colorHelp returns a HELP text with escape sequences for the colours that
// statements have at the prompt.
func colorHelp(text string) string {
	return helpColored().ReplaceAllStringFunc(text, func(s string) string {
		class := lang.ClassWord
		if s[0] == '\'' {
			class = lang.ClassString
		}
		return "\x1b[" + ClassColors[class] + "m" + s + "\x1b[0m"
	})
}

// Colored returns text, which has statements, with the colours of its pieces.
func Colored(text string) string {
	var b strings.Builder
	from := 0
	for _, t := range lang.Tokens(text) {
		b.WriteString(text[from:t.From] + "\x1b[" + ClassColors[t.Class] + "m" + text[t.From:t.To] + "\x1b[0m")
		from = t.To
	}
	return b.String() + text[from:]
}
