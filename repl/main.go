// Package repl is the program infomall around the other packages: it reads the
// command line, opens the archive, runs scripts and the shell, shows results and
// progress, and turns signals and errors into exit statuses. Package lang parses
// the statements, and package exec answers them. Main is the program;
// archive.go hands the archive of package store to package exec.
package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"time"

	"infomall/exec"
	"infomall/exec/cost"
	"infomall/exec/pool"
	"infomall/exec/relation"
	"infomall/exec/rowio"
	"infomall/exec/session"
	"infomall/exec/worker/nats"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/lang/cells"
	"infomall/queries"
	"infomall/repl/history"
	"infomall/repl/interrupts"
	"infomall/repl/memory"
	"infomall/repl/printer"
	"infomall/repl/term"
	"infomall/store/record"
)

// The exit statuses of the program.
const (
	statusDone        = 0
	statusFailed      = 1   // a statement failed, or --fail-on-… was met
	statusUsage       = 2   // wrong command line, or a script not found
	statusArchive     = 4   // the archive cannot be used, or a disk is full
	statusInterrupted = 130 // Ctrl-C, or a signal to end
)

// program is one run of the program infomall.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	openArchive    func(path string, warn func(error)) (session.Archive, io.Closer, error)

	options *options
	session *session.Session
	printer *printer.Printer
	signals *interrupts.Interrupts
	restore func()            // puts the terminal back into its mode before; nil if there is no need
	meter   *printer.Progress // shows progress; nil shows none

	workers   func(*session.Options) session.Workers // in tests, makes the workers of a session; else nil
	transport *nats.Transport                        // to the workers of --nats; nil without the flag

	rates     *cost.Rates // measured rates of the archive; nil if there is no place for them
	ratesPath string      // the file of rates

	emptyQuery bool  // a query gave no rows
	rowsQuery  bool  // a query gave rows
	rows       int64 // number of rows of all results so far
	running    int   // number of RUN statements that are running inside each other
}

// Main runs the program and returns its exit status. args are the arguments
// after the name of the program. Main handles the signals of the process while
// it runs.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	memory.AllowGarbage()
	p := &program{stdin: stdin, stdout: stdout, stderr: stderr, getenv: getenv, openArchive: openPlace}
	return p.main(ctx, args)
}

func (p *program) main(ctx context.Context, args []string) (status int) {
	if len(args) > 0 {
		if run := tools[args[0]]; run != nil {
			return run(p, args[1:])
		}
	}
	var err error
	p.options, err = parseOptions(args, p.stdout)
	switch {
	case err != nil:
		return p.usage(err)
	case p.options.Help:
		return statusDone
	case p.options.Version:
		fmt.Fprintln(p.stdout, "infomall", version())
		return statusDone
	}
	scripts, shell, err := p.inputs()
	if err != nil {
		return p.usage(err)
	}
	if p.options.Check {
		return p.check(scripts)
	}
	return p.open(ctx, func(ctx context.Context) error {
		switch {
		case shell:
			return p.shell(ctx, scripts)
		case p.options.Daemon:
			return p.daemon(ctx, scripts)
		case p.options.Serve != "", p.options.ReplayProxy != "":
			return p.serve(ctx, scripts)
		case p.options.MCP:
			return p.mcp(ctx, scripts)
		case p.options.Worker != "":
			return p.worker(ctx, scripts)
		case p.options.Fetcher != "":
			return p.fetcher(ctx, scripts)
		}
		return p.batch(ctx, scripts)
	})
}

// usage prints err, a mistake in the command line, and returns the exit status
// for it.
func (p *program) usage(err error) int {
	p.say("infomall: %v", err)
	return statusUsage
}

// shortVersion returns the version of the program as one word, such as "v1.2.3"
// or "devel".
var shortVersion = sync.OnceValue(func() string {
	word, _, _ := strings.Cut(version(), " ")
	return strings.Trim(word, "()")
})

// version returns the version of the program as the Go build stamped it,
// followed by the version of Go.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "of unknown version"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && v == "(devel)" {
			v += " " + s.Value
		}
	}
	return v + " " + info.GoVersion
}

// inputs reads and parses all scripts of the command line, so that a missing
// script is found before any statement runs. If the command line has none,
// inputs reads stdin. If stdin is a terminal then, shell is true, and the
// program opens the shell.
func (p *program) inputs() (scripts []*script, shell bool, err error) {
	if p.options.Format != "" {
		if _, err := rowio.New(p.options.Format, io.Discard, rowio.Options{}); err != nil {
			return nil, false, fmt.Errorf("--format: %w", err)
		}
	}
	if p.options.Init != "" {
		s, err := readScript(p.options.Init, p.stdin)
		if err != nil {
			return nil, false, err
		}
		s.silent = true
		scripts = append(scripts, s)
	}
	inputs := p.options.inputs
	if p.options.Daemon {
		if len(inputs) > 0 || p.options.Check || p.options.ReadOnly {
			return nil, false, errors.New("--daemon runs only what is scheduled; put settings into a script for --init")
		}
		return scripts, false, p.daemonPath()
	}
	if p.options.At != "" && p.options.ReplayProxy == "" {
		return nil, false, errors.New("--at is the time of --replay-proxy, which is missing")
	}
	if p.options.Fetcher != "" {
		if len(inputs) > 0 || p.options.Check || p.options.ReadOnly {
			return nil, false, errors.New("--fetcher runs only the crawls of its NATS servers; put settings into a script for --init")
		}
		return scripts, false, nil
	}
	if p.options.Serve != "" || p.options.ReplayProxy != "" || p.options.MCP {
		if p.options.NATS != "" || p.options.Worker != "" {
			return nil, false, errors.New("--serve, --replay-proxy and --mcp ask no workers and are none; leave out --nats and --worker")
		}
		if len(inputs) > 0 || p.options.Check {
			return nil, false, errors.New("--serve, --replay-proxy and --mcp run no scripts; put settings into a script for --init")
		}
		return scripts, false, nil
	}
	if p.options.Worker != "" {
		if len(inputs) > 0 || p.options.Check || p.options.NATS != "" {
			return nil, false, errors.New("--worker runs no scripts and asks no workers; put settings into a script for --init")
		}
		return scripts, false, nil
	}
	if len(inputs) == 0 {
		if term.Of(p.stdin) != nil && !p.options.Check {
			return scripts, true, nil
		}
		inputs = []input{{text: "-"}}
	}
	for _, in := range inputs {
		if in.command {
			text := in.text
			if strings.HasPrefix(text, `\`) || strings.HasPrefix(text, ".") {
				if statement := habit(strings.TrimSpace(text)); statement != "" && statement[0] != '.' {
					text = statement // such as \d
				}
			}
			scripts = append(scripts, parseScript("-c", text))
			continue
		}
		s, err := readScript(in.text, p.stdin)
		if err != nil {
			return nil, false, err
		}
		scripts = append(scripts, s)
	}
	return scripts, false, nil
}

// check parses and plans all statements of the scripts without running them,
// prints their errors, and returns the exit status. From the archive it reads
// only definitions, such as views.
func (p *program) check(scripts []*script) int {
	a, closer, err := p.openArchive(p.archivePath(), func(err error) { p.say("infomall: %v", err) })
	if err != nil {
		p.say("infomall: %v", err)
		return statusOf(err)
	}
	defer closer.Close() // nothing was written
	p.session = p.newSession(a)
	status := statusDone
	for _, s := range scripts {
		for _, st := range s.steps {
			err := st.faults
			if err == nil {
				err = p.session.Check(st.statement)
			}
			if err != nil {
				p.report(st, err)
				status = statusFailed
			}
		}
	}
	return status
}

// open opens the archive and the output, begins to handle signals, calls run,
// and closes all of these. It returns the exit status.
func (p *program) open(ctx context.Context, run func(context.Context) error) (status int) {
	dest := p.stdout
	files, err := printer.FileNames(p.options.Output)
	if err != nil {
		return p.usage(fmt.Errorf("-o: %w", err))
	}
	format, err := printer.FormatOf(p.options.Output)
	if err != nil {
		return p.usage(fmt.Errorf("-o: %w", err))
	}
	if p.options.Output != "" && files == "" {
		f, err := os.Create(p.options.Output)
		if err != nil {
			return p.usage(fmt.Errorf("-o: %w", err))
		}
		defer func() {
			if err := f.Close(); err != nil && status == statusDone {
				p.say("infomall: %v", err)
				status = statusOf(err)
			}
		}()
		dest = f
	}
	a, closer, err := p.openArchive(p.archivePath(), func(err error) { p.say("infomall: %v", err) })
	if err != nil {
		p.say("infomall: %v", err)
		return statusOf(err)
	}
	p.session = p.newSession(a)
	p.printer = p.newPrinter(dest)
	p.printer.Files, p.printer.Out.Format = files, format
	p.signals, ctx = interrupts.Watch(ctx, p.stderr, p.force)
	err = run(ctx)
	p.signals.Close()
	p.saveRates()
	if p.transport != nil {
		p.transport.Close()
	}
	if cerr := closer.Close(); cerr != nil {
		p.say("infomall: %v", cerr)
		err = errors.Join(err, cerr)
	}
	switch status := statusOf(err); {
	case status != statusDone:
		return status
	case p.options.FailOnEmpty && p.emptyQuery, p.options.FailOnRows && p.rowsQuery:
		return statusFailed
	}
	return statusDone
}

// force ends the program at once, while a statement runs that does not stop.
func (p *program) force() {
	if p.restore != nil {
		p.restore()
	}
	p.say("%v", interrupts.ErrInterrupted)
	os.Exit(statusInterrupted)
}

// archivePath returns the folder of the archive: the value of -a, else of the
// variable INFOMALL_ARCHIVE, else "archive".
func (p *program) archivePath() string {
	if p.options.Archive != "" {
		return p.options.Archive
	}
	if path := p.getenv("INFOMALL_ARCHIVE"); path != "" {
		return path
	}
	return "archive"
}

// newSession returns a session for the archive, with the settings of the
// command line.
func (p *program) newSession(archive session.Archive) *session.Session {
	given := p.options
	o := session.Options{
		Archive:  archive,
		Settings: session.DefaultSettings(),
		Params:   given.Param,
		Verbose:  given.Verbose,
		ReadOnly: given.ReadOnly,
		Scripts:  queries.FS,
		History:  p.typed,
		Confirm:  p.unattended,
		Rates:    p.loadRates(archive.Local()),
		Frugal:   memory.BeginFrugal,

		ConfirmCost: p.unattendedCost,
		Version:     shortVersion(),
	}
	o.Crawler, _ = archive.(session.Crawler)
	o.Replay = p.openReplay
	o.Bucket = openDataSet
	o.Jobs, _ = archive.(session.Jobs)
	p.askWorkers(&o)
	o.Settings.Color = given.Color
	if given.Format != "" {
		o.Settings.Mode = given.Format
	}
	return exec.New(o)
}

// typed returns the entries of the shell's history, for the relation history.
func (p *program) typed(context.Context) ([]relation.Entry, error) {
	h, err := history.Read(historyPath(p.getenv))
	if err != nil {
		return nil, err
	}
	entries := make([]relation.Entry, len(h.Entries))
	for i, e := range h.Entries {
		entries[i] = relation.Entry{Time: record.At(e.Time), Text: e.Text, Duration: e.Millis, Rows: e.Rows, Status: e.Status}
	}
	return entries, nil
}

// newPrinter returns a printer that writes results to dest. It shows progress
// if stderr is a terminal.
func (p *program) newPrinter(dest io.Writer) *printer.Printer {
	dumb := p.getenv("TERM") == "dumb"
	stderr := printer.NewOutput(p.stderr)
	if tty := stderr.Terminal; tty != nil && !dumb && !p.options.Quiet {
		p.meter = printer.NewProgress(tty)
		p.session.SetProgress(p.meter.Update)
		stderr.Before = p.meter.End
	}
	pr := &printer.Printer{
		Session: p.session,
		Out:     printer.NewOutput(dest),
		Stderr:  stderr,
		Header:  p.options.Header,
		Safe:    p.options.CSVSafe,
		Color:   !dumb && p.getenv("NO_COLOR") == "",
		Quiet:   p.options.Quiet,
	}
	if pr.Out.Terminal != nil {
		// Rows and progress share the screen, so rows end the progress.
		pr.Out.Before = p.meter.End
	}
	return pr
}

// batch runs the scripts one after another, as run does. Ctrl-C ends all of
// them.
func (p *program) batch(ctx context.Context, scripts []*script) error {
	ctx, release := p.signals.During(ctx)
	defer release()
	var steps []step
	for _, s := range scripts {
		steps = append(steps, s.steps...)
	}
	return p.run(ctx, steps)
}

// run runs the steps (statements) in order and prints their errors. It stops at
// the first error and returns it. With --keep-going it runs the other steps
// too; an IMPORT that found damage is then no error.
func (p *program) run(ctx context.Context, steps []step) error {
	places, results := p.places(steps)
	p.printer.Alone = results == 1
	return p.runAt(ctx, steps, places)
}

// runAt runs steps like run, and sends the result of steps[i] to places[i]. If a
// step needs a parameter without a value, runAt returns an error and runs no step.
// With --keep-going it does not check this before it runs steps.
func (p *program) runAt(ctx context.Context, steps []step, places []printer.Place) error {
	if !p.options.KeepGoing {
		if at, err := p.session.MissingParam(statementsOf(steps)); err != nil {
			p.report(steps[at], err)
			return err
		}
	}
	var first error
	for i, s := range steps {
		err := p.step(ctx, s, places[i])
		if err == nil {
			continue
		}
		var damage *pool.DamageError
		if first == nil && !(p.options.KeepGoing && errors.As(err, &damage)) {
			first = err
		}
		p.report(s, err)
		if !p.options.KeepGoing || ctx.Err() != nil || printer.IsClosedPipe(err) {
			break
		}
	}
	return first
}

// hugePagesAfter is how long a statement runs before the process begins to use huge pages. To
// begin takes 1 to 2 ms of CPU time if the heap is small, and up to 10 ms if it is large.
const hugePagesAfter = 200 * time.Millisecond

// hugePages makes the process use huge pages when the statement s has run for hugePagesAfter. SEARCH uses
// them at once: it needs some 40 MB, and with them a process for one SEARCH takes .85 of the time. The
// caller stops the timer at the end of the statement.
func hugePages(s ast.Statement) *time.Timer {
	if q, ok := s.(*ast.Query); ok && q.Search != nil {
		memory.UseHugePages()
	}
	return time.AfterFunc(hugePagesAfter, memory.UseHugePages)
}

// statementsOf returns the statements of steps up to, not including, the first step with syntax
// errors.
func statementsOf(steps []step) (list []ast.Statement) {
	for _, s := range steps {
		if s.faults != nil {
			break
		}
		list = append(list, s.statement)
	}
	return list
}

// places returns for each step the place to which its result goes, and the
// number of results that go to the output. If there is only one statement, its
// result goes to the output. If there are several, only results of queries and
// similar statements do; the others are summaries on stderr. With --last only
// the last result goes to the output.
func (p *program) places(steps []step) (places []printer.Place, results int) {
	places = make([]printer.Place, len(steps))
	loud := 0
	for _, s := range steps {
		if !s.script.silent {
			loud++
		}
	}
	last := -1
	for i, s := range steps {
		switch {
		case s.script.silent:
			places[i] = printer.ToNowhere
		case loud == 1 || s.statement != nil && exec.SpecOf(s.statement).Answers:
			if p.options.Last && last >= 0 {
				places[last] = printer.ToNowhere
				results--
			}
			last = i
			results++
		case p.options.Quiet:
			places[i] = printer.ToNowhere
		default:
			places[i] = printer.ToStderr
		}
	}
	return places, results
}

// changes reports whether the statement s may change the archive. For nil it
// returns false.
func changes(s ast.Statement) bool {
	if s == nil {
		return false
	}
	_, script := s.(*ast.Run) // its statements are not known yet
	return script || exec.SpecOf(s).Writes
}

// step runs one statement and sends its result to the place that the parameter to names. It
// returns the error of the statement, or its syntax errors.
func (p *program) step(ctx context.Context, s step, to printer.Place) error {
	if s.faults != nil {
		return s.faults
	}
	if run, ok := s.statement.(*ast.Run); ok {
		return p.runProgram(ctx, run, to)
	}
	if err := p.echo(ctx, s, to); err != nil {
		return stopped(ctx, err)
	}
	start := time.Now()
	memory.Limit(p.session.Settings().MemoryBytes, p.getenv)
	defer hugePages(s.statement).Stop()
	p.meter.Begin()
	defer p.meter.End()
	result, err := p.session.Run(ctx, s.statement)
	if err != nil {
		return stopped(ctx, err)
	}
	rows, err := p.printer.Print(ctx, s.statement, result, to)
	if err != nil {
		return stopped(ctx, err)
	}
	p.rows += rows
	if _, ok := s.statement.(*ast.Query); ok && to == printer.ToOutput {
		p.emptyQuery = p.emptyQuery || rows == 0
		p.rowsQuery = p.rowsQuery || rows > 0
	}
	if p.session.Settings().Timer && !s.script.silent {
		p.say("%s", printer.Timing(time.Since(start), rows, &result.Read))
	}
	return nil
}

// stopped returns the error to show for err, the error of a statement that ran
// with ctx. If ctx was cancelled, this is the cause, such as interrupts.ErrInterrupted;
// otherwise it is err.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && !printer.IsClosedPipe(err) {
		return context.Cause(ctx)
	}
	return err
}

// report prints err, the error of the step s, on stderr. If err has no
// position, report prints the position of the statement, provided that the
// script has a name.
func (p *program) report(s step, err error) {
	p.meter.End()
	var placed *ast.Error
	var reported *reportedError
	switch {
	case errors.As(err, &reported):
	case printer.IsClosedPipe(err):
		// The reader has what it wanted.
	case errors.Is(err, interrupts.ErrInterrupted), errors.Is(err, interrupts.ErrTerminated):
		p.say("%v", err)
	case !errors.As(err, &placed) && s.script.name != "":
		at := s.statement.At().Start
		p.say("%s:%d:%d: %v", s.script.name, at.Line, at.Column, err)
	default:
		p.say("%s", lang.Render(err, s.script.text))
	}
}

// say writes a line to stderr. It ignores errors, because there is nowhere to
// report them.
func (p *program) say(format string, args ...any) {
	fmt.Fprintln(p.stderr, cells.Lines(fmt.Sprintf(format, args...)))
}

// statusOf returns the exit status of the program for err, the error that ended
// its run. For nil it returns statusDone.
func statusOf(err error) int {
	var unusable *archiveError
	var none *session.NoArchiveError
	switch {
	case err == nil, printer.IsClosedPipe(err):
		return statusDone
	case errors.Is(err, interrupts.ErrInterrupted), errors.Is(err, interrupts.ErrTerminated), errors.Is(err, context.Canceled):
		return statusInterrupted
	case errors.As(err, &unusable), errors.As(err, &none), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, syscall.EIO), errors.Is(err, syscall.EROFS):
		return statusArchive
	}
	return statusFailed
}
