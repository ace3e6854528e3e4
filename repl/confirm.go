package repl

import (
	"context"
	"errors"
	"strings"
)

// errNotConfirmed is the error of a statement that the user did not confirm at the
// prompt.
var errNotConfirmed = errors.New("nothing was done")

// unattended confirms a statement that deletes captures if the program runs
// without a prompt; it is the function Session.Confirm. With --yes it returns
// nil. Otherwise it prints the lines of what, which say what the statement
// would delete, and returns an error, so that nothing is done.
func (p *program) unattended(_ context.Context, what []string) error {
	if p.options.Yes {
		return nil
	}
	for _, line := range what {
		p.say("%s", line)
	}
	return errors.New("nothing was done; --yes does it")
}

// unattendedCost decides about a query above the setting warn_cost if the program runs
// without a prompt; it is the function Session.ConfirmCost. With --yes it returns nil.
// Otherwise it returns an error, so that the query does not run.
func (p *program) unattendedCost(_ context.Context, what string) error {
	if p.options.Yes {
		return nil
	}
	return errors.New(what + " Nothing was done; --yes or SET warn_cost = off does it")
}

// ask confirms a statement that deletes captures at the prompt; it is the
// function Session.Confirm. It prints the lines of what, which say what the
// statement would delete, and asks the user. It returns nil if the answer is
// yes, and an error for any other answer. With --yes it returns nil without
// asking.
func (s *shell) ask(ctx context.Context, what []string) error {
	if s.options.Yes {
		return nil
	}
	s.meter.End()
	for _, line := range what {
		s.say("%s", line)
	}
	return s.agree(ctx, "Do it? [y/N] ")
}

// askCost asks at the prompt about a query above the setting warn_cost; it is the function
// Session.ConfirmCost. The parameter what says what the query costs. It returns nil if the
// answer is yes, and an error for any other answer. With --yes it returns nil without
// asking.
func (s *shell) askCost(ctx context.Context, what string) error {
	if s.options.Yes {
		return nil
	}
	s.meter.End()
	return s.agree(ctx, what+" Run it? [y/N] ")
}

// agree asks the question at the prompt. It returns nil if the answer is yes, otherwise
// an error.
func (s *shell) agree(ctx context.Context, question string) error {
	answer, err := s.lines.ReadLine(question)
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
