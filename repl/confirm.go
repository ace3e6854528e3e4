package repl

import (
	"context"
	"errors"
	"strings"
)

// errNotConfirmed ends a statement that would delete captures and that the user
// did not confirm.
var errNotConfirmed = errors.New("nothing was done")

// unattended is Session.Confirm for runs without a prompt. With --yes it
// confirms. Otherwise it prints the lines of what, which say what the statement
// would delete, and returns an error.
func (p *program) unattended(_ context.Context, what []string) error {
	if p.options.Yes {
		return nil
	}
	for _, line := range what {
		p.say("%s", line)
	}
	return errors.New("nothing was done; --yes does it")
}

// ask is Session.Confirm at the prompt. It prints the lines of what and asks
// the user; any answer but yes is an error.
func (s *shell) ask(ctx context.Context, what []string) error {
	if s.options.Yes {
		return nil
	}
	s.meter.end()
	for _, line := range what {
		s.say("%s", line)
	}
	answer, err := s.lines.ReadLine("Do it? [y/N] ")
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil: // Ctrl-C and Ctrl-D mean no
		return errNotConfirmed
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errNotConfirmed
}
