package repl

import (
	"context"
	"io"

	"infomall/repl/mcp"
)

// mcp answers a client of the Model Context Protocol on standard input and output
// until the input ends. The scripts, that of --init, run first.
func (p *program) mcp(ctx context.Context, scripts []*script) error {
	if err := p.batch(ctx, scripts); err != nil {
		return err
	}
	o, _, err := p.serveOptions()
	if err != nil {
		p.say("infomall: %v", err)
		return err
	}
	ctx, release := p.signals.during(ctx)
	defer release()
	in, ok := p.stdin.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(p.stdin)
	}
	err = mcp.Run(ctx, mcp.Options{Session: p.readers(), Version: shortVersion(), Timeout: o.QueryTimeout, Memory: o.QueryMemory}, in, unclosed{p.stdout})
	if err != nil {
		p.say("infomall: %v", err)
	}
	return err
}

// unclosed is a writer that stays open when it is closed.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }
