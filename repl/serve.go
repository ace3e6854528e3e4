package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"infomall/exec"
	"infomall/exec/access"
	"infomall/exec/session"
	"infomall/queries"
	"infomall/repl/complete"
	"infomall/repl/mcp"
	"infomall/repl/memory"
	"infomall/repl/serve"
)

// serve serves the archive on the web until a signal ends the program. A signal is no error.
// Before that, it runs scripts, such as that of --init; their settings hold for every request.
func (p *program) serve(ctx context.Context, scripts []*script) (err error) {
	o, closeLog, err := p.serveOptions()
	if err != nil {
		p.say("infomall: %v", err)
		return err
	}
	defer func() { err = errors.Join(err, closeLog()) }()
	if err := p.batch(ctx, scripts); err != nil {
		return err
	}
	o.Archive, o.Session = access.Guard(p.session.Archive(), time.Now), p.readers()
	o.Complete = func(s *session.Session, before, after string) (int, []string) {
		// Without sites: names that were just deleted must not be offered.
		return (&complete.Completer{Session: s}).Complete(before, after)
	}
	set := p.session.Settings()
	o.NoBar, o.Ruffle = !set.Bar, set.Ruffle
	if set.Logo != "" {
		o.LogoType = session.LogoType(set.Logo)
		if o.Logo, err = os.ReadFile(set.Logo); err != nil {
			p.say("infomall: the setting logo: %v", err)
			return err
		}
	}
	if !p.options.Quiet {
		o.Say = p.say
	}
	ctx, release := p.signals.During(ctx)
	defer release()
	defer memory.BeginFrugal()() // replay keeps answers, and garbage grows with what is kept
	if err := serve.Run(ctx, o); err != nil {
		p.say("infomall: %v", err)
		return err
	}
	return nil
}

// readers returns a function that makes sessions for clients. A session cannot change the
// archive, has the present settings of the program, and does not show captures that the access
// rules hide.
func (p *program) readers() func() *session.Session {
	settings := *p.session.Settings()
	archive := access.Guard(p.session.Archive(), time.Now)
	memory.Limit(settings.MemoryBytes, p.getenv)
	memory.UseHugePages()
	return func() *session.Session {
		o := session.Options{Archive: archive, Settings: settings, ReadOnly: true, NoFiles: true, Scripts: queries.FS, Version: shortVersion()}
		o.Crawler, _ = archive.(session.Crawler)
		o.Jobs, _ = archive.(session.Jobs)
		return exec.New(o)
	}
}

// serveOptions returns the options of the server that the command line gives, and a
// function that closes the access log.
func (p *program) serveOptions() (serve.Options, func() error, error) {
	given := p.options
	o := serve.Options{
		Addr: given.Serve, Origin: given.ServeOrigin, ReplayAddr: given.ReplayAddr, ReplayOrigin: given.ReplayOrigin, CORS: given.CORS,
		ProxyAddr: given.ReplayProxy, ProxyTime: strings.NewReplacer("-", "", ":", "", "T", "", "Z", "", " ", "").Replace(given.At),
		QueryTimeout: given.QueryTimeout, QueryRows: given.QueryRows,
	}
	closeLog := func() error { return nil }
	if given.QueryMemory != "" {
		var s session.Settings
		if err := session.SettingNamed("memory").Set(&s, given.QueryMemory); err != nil {
			return o, closeLog, fmt.Errorf("--query-memory %s: %w", given.QueryMemory, err)
		}
		o.QueryMemory = s.MemoryBytes
	}
	switch given.AccessLog {
	case "":
	case "-":
		o.AccessLog = p.stderr
	default:
		f, err := os.OpenFile(given.AccessLog, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
		if err != nil {
			return o, closeLog, fmt.Errorf("--access-log: %w", err)
		}
		o.AccessLog, closeLog = io.Writer(f), f.Close
	}
	return o, closeLog, nil
}

// mcp answers a client of the Model Context Protocol on standard input and output until the
// input ends. Before that, it runs scripts, such as that of --init.
func (p *program) mcp(ctx context.Context, scripts []*script) error {
	if err := p.batch(ctx, scripts); err != nil {
		return err
	}
	o, _, err := p.serveOptions()
	if err != nil {
		p.say("infomall: %v", err)
		return err
	}
	ctx, release := p.signals.During(ctx)
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

// unclosed is a writer whose Close does not close the writer below.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }
