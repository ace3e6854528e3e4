package repl

import (
	"context"

	"infomall/lang/ast"
	"infomall/repl/printer"
)

// runProgram runs the saved query or the script that st, a RUN statement, names, with the
// arguments of st as its parameters. Results go to the place that the parameter to names; each
// of several results has its own header. The error of one of the statements is already printed,
// and comes back as a reportedError.
func (p *program) runProgram(ctx context.Context, st *ast.Run, to printer.Place) error {
	program, err := p.session.Expand(ctx, st)
	if err != nil {
		return stopped(ctx, err)
	}
	if p.running >= readDepthMax {
		return ast.Errorf(st, "scripts run scripts %d deep", readDepthMax)
	}
	p.running++
	leave := p.session.Enter(program)
	defer func() {
		p.running--
		leave()
	}()
	script := parseScript(program.Name, program.Text)
	script.file = true
	steps := script.steps
	places, results := p.places(steps)
	p.printer.Alone = p.printer.Alone && results == 1
	for i := range places {
		if to != printer.ToOutput {
			places[i] = to
		}
	}
	if err := p.runAt(ctx, steps, places); err != nil {
		return &reportedError{err}
	}
	return nil
}
