// Package ask answers one statement for somebody outside the program: a client of
// the web server or of the Model Context Protocol. It lets statements only read, and
// bounds their time, memory, rows and number.
package ask

import (
	"context"
	"errors"
	"fmt"
	"time"

	"infomall/exec"
	"infomall/exec/session"
	"infomall/lang"
	"infomall/lang/ast"
)

// Runner runs statements for clients that may only read. Several goroutines may use it. New
// makes one.
type Runner struct {
	o     Options
	slots chan struct{} // holds one element for each running statement
}

// Options says how a Runner runs statements. Session and all limits are required.
type Options struct {
	// Session returns a new session for one statement. It must be read-only and must
	// not read files.
	Session func() *session.Session
	Timeout time.Duration // time of one statement
	Memory  int64         // memory of one statement in bytes; 0 means that of the settings
	Rows    int64         // rows of one answer
	AtOnce  int           // statements that run at the same time
	// Began and Ended, if not nil, are called when a statement begins to run and when it has
	// ended. Ended gets how it ended (done, cut, mistake or error) and what it has read. Several
	// goroutines may call them.
	Began func()
	Ended func(end string, rows, hits, misses int64)
}

// New returns a Runner with the options o.
func New(o Options) *Runner {
	if o.Began == nil {
		o.Began = func() {}
	}
	if o.Ended == nil {
		o.Ended = func(string, int64, int64, int64) {}
	}
	return &Runner{o: o, slots: make(chan struct{}, o.AtOnce)}
}

// ParamError is a mistake in a request other than in its statement. Its text says what to write
// instead.
type ParamError struct{ text string }

func (e *ParamError) Error() string { return e.text }

// paramf returns a ParamError.
func paramf(format string, args ...any) error { return &ParamError{fmt.Sprintf(format, args...)} }

// ErrBusy is returned if too many other statements run.
var ErrBusy = errors.New("the server is busy with other statements; try again later")

// ErrTime is wrapped by the error of a statement that took too long.
var ErrTime = errors.New("the statement took longer than it may")

// ErrRows is wrapped by the error of an answer with too many rows. The rows before
// it were sent.
var ErrRows = errors.New("the answer has too many rows")

// IsFault reports whether err is a mistake in a statement.
func IsFault(err error) bool {
	var fault *ast.Error
	var faults lang.Errors
	return errors.As(err, &fault) || errors.As(err, &faults)
}

// queryWait is how long a statement waits while Options.AtOnce others run.
const queryWait = 10 * time.Second

// Answer is the result of a statement that runs for a request. The caller reads the
// result and calls Close, always. Only one goroutine may use it.
type Answer struct {
	*session.Result
	ctx     context.Context // of the statement; it ends with the time of the statement
	session *session.Session
	runner  *Runner
	release func()
	Sent    int64 // rows that were sent so far; the reader of Rows counts them
}

// Run runs the statement in text with the values of parameters. The statement may
// take Options.Timeout and ends when the client goes away.
func (r *Runner) Run(ctx context.Context, text string, params map[string]string) (*Answer, error) {
	st, err := lang.ParseOne(text, "")
	if err == nil {
		err = mayRun(st)
	}
	if err != nil {
		r.o.Began()
		r.o.Ended("mistake", 0, 0, 0)
		return nil, err
	}
	free, err := r.slot(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.o.Timeout, ErrTime)
	r.o.Began()
	a := &Answer{ctx: ctx, session: r.o.Session(), runner: r, release: func() {
		cancel()
		free()
	}}
	if r.o.Memory > 0 {
		a.session.Settings().MemoryBytes = r.o.Memory
	}
	a.session.SetParams(params)
	if a.Result, err = a.start(st); err != nil {
		a.release()
		err = a.Cause(err)
		if IsFault(err) {
			r.o.Ended("mistake", 0, 0, 0)
		} else {
			r.o.Ended("error", 0, 0, 0)
		}
		return nil, err
	}
	return a, nil
}

// start runs the statement st. For a RUN it runs the statements of the saved query
// or script, and returns the result of the last one.
func (a *Answer) start(st ast.Statement) (*session.Result, error) {
	run, ok := st.(*ast.Run)
	if !ok {
		if _, err := a.session.MissingParam([]ast.Statement{st}); err != nil {
			return nil, err
		}
		return a.session.Run(a.ctx, st)
	}
	program, err := a.session.Expand(a.ctx, run)
	if err != nil {
		return nil, err
	}
	list, err := lang.Parse(program.Text, program.Name)
	if err != nil {
		return nil, err
	}
	a.session.Enter(program) // the session is for this answer alone
	if _, err := a.session.MissingParam(list); err != nil {
		return nil, err
	}
	for _, inner := range list {
		if _, nested := inner.(*ast.Run); nested {
			return nil, ast.Errorf(inner, "a RUN inside a RUN is not answered here")
		}
		if err := mayRun(inner); err != nil {
			return nil, err
		}
	}
	result := session.Done()
	for _, inner := range list {
		result.Close()
		if result, err = a.session.Run(a.ctx, inner); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// mayRun returns nil if a Runner may run the statement st, otherwise an error. The statement
// must only read, and must read only the archive.
func mayRun(st ast.Statement) error {
	if explain, ok := st.(*ast.Explain); ok && explain.Statement != nil {
		return mayRun(explain.Statement)
	}
	if set, ok := st.(*ast.Set); ok && set.Param {
		return nil
	}
	spec := exec.SpecOf(st)
	if spec.Writes || spec.Works || !spec.Answers {
		err := ast.Errorf(st, "only statements that read the archive are answered here, and %s is none", spec.Names[0])
		err.Hint = "run it with the program infomall"
		return err
	}
	return nil
}

// Cause returns the error to show for err, an error of the statement. If the statement took too
// long, this is an error that says so.
func (a *Answer) Cause(err error) error {
	if context.Cause(a.ctx) == ErrTime {
		return fmt.Errorf("%w: %s; ask for less, or start the server with a longer --query-timeout", ErrTime, a.runner.o.Timeout)
	}
	return err
}

// Close ends the statement and counts it. err is the error that ended its reading,
// or nil.
func (a *Answer) Close(err error) {
	a.Result.Close()
	a.release()
	end := "done"
	switch {
	case err == nil:
	case errors.Is(err, ErrRows):
		end = "cut"
	case IsFault(err):
		end = "mistake"
	default:
		end = "error"
	}
	a.runner.o.Ended(end, a.Sent, a.Read.CacheHits, a.Read.CacheMisses)
}

// Zone returns the time zone in which times of the answer are written.
func (a *Answer) Zone() *time.Location { return a.session.Settings().Timezone }

// slot waits for a free place among the running statements, and takes it until the
// caller calls free.
func (r *Runner) slot(ctx context.Context) (free func(), err error) {
	timer := time.NewTimer(queryWait)
	defer timer.Stop()
	select {
	case r.slots <- struct{}{}:
		return func() { <-r.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
		return nil, ErrBusy
	}
}
