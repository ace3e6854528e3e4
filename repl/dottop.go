package repl

import (
	"context"
	"io"
	"strings"
	"time"
)

// topEvery is the time between two updates of the display of .top.
const topEvery = time.Second

// topParts are the statements of .top. A condition on the name of the crawl replaces $crawl.
var topParts = []string{
	"SELECT name, state, fetched, failed, waiting, pages_per_second AS pages_s, bytes_per_second AS bytes_s, pages_per_second_hour AS pages_s_hour, alerts, error FROM crawls WHERE $crawl ORDER BY started DESC LIMIT 5",
	"SELECT crawl, host, state, waiting, fetched, failed, errors, delay, soft_404 FROM crawl_hosts WHERE $crawl ORDER BY silent_since NULLS LAST, waiting DESC, fetched DESC, host LIMIT 8",
	"SELECT time, crawl, kind, host, text FROM alerts WHERE $crawl ORDER BY time DESC LIMIT 3",
}

// dotTop shows the crawls, their hosts and the last alerts. If arg is not "", it shows only
// the crawl of that name. On a terminal it shows them again every topEvery, until the user
// types q or Ctrl-C. Elsewhere it shows them once.
func (s *shell) dotTop(ctx context.Context, arg string) error {
	var text strings.Builder
	for i, part := range topParts {
		condition := "true"
		if arg != "" {
			column := "crawl"
			if i == 0 {
				column = "name"
			}
			condition = column + " = '" + strings.ReplaceAll(arg, "'", "''") + "'"
		}
		text.WriteString(strings.ReplaceAll(part, "$crawl", condition) + ";\n")
	}
	script := parseScript("", text.String())
	live := s.file == nil && s.terminal.Terminal != nil
	if live { // a pager would wait for keys
		pager := s.terminal.Pager
		s.terminal.Pager = nil
		defer func() { s.terminal.Pager = pager }()
	}
	ctx, release := s.signals.During(ctx)
	defer release()
	for {
		if live {
			io.WriteString(s.terminal.Dest, "\x1b[H\x1b[2J")
		}
		s.printer.Printed = 0
		if err := s.run(ctx, script.steps); err != nil {
			if live && ctx.Err() != nil {
				return nil
			}
			return &reportedError{err}
		}
		if !live {
			return nil
		}
		if s.lines.WaitForKey(ctx, topEvery, "qQ") || ctx.Err() != nil {
			return nil
		}
	}
}
