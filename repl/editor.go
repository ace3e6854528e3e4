package repl

import (
	"strings"

	"infomall/exec/rowio"
	"infomall/lang"
	"infomall/repl/complete"
	"infomall/repl/printer"
	"infomall/repl/term"
)

// complete returns the candidates for completing the text at the cursor: texts
// that may replace before[from:]. before and after are the texts of the line on
// both sides of the cursor. The line editor calls complete when Tab is typed.
func (s *shell) complete(before, after string) (from int, candidates []string) {
	if word := strings.TrimLeft(before, " "); s.pending == "" && strings.HasPrefix(word, ".") {
		return completeDot(before)
	}
	c := &complete.Completer{Session: s.session, Sites: s.sites, Files: true}
	from, candidates = c.Complete(s.pending+before, after)
	from -= len(s.pending)
	if from < 0 {
		return 0, nil // the text to complete began on an earlier line
	}
	return from, candidates
}

// completeDot returns the candidates for completing a dot command, such as
// .mode, or its argument: texts that may replace before[from:].
func completeDot(before string) (from int, candidates []string) {
	from = strings.LastIndexByte(before, ' ') + 1
	command := strings.Fields(before)[0]
	if from <= strings.Index(before, ".") {
		var names []string
		for _, c := range dotCommands() {
			names = append(names, c.name)
		}
		return from, complete.Beginning(before[from:], names)
	}
	switch command {
	case ".mode", ".last":
		return from, complete.Beginning(before[from:], append(rowio.Formats(), printer.ModeAuto))
	case ".pager":
		return from, complete.Beginning(before[from:], []string{printer.PagerAuto, printer.PagerOn, printer.PagerOff})
	case ".timer", ".headers":
		return from, complete.Beginning(before[from:], []string{"on", "off"})
	case ".once", ".output", ".read":
		return from, complete.FilesAt(before[from:])
	}
	return from, nil
}

// highlight returns the colours of a line at the prompt. If a statement was
// begun on earlier lines, s.pending has these, and line continues the
// statement. A dot command has no colours.
func (s *shell) highlight(line string) []term.Style {
	if s.pending == "" && strings.HasPrefix(strings.TrimLeft(line, " "), ".") {
		return nil
	}
	var styles []term.Style
	for _, t := range lang.Tokens(s.pending + line) {
		from, to := t.From-len(s.pending), t.To-len(s.pending)
		if to > 0 {
			styles = append(styles, term.Style{From: max(0, from), To: to, Color: printer.ClassColors[t.Class]})
		}
	}
	return styles
}
