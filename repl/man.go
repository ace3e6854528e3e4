package repl

import (
	"fmt"
	"io"
	"strings"

	"infomall/exec/query"
	"infomall/lang"
	"infomall/repl/printer"
)

// man prints the manual page of the program in troff, and returns the exit
// status; it is the tool man. The flags, the dot commands and the syntax of the
// statements come from the tables that the program itself uses.
func (p *program) man(args []string) int {
	if len(args) > 0 {
		return p.usage(fmt.Errorf("infomall man takes no arguments"))
	}
	writeMan(p.stdout)
	return statusDone
}

func writeMan(w io.Writer) {
	line := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	line(".TH INFOMALL 1 \"\" \"infomall\"\n.SH NAME\ninfomall \\- a web archive you query in SQL")
	line(".SH SYNOPSIS\n.B infomall\n[\\fIflag\\fR]… [\\fB\\-c\\fR \\fIstatements\\fR | \\fIfile\\fR | \\fB\\-\\fR]…\n.br\n" +
		".B infomall fmt\n[\\fIfile\\fR | \\fB\\-\\fR]…\n.br\n.B infomall completion\nbash | zsh | fish\n.br\n.B infomall man\n.br\n" +
		".B infomall doctor\n\\fIurl\\fR… | \\-\\-compose")
	line(".SH DESCRIPTION")
	for _, paragraph := range strings.Split(strings.TrimSpace(description), "\n\n") {
		line(".PP\n%s", roff(paragraph))
	}
	line(".SH OPTIONS")
	for _, f := range flags() {
		var names []string
		for _, s := range spellings(f) {
			names = append(names, `\fB`+roff(s)+`\fR`)
		}
		value := ""
		if !f.IsBool() {
			value = ` \fI` + roff(f.FormatPlaceHolder()) + `\fR`
		}
		line(".TP\n%s%s\n%s", strings.Join(names, ", "), value, roff(plainHelp(f)))
	}
	line(".SH STATEMENTS\nA semicolon separates statements.\n.nf")
	for _, topic := range lang.Topics() {
		line(".PP\n%s", roff(query.Syntax(topic)))
	}
	line(".fi\n.SH PROMPT\nCommands for the state of the prompt itself:")
	for _, c := range dotCommands() {
		line(".TP\n\\fB%s\\fR %s\n%s", roff(c.name), roff(c.args), roff(c.help))
	}
	line(".SH FILES\n.TP\n$XDG_CONFIG_HOME/infomall/rc, ~/.config/infomall/rc\nwhat the prompt runs first\n" +
		".TP\n$XDG_STATE_HOME/infomall/history, ~/.local/state/infomall/history\nwhat was typed at the prompt\n" +
		".TP\n$XDG_CACHE_HOME/infomall/rates, ~/.cache/infomall/rates\nwhat queries cost, to estimate what others will; may be removed")
	line(".SH ENVIRONMENT")
	for _, v := range [][2]string{
		{"INFOMALL_ARCHIVE", "the archive's folder or s3:// URL, unless \\-a names one"},
		{"PAGER", "shows results taller than the window; else " + roff(printer.PagerDefault)},
		{"NO_COLOR", "if set, nothing is coloured"},
	} {
		line(".TP\n\\fB%s\\fR\n%s", v[0], v[1])
	}
}

// roff returns text with escapes, so that troff prints it unchanged.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "$$", "$").Replace(text)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
