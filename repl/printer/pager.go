package printer

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"

	"infomall/repl/term"
)

// PagerDefault is the command of the pager if the variable PAGER is not set.
// With these flags less leaves the text on the screen, does not wrap lines and
// shows colours.
const PagerDefault = "less -SRFX"

// The values of the setting pager: when a result is shown in a pager.
const (
	PagerAuto = "auto" // for results taller than the window
	PagerOn   = "on"
	PagerOff  = "off"
)

// Pager shows a result that is taller than the window in a program such as
// less. It first keeps the text in memory, up to the height of the window. If
// more text comes, it starts the program and sends it all of the text.
type Pager struct {
	terminal *os.File
	command  []string
	environ  []string
	when     *string                 // the setting pager: PagerAuto, PagerOn or PagerOff
	patient  func() (release func()) // called while the program runs
	warn     func(error)

	held    bytes.Buffer   // text that is kept in memory
	rows    int            // rows that held takes on the screen
	program *exec.Cmd      // the running program; nil if none runs
	pipe    io.WriteCloser // the standard input of program
	release func()         // returned by patient
}

// NewPager returns a pager for a terminal. when is the setting pager. If the pager program
// cannot be found, NewPager changes the setting to off. If the program does not start
// later, the pager calls warn with the error and changes the setting to off. The pager calls
// patient when its program starts, and the result release when the program has ended.
func NewPager(terminal *os.File, getenv func(string) string, when *string, patient func() (release func()), warn func(error)) *Pager {
	g := &Pager{terminal: terminal, when: when, environ: os.Environ(), patient: patient, warn: warn}
	g.command = strings.Fields(getenv("PAGER"))
	if len(g.command) == 0 {
		g.command = strings.Fields(PagerDefault)
	}
	if _, err := exec.LookPath(g.command[0]); err != nil || getenv("TERM") == "dumb" {
		*g.when = PagerOff
	}
	if getenv("LESSCHARSET") == "" {
		g.environ = append(g.environ, "LESSCHARSET=utf-8")
	}
	return g
}

// When returns the setting pager: PagerAuto, PagerOn or PagerOff.
func (g *Pager) When() string { return *g.when }

// Command returns the command of the pager program, as one line.
func (g *Pager) Command() string { return strings.Join(g.command, " ") }

// Write shows b, or keeps b in memory; see Pager. After the user has left the pager program, it
// returns the error of a closed pipe.
func (g *Pager) Write(b []byte) (int, error) {
	if g.pipe != nil {
		return g.pipe.Write(b)
	}
	if *g.when == PagerOff {
		return g.terminal.Write(b)
	}
	g.held.Write(b) // never fails
	for line := range bytes.Lines(b) {
		g.rows += term.Rows(string(line), g.terminal)
	}
	if *g.when == PagerOn || g.rows >= term.Height(g.terminal) {
		if err := g.start(); err != nil {
			g.warn(err)
			*g.when = PagerOff
			return len(b), g.flush(g.terminal)
		}
		if err := g.flush(g.pipe); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

func (g *Pager) start() error {
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

// flush writes the text that the pager keeps in memory to w, and forgets it.
func (g *Pager) flush(w io.Writer) error {
	_, err := g.held.WriteTo(w)
	g.held.Reset()
	g.rows = 0
	return err
}

// end shows the rest of a result. If the program runs, end waits until the user
// leaves it.
func (g *Pager) end() error {
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
