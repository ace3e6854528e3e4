package repl

import (
	"context"
	"io"
	"strings"

	"infomall/lang/cells"
	"infomall/repl/printer"
)

// echo shows the statement s and the comments before it on the terminal, if s is one of several
// statements of a file. The user then sees to which statement the result belongs.
func (p *program) echo(ctx context.Context, s step, to printer.Place) error {
	out := p.printer.Out
	if !s.script.file || s.script.silent || len(s.script.steps) < 2 || p.options.Quiet || out.Terminal == nil || to == printer.ToNowhere {
		return nil
	}
	text := s.script.before(s) + strings.TrimSpace(s.script.text[s.statement.At().Start.Offset:s.statement.At().End.Offset]) + ";\n"
	text = cells.Lines(text)
	if _, color := p.printer.Window(out); color {
		text = printer.Colored(text)
	}
	out.Begin(ctx)
	if p.printer.Printed > 0 || s.script.echoed > 0 {
		text = "\n" + text
	}
	io.WriteString(out, text) // end returns the same error
	s.script.echoed = s.statement.At().End.Offset
	p.printer.Printed = 0 // no empty line before the result
	return out.End()
}

// before returns the comments between the previous statement that was echoed and st, a step of
// the script s. Each comment is on lines of its own.
func (s *script) before(st step) string {
	var b strings.Builder
	gap := strings.TrimLeft(s.text[s.echoed:st.statement.At().Start.Offset], "; \t\r\n")
	for line := range strings.Lines(gap) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#!") && !strings.HasPrefix(line, ".") {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
