package repl

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"

	"infomall/repl/term"
)

// pagerDefault is the pager if $PAGER names none. With these flags less leaves
// the text on the screen, does not wrap lines and shows colours.
const pagerDefault = "less -SRFX"

// The values of the setting pager: when a result is shown in a pager.
const (
	pagerAuto = "auto" // for results taller than the window
	pagerOn   = "on"
	pagerOff  = "off"
)

// pager shows a result that is taller than the window in a program such as
// less. It holds as much as the window can show. If more comes, it starts the
// program and sends it everything.
type pager struct {
	terminal *os.File
	command  []string
	environ  []string
	when     *string                 // the setting pager: pagerAuto, pagerOn or pagerOff
	patient  func() (release func()) // called while the program runs
	warn     func(error)

	held    bytes.Buffer
	rows    int // rows that held takes on the screen
	program *exec.Cmd
	pipe    io.WriteCloser
	release func()
}

// newPager returns a pager for a terminal. If there is no pager program, it
// sets the setting pager to off.
func (p *program) newPager(terminal *os.File) *pager {
	g := &pager{terminal: terminal, when: &p.session.Settings().Pager, environ: os.Environ(), patient: p.signals.patiently}
	g.warn = func(err error) { p.say("pager: %v", err) }
	name := p.getenv("PAGER")
	if name == "" {
		name = pagerDefault
	}
	g.command = strings.Fields(name)
	if _, err := exec.LookPath(g.command[0]); err != nil || p.getenv("TERM") == "dumb" {
		*g.when = pagerOff
	}
	if p.getenv("LESSCHARSET") == "" {
		g.environ = append(g.environ, "LESSCHARSET=utf-8")
	}
	return g
}

// Write implements io.Writer. Once the user has left the program, it returns
// the error of a closed pipe.
func (g *pager) Write(b []byte) (int, error) {
	if g.pipe != nil {
		return g.pipe.Write(b)
	}
	if *g.when == pagerOff {
		return g.terminal.Write(b)
	}
	g.held.Write(b) // never fails
	for line := range bytes.Lines(b) {
		g.rows += term.Rows(string(line), g.terminal)
	}
	if *g.when == pagerOn || g.rows >= term.Height(g.terminal) {
		if err := g.start(); err != nil {
			g.warn(err)
			*g.when = pagerOff
			return len(b), g.flush(g.terminal)
		}
		if err := g.flush(g.pipe); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

func (g *pager) start() error {
	cmd := exec.Command(g.command[0], g.command[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.Env = g.terminal, g.terminal, g.environ
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	g.program, g.pipe, g.release = cmd, pipe, g.patient()
	return nil
}

// flush writes the text that the pager holds to w, and empties it.
func (g *pager) flush(w io.Writer) error {
	_, err := g.held.WriteTo(w)
	g.held.Reset()
	g.rows = 0
	return err
}

// end writes the rest of a result, and waits until the user leaves the program.
func (g *pager) end() error {
	if g.pipe == nil {
		return g.flush(g.terminal)
	}
	err := g.pipe.Close()
	var exit *exec.ExitError
	if werr := g.program.Wait(); !errors.As(werr, &exit) { // the program's exit status says nothing about the result
		err = errors.Join(err, werr)
	}
	g.release()
	g.program, g.pipe = nil, nil
	return err
}
