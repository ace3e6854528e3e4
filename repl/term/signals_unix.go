//go:build unix

package term

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// notifyResize makes the process send a signal to c each time the size of the
// window changes.
func notifyResize(c chan<- os.Signal) { signal.Notify(c, syscall.SIGWINCH) }

// stopProcess stops all processes of the terminal's foreground job, as Ctrl-Z
// does in the usual mode. It returns when the job continues, or after
// stopPatience if no shell can continue it.
func stopProcess() error {
	// The signal may take a moment to stop the process.
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, syscall.SIGCONT)
	defer signal.Stop(goesOn)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	select {
	case <-goesOn:
	case <-time.After(stopPatience):
	}
	return nil
}

// stopPatience is how long stopProcess waits for the stop signal to take
// effect.
const stopPatience = 200 * time.Millisecond
