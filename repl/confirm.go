package repl

import (
	"context"
	"errors"
	"strings"
)

// errNotConfirmed ends a statement that takes captures away where nobody said
// that it is to.
var errNotConfirmed = errors.New("nothing was done")

// unattended is what Session.Confirm is where nobody can be asked: with --yes
// it is done, else it says what it would be.
func (p *program) unattended(_ context.Context, what []string) error {
	if p.options.Yes {
		return nil
	}
	for _, line := range what {
		p.say("%s", line)
	}
	return errors.New("nothing was done; --yes does it")
}

// ask is Session.Confirm at the prompt.
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
	case err != nil: // Ctrl-C, Ctrl-D: no
		return errNotConfirmed
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errNotConfirmed
}
